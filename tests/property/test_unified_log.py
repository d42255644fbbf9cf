"""A log against a list: records are read as they were appended, whatever happens in between."""

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.disk import read_file
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.segment.scan import scan_headers
from minikafka.log.segment.segment import SegmentState
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import read_batch, read_records
from minikafka.sim.world.sim_disk import SimDisk

CONFIG = LogConfig(
    segment_bytes=700,
    index_interval_bytes=150,
    retention_bytes=1500,
    retention_ms=-1,
    file_delete_delay_ms=5,
)
TP = TopicPartition("t", 0)
_CHECKED_FROM = 21
"""The first byte of a batch that its checksum covers."""
FAR = 1 << 31
"""A gap that no segment's index can bridge."""


@dataclass
class Batch:
    """A batch of the model: first offset, epoch and values."""

    offset: int
    epoch: int
    values: list[bytes]
    timestamp: int

    @property
    def end(self) -> int:
        return self.offset + len(self.values)


@dataclass
class Model:
    batches: list[Batch] = field(default_factory=list)
    start: int = 0
    end: int = 0
    flushed: int = 0
    dropped: list[tuple[int, bytes]] = field(default_factory=list)
    """Records that an unfinished truncation may bring back, until the next append."""

    def between(self, start: int, end: int) -> list[tuple[int, bytes]]:
        return [row for row in self.records() if start <= row[0] < end]

    def records(self) -> list[tuple[int, bytes]]:
        return [
            (batch.offset + index, value)
            for batch in self.batches
            for index, value in enumerate(batch.values)
        ]


class FailingDisk(SimDisk):
    """A disk that refuses everything after `calls_left` more calls, as a process that dies."""

    def __init__(self):
        super().__init__()
        self.calls_left = None

    def check(self):
        super().check()
        if self.calls_left is not None:
            if not self.calls_left:
                raise StorageFault(self.root, "the process is gone")
            self.calls_left -= 1


