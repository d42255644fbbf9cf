"""A log's answers, refusals and housekeeping (contents: tests/property/test_unified_log.py)."""

import pytest

from minikafka.common.clock import Now
from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.log.appends import UnexpectedOffsetError
from minikafka.log.checkpoints import read_epochs
from minikafka.log.config import LogConfig
from minikafka.log.segment.reads import OffsetNotInLogError
from minikafka.records.errors import CorruptRecordsError, RecordValidationError
from minikafka.records.reader import read_records
from minikafka.records.validation import AppendOrigin, RecordPolicy
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import NOW, append, batch, open_log


@pytest.fixture
def disk():
    return SimDisk()


def follow(log, data, epoch=9):
    return log.append_as_follower(memoryview(data), leader_epoch=epoch, now=NOW)


def test_append_names_offsets_timestamp_and_epoch(disk):
    log = open_log(disk)
    append(log, 3)
    info = append(log, 2, epoch=4)
    assert info[:6] == (3, 4, 50_000, -1, 0, 4)
    assert log.log_end_offset == 5
    assert read_epochs(disk, "t-0") == [(0, 0), (4, 3)]


def test_duplicate_is_answered_and_not_written(disk):
    log = open_log(disk)
    ids = {"producer_id": 7, "producer_epoch": 0}
    append(log, 2, base_sequence=0, **ids)
    append(log, 2, base_sequence=2, **ids)
    size = log.size_bytes
    info = append(log, 2, base_sequence=0, **ids)
    assert (info.is_duplicate, info.first_offset, info.last_offset) == (True, 0, 1)
    assert (log.size_bytes, log.log_end_offset) == (size, 4)


def test_refused_batch_leaves_nothing(disk):
    log = open_log(disk)
    with pytest.raises(RecordValidationError):
        append(log, base_offset=3)
    assert (log.size_bytes, log.log_end_offset) == (0, 0)


def test_batch_larger_than_a_segment_is_refused(disk):
    log = open_log(disk, segment_bytes=100)
    with pytest.raises(RecordValidationError) as caught:
        append(log, 5)
    assert caught.value.code == ErrorCode.RECORD_LIST_TOO_LARGE


def test_full_disk_is_a_fault_and_leaves_the_log_as_it_was(disk):
    log = open_log(disk)
    append(log)
    disk.fill(room=50)
    with pytest.raises(StorageFault):
        append(log)
    disk.fill(room=1 << 30)
    again = open_log(disk)
    assert again.log_end_offset == 2


def test_coordinator_may_append_several_batches(disk):
    log = open_log(disk)
    data = memoryview(bytearray(batch(2)) + bytearray(batch(3)))
    info = log.append_as_leader(data, leader_epoch=1, now=NOW, origin=AppendOrigin.RAFT_LEADER)
    assert (info.first_offset, info.last_offset) == (0, 4)


def test_log_append_time_is_answered(disk):
    log = open_log(disk, records=RecordPolicy(log_append_time=True))
    assert append(log, timestamp=1).log_append_time == NOW.wall_ms


def test_follower_keeps_offsets_and_takes_gaps(disk):
    log = open_log(disk)
    info = follow(log, bytes(batch(2, base_offset=5)) + bytes(batch(2, base_offset=9)))
    assert (info.first_offset, info.last_offset, log.log_end_offset) == (5, 10, 11)


def test_follower_skips_batches_of_an_epoch_that_it_does_not_follow(disk):
    log = open_log(disk)
    data = bytes(batch(leader_epoch=3)) + bytes(batch(base_offset=2, leader_epoch=4))
    follow(log, data, epoch=3)
    assert log.log_end_offset == 2
    assert follow(log, bytes(batch(base_offset=2, leader_epoch=4)), epoch=3).first_offset == -1


def test_follower_refuses_damage_disorder_and_overlap(disk):
    log = open_log(disk)
    damaged = bytearray(batch())
    damaged[-1] ^= 1
    with pytest.raises(CorruptRecordsError):
        follow(log, damaged)
    with pytest.raises(CorruptRecordsError):
        follow(log, bytes(batch(base_offset=4)) + bytes(batch(base_offset=5)))
    follow(log, batch())
    with pytest.raises(UnexpectedOffsetError):
        follow(log, batch())


def test_empty_follower_starts_within_the_leaders_first_batch(disk):
    log = open_log(disk)
    log.truncate_fully_and_start_at(11, NOW)
    follow(log, batch(4, base_offset=10))
    assert (log.log_start_offset, log.log_end_offset) == (10, 14)


