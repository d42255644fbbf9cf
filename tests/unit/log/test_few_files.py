"""A log whose disk has no descriptor left: what is refused has changed nothing."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import OutOfFilesError
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(1_000, 60_000)
ID = Uuid.of(1, 2)


class Refuses(Random):
    """Refuses all that was not reserved."""

    def random(self):
        return 0.0


class Grants(Random):
    """Grants the first reservation, and nothing that exceeds it."""

    is_first = True

    def random(self):
        granted, self.is_first = self.is_first, False
        return 1.0 if granted else 0.0


def batch(records=1, producer_id=7, sequence=0):
    options = BatchOptions(producer_id=producer_id, producer_epoch=0, base_sequence=sequence)
    return memoryview(build_batch([NewRecord(50_000, None, b"v" * 50)] * records, options))


@pytest.fixture
def disk():
    return SimDisk("d")


@pytest.fixture
def log(disk):
    log = UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=LogConfig(segment_bytes=400),
        checkpointed=CheckpointedOffsets(clean=False), now=NOW, rng=Random(1), topic_id=ID,
    )  # fmt: skip
    for sequence in range(8):
        log.append_as_leader(batch(sequence=sequence), leader_epoch=0, now=NOW)
    log.update_high_watermark(5)
    return log


def append(log):
    log.append_as_leader(batch(3, sequence=8), leader_epoch=1, now=NOW)


def append_as_follower(log):
    data = batch(3, sequence=8)
    data[:8] = (8).to_bytes(8, "big")
    data[12:16] = (1).to_bytes(4, "big")
    log.append_as_follower(data, leader_epoch=1, now=NOW)


def lead(log):
    log.reserve_files()
    log.assign_epoch_start_offset(1, 8)


OPERATIONS = {
    "append": append,
    "append as a follower": append_as_follower,
    "roll": lambda log: log.roll(NOW),
    "truncate": lambda log: log.truncate_to(6, NOW),
    "truncate fully": lambda log: log.truncate_to(0, NOW),
    "start elsewhere": lambda log: log.truncate_fully_and_start_at(20, NOW),
    "delete records": lambda log: log.increment_log_start_offset(5),
    "flush": lambda log: log.take_flush(everything=True).run(),
    "lead": lead,
    "close": lambda log: log.close(),
}


def seen(log, disk):
    names = disk.list("t-0")
    content = [bytes(disk.open(f"t-0/{name}").read_at(0, 1 << 20)) for name in names]
    return (
        log.log_start_offset, log.log_end_offset, log.high_watermark, log.recovery_point,
        log.latest_epoch, list(log.local.unflushed), len(log.segments.items), names, content,
        dict(log.flushes.files), log.producers.end_offset,
    )  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_refused_call_changes_nothing_and_can_be_repeated(name, log, disk):
    before = seen(log, disk)
    disk.few_files = Refuses()
    disk.step_begins()
    with pytest.raises(OutOfFilesError):
        OPERATIONS[name](log)
    disk.step_ends()
    assert seen(log, disk) == before
    disk.few_files = None
    OPERATIONS[name](log)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_that_has_begun_completes(name, log, disk):
    disk.few_files = Grants()
    disk.step_begins()
    OPERATIONS[name](log)


def test_the_metadata_log_needs_no_reservation(log, disk):
    log.local.goes_first = True
    disk.few_files = Refuses()
    disk.step_begins()
    log.reserve_files()


def test_a_flush_that_was_refused_is_asked_for_again(log, disk):
    request = log.take_flush(everything=True)
    assert log.take_flush() is None
    disk.few_files = Refuses()
    disk.step_begins()
    with pytest.raises(OutOfFilesError):
        request.run()
    log.not_flushed(request)
    disk.few_files = None
    again = log.take_flush()
    assert again.small_files == request.small_files
    assert again.folders == request.folders
    again.run()
    log.flushed(again)
    assert log.recovery_point == 8


def test_a_flush_opens_no_index_of_the_active_segment(log, disk, monkeypatch):
    request = log.take_flush(everything=True)
    request.run()
    log.flushed(request)
    opened, real = [], SimDisk.open
    monkeypatch.setattr(
        SimDisk, "open", lambda self, path, **how: (opened.append(path), real(self, path, **how))[1]
    )
    log.append_as_leader(batch(sequence=8), leader_epoch=0, now=NOW)
    opened.clear()
    log.take_flush(everything=True).run()
    assert opened == []
