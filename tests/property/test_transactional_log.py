"""Transactions in a log against a plain model: producers, stable offset, aborted transactions."""

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from minikafka.common.clock import Now
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    TransactionEnd,
    build_batch,
    build_end_marker,
)
from minikafka.records.errors import RecordValidationError
from minikafka.records.validation import AppendOrigin
from minikafka.sim.world.sim_disk import SimDisk

CONFIG = LogConfig(
    segment_bytes=700, index_interval_bytes=150, retention_bytes=2000, retention_ms=-1,
    file_delete_delay_ms=5,
)  # fmt: skip
TP = TopicPartition("t", 0)
PIDS = st.integers(1, 4)


class Data(NamedTuple):
    """A batch of the model; `pid` -1 for one without a producer."""

    offset: int
    count: int
    pid: int
    epoch: int
    sequence: int
    is_transactional: bool

    @property
    def end(self):
        return self.offset + self.count


class Marker(NamedTuple):
    offset: int
    pid: int
    epoch: int
    commit: bool
    coordinator_epoch: int

    @property
    def end(self):
        return self.offset + 1


@dataclass
class Producer:
    epoch: int = -1
    last_sequence: int | None = None
    coordinator_epoch: int = -1
    start: int = -1


class State:
    """What the entries of a log say, computed from the beginning each time."""

    def __init__(self, entries):
        self.producers = {}
        self.aborted = []
        self.ended = []
        for entry in entries:
            if isinstance(entry, Marker):
                self._end(entry)
            elif entry.pid >= 0:
                producer = self.producers.setdefault(entry.pid, Producer())
                producer.epoch = entry.epoch
                producer.last_sequence = entry.sequence + entry.count - 1
                if entry.is_transactional and producer.start < 0:
                    producer.start = entry.offset

    def _end(self, marker):
        producer = self.producers.setdefault(marker.pid, Producer())
        if producer.epoch < marker.epoch:
            producer.epoch, producer.last_sequence = marker.epoch, None
        producer.coordinator_epoch = max(producer.coordinator_epoch, marker.coordinator_epoch)
        start, producer.start = producer.start, -1
        if start < 0:
            return
        self.ended.append((start, marker.offset))
        if not marker.commit:
            stable = min([marker.offset + 1, *self.open()])
            self.aborted.append((marker.pid, start, marker.offset, stable))

    def open(self):
        return [each.start for each in self.producers.values() if each.start >= 0]

    def stable(self, high_watermark, *, markers_from=0):
        """The last stable offset; unreplicated markers below `markers_from` are left out."""
        undecided = [
            start for start, marker in self.ended if marker >= max(high_watermark, markers_from)
        ]
        return min([high_watermark, *self.open(), *undecided])


