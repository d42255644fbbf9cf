"""Transactional clients that also read.

A transform loop writes what it reads, and commits its offsets in the transaction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.transactions import ReadValue, SentTransaction
from minikafka.messages import add_offsets_to_txn as add_offsets
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.leave_group import LeaveGroupRequest, MemberIdentity
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from minikafka.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from minikafka.sim.drive.committed_reader import READ_COMMITTED, committed_values, end_of
from minikafka.sim.drive.group_workload import HEARTBEAT_MS, SimMember
from minikafka.sim.drive.transactional_clients import GROUP, Address, TransactionalClient

_IDLE_MS = 800
_SLOW_SHARE = 0.15
_SLOW_MS = 2_500
"""Some transactions take long, and a few longer than their timeout."""
_LEAVE_SHARE = 0.05
"""The share of heartbeats instead of which a member leaves."""
_OFFSET_FETCH, _FETCH, _ADD_OFFSETS, _LEAVE = 8, 11, 3, 4
_COMMIT_OFFSETS = {1: 3, 2: 5}
"""The version of TxnOffsetCommit by transaction version."""
_FETCH_BYTES = 1 << 20
_NOT_A_MEMBER = (
    ErrorCode.ILLEGAL_GENERATION,
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.REBALANCE_IN_PROGRESS,
)


@dataclass(slots=True, eq=False)
class TransformMember(SimMember):
    """A member that only joins and sends heartbeats: its loop reads, and commits the offsets.

    Now and then it leaves and joins as another member, so that partitions move while its loop has
    an open transaction.
    """

    leaves: bool = True

    def _resume(self) -> None:
        self.heard_ms = self.connections.world.now_ms
        self._later(self._beat, HEARTBEAT_MS)

    def _beat(self) -> None:
        if not self.leaves or self.connections.rng.random() >= _LEAVE_SHARE:
            self._send_heartbeat()
            return
        request = LeaveGroupRequest(
            group_id=self.group, members=[MemberIdentity(member_id=self.member_id)]
        )
        self._ask(request, _LEAVE, lambda _: self._start_over(ErrorCode.UNKNOWN_MEMBER_ID))


@dataclass(slots=True, eq=False, kw_only=True)
class TransformLoop(TransactionalClient):
    """Copies partition n of `source` to partition n of its output, with offsets of `group`.

    With a `member`, it copies the partitions that the group has assigned to it; without one it
    relies on its transactional id, which no other loop of the group must have.
    """

    source: str = "in"
    group: str = "loop"
    most: int = 5
    member: SimMember | None = None
    is_deposed: Callable[[Address], bool] = lambda _: False
    """True for the address of a broker that no longer coordinates the group.

    As in Kafka, it returns the offsets that it knows until it learns that another one leads.
    """
    _asked: Address | None = None
    _membership: tuple[int, str] = (-1, "")
    """Generation and member id at the begin of the transaction."""
    _open: SentTransaction | None = None

    def _topics(self) -> list[str]:
        topics = (self.source, *(where.topic for where in self.partitions))
        return list(dict.fromkeys(topics))

    def _assigned(self) -> list[int]:
        if self.member is None:
            return [where.partition for where in self.partitions]
        return [where.partition for where in self.member.assigned]

    def _failed(self, code: int) -> None:
        if code == ErrorCode.OFFSET_OUT_OF_RANGE:
            # The input has lost records; it becomes as long again.
            self.counts["input lost"] += 1
            self._later(self._begin, _IDLE_MS)
        elif code in _NOT_A_MEMBER and self._open is not None:
            self.counts["fenced by the group"] += 1
            self._life += 1
            self._end(self._open, commits=False)
        else:
            self._restart(code)

    def _begin(self) -> None:
        assigned = self._assigned()
        if not assigned:
            self._later(self._begin, _IDLE_MS)
            return
        if self._needs_epoch():
            self._initialize()
            return
        if self.member is not None:
            self._membership = (self.member.generation, self.member.member_id)
        self._number += 1
        topic = OffsetFetchRequestTopics(
            self.source,
            partition_indexes=[
                where.partition for where in self.partitions if where.partition in assigned
            ],
        )
        request = OffsetFetchRequest(
            groups=[OffsetFetchRequestGroup(self.group, topics=[topic])], require_stable=True
        )

        def code_of(answer: Any) -> int:
            (group,) = answer.groups
            codes = [each.error_code for one in group.topics for each in one.partitions]
            return next((code for code in (group.error_code, *codes) if code), ErrorCode.NONE)

        def target() -> Address | None:
            self._asked = self._coordinator(self.group, GROUP)
            return self._asked

        def done(answer: Any) -> None:
            assert self._asked is not None
            if self.is_deposed(self._asked):
                self.counts["deposed coordinator"] += 1
                self._look_up_again(lambda: self._later(self._begin))
                return
            (one,) = answer.groups[0].topics
            positions = {
                each.partition_index: max(each.committed_offset, 0) for each in one.partitions
            }
            chosen = self.rng.choice(
                [where for where in self.partitions if where.partition in positions]
            )
            self._read(chosen.partition, positions[chosen.partition])

        self._ask(target, request, _OFFSET_FETCH, code_of, done)

    def _read(self, index: int, position: int) -> None:
        where = TopicPartition(self.source, index)

        def code_of(answer: Any) -> int:
            return int(answer.error_code or answer.responses[0].partitions[0].error_code)

        def done(answer: Any) -> None:
            (part,) = answer.responses[0].partitions
            found = committed_values(where, position, part)
            if found:
                is_all = end_of(part) == part.last_stable_offset
                self._copy(index, found[: self.most], found if is_all else [])
            elif (end := end_of(part)) > position:
                # All that was returned is aborted.
                self._read(index, end)
            else:
                self._later(self._begin, _IDLE_MS)

        request = _fetch(where, position)
        self._ask(lambda: self._leader_of(where), request, _FETCH, code_of, done)

    def _copy(self, index: int, found: list[ReadValue], seen: list[ReadValue]) -> None:
        self._open = transaction = self._new_transaction()
        transaction.read.extend(found)
        transaction.seen.extend(seen)
        target = next(where for where in self.partitions if where.partition == index)
        values = [each.value for each in found]
        offset = found[-1].offset + 1
        self._write(
            transaction,
            [(target, values)],
            lambda: self._after_work(lambda: self._add_group(transaction, index, offset)),
        )

    def _after_work(self, action: Callable[[], None]) -> None:
        """Act at once, or later: the members of the group may change meanwhile."""
        if self.member is not None and self.rng.random() < _SLOW_SHARE:
            self._later(action, _SLOW_MS)
        else:
            action()

    def _add_group(self, transaction: SentTransaction, index: int, offset: int) -> None:
        if self.version >= 2:
            self._commit_offset(transaction, index, offset)
            return
        request = add_offsets.AddOffsetsToTxnRequest(
            self.transactional_id, *self._producer, self.group
        )
        self._ask(
            self._of_transaction, request, _ADD_OFFSETS, lambda it: int(it.error_code),
            lambda _: self._commit_offset(transaction, index, offset),
        )  # fmt: skip

    def _commit_offset(self, transaction: SentTransaction, index: int, offset: int) -> None:
        rows = [TxnOffsetCommitRequestPartition(index, offset, -1, "")]
        generation, member_id = self._membership
        request = TxnOffsetCommitRequest(
            self.transactional_id, self.group, *self._producer,
            generation_id_or_member_epoch=generation, member_id=member_id,
            topics=[TxnOffsetCommitRequestTopic(self.source, partitions=rows)],
        )  # fmt: skip

        def done(_: Any) -> None:
            self.counts["offsets"] += 1
            self._after_work(lambda: self._end(transaction))

        self._ask(
            lambda: self._coordinator(self.group, GROUP), request, _COMMIT_OFFSETS[self.version],
            lambda it: int(it.topics[0].partitions[0].error_code), done,
        )  # fmt: skip

    def _end(self, transaction: SentTransaction, *, commits: bool | None = None) -> None:
        self._open = None
        # Not `super()`: a class with slots is another one than its source names.
        TransactionalClient._end(self, transaction, commits=commits)  # noqa: SLF001


@dataclass(slots=True, eq=False, kw_only=True)
class ReadingProducer(TransactionalClient):
    """Reads the next committed values of `sources` after the writes of each transaction."""

    sources: Sequence[TopicPartition] = ()
    _positions: dict[TopicPartition, int] = field(default_factory=dict)

    def _topics(self) -> list[str]:
        return list(dict.fromkeys(where.topic for where in (*self.partitions, *self.sources)))

    def _end(self, transaction: SentTransaction, *, commits: bool | None = None) -> None:
        where = self.rng.choice(self.sources)
        position = self._positions.get(where, 0)

        def code_of(answer: Any) -> int:
            code = answer.error_code or answer.responses[0].partitions[0].error_code
            return ErrorCode.NONE if code == ErrorCode.OFFSET_OUT_OF_RANGE else int(code)

        def done(answer: Any) -> None:
            (part,) = answer.responses[0].partitions
            if part.error_code:
                self._positions[where] = 0
            else:
                end = max(position, end_of(part))
                self._positions[where] = end
                if end == part.last_stable_offset:
                    transaction.seen.extend(committed_values(where, position, part))
            TransactionalClient._end(self, transaction, commits=commits)  # noqa: SLF001

        self._ask(lambda: self._leader_of(where), _fetch(where, position), _FETCH, code_of, done)


def _fetch(where: TopicPartition, position: int) -> FetchRequest:
    wanted = FetchPartition(
        partition=where.partition, fetch_offset=position, partition_max_bytes=_FETCH_BYTES,
        current_leader_epoch=-1,
    )  # fmt: skip
    return FetchRequest(
        topics=[FetchTopic(topic=where.topic, partitions=[wanted])], max_wait_ms=0,
        min_bytes=0, max_bytes=_FETCH_BYTES, session_epoch=-1, isolation_level=READ_COMMITTED,
    )  # fmt: skip
