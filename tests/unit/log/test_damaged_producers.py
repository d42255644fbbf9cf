"""Damaged batches of producers, in segments that recovery does not read.

A start without snapshots reads the producers from them.
"""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.disk import read_file
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)
CONFIG = LogConfig(segment_bytes=400, index_interval_bytes=100)


def open_log(disk, **remembered):
    return UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=CONFIG, now=NOW, rng=Random(1),
        checkpointed=CheckpointedOffsets(**remembered),
    )  # fmt: skip


def written(**options):
    """Twenty batches of one record in several segments, written by a process that was killed."""
    disk = SimDisk()
    log = open_log(disk, clean=False)
    for i in range(20):
        if options:
            options["base_sequence"] = i
        batch = build_batch([NewRecord(1_000 + i, b"k", b"v")], BatchOptions(**options))
        log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)
    disk.crash()
    for name in disk.list("t-0"):
        if name.endswith(".snapshot"):
            disk.remove(f"t-0/{name}")
    return disk


@pytest.fixture
def disk():
    return written(producer_id=5, producer_epoch=0)


def segments(disk):
    return [name for name in disk.list("t-0") if name.endswith(".log")]


def first_segment(disk):
    first, *_ = segments(disk)
    return first, disk.content(f"t-0/{first}")


def restart(disk, *, clean):
    """Start at a recovery point that is at or behind the last segment."""
    return open_log(disk, clean=clean, recovery_point=20 if clean else int(segments(disk)[-1][:20]))


@pytest.mark.parametrize("clean", [True, False])
def test_a_damaged_producer_below_the_recovery_point_is_not_believed(disk, clean):
    first, content = first_segment(disk)
    content[46] ^= 1
    damaged = f"{first}: damaged at byte 0, offset 0, which was flushed: restore the file"
    with pytest.raises(StorageFault, match=damaged):
        restart(disk, clean=clean)


def test_a_truncated_log_is_not_read_again(disk):
    log = open_log(disk, clean=False)
    _, content = first_segment(disk)
    content[46] ^= 1
    log.truncate_to(15, NOW)
    assert log.log_end_offset == 15


HIDDEN = {
    "a length that reaches behind the file": {8: b"\x01"},
    "an offset behind the end of the log": {0: b"\x01"},
    "the header of a batch before it, without a producer": {0: bytes(8), 43: b"\xff" * 14},
    "a negative producer id": {43: b"\x80"},
    "no producer in a transaction": {21: b"\x00\x10", 43: b"\xff" * 14},
}


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_a_producer_that_damage_hides_below_the_recovery_point_is_noticed(disk, clean, hidden):
    """A scan of headers passes over the batch, or ends at it as at a torn tail."""
    first, content = first_segment(disk)
    size = read_header(read_file(disk, f"t-0/{first}")).size
    for at, value in HIDDEN[hidden].items():
        content[size + at : size + at + len(value)] = value
    with pytest.raises(StorageFault, match=f"{first}: damaged at byte {size}, offset .*flushed: r"):
        restart(disk, clean=clean)


@pytest.mark.parametrize("clean", [True, False])
def test_batches_without_producers_are_not_compared_at_a_start(clean):
    """A log without producers has no snapshot, and each start would read all of it."""
    disk = written()
    _, content = first_segment(disk)
    content[30] ^= 1
    assert restart(disk, clean=clean).log_end_offset == 20
