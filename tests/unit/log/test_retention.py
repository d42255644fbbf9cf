"""How many old segments may go."""

import pytest

from minikafka.common.clock import Now
from minikafka.log.config import LogConfig
from minikafka.log.retention import deletable
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.segment import Segment
from minikafka.records.batch import read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 10_000)


@pytest.fixture(scope="module")
def segments():
    """Three segments of ten records, whose latest timestamps are 1000, 2000, 3000."""
    disk = SimDisk()
    disk.make_dir("t-0")
    made = []
    for base in (0, 10, 20):
        segment = Segment.open(disk, "t-0", base, LogConfig(), NOW, create=True)
        rows = [NewRecord(1_000 + base * 100, None, b"v")] * 10
        data = bytes(build_batch(rows, BatchOptions(base_offset=base)))
        segment.append(data, [read_header(data)])
        made.append(segment)
    return made


def count(segments, *, start=0, high_watermark=30, **config):
    defaults = {"retention_ms": -1, "retention_bytes": -1}
    return deletable(
        segments, LogConfig(**{**defaults, **config}), NOW, log_start_offset=start,
        high_watermark=high_watermark, log_end_offset=30,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("retention_ms", "expected"), [(9_000, 0), (8_999, 1), (7_999, 2), (6_999, 3), (0, 3), (-1, 0)]
)
def test_by_age_of_the_latest_record(segments, retention_ms, expected):
    assert count(segments, retention_ms=retention_ms) == expected


def test_by_the_time_index_where_records_are_damaged():
    """As Kafka; the directory of the log stays online."""
    disk = SimDisk()
    disk.make_dir("t-0")
    config = LogConfig(index_interval_bytes=100)
    segment = Segment.open(disk, "t-0", 0, config, NOW, create=True)
    for offset in range(3):
        rows = [NewRecord(1_000 + offset, None, b"v" * 99)]
        data = bytes(build_batch(rows, BatchOptions(base_offset=offset)))
        segment.append(data, [read_header(data)])
    segment.indexes.write_last()
    disk.flip(segment.path(".log"), 2 * segment.size // 3 + 16, 7)
    found = Segment.open(disk, "t-0", 0, config, NOW, create=False)
    last = Segment.open(disk, "t-0", 30, config, NOW, create=True)
    with pytest.raises(DamagedRecordsError, match="unknown magic 130"):
        found.indexes.find_latest()
    assert count([found, last], retention_ms=8_000) == 1
    assert count([found, last], retention_ms=9_000) == 0


INDEXED = LogConfig(index_interval_bytes=100)
SIZE, DELTA, LATEST = (8, 12), (23, 27), (35, 43)
"""The bytes of a batch that hold its size, the delta of its last offset, and its timestamp."""


def three_batches(value_bytes):
    """The log of a closed segment, with timestamps 1000, 2000 and 3000."""
    disk = SimDisk()
    disk.make_dir("t-0")
    segment = Segment.open(disk, "t-0", 0, INDEXED, NOW, create=True)
    for offset in range(3):
        rows = [NewRecord(1_000 + 1_000 * offset, None, b"v" * value_bytes)]
        data = bytes(build_batch(rows, BatchOptions(base_offset=offset)))
        segment.append(data, [read_header(data)])
    segment.indexes.write_last()
    return disk, segment


def count_by_age(disk, retention_ms):
    """Open the segment, and count."""
    found = Segment.open(disk, "t-0", 0, INDEXED, NOW, create=False)
    last = Segment.open(disk, "t-0", 30, INDEXED, NOW, create=True)
    return count([found, last], retention_ms=retention_ms)


@pytest.mark.parametrize("has_bad_index", [False, True])
@pytest.mark.parametrize("value_bytes", [20, 200])
@pytest.mark.parametrize("batch", [0, 1, 2])
@pytest.mark.parametrize(
    ("bad", "byte"), [(SIZE, 0), (SIZE, 127), (DELTA, 0), (DELTA, 1), (LATEST, 0)]
)
def test_damage_does_not_make_a_segment_older(bad, byte, batch, value_bytes, has_bad_index):
    """Seed 70004190: the log lost its timestamps, but the time index has them."""
    disk, segment = three_batches(value_bytes)
    start = batch * segment.size // 3 + bad[0]
    for at in range(start, start + bad[1] - bad[0]):
        disk.content(segment.path(".log"))[at] = byte
    if has_bad_index:
        index = disk.content(segment.path(".index"))
        index[:] = b"\xff" * len(index)
    for _ in range(2):
        assert count_by_age(disk, 7_000) == 0
        assert count_by_age(disk, 6_999) == 1


def test_a_time_index_that_does_not_fit_a_sound_log_does_not_count():
    disk, segment = three_batches(200)
    index = disk.content(segment.path(".timeindex"))
    index[-12:-4] = (9_000).to_bytes(8)
    assert count_by_age(disk, 7_000) == 0
    assert count_by_age(disk, 6_999) == 1
    assert index[-12:-4] == (3_000).to_bytes(8)


@pytest.mark.parametrize(("segments_kept", "expected"), [(3, 0), (2, 1), (1, 2), (0, 3)])
def test_by_size(segments, segments_kept, expected):
    size = segments[0].size
    assert count(segments, retention_bytes=segments_kept * size) == expected
    if segments_kept < 3:
        assert count(segments, retention_bytes=segments_kept * size + 1) == expected - 1


@pytest.mark.parametrize(("start", "expected"), [(9, 0), (10, 1), (20, 2), (30, 2)])
def test_by_log_start_whatever_the_policy(segments, start, expected):
    assert count(segments, start=start, deletes=False) == expected


@pytest.mark.parametrize(
    ("high_watermark", "expected"), [(0, 0), (9, 0), (10, 1), (29, 2), (30, 3)]
)
def test_never_above_the_high_watermark(segments, high_watermark, expected):
    assert count(segments, retention_ms=0, high_watermark=high_watermark) == expected


def test_nothing_goes_by_time_or_size_without_the_delete_policy(segments):
    assert count(segments, retention_ms=0, retention_bytes=0, deletes=False) == 0