class LogMachine(RuleBasedStateMachine):
    @initialize(seed=st.integers(0, 2**16))
    def start(self, seed):
        self.rng = Random(seed)
        self.disk = FailingDisk()
        self.time = 0
        self.epoch = 0
        self.model = Model()
        self.sequence = 0
        self.open(clean=False)

    def now(self):
        self.time += 1
        return Now(self.time, 1_000 + self.time)

    def open(self, *, clean):
        """Start again. An end that a gap before it made is forgotten, as Kafka forgets it."""
        self.log = UnifiedLog.open(
            self.disk, "t-0", TP, config=CONFIG, now=self.now(), rng=self.rng,
            checkpointed=CheckpointedOffsets(
                clean=clean, recovery_point=self.model.flushed,
                log_start_offset=self.model.start,
            ),
        )  # fmt: skip
        last = self.model.batches[-1].end if self.model.batches else 0
        self.model.end = max(last, self.log.segments.active.base_offset)
        self.model.flushed = min(self.model.flushed, self.model.end)
        assert self.log.recovery_point <= self.log.log_end_offset

    @rule(
        values=st.lists(st.binary(max_size=90), min_size=1, max_size=5),
        codec=st.sampled_from((0, 0, 0, 1)),
    )
    def append_as_leader(self, values, codec):
        timestamp = 1_000 + self.time * 3 % 50
        batch = build_batch(
            [NewRecord(timestamp + i, None, value) for i, value in enumerate(values)],
            BatchOptions(codec=codec, producer_id=1, producer_epoch=0, base_sequence=self.sequence),
        )
        info = self.log.append_as_leader(memoryview(batch), leader_epoch=self.epoch, now=self.now())
        assert (info.first_offset, info.is_duplicate) == (self.model.end, False)
        self.model.dropped = []
        self.model.batches.append(Batch(self.model.end, self.epoch, values, timestamp))
        self.model.end += len(values)
        self.sequence += len(values)
        assert info.last_offset == self.model.end - 1

    @rule(gap=st.sampled_from((0, 0, 0, 1, 2, 3, FAR)), count=st.integers(1, 4))
    def append_as_follower(self, gap, count):
        data, batches = self.from_leader(gap, count)
        self.log.append_as_follower(
            memoryview(data + data[:40]), leader_epoch=self.epoch, now=self.now()
        )
        self.model.dropped = []
        self.model.batches += batches
        self.model.end = batches[-1].end

    def from_leader(self, gap, count):
        """Batches as a leader sends them, with a gap before each but the second."""
        data = b""
        batches = []
        offset = self.model.end
        for index in range(count):
            offset += 0 if index == 1 else gap
            values = [b"f%d" % (offset + i) for i in range(2)]
            timestamp = 1_000 + self.time + index
            data += build_batch(
                [NewRecord(timestamp, b"k", value) for value in values],
                BatchOptions(base_offset=offset, leader_epoch=self.epoch),
            )
            batches.append(Batch(offset, self.epoch, values, timestamp))
            offset += 2
        return data, batches

    @rule()
    def new_epoch(self):
        self.epoch += 1

    @precondition(lambda self: self.model.batches)
    @rule(at=st.integers(0, 10_000))
    def truncate(self, at):
        batch = self.model.batches[at % len(self.model.batches)]
        self.log.truncate_to(batch.offset, self.now())
        self.cut(batch.offset)

    def cut(self, offset):
        # Another leader: within one epoch no offset is given twice.
        self.epoch += 1
        self.model.batches = [batch for batch in self.model.batches if batch.end <= offset]
        self.model.end = offset
        self.model.start = min(self.model.start, offset)
        # A recovery point that fell is durable before anything more is written.
        self.model.flushed = self.log.recovery_point
        if not self.model.batches and offset <= self.log.segments.first.base_offset:
            self.model.start = offset
        self.resume_sequence()

    def resume_sequence(self):
        entry = self.log.producers.producers.get(1)
        self.sequence = entry.batches[-1].last_sequence + 1 if entry and entry.batches else 0

    @rule()
    def advance_high_watermark(self):
        self.log.update_high_watermark(self.model.end)

    @rule()
    def retain(self):
        self.log.delete_old_segments(self.now())
        self.drop_old()

    @rule(back=st.integers(0, 10))
    def delete_records(self, back):
        target = max(self.log.high_watermark - back, 0)
        self.log.increment_log_start_offset(target)
        self.drop_old()

    def drop_old(self):
        self.model.start = self.log.log_start_offset
        first = self.log.segments.first.base_offset
        self.model.batches = [batch for batch in self.model.batches if batch.offset >= first]

    @rule()
    def tick(self):
        self.log.tick(self.now())

    @rule(everything=st.booleans())
    def flush(self, everything):
        request = self.log.take_flush(everything=everything)
        if request is not None:
            request.run()
            self.log.flushed(request)
        self.model.flushed = self.log.recovery_point

    @rule()
    def restart_cleanly(self):
        self.log.close()
        # The checkpoint is written at a clean shutdown.
        self.model.flushed = self.log.recovery_point
        self.open(clean=True)
        self.model.flushed = self.log.recovery_point

    @rule(seed=st.integers(0, 2**16), what=st.sampled_from(("bytes", "entries", "other", "cut")))
    def restart_with_bad_indexes(self, seed, what):
        """Whatever the index files hold after a clean shutdown, all records are found."""
        self.log.close()
        self.model.flushed = self.log.recovery_point
        rng = Random(seed)
        names = [name for name in self.disk.list("t-0") if name.endswith("index")]
        contents = [read_file(self.disk, f"t-0/{name}") for name in names]
        for name, content in zip(names, contents, strict=True):
            width = 8 if name.endswith(".index") else 12
            bad = {
                "bytes": rng.randbytes(rng.randint(1, 60)),
                "entries": b"".join(
                    (at * rng.randint(1, 9)).to_bytes(width - 4, "big")
                    + (at * rng.randint(1, 90)).to_bytes(4, "big")
                    for at in range(1, rng.randint(2, 9))
                ),
                "other": rng.choice([b"", *(each for each in contents if len(each) % width == 0)]),
                "cut": content[: rng.randint(0, len(content))],
            }[what]
            file = self.disk.open(f"t-0/{name}")
            file.truncate(0)
            file.append(bad)
        self.open(clean=True)
        self.model.flushed = self.log.recovery_point

    @rule()
    def kill_and_restart(self):
        self.disk.crash()
        self.open(clean=False)

    @rule(garbage=st.binary(min_size=1, max_size=100))
    def kill_with_torn_tail(self, garbage):
        self.log.segments.active.file.append(garbage)
        self.disk.crash()
        self.open(clean=False)

    @rule()
    def lose_power(self):
        """Flushed records remain, and of the others those before the first gap."""
        self.disk.lose_power(self.rng)
        self.come_back(self.model.flushed, self.model.records(), self.model.dropped)

    def come_back(self, durable, written, dropped):
        """Open the log: all below `durable`, and a beginning of one of the histories."""
        start = self.model.start
        self.open(clean=False)
        self.model.batches = list(self.stored_batches())
        self.model.start, self.model.end = self.log.log_start_offset, self.log.log_end_offset
        self.model.flushed = self.log.recovery_point
        start = max(start, self.model.start)
        found = [row for row in self.model.records() if row[0] >= start]
        kept = [row for row in written if start <= row[0] < durable]
        assert found[: len(kept)] == kept
        histories = [[row for row in rows if row[0] >= start] for rows in (written, dropped)]
        assert any(found == rows[: len(found)] for rows in histories)
        self.resume_sequence()

    @rule(
        what=st.sampled_from(("append", "truncate", "retain", "flush", "close", "start")),
        calls=st.integers(0, 40),
        at=st.integers(0, 10_000),
        power=st.booleans(),
    )
    def die_within(self, what, calls, at, power):
        """The process ends, or the machine does, in the middle of something."""
        model = self.model
        durable, written, dropped = model.flushed, model.records(), model.dropped
        data, batches = self.from_leader(at % 3, 1 + at % 4)
        batch = model.batches[at % len(model.batches)] if model.batches else None
        if what == "append":
            written += Model(batches=batches).records()
        if what == "truncate" and batch is not None:
            durable = min(durable, batch.offset)
            self.epoch += 1
        self.disk.calls_left = calls
        try:
            match what:
                case "append":
                    self.log.append_as_follower(
                        memoryview(data), leader_epoch=self.epoch, now=self.now()
                    )
                case "truncate" if batch is not None:
                    self.log.truncate_to(batch.offset, self.now())
                case "retain":
                    self.log.delete_old_segments(self.now())
                    self.log.tick(self.now())
                case "flush":
                    self.flush(everything=True)
                case "close":
                    self.log.close()
                case "start":
                    self.disk.crash()
                    self.open(clean=False)
        except StorageFault:
            pass
        self.disk.calls_left = None
        if what == "retain":
            model.start = max(model.start, self.log.log_start_offset)
        self.disk.lose_power(self.rng) if power else self.disk.crash()
        self.come_back(durable, written, dropped)
        if not power:
            model.dropped = {"append": [], "truncate": written}.get(what, dropped)

    def stored_batches(self):
        for segment in self.log.segments.items:
            for position, header in scan_headers(segment.file):
                records = list(read_batch(segment.file.read_at(position, header.size), 0, header))
                yield Batch(
                    header.base_offset, header.leader_epoch,
                    [record.value for record in records], records[0].timestamp,
                )  # fmt: skip

    @rule(at=st.integers(0, 10_000), power=st.booleans())
    def rot(self, at, power):
        """Flip a bit of flushed data: the damage is reported, and nothing is truncated."""
        flushed = self.model.flushed
        segment = self.log.segments.items[self.log.segments.index_of(flushed)]
        found = [
            place + _CHECKED_FROM for place, header in scan_headers(segment.file)
            if header.last_offset < flushed
        ]  # fmt: skip
        if not found:
            return
        place = found[at % len(found)]
        content = self.disk._names.files[segment.path(".log")].data
        size = len(content)
        content[place] ^= 1
        self.disk.crash()
        with pytest.raises(StorageFault, match=f"{segment.base_offset}.log: damaged at byte"):
            self.open(clean=False)
        assert len(content) == size
        content[place] ^= 1
        if power:
            self.lose_power()
        else:
            self.open(clean=False)

    @rule(data=st.binary(min_size=30, max_size=60))
    def disk_full(self, data):
        self.disk.fill(room=20)
        with pytest.raises(StorageFault):
            self.log.segments.active.file.append(data)
        self.disk.fill(room=1 << 40)

    @invariant()
    def same_records(self):
        if not hasattr(self, "log"):
            return
        log = self.log
        assert (log.log_start_offset, log.log_end_offset) == (self.model.start, self.model.end)
        assert log.log_start_offset <= log.high_watermark <= log.log_end_offset
        found = []
        offset = max(log.log_start_offset, log.segments.first.base_offset)
        while True:
            read = log.read(
                offset, 200, upper_bound_offset=log.log_end_offset, min_one_message=True
            )
            if read.slice is None:
                break
            records = list(read_records(read.slice.read()))
            assert records, "at least one whole batch"
            found += [
                (record.offset, record.value) for record in records if record.offset >= offset
            ]
            offset = records[-1].offset + 1
        assert found == [row for row in self.model.records() if row[0] >= self.model.start]

    @invariant()
    def same_epochs(self):
        if not hasattr(self, "log"):
            return
        for batch in self.model.batches:
            if batch.offset >= self.model.start:
                assert self.log.epoch_at(batch.offset) == batch.epoch

    @invariant()
    def found_by_time(self):
        if not hasattr(self, "log"):
            return
        rows = [
            (batch.timestamp, batch) for batch in self.model.batches if batch.end > self.model.start
        ]
        if not rows:
            return
        target = rows[len(rows) // 2][0]
        found = self.log.offset_for_timestamp(target)
        assert found is not None
        assert found.timestamp >= target
        later = [b.offset for t, b in rows if t >= target and b.offset >= self.model.start]
        assert not later or found.offset <= later[0]

    @invariant()
    def hints_agree_with_the_file(self):
        if not hasattr(self, "log"):
            return
        for segment in self.log.segments.items:
            for offset, position in segment.indexes.hints.items():
                assert int.from_bytes(segment.file.read_at(position, 8), "big") == offset

    @invariant()
    def the_last_segment_is_the_active_one(self):
        if not hasattr(self, "log"):
            return
        *others, last = [segment.state for segment in self.log.segments.items]
        assert last is SegmentState.ACTIVE
        assert all(state is SegmentState.INACTIVE for state in others)


TestLog = LogMachine.TestCase
TestLog.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, report_multiple_bugs=False
)
