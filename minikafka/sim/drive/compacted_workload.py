"""Clients that write records with keys to a compacted topic, and the judgement at the end.

Each writer has keys of its own, and some of its records are tombstones. One writer may use
transactions. A consumer with read_committed reads the topic again and again while it is cleaned.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.transactions import ReadValue
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.records.builder import NewRecord
from minikafka.records.reader import Record
from minikafka.sim.checks.compaction_checks import (
    KeyedRecord,
    KeyedWrite,
    committed_records,
    lost_updates,
)
from minikafka.sim.checks.history import History
from minikafka.sim.drive.committed_reader import CommittedReader, value_text
from minikafka.sim.drive.plan import Plan, rack_of
from minikafka.sim.drive.transactional_clients import TransactionalClient
from minikafka.sim.drive.workload import ClientConnections, SimProducer
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import US_PER_MS

COMPACTED = "latest"
"""The compacted topic, of one partition."""
WHERE = TopicPartition(COMPACTED, 0)
_WRITERS = ("k1", "k2")
_TRANSACTIONAL = "kx"
_READER = "kr"
HOSTS = (*_WRITERS, _TRANSACTIONAL, _READER)
"""The machines of the clients."""
_KEYS = 4
_INDEX_INTERVAL_BYTES = 100
_TOMBSTONE_EVERY = 5
_START_OVER_MS = 3_000
_TRANSACTION_TIMEOUT_MS = 4_000


def keyed_record(timestamp: int, value: bytes) -> NewRecord:
    """Return the record for a value that names its writer and its number; some are tombstones."""
    name, number = _parts(value.decode())
    key = f"{name}-{number % _KEYS}".encode()
    return NewRecord(timestamp, key, None if number % _TOMBSTONE_EVERY == 0 else value)


def _parts(value: str) -> tuple[str, int]:
    """Return writer and number of `k1-0-17` or, in a transaction, `kx.6.1`."""
    if "-" in value:
        name, _, number = value.split("-")
        return name, int(number)
    name, first, second = value.split(".")
    return name, int(first) * 3 + int(second)


def _text_of(record: Record) -> str:
    return f"{bytes(record.key or b'').decode()}={value_text(record)}"


@dataclass(slots=True, eq=False)
class ReadPass:
    """A read of the topic from its start: the last offset of each key that was seen.

    `wanted` are the offsets of acknowledged records below `end_offset` that must not be missed.
    """

    began_ms: int
    took_ms: int = 0
    end_offset: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    wanted: dict[str, int] = field(default_factory=dict)
    brokers: set[tuple[str, int] | None] = field(default_factory=set)
    """The brokers that have served the pass."""


@dataclass(slots=True)
class CompactedWorkload:
    """The clients of the compacted topic. What they write and read goes into `history`."""

    plan: Plan
    cluster: SimCluster
    connections: Callable[[str], ClientConnections]
    history: History = field(default_factory=History)
    passes: list[ReadPass] = field(default_factory=list)
    """The passes of the consumer from the start of the topic to its end."""
    _writers: list[SimProducer] = field(default_factory=list)
    _transactional: TransactionalClient | None = None
    _reader: CommittedReader | None = None

    def create_topic(self) -> None:
        """Create the topic."""
        plan = self.plan
        configs = {
            "cleanup.policy": "compact",
            "segment.ms": str(plan.load.compacted_roll_ms),
            "index.interval.bytes": str(_INDEX_INTERVAL_BYTES),
            "segment.index.bytes": str(plan.load.compacted_index_bytes),
            "min.cleanable.dirty.ratio": "0.1",
            "delete.retention.ms": str(plan.load.delete_retention_ms),
        }
        topic = CreatableTopic(
            name=COMPACTED, num_partitions=1, replication_factor=plan.cluster.replication_factor,
            configs=[CreatableTopicConfig(name, value) for name, value in configs.items()],
        )  # fmt: skip
        request = CreateTopicsRequest(topics=[topic], timeout_ms=10_000)
        answer = self.cluster.client("admin").ask(request, CreateTopicsResponse)
        assert answer.topics[0].error_code == ErrorCode.NONE, answer

    def start(self) -> None:
        """Start the clients."""
        for name in _WRITERS[: self.plan.load.compacted_writers]:
            writer = SimProducer(
                self.connections(name), self.history, name, [WHERE], acks=-1, idempotent=True,
                interval_ms=self.plan.load.pace_ms, record_of=keyed_record,
            )  # fmt: skip
            self._writers.append(writer)
            writer.start()
        if self.plan.load.transactions:
            name = _TRANSACTIONAL
            self._transactional = TransactionalClient(
                connections=self.connections(name), name=name, transactional_id=name,
                partitions=[WHERE], version=self.plan.load.transaction_version,
                timeout_ms=_TRANSACTION_TIMEOUT_MS, pace_ms=self.plan.load.transaction_pace_ms,
                retry_ms=300, record_of=keyed_record, on_initialized=self.history.initialized,
            )  # fmt: skip
            self._transactional.start()
        self._reader = CommittedReader(
            self.connections(_READER),
            [WHERE],
            self._has_read,
            text_of=_text_of,
            rack=rack_of(self.plan, _READER),
        )
        self._reader.start()
        self._start_over()

    def _start_over(self) -> None:
        reader = self._reader
        if reader is None or not reader.running:
            return
        if self.passes:
            self._end_pass(self.passes[-1], reader.positions[WHERE])
        self.passes.append(ReadPass(self.cluster.world.now_ms))
        reader.positions[WHERE] = 0
        self.cluster.world.after(_START_OVER_MS * US_PER_MS, self._start_over)

    def _end_pass(self, ended: ReadPass, position: int) -> None:
        """Note which acknowledged records the pass must have seen.

        A key with a later record, whose outcome is not known yet, is left out: the older one may be
        gone.
        """
        ended.end_offset = position
        ended.took_ms = self.cluster.world.now_ms - ended.began_ms
        last = {
            keyed_record(0, each.value).key: each for each in self.history.writes.get(WHERE, [])
        }
        ended.wanted = {
            key.decode(): each.offset
            for key, each in last.items()
            if key is not None and each.offset is not None and each.offset < position
        }

    def _has_read(self, read: ReadValue) -> None:
        self.history.read(read.where, read.offset, read.value.encode())
        if self.passes:
            assert self._reader is not None
            now = self.passes[-1]
            now.brokers.add(self._reader.replicas.address(WHERE))
            now.seen[read.value.partition("=")[0]] = read.offset

    def slow_down(self, interval_ms: int) -> None:
        """Let writers send a batch at most about every `interval_ms`."""
        for writer in self._writers:
            writer.interval_ms = max(writer.interval_ms, interval_ms)
        if self._transactional is not None:
            self._transactional.pace_ms = max(self._transactional.pace_ms, 2 * interval_ms)

    def stop_writing(self) -> None:
        """Stop the writers."""
        for writer in self._writers:
            writer.running = False
        if self._transactional is not None:
            self._transactional.running = False

    def stop_reading(self) -> None:
        """Stop the consumer."""
        if self._reader is not None:
            self._reader.running = False

    def may_be_deleted(self, record: KeyedRecord) -> bool:
        """Return True if a tombstone was sent that may be after a record of the same key."""
        return any(
            each.key == record.key
            and each.value is None
            and each.may_be_read
            and (each.offset is None or each.offset > record.offset)
            for each in self._writes()
        )

    def problems(
        self,
        log: UnifiedLog,
        first_certain_offset: int,
        may_be_stale: Callable[[KeyedRecord], bool],
    ) -> list[str]:
        """Return the updates of keys that the leader's log has lost.

        Before `first_certain_offset` records may be missing. `may_be_stale` says if a replica may
        hold a record that a tombstone has deleted.
        """
        end_offset = log.last_stable_offset
        records = committed_records(log, end_offset)
        found = lost_updates(
            WHERE, self._writes(), records,
            lambda offset: not first_certain_offset <= offset < end_offset, may_be_stale,
        )  # fmt: skip
        return [*found, *([] if first_certain_offset else self._stale_passes(may_be_stale))]

    def _stale_passes(self, may_be_stale: Callable[[KeyedRecord], bool]) -> Iterator[str]:
        """Yield the keys of which a pass has seen an old record, and not the one that replaced it.

        Tombstones stay for `delete.retention.ms` at each leader. Passes that took longer, or that
        several brokers served, may miss them. `may_be_stale` excuses only a missed tombstone.
        """
        tombstones = {(each.key, each.offset) for each in self._writes() if each.value is None}
        for each in self.passes:
            if len(each.brokers) > 1 or each.took_ms >= self.plan.load.delete_retention_ms / 2:
                continue
            for key, wanted in each.wanted.items():
                seen = each.seen.get(key)
                if seen is None or seen >= wanted:
                    continue
                is_deleted = (key.encode(), wanted) in tombstones
                if is_deleted and may_be_stale(KeyedRecord(seen, key.encode(), None)):
                    continue
                yield (
                    f"CompactedLog: a consumer that read {WHERE} from the start to "
                    f"{each.end_offset} in {each.took_ms} ms has {key} of offset {seen}, and "
                    f"missed the one at {wanted}"
                )

    def _writes(self) -> Iterator[KeyedWrite]:
        for each in self.history.writes.get(WHERE, []):
            record = keyed_record(0, each.value)
            yield KeyedWrite(record.key, record.value, each.offset, may_be_read=not each.refused)
        for sent in self._transactional.transactions if self._transactional else ():
            offsets = sent.offsets.get(WHERE, {}) if sent.is_committed else {}
            for value in sent.values.get(WHERE, []):
                record = keyed_record(0, value.encode())
                yield KeyedWrite(
                    record.key, record.value, offsets.get(value),
                    may_be_read=sent.outcome == "commit",
                )  # fmt: skip
