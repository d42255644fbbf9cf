"""Batches that a process has found are checked before they are served, and once."""

import pytest

from minikafka.common.clock import Now
from minikafka.log.config import LogConfig
from minikafka.log.segment.checked_batches import MAX_CHECK_US, MAX_RANGES, CheckedRanges
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.segment import Segment
from minikafka.records.batch import read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.sim.world.sim_disk import SimDisk

BASE, COUNT = 100, 20
NOW, CONFIG = Now(0, 0), LogConfig(index_interval_bytes=150)
SIZE = len(build_batch([NewRecord(1_000, None, b"v" * 9)], BatchOptions(base_offset=BASE)))


def write(disk, base=BASE, count=COUNT, records=1):
    segment = Segment.open(disk, "t-0", base, CONFIG, NOW, create=True)
    for offset in range(base, base + count * records, records):
        rows = [NewRecord(1_000, None, b"v" * 9)] * records
        data = bytes(build_batch(rows, BatchOptions(base_offset=offset)))
        segment.append(data, [read_header(data)])
    segment.indexes.write_last()
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
    offset, end_offset = BASE + number, BASE + COUNT
    found, _ = segment.sound_bytes(
        offset, number * SIZE, min(length, available), available, end_offset
    )
    return found


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


@pytest.mark.parametrize("number", [0, 1, 2, 7, COUNT - 1])
@pytest.mark.parametrize("at", [byte for byte in range(17) if not 12 <= byte < 16])
def test_a_damaged_header_hides_no_offset(disk, at, number):
    """Each offset is found in its place, or the damage is named."""
    for bit in range(8):
        undo = disk.flip("t-0/00000000000000000100.log", number * SIZE + at, bit)
        for offset in range(BASE, BASE + COUNT):
            segment = opened(disk)
            try:
                position = segment.locate(offset)
                segment.sound_bytes(offset, position, SIZE, segment.size - position, BASE + COUNT)
            except DamagedRecordsError:
                continue
            assert position == (offset - BASE) * SIZE
            assert offset != BASE + number
        undo()


@pytest.mark.parametrize("number", [0, 1, 4, 9])
def test_a_damaged_last_offset_hides_no_offset(disk, number):
    """Seed 40000166: a batch that says it ends earlier, and what follows seems to be a gap."""
    path = "t-0/00000000000000000200.log"
    write(disk, base=200, count=10, records=3)
    size = len(disk.content(path)) // 10
    for byte in range(23, 27):
        for bit in range(8):
            undo = disk.flip(path, number * size + byte, bit)
            for offset in range(200, 230):
                segment = Segment.open(disk, "t-0", 200, CONFIG, NOW, create=False)
                try:
                    position = segment.locate(offset)
                    segment.sound_bytes(offset, position, size, segment.size - position, 230)
                except DamagedRecordsError:
                    continue
                assert position == (offset - 200) // 3 * size
                assert (offset - 200) // 3 != number
            undo()


@pytest.mark.parametrize("bit", range(8))
def test_a_truncation_that_meets_a_damaged_offset_takes_no_other_record(disk, bit):
    disk.flip("t-0/00000000000000000100.log", 7 * SIZE + 7, bit)
    for offset in range(BASE + 7, BASE + COUNT):
        copy = disk.copy()
        segment = opened(copy)
        try:
            segment.truncate_to(offset)
        except DamagedRecordsError:
            continue
        assert segment.size == (offset - BASE) * SIZE


@pytest.mark.parametrize("bit", range(8))
def test_a_search_by_time_names_no_damaged_offset(disk, bit):
    disk.flip("t-0/00000000000000000100.log", 7, bit)
    try:
        found = opened(disk).batch_at_or_after(1_000, BASE)
    except DamagedRecordsError:
        return
    assert found is None or found.header.base_offset != BASE


@pytest.mark.parametrize("number", [1, 7, COUNT - 1])
def test_a_recovery_keeps_flushed_records_behind_a_damaged_offset(disk, number):
    for at in range(8):
        for bit in range(8):
            undo = disk.flip("t-0/00000000000000000100.log", number * SIZE + at, bit)
            segment = opened(disk)
            with pytest.raises(CorruptRecordsError, match="was flushed"):
                segment.recover(verify=True, flushed_to=BASE + COUNT)
            assert segment.size == COUNT * SIZE
            undo()


