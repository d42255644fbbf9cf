"""Batches that a process has found are checked before they are served, and once."""

import pytest

from minikafka.common.clock import Now
from minikafka.log.checked_batches import CheckedRanges
from minikafka.log.config import LogConfig
from minikafka.log.results import DamagedRecordsError
from minikafka.log.segment import Segment
from minikafka.records.batch import read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.sim_disk import SimDisk

BASE, COUNT = 100, 20
NOW, CONFIG = Now(0, 0), LogConfig(index_interval_bytes=150)
SIZE = len(build_batch([NewRecord(1_000, None, b"v" * 9)], BatchOptions(base_offset=BASE)))


def write(disk, base=BASE, count=COUNT):
    segment = Segment.open(disk, "t-0", base, CONFIG, NOW, create=True)
    for offset in range(base, base + count):
        rows = [NewRecord(1_000, None, b"v" * 9)]
        data = bytes(build_batch(rows, BatchOptions(base_offset=offset)))
        segment.append(data, [read_header(data)])
    segment.close_for_appends()
    return segment


@pytest.fixture
def disk():
    made = SimDisk()
    made.make_dir("t-0")
    write(made)
    return made


def opened(disk):
    return Segment.open(disk, "t-0", BASE, CONFIG, NOW, create=False)


def sound(segment, number, length=SIZE):
    available = segment.size - number * SIZE
    return segment.sound_bytes(number * SIZE, min(length, available), available, BASE + COUNT)


@pytest.mark.parametrize("length", [1, SIZE, SIZE + 1, 5 * SIZE + 7, 1 << 20])
def test_sound_bytes_are_served_as_they_are_asked_for(disk, length):
    segment = opened(disk)
    for number in (3, 0, 19, 4):
        assert sound(segment, number, length) == min(length, segment.size - number * SIZE)


@pytest.mark.parametrize("at", [byte for byte in range(SIZE) if not 12 <= byte < 16])
def test_every_flipped_bit_is_found(disk, at):
    """But those of the leader epoch, which no checksum covers."""
    for bit in (0, 7):
        undo = disk.flip("t-0/00000000000000000100.log", 7 * SIZE + at, bit)
        segment = opened(disk)
        assert sound(segment, 5, 100 * SIZE) == 2 * SIZE
        with pytest.raises(DamagedRecordsError, match=f"damaged at byte {7 * SIZE}, offset 107"):
            sound(segment, 7)
        undo()


@pytest.mark.parametrize("offset", range(BASE, BASE + COUNT))
@pytest.mark.parametrize("at", range(17))
def test_a_damaged_header_hides_no_offset(disk, at, offset):
    """An offset is found in its place, or the damage is named; nobody is sent on behind it."""
    for bit in (0, 3, 7):
        undo = disk.flip("t-0/00000000000000000100.log", 7 * SIZE + at, bit)
        segment = opened(disk)
        try:
            position = segment.locate(offset)
            segment.sound_bytes(position, SIZE, segment.size - position, BASE + COUNT)
        except DamagedRecordsError:
            position = None
        assert position in (None, (offset - BASE) * SIZE)
        undo()


def test_what_was_checked_is_not_read_again(disk):
    segment = opened(disk)
    sound(segment, 2, 4 * SIZE)
    disk.broken = "Input/output error"
    assert sound(segment, 3, 2 * SIZE) == 2 * SIZE
    disk.broken = None
    assert sound(segment, 5, 3 * SIZE) == 3 * SIZE
    disk.broken = "Input/output error"
    assert sound(segment, 2, 6 * SIZE) == 6 * SIZE


def test_what_was_written_or_recovered_is_not_checked():
    disk = SimDisk()
    disk.make_dir("t-0")
    assert write(disk).found_bytes == 0
    segment = opened(disk)
    assert segment.found_bytes == COUNT * SIZE
    segment.truncate_to(BASE + 5)
    assert segment.found_bytes == 5 * SIZE
    segment.recover(verify=True)
    assert segment.found_bytes == 0


def test_a_batch_that_reaches_into_the_next_segment_is_damaged(disk):
    segment = opened(disk)
    with pytest.raises(DamagedRecordsError, match="its place is from 100 to 99"):
        segment.sound_bytes(0, SIZE, segment.size, BASE)


def test_ranges_are_merged_where_they_meet():
    ranges = CheckedRanges()
    ranges.add(10, 20, 2)
    ranges.add(40, 50, 5)
    assert ranges.around(9) is None
    assert ranges.around(20) == (10, 20, 2)
    assert ranges.around(21) is None
    ranges.add(20, 40, 4)
    assert ranges.around(10) == ranges.around(45) == (10, 50, 5)
    ranges.add(60, 70, 7)
    ranges.truncate(60)
    assert ranges.around(60) is None
    assert ranges.around(50) == (10, 50, 5)