def test_read_stops_below_the_upper_bound_and_at_max_bytes(disk):
    log = open_log(disk)
    size = sum(len(batch()) for _ in range(4) if append(log)) // 4
    assert log.read(0, 10_000, upper_bound_offset=4).slice.length == 2 * size
    assert log.read(0, size + 5, upper_bound_offset=8).slice.length == size + 5
    assert log.read(3, 1, upper_bound_offset=8, min_one_message=True).slice.length == size
    assert log.read(0, 0, upper_bound_offset=8).slice is None
    assert log.read(4, 100, upper_bound_offset=4).slice is None
    read = log.read(3, 10_000, upper_bound_offset=8)
    assert [r.offset for r in read_records(read.slice.read())] == [2, 3, 4, 5, 6, 7]
    assert read.position == (3, 0, size)


@pytest.mark.parametrize("offset", [-1, 3])
def test_read_outside_the_log_is_refused(disk, offset):
    log = open_log(disk)
    append(log)
    with pytest.raises(OffsetNotInLogError):
        log.read(offset, 100, upper_bound_offset=2)
    assert log.read(2, 100, upper_bound_offset=2).slice is None


def test_readable_bytes_count_over_segments(disk):
    log = open_log(disk, segment_bytes=250)
    for _ in range(7):
        append(log)
    assert len(log.segments.items) > 2
    assert log.readable_bytes(0, log.log_end_offset) == log.size_bytes
    assert log.readable_bytes(2, 4) == len(batch())
    assert log.readable_bytes(4, 4) == 0


def test_high_watermark_never_falls_nor_passes_the_end(disk):
    log = open_log(disk)
    append(log, 5)
    assert log.update_high_watermark(3)
    assert not log.update_high_watermark(2)
    assert log.update_high_watermark(99)
    assert log.high_watermark == 5
    log.truncate_to(0, NOW)
    assert log.high_watermark == 0


def test_log_start_may_not_pass_the_high_watermark(disk):
    log = open_log(disk)
    append(log, 5)
    log.update_high_watermark(3)
    with pytest.raises(OffsetNotInLogError):
        log.increment_log_start_offset(4)
    assert log.increment_log_start_offset(3)
    assert not log.increment_log_start_offset(2)
    with pytest.raises(OffsetNotInLogError):
        log.read(2, 10, upper_bound_offset=3)


def test_segment_is_rolled_by_the_age_of_its_records(disk):
    log = open_log(disk, segment_ms=100)
    append(log, 1, timestamp=1_000)
    append(log, 1, timestamp=1_100)
    assert len(log.segments.items) == 1
    append(log, 1, timestamp=1_101)
    assert len(log.segments.items) == 2


def test_retention_removes_files_after_the_delay(disk):
    log = open_log(disk, segment_bytes=250, retention_ms=100, file_delete_delay_ms=60)
    for _ in range(3):
        append(log)
    log.update_high_watermark(6)
    late = Now(5_000, NOW.wall_ms + 101)
    assert log.delete_old_segments(late) == 2
    assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (6, 6, 0)
    log.tick(late)
    assert any(name.endswith(".deleted") for name in disk.list("t-0"))
    log.tick(late._replace(monotonic_ms=5_060))
    assert not any(name.endswith(".deleted") for name in disk.list("t-0"))


def test_compacted_log_keeps_its_segments(disk):
    log = open_log(disk, segment_bytes=250, retention_ms=1, deletes=False, compacted=True)
    for _ in range(3):
        append(log)
    log.update_high_watermark(6)
    assert log.delete_old_segments(Now(0, 1 << 50)) == 0


def test_new_config_is_used_at_once(disk):
    log = open_log(disk)
    log.renew_config(LogConfig(segment_bytes=250))
    for _ in range(3):
        append(log)
    assert len(log.segments.items) == 2


def test_first_record_with_the_greatest_timestamp_is_found(disk):
    log = open_log(disk)
    assert log.latest_timestamp == -1
    for timestamp in (5, 9, 9, 7):
        append(log, 1, timestamp=timestamp)
    assert log.latest_timestamp == 9
    assert log.offset_for_timestamp(6) == (9, 1, 0)
    assert log.offset_for_timestamp(10) is None


@pytest.mark.parametrize("max_bytes", [1, 100, 150, 300, 1_000, 1 << 20])
@pytest.mark.parametrize("is_reopened", [False, True])
def test_small_reads_over_sealed_segments_skip_nothing(disk, max_bytes, is_reopened):
    """A read that ends within a segment continues there, not in the next one."""
    config = {"segment_bytes": 600, "index_interval_bytes": 0}
    log = open_log(disk, **config)
    for number in range(60):
        append(log, 1 + number * 7 % 5)
    assert len(log.segments.items) > 5
    if is_reopened:
        log.close()
        log = open_log(disk, clean=True, **config)
    end = log.log_end_offset
    found = []
    while len(found) < end:
        read = log.read(len(found), max_bytes, upper_bound_offset=end, min_one_message=True)
        assert read.slice is not None
        data = bytes(read.slice.read())
        offsets = [it.offset for it in read_records(data) if it.offset >= len(found)]
        assert offsets
        found += offsets
    assert found == list(range(end))
