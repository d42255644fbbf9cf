"""A classic group: who is in it, in which generation, agreed on which protocol.

Transitions (checked in `transition`, nowhere else):

    Empty                -> PreparingRebalance    a member joins
    PreparingRebalance   -> CompletingRebalance   members have joined, the leader is to assign
    PreparingRebalance   -> Empty                 nobody is left
    CompletingRebalance  -> Stable                the leader's assignment is committed
    CompletingRebalance  -> PreparingRebalance    a member joins, leaves or does not sync
    Stable               -> PreparingRebalance    a member joins, leaves or goes silent
    any                  -> Dead                  deleted, or coordinated elsewhere from now on

Invariants: `leader_id` names a member or is None; every static member is in `static_members`;
`votes` counts for each protocol the members that offer it.

This file knows no timers and no log: `membership.py` moves groups.

Source: `ClassicGroup`, `ClassicGroupMember`.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from minikafka.common.errors import (
    FencedInstanceIdError,
    IllegalGenerationError,
    UnknownMemberIdError,
)
from minikafka.common.faults import InvariantViolation
from minikafka.common.timers import Timer
from minikafka.group.member import Member, Protocols, size_of_protocols
from minikafka.group.memory import GROUP_BYTES, PENDING_MEMBER_BYTES, Holding
from minikafka.messages.coordinator.group_metadata import GroupMetadataValue
from minikafka.messages.data.consumer_protocol_subscription import ConsumerProtocolSubscription
from minikafka.messages.join_group import JoinGroupResponseMember
from minikafka.protocol.primitives import MalformedMessage, Reader

_log = logging.getLogger("minikafka.group")
CONSUMER_PROTOCOL = "consumer"


class GroupState(Enum):
    """States by the names that clients see."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


_REACHED_FROM: dict[GroupState, tuple[GroupState, ...]] = {
    GroupState.EMPTY: (GroupState.PREPARING_REBALANCE,),
    GroupState.PREPARING_REBALANCE: (
        GroupState.EMPTY,
        GroupState.COMPLETING_REBALANCE,
        GroupState.STABLE,
    ),
    GroupState.COMPLETING_REBALANCE: (GroupState.PREPARING_REBALANCE,),
    GroupState.STABLE: (GroupState.COMPLETING_REBALANCE,),
    GroupState.DEAD: tuple(GroupState),
}