@pytest.mark.parametrize("bit", range(8))
def test_a_recovery_does_not_cut_a_damaged_offset_at_the_end_of_a_segment(disk, bit):
    """The next segment begins behind it, and followed durable records."""
    path = "t-0/00000000000000000100.log"
    count = COUNT + 8
    data = bytes(build_batch([NewRecord(1_000, None, b"v" * 9)] * 8, BatchOptions(base_offset=120)))
    disk.open(path).append(data)
    disk.flip(path, COUNT * SIZE + 7, bit)
    segment = opened(disk)
    size = segment.size
    with pytest.raises(CorruptRecordsError, match="was flushed"):
        segment.recover(verify=True, flushed_to=BASE + count, ends_at=BASE + count)
    assert segment.size == size


def test_a_recovery_cuts_a_damaged_offset_that_was_not_flushed(disk):
    disk.flip("t-0/00000000000000000100.log", 7 * SIZE + 7, 2)
    segment = opened(disk)
    assert segment.recover(verify=True, flushed_to=BASE + 7) == BASE + 7
    assert segment.size == 7 * SIZE
    assert segment.locate(BASE + 6) == 6 * SIZE
    assert segment.locate(BASE + 7) is None


def test_a_size_behind_which_no_batch_begins_is_not_read(disk):
    disk.flip("t-0/00000000000000000100.log", 7 * SIZE + 10, 1)
    segment, lengths = opened(disk), []
    segment.file = Reading(segment.file, lengths)
    wrong = f"damaged at byte {7 * SIZE}, offset 107: .*, and no batch follows them"
    with pytest.raises(DamagedRecordsError, match=wrong):
        sound(segment, 7)
    assert max(lengths) <= SIZE


class Reading:
    """A file that notes how much is read at a time."""

    def __init__(self, file, lengths):
        self.file = file
        self.lengths = lengths
        self.size = file.size

    def read_at(self, position, length):
        self.lengths.append(length)
        return self.file.read_at(position, length)


def test_checked_bytes_are_not_read_again(disk):
    segment = opened(disk)
    sound(segment, 2, 4 * SIZE)
    disk.broken = "Input/output error"
    assert sound(segment, 3, 2 * SIZE) == 2 * SIZE
    disk.broken = None
    assert sound(segment, 5, 3 * SIZE) == 3 * SIZE
    disk.broken = "Input/output error"
    assert sound(segment, 2, 6 * SIZE) == 6 * SIZE


def test_written_and_recovered_bytes_are_not_checked():
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
        segment.sound_bytes(BASE, 0, SIZE, segment.size, BASE)


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


def test_a_step_checks_a_bounded_number_of_batches():
    most = MAX_CHECK_US // 3
    disk, count = SimDisk(), 2 * most + 3
    disk.make_dir("t-0")
    write(disk, count=count)
    segment = opened(disk)
    position, steps = 0, []
    while position < segment.size:
        left = segment.size - position
        offset = BASE + position // SIZE
        length, cost_us = segment.sound_bytes(offset, position, left, left, BASE + count)
        steps.append((length // SIZE, cost_us))
        position += length
    assert steps == [(most, MAX_CHECK_US), (most, MAX_CHECK_US), (3, 9)]


def test_the_longest_ranges_are_kept():
    ranges = CheckedRanges()
    for number in range(3 * MAX_RANGES):
        ranges.add(1_000 * number, 1_000 * number + 1 + number, number)
    assert ranges.around(0) is None
    assert all(ranges.around(1_000 * x) for x in range(2 * MAX_RANGES, 3 * MAX_RANGES))
    ranges.add(0, 10_000_000, 7)
    assert ranges.around(5) == (0, 10_000_000, 7)


@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize("byte", [0, 3, 7, 23, 26])
def test_the_times_of_a_damaged_segment_are_completed(disk, byte, bit):
    """Seed 42000100: a start that met such a header in a rolled segment ended with a traceback."""
    disk.flip("t-0/00000000000000000100.log", byte, bit)
    disk.remove("t-0/00000000000000000100.timeindex")
    try:
        segment = opened(disk)
        segment.indexes.complete_times()
    except CorruptRecordsError:
        return
    assert BASE <= segment.indexes.latest.offset < BASE + 2**31
