"""Members of groups that use the consumer protocol (KIP-848), as state machines.

They release partitions at once, slowly, or so late that the coordinator removes them. Members that
have left, or were removed, try to commit; so do members in past epochs.
"""

from dataclasses import dataclass, field
from typing import Final, cast

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages import consumer_group_heartbeat as heartbeats
from minikafka.sim.checks.group_ownership import OwnedPartition
from minikafka.sim.drive.group_client import (
    BEAT_MS,
    RETRY_MS,
    SESSION_MS,
    CoordinatorResponse,
    GroupClient,
)

_HEARTBEAT: Final = 1
_LEAVE_EPOCH, _AWAY_EPOCH = -1, -2
_REBALANCE_TIMEOUTS_MS: Final = (3_000, 8_000)
_NEVER_MS: Final = 1 << 40
_RELEASE_MS: Final = (0, 0, 0, 1_000, 2_500, _NEVER_MS)
_FULL_SHARE: Final = 0.1
_FENCED_COMMIT_SHARE: Final = 0.3
_REMOVED: Final = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_ID_NOT_FOUND)
_FENCED: Final = (*_REMOVED, ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.FENCED_INSTANCE_ID)


@dataclass(slots=True, eq=False)
class SimConsumerMember(GroupClient):
    """A member that subscribes to topics by `names`, or by `pattern`; static with `instance_id`."""

    names: tuple[str, ...] | None = None
    pattern: str | None = None
    _rebalance_ms: int = 0
    _reported: frozenset[OwnedPartition] | None = None
    """The assignment that the coordinator knows; None: the next heartbeat must have every field."""
    _releases_ms: dict[OwnedPartition, int] = field(default_factory=dict)
    _past: dict[OwnedPartition, int] = field(default_factory=dict)
    """The epoch in which a partition was released."""

    def join(self) -> None:
        """Send the first heartbeat of the member."""
        rng = self.connections.rng
        if not self.member_id:
            self.member_id = str(Uuid.draw(rng))
            self._rebalance_ms = rng.choice(_REBALANCE_TIMEOUTS_MS)
            self.around.ownership.join(self.group, self.name, SESSION_MS, self._rebalance_ms)
        self.epoch = 0
        self._reported = None
        self._send()

    def heartbeat(self) -> None:
        """Report what is released by now, and send a heartbeat."""
        if not self.epoch:
            self.join()
            return
        due = [each for each, at_ms in self._releases_ms.items() if at_ms <= self.now_ms]
        self._release(frozenset(due))
        late = next(
            (
                each
                for each, epoch in self._past.items()
                if epoch < self.epoch and each not in self.positions
            ),
            None,
        )
        if late is not None and self.connections.rng.random() < _FENCED_COMMIT_SHARE:
            why = f"it had released {late}"
            self.try_fenced_commit(late, self._past.pop(late), why, self._send)
            return
        self._send()

    def _release(self, partitions: frozenset[OwnedPartition]) -> None:
        for each in sorted(partitions):
            del self._releases_ms[each]
            self._past[each] = self.epoch
        self.release(partitions)

    def _send(self) -> None:
        if self.coordinator is None:
            self.next_turn(RETRY_MS)
            return
        has = frozenset(self.positions)
        is_full = self._reported is None or self.connections.rng.random() < _FULL_SHARE
        request = heartbeats.ConsumerGroupHeartbeatRequest(
            group_id=self.group, member_id=self.member_id, member_epoch=self.epoch,
            instance_id=self.instance_id,
        )  # fmt: skip
        if is_full:
            request.rebalance_timeout_ms = self._rebalance_ms
            request.subscribed_topic_names = None if self.names is None else list(self.names)
            request.subscribed_topic_regex = self.pattern
        if is_full or has != self._reported:
            request.topic_partitions = _listed(has)
        sent_ms = self.now_ms

        def answered(response: CoordinatorResponse) -> None:
            answer = cast(heartbeats.ConsumerGroupHeartbeatResponse, response.body)
            if answer.error_code:
                self._refused(answer.error_code, has, is_certain=response.is_certain)
            else:
                self._accepted(answer, has)
                if response.is_certain:
                    ownership = self.around.ownership
                    ownership.answered((self.group, self.name), has, self.told, sent_ms)
                    ownership.given(self.group, self.name, self.told, self.now_ms)
                else:
                    self._past.clear()

        self.ask(request, _HEARTBEAT, answered, lambda: self._lost(has))

    def _lost(self, has: frozenset[OwnedPartition]) -> None:
        self.around.ownership.unanswered(self.group, self.name, has)
        self._reported = None
        self.next_turn(RETRY_MS)

    def _accepted(
        self, answer: heartbeats.ConsumerGroupHeartbeatResponse, has: frozenset[OwnedPartition]
    ) -> None:
        self.epoch = answer.member_epoch
        self._reported = has
        told = self.told
        if answer.assignment is not None:
            names = {topic_id: name for name, topic_id in self.around.image().topic_ids.items()}
            told = frozenset(
                OwnedPartition(names[topic.topic_id], topic.topic_id, index)
                for topic in answer.assignment.topic_partitions
                if topic.topic_id in names
                for index in topic.partitions
            )
        self.given(told)
        for each in told:
            self._releases_ms.pop(each, None)
            self._past.pop(each, None)
        for each in sorted(self.positions.keys() - told - self._releases_ms.keys()):
            choices = _RELEASE_MS[:4] if self.around.is_calm else _RELEASE_MS
            self._releases_ms[each] = self.now_ms + self.connections.rng.choice(choices)
        self.heard_ms = self.now_ms
        self.next_turn()

    def _refused(self, error: int, has: frozenset[OwnedPartition], *, is_certain: bool) -> None:
        self.failed(error)
        self._reported = None
        if error not in _FENCED:
            # The coordinator may have changed what it knows, and failed to write it.
            self.around.ownership.unanswered(self.group, self.name, has)
            self.next_turn()
            return
        former = sorted(self.positions)
        epoch, self.epoch = self.epoch, 0
        self.give_everything_up()
        if error == ErrorCode.FENCED_INSTANCE_ID:
            self.end()
        elif error in _REMOVED and is_certain and former and epoch:
            self.try_fenced_commit(
                former[0], epoch, "it was told that it is no member", self._join_later
            )
        else:
            self._join_later()

    def give_everything_up(self) -> None:
        """Give up everything, also what was to be released later."""
        GroupClient.give_everything_up(self)
        self._releases_ms.clear()
        self._past.clear()

    def _join_later(self) -> None:
        self.later(self.join, BEAT_MS)

    def leave(self) -> None:
        """Leave for good, or for a while if the member is static."""
        former, epoch = sorted(self.positions), self.epoch
        self.give_everything_up()
        rng = self.connections.rng
        is_away = self.instance_id is not None and rng.random() < 0.7
        request = heartbeats.ConsumerGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.member_id,
            member_epoch=_AWAY_EPOCH if is_away else _LEAVE_EPOCH,
            instance_id=self.instance_id,
        )

        def answered(response: CoordinatorResponse) -> None:
            answer = cast(heartbeats.ConsumerGroupHeartbeatResponse, response.body)
            if not answer.error_code and response.is_certain and former and epoch:
                self.try_fenced_commit(former[0], epoch, "it had left", self.end)
            else:
                self.end()

        self.ask(request, _HEARTBEAT, answered, self.end)

    @property
    def is_settled(self) -> bool:
        """True if it has what it was told, and was heard lately."""
        return self.heard_ms > self.now_ms - 6 * BEAT_MS and self.positions.keys() == self.told


def _listed(
    partitions: frozenset[OwnedPartition],
) -> list[heartbeats.ConsumerGroupHeartbeatRequestTopicPartitions]:
    by_topic: dict[Uuid, list[int]] = {}
    for each in sorted(partitions):
        by_topic.setdefault(each.topic_id, []).append(each.partition)
    return [
        heartbeats.ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, indexes)
        for topic_id, indexes in by_topic.items()
    ]