@dataclass(slots=True, eq=False)
class Group:
    """One group. `members` is in order of joining.

    `pending_members` are ids that were given out (KIP-394) and not yet used; `unsynced` the members
    of this generation that have not asked for their assignment.
    """

    group_id: str
    state_since_ms: int
    state: GroupState = GroupState.EMPTY
    previous_state: GroupState = GroupState.EMPTY
    generation: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    pending_members: dict[str, Timer] = field(default_factory=dict)
    unsynced: dict[str, None] = field(default_factory=dict)
    votes: dict[str, int] = field(default_factory=dict)
    joined_since_delay: bool = False
    join_timer: Timer | None = None
    sync_timer: Timer | None = None
    holding: Holding = field(default_factory=lambda: Holding(GROUP_BYTES))

    def transition(self, target: GroupState, wall_ms: int, reason: str) -> None:
        """Move to `target`.

        Raises:
            InvariantViolation: there is no such way.
        """
        if self.state not in _REACHED_FROM[target]:
            raise InvariantViolation(f"group {self.group_id}: {self.state} -> {target}")
        _log.info(
            "[Group %s] %s -> %s in generation %d: %s",
            self.group_id,
            self.state.value,
            target.value,
            self.generation,
            reason,
        )
        self.previous_state = self.state
        self.state = target
        self.state_since_ms = wall_ms

    # Members

    def add(self, member: Member, protocol_type: str) -> None:
        """Take a member in; the first one decides about the protocol type, and leads."""
        if not self.members:
            self.protocol_type = protocol_type
        if self.leader_id is None:
            self.leader_id = member.member_id
        self.members[member.member_id] = member
        if member.group_instance_id is not None:
            self.static_members[member.group_instance_id] = member.member_id
        self._count(member.protocols, 1)
        self.holding.add(member.size_bytes)
        self.forget_pending(member.member_id)

    def remove(self, member_id: str) -> None:
        """Let a member go, if it is one; the first of the others leads if it led."""
        self.forget_pending(member_id)
        self.unsynced.pop(member_id, None)
        member = self.members.pop(member_id, None)
        if member is None:
            return
        member.stop_timer()
        self._count(member.protocols, -1)
        self.holding.add(-member.size_bytes)
        instance = member.group_instance_id
        if instance is not None and self.static_members.get(instance) == member_id:
            del self.static_members[instance]
        if self.leader_id == member_id:
            self.leader_id = next(iter(self.members), None)

    def replace_static(self, old_id: str, new_id: str) -> tuple[Member, Member]:
        """Give a static member a new id; returns the old and the new one.

        The new one takes the old one's place, leadership included.
        """
        old = self.members[old_id]
        new = old.successor(new_id)
        old.stop_timer()
        self.holding.add(new.size_bytes - old.size_bytes)
        self.members = {
            new_id if key == old_id else key: new if key == old_id else member
            for key, member in self.members.items()
        }
        assert new.group_instance_id is not None
        self.static_members[new.group_instance_id] = new_id
        self.unsynced.pop(old_id, None)
        if self.leader_id == old_id:
            self.leader_id = new_id
        return old, new

    def update(
        self,
        member: Member,
        protocols: Protocols,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
    ) -> None:
        """Take on what a member says of itself now."""
        self._count(member.protocols, -1)
        self._count(protocols, 1)
        self.holding.add(size_of_protocols(protocols) - size_of_protocols(member.protocols))
        member.protocols = protocols
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms

    def assign(self, member: Member, assignment: bytes) -> None:
        """Give a member its part of what the group consumes."""
        self.holding.add(len(assignment) - len(member.assignment))
        member.assignment = assignment

    def expect(self, member_id: str, timer: Timer) -> None:
        """An id is given out; `timer` ends the time in which it may be used."""
        self.pending_members[member_id] = timer
        self.holding.add(PENDING_MEMBER_BYTES + len(member_id))

    def forget_pending(self, member_id: str) -> None:
        """An id that was given out is used, or will not be used any more."""
        timer = self.pending_members.pop(member_id, None)
        if timer is not None:
            timer.cancel()
            self.holding.add(-PENDING_MEMBER_BYTES - len(member_id))

    def _count(self, protocols: Protocols, by: int) -> None:
        for name, _ in protocols:
            count = self.votes.get(name, 0) + by
            if count:
                self.votes[name] = count
            else:
                del self.votes[name]

    def require_member(self, member_id: str, group_instance_id: str | None) -> Member:
        """The member of this id.

        Raises:
            FencedInstanceIdError: the instance has another member id by now.
            UnknownMemberIdError: there is no such member.
        """
        if group_instance_id is not None:
            current = self.static_members.get(group_instance_id)
            if current is None:
                raise UnknownMemberIdError
            if current != member_id:
                raise FencedInstanceIdError
        member = self.members.get(member_id)
        if member is None:
            raise UnknownMemberIdError
        return member

    def require_generation(self, generation: int) -> None:
        """Raises IllegalGenerationError unless `generation` is the current one."""
        if generation != self.generation:
            raise IllegalGenerationError

    def is_leader(self, member_id: str) -> bool:
        """Whether this member assigns."""
        return self.leader_id == member_id

    @property
    def joining_count(self) -> int:
        """How many members wait for the rebalance to complete."""
        return sum(member.joining is not None for member in self.members.values())

    @property
    def has_all_joined(self) -> bool:
        """Whether there is nobody left to wait for."""
        return not self.pending_members and all(
            member.joining is not None for member in self.members.values()
        )

    @property
    def rebalance_timeout_ms(self) -> int:
        """How long the slowest member may take to come back."""
        return max((m.rebalance_timeout_ms for m in self.members.values()), default=0)

    def elect_joined_leader(self) -> bool:
        """See that the leader is one who joined; False where nobody did."""
        leader = None if self.leader_id is None else self.members.get(self.leader_id)
        if leader is None:
            return False
        if leader.joining is not None:
            return True
        for member in self.members.values():
            if member.joining is not None:
                self.leader_id = member.member_id
                return True
        return False

    # Protocols

    def supports(self, protocol_type: str, protocols: Protocols) -> bool:
        """Whether a member with these protocols can take part."""
        if self.state is GroupState.EMPTY:
            return bool(protocol_type) and bool(protocols)
        return self.protocol_type == protocol_type and any(
            self.votes.get(name, 0) == len(self.members) for name, _ in protocols
        )

    def select_protocol(self) -> str:
        """What most members prefer among the protocols that all of them offer."""
        assert self.members
        candidates = {
            name: None for name, count in self.votes.items() if count == len(self.members)
        }
        tally: dict[str, int] = {}
        for member in self.members.values():
            choice = member.vote(candidates)
            tally[choice] = tally.get(choice, 0) + 1
        return max(tally, key=lambda name: tally[name])

    def begin_generation(self, wall_ms: int) -> None:
        """Close the join phase: the next generation of whoever joined, or of nobody."""
        self.generation += 1
        self.unsynced.clear()
        if self.members:
            self.protocol_name = self.select_protocol()
            self.transition(GroupState.COMPLETING_REBALANCE, wall_ms, "members have joined")
        else:
            self.protocol_name = None
            self.transition(GroupState.EMPTY, wall_ms, "no member is left")

    def joined_members(self) -> list[JoinGroupResponseMember]:
        """What the leader is told of the members."""
        protocol = self.protocol_name or ""
        return [
            JoinGroupResponseMember(m.member_id, m.group_instance_id, m.metadata(protocol))
            for m in self.members.values()
        ]

    # What members consume

    @property
    def uses_consumer_protocol(self) -> bool:
        """Whether members speak of topics in Kafka's consumer protocol."""
        return self.protocol_type == CONSUMER_PROTOCOL

    def subscribed_topics(self) -> frozenset[str] | None:
        """The topics that members subscribe to; None where nobody can tell."""
        if not self.uses_consumer_protocol:
            return None
        if not self.members:
            return frozenset()
        if self.protocol_name is None:
            return None
        try:
            return frozenset(
                topic
                for member in self.members.values()
                for topic in _topics(member.metadata(self.protocol_name))
            )
        except MalformedMessage:
            return None

    def may_consume(self, topic: str, subscribed: frozenset[str] | None) -> bool:
        """Whether members may consume `topic`, by what `subscribed_topics` said."""
        return self.uses_consumer_protocol if subscribed is None else topic in subscribed

    # Records

    def to_record(self, assignments: dict[str, bytes] | None = None) -> GroupMetadataValue:
        """The group as a record; with `assignments` in place of what members have."""
        protocol = self.protocol_name
        return GroupMetadataValue(
            self.protocol_type or "",
            self.generation,
            protocol,
            self.leader_id,
            self.state_since_ms,
            [
                member.to_record(
                    protocol or "",
                    member.assignment
                    if assignments is None
                    else assignments.get(member.member_id, b""),
                )
                for member in self.members.values()
            ],
        )

    @classmethod
    def from_record(cls, group_id: str, record: GroupMetadataValue) -> "Group":
        """The group that a record stands for: Stable with members, Empty without."""
        group = cls(
            group_id,
            record.current_state_timestamp,
            state=GroupState.STABLE if record.members else GroupState.EMPTY,
            generation=record.generation,
            protocol_type=record.protocol_type or None,
            protocol_name=record.protocol,
            leader_id=record.leader,
        )
        for member in record.members:
            group.add(Member.from_record(member, record.protocol or ""), record.protocol_type)
        return group


def _topics(metadata: bytes) -> Iterable[str]:
    if len(metadata) < _VERSION_SIZE:
        raise MalformedMessage("a subscription starts with its version")
    version = int.from_bytes(metadata[:_VERSION_SIZE], "big", signed=True)
    if version < 0:
        raise MalformedMessage("a subscription's version is not negative")
    # A later version only adds to the end.
    known = min(version, ConsumerProtocolSubscription.MAX_VERSION)
    return ConsumerProtocolSubscription.decode(Reader(metadata, _VERSION_SIZE), known).topics


_VERSION_SIZE = 2
