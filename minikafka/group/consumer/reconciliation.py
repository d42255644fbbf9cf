"""The way of one member from what it has to its target.

A member gives up first, then gets. It keeps what its target and its assignment share. What it must
give up stays its own (`revoking`) until it says that it no longer has it, and it stays in its epoch
so long. Then it moves to the epoch of the target and gets what no other member has; it waits for
the rest.

Source: `CurrentAssignmentBuilder`.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from minikafka.common.errors import FencedMemberEpochError
from minikafka.common.ids import Uuid
from minikafka.group.consumer.member import (
    MEMBER_STATES,
    ConsumerMember,
    EpochsOfPartitions,
    MemberState,
    Partitions,
)

Owned = Sequence[tuple[Uuid, Sequence[int]]]
"""What a member says it has: topic ids with partition indexes."""
_NOTHING: Final[dict[int, int]] = {}
_NO_PARTITIONS: Final[AbstractSet[int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What decides about the next step of `member`.

    `owned` is None if the member does not say what it has. `has_owner` tells whether any member has
    a partition. `subscribed` are the ids of the topics that the member subscribes to; others are
    taken from it at once if its subscription `has_changed`.
    """

    member: ConsumerMember
    target: Partitions
    target_epoch: int
    owned: Owned | None
    has_owner: Callable[[Uuid, int], bool]
    subscribed: AbstractSet[Uuid]
    has_changed: bool

    def next_step(self) -> ConsumerMember:
        """Return the member after the step; the same object if it cannot move.

        Raises:
            FencedMemberEpochError: the state is not known, and the member has partitions.
        """
        member = self.member
        after = self._after()
        MEMBER_STATES.require(member.state, after.state, member.member_id)
        return after

    def _after(self) -> ConsumerMember:
        member = self.member
        if member.state is MemberState.STABLE:
            if member.epoch != self.target_epoch:
                return self._towards_target(member.epoch)
            return self._without_unsubscribed() if self.has_changed else member
        if member.state is MemberState.UNREVOKED_PARTITIONS:
            if not self._still_owns(member.revoking):
                return self._towards_target(member.epoch)
            return self._without_unsubscribed() if self.has_changed else member
        if member.state is MemberState.UNRELEASED_PARTITIONS:
            return self._towards_target(member.epoch)
        if self.owned is None or self.owned:
            raise FencedMemberEpochError(
                "The consumer group member is in a unknown state. The member must abandon all its "
                "partitions and rejoin."
            )
        return self._towards_target(self.target_epoch)

    def _still_owns(self, revoking: EpochsOfPartitions) -> bool:
        """True unless the member says that it has none of these partitions any more."""
        if self.owned is None:
            return True
        return any(
            index in revoking.get(topic_id, _NOTHING)
            for topic_id, indexes in self.owned
            for index in indexes
        )

    def _towards_target(self, epoch: int) -> ConsumerMember:
        """Return the member on its way to the target; `epoch` is its own if it must give up."""
        member = self.member
        kept: dict[Uuid, dict[int, int]] = {}
        revoking: dict[Uuid, dict[int, int]] = {}
        free: dict[Uuid, list[int]] = {}
        is_waiting = False
        for topic_id in dict.fromkeys((*self.target, *member.assigned)):
            current = member.assigned.get(topic_id, _NOTHING)
            wanted = self.target.get(topic_id, _NO_PARTITIONS)
            if topic_id not in self.subscribed:
                wanted = _NO_PARTITIONS
            stay = {index: since for index, since in current.items() if index in wanted}
            go = {index: since for index, since in current.items() if index not in wanted}
            new = [index for index in sorted(wanted) if index not in current]
            available = [index for index in new if self._is_free(topic_id, index)]
            is_waiting = is_waiting or len(available) < len(new)
            if stay:
                kept[topic_id] = stay
            if go:
                revoking[topic_id] = go
            if available:
                free[topic_id] = available
        if revoking and self._still_owns(revoking):
            return replace(
                member,
                state=MemberState.UNREVOKED_PARTITIONS,
                epoch=epoch,
                previous_epoch=member.epoch,
                assigned=kept,
                revoking=revoking,
            )
        for topic_id, indexes in free.items():
            kept.setdefault(topic_id, {}).update(dict.fromkeys(indexes, self.target_epoch))
        return replace(
            member,
            state=MemberState.UNRELEASED_PARTITIONS if is_waiting else MemberState.STABLE,
            epoch=self.target_epoch,
            previous_epoch=member.epoch,
            assigned=kept,
            revoking={},
        )

    def _is_free(self, topic_id: Uuid, index: int) -> bool:
        """True if no other member has a partition."""
        if index in self.member.revoking.get(topic_id, _NOTHING):
            return True
        return not self.has_owner(topic_id, index)

    def _without_unsubscribed(self) -> ConsumerMember:
        """Return the member without the topics that it no longer subscribes to."""
        member = self.member
        gone = [topic_id for topic_id in member.assigned if topic_id not in self.subscribed]
        if not gone:
            return member
        kept = {
            topic_id: indexes
            for topic_id, indexes in member.assigned.items()
            if topic_id in self.subscribed
        }
        revoking = dict(member.revoking)
        for topic_id in gone:
            revoking[topic_id] = {**revoking.get(topic_id, _NOTHING), **member.assigned[topic_id]}
        if self._still_owns(revoking):
            return replace(
                member,
                state=MemberState.UNREVOKED_PARTITIONS,
                previous_epoch=member.epoch,
                assigned=kept,
                revoking=revoking,
            )
        return replace(member, previous_epoch=member.epoch, assigned=kept)