class TransactionalLogMachine(RuleBasedStateMachine):
    @initialize(seed=st.integers(0, 2**16))
    def start(self, seed):
        self.rng = Random(seed)
        self.disk = SimDisk()
        self.time = 0
        self.entries = []
        self.flushed = 0
        self.running = []
        self.reloaded_at = 0
        """Transactions that ended before may have been loaded from a snapshot, which lacks them."""
        self.high_watermark = 0
        self.open(clean=False)

    def now(self):
        self.time += 1
        return Now(self.time, 1_000 + self.time)

    def open(self, *, clean):
        self.log = UnifiedLog.open(
            self.disk, "t-0", TP, config=CONFIG, now=self.now(), rng=self.rng,
            checkpointed=CheckpointedOffsets(
                clean=clean, recovery_point=self.flushed, high_watermark=self.high_watermark
            ),
        )  # fmt: skip
        self.reload()

    def reload(self):
        end = self.log.log_end_offset
        self.entries = [entry for entry in self.entries if entry.end <= end]
        self.high_watermark = self.log.high_watermark
        self.flushed = self.log.recovery_point
        self.reloaded_at = end

    def producer(self, pid):
        return State(self.entries).producers.get(pid, Producer())

    @rule(
        pid=PIDS,
        count=st.integers(1, 3),
        bump=st.booleans(),
        transactional=st.sampled_from((True, True, True, False)),
    )
    def append(self, pid, count, bump, transactional):
        known = self.producer(pid)
        if known.start >= 0:
            bump = False
        epoch = max(known.epoch + bump, 0)
        is_next = epoch == known.epoch and known.last_sequence is not None
        sequence = known.last_sequence + 1 if is_next else 0
        options = BatchOptions(
            producer_id=pid, producer_epoch=epoch, base_sequence=sequence,
            is_transactional=transactional,
        )  # fmt: skip
        batch = build_batch([NewRecord(1_000, None, b"v" * 20)] * count, options)
        info, code = self.try_append(batch, guard=UNCHECKED)
        is_refused = known.start >= 0 and not transactional
        assert code == (ErrorCode.INVALID_TXN_STATE if is_refused else None)
        if info is not None:
            entry = Data(info.first_offset, count, pid, epoch, sequence, transactional)
            self.entries.append(entry)

    def try_append(self, batch, **options):
        """(result, None) of an append, or (None, error code)."""
        try:
            info = self.log.append_as_leader(
                memoryview(batch), leader_epoch=0, now=self.now(), **options
            )
        except RecordValidationError as error:
            return None, error.code
        return info, None

    @rule(count=st.integers(1, 3))
    def append_plain(self, count):
        batch = build_batch([NewRecord(1_000, None, b"v" * 20)] * count)
        info = self.log.append_as_leader(memoryview(batch), leader_epoch=0, now=self.now())
        self.entries.append(Data(info.first_offset, count, -1, -1, -1, False))

    @rule(
        pid=PIDS, commit=st.booleans(), version=st.integers(0, 2), step=st.sampled_from((0, 0, 1, 1, 1, -1)),
        coordinator=st.integers(0, 2),
    )  # fmt: skip
    def end(self, pid, commit, version, step, coordinator):
        known = self.producer(pid)
        epoch = max(known.epoch + step, 0)
        end = TransactionEnd(pid, epoch, commit, coordinator, version)
        info, code = self.try_append(
            build_end_marker(end, 1_000),
            origin=AppendOrigin.COORDINATOR,
            transaction_version=version,
        )
        is_same = version == 2 and epoch == known.epoch and known.start >= 0
        expected = None
        if epoch < known.epoch or is_same:
            expected = ErrorCode.INVALID_PRODUCER_EPOCH
        elif coordinator < known.coordinator_epoch:
            expected = ErrorCode.TRANSACTION_COORDINATOR_FENCED
        assert code == expected
        if info is not None:
            entry = Marker(info.first_offset, pid, epoch, commit, coordinator)
            self.entries.append(entry)

    @rule(back=st.integers(0, 4))
    def advance_high_watermark(self, back):
        self.log.update_high_watermark(max(self.log.log_end_offset - back, 0))
        self.high_watermark = self.log.high_watermark

    @precondition(lambda self: self.entries)
    @rule(at=st.integers(0, 10_000))
    def truncate(self, at):
        offset = self.entries[-(at % min(len(self.entries), 8)) - 1].offset
        self.log.truncate_to(offset, self.now())
        self.entries = [entry for entry in self.entries if entry.end <= offset]
        self.reload()

    @rule()
    def retain(self):
        self.log.delete_old_segments(self.now())
        self.log.tick(self.now())

    @rule(runs=st.booleans())
    def flush(self, runs):
        """Begin a flush; it has run at once, or later, when the log has changed."""
        request = self.log.take_flush(everything=True)
        if request is not None:
            self.running.append(request)
            if runs:
                self.finish_flush()

    @precondition(lambda self: self.running)
    @rule()
    def finish_flush(self):
        request = self.running.pop()
        request.run()
        self.log.flushed(request)
        self.flushed = self.log.recovery_point

    @rule(
        how=st.sampled_from(("clean", "garbage", "empty", "crash", "power")),
        garbage=st.binary(min_size=1, max_size=80),
    )
    def restart(self, how, garbage):
        while self.running and how not in ("crash", "power"):
            self.finish_flush()
        self.running.clear()
        match how:
            case "crash":
                self.disk.crash()
            case "power":
                self.disk.lose_power(self.rng)
            case _:
                self.log.close()
                self.flushed = self.log.recovery_point
                if how != "clean":
                    self.damage_transaction_indexes(garbage, keep=how == "garbage")
        self.open(clean=how not in ("crash", "power"))

    def damage_transaction_indexes(self, garbage, *, keep):
        for name in self.disk.list("t-0"):
            if name.endswith(".txnindex"):
                file = self.disk.open(f"t-0/{name}")
                if not keep:
                    file.truncate(0)
                file.append(garbage)
                file.close()

    @invariant()
    def same_producers(self):
        if not hasattr(self, "log"):
            return
        state = State(self.entries)
        found = {
            pid: Producer(
                entry.epoch,
                entry.batches[-1].last_sequence if entry.batches else None,
                entry.coordinator_epoch,
                entry.transaction_start,
            )
            for pid, entry in self.log.producers.producers.items()
        }
        assert found == state.producers
        assert list(self.log.producers.ongoing.values()) == sorted(state.open())

    @invariant()
    def same_last_stable_offset(self):
        if not hasattr(self, "log"):
            return
        state = State(self.entries)
        start = self.log.log_start_offset
        exact = max(state.stable(self.high_watermark), start)
        most = max(state.stable(self.high_watermark, markers_from=self.reloaded_at), start)
        assert exact <= self.log.last_stable_offset <= most

    @invariant()
    def same_aborted_transactions(self):
        if not hasattr(self, "log"):
            return
        first = self.log.segments.first.base_offset
        expected = [each for each in State(self.entries).aborted if each[2] >= first]
        end = self.log.log_end_offset
        found = [each for segment in self.log.segments.items for each in segment.indexes.aborted]
        assert [tuple(each) for each in found] == expected
        for start in range(self.log.log_start_offset, end, 3):
            overlapping = [each for each in expected if each[2] >= start and each[1] < end]
            read = self.log.aborted_transactions(start, end)
            assert [tuple(each) for each in read] == overlapping


TestTransactionalLog = TransactionalLogMachine.TestCase
TestTransactionalLog.settings = settings(
    max_examples=100, stateful_step_count=40, deadline=None, report_multiple_bugs=False
)
