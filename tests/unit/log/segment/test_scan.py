"""Forward scans of a file: windows, large batches, old formats, ends."""

import pytest

from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.scan import check_up_to, find_batch, scan_batches, scan_headers
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.sim.world.sim_disk import SimDisk

SIZES = [10, 9_000, 1, 1_200_000, 5, 8_000, 30]
BATCHES = [
    bytes(build_batch([NewRecord(1, None, b"x" * size)], BatchOptions(base_offset=i)))
    for i, size in enumerate(SIZES)
]


def file_of(content):
    file = SimDisk().open("a", create=True)
    file.append(content)
    return file


def test_headers_and_batches_are_found_over_windows():
    file = file_of(b"".join(BATCHES))
    headers = list(scan_headers(file))
    assert [header.base_offset for _, header in headers] == list(range(len(SIZES)))
    found = list(scan_batches(file))
    assert [bytes(batch) for _, _, batch in found] == BATCHES
    assert [position for position, *_ in found] == [position for position, _ in headers]


def test_scan_starts_at_the_given_position():
    file = file_of(b"".join(BATCHES))
    (position, _), *_ = [row for row in scan_headers(file) if row[1].base_offset == 4]
    assert next(scan_headers(file, position))[1].base_offset == 4
    assert next(scan_batches(file, position))[1].base_offset == 4


@pytest.mark.parametrize("cut", [1, 20, 60, len(BATCHES[-1]) - 1])
def test_partial_batch_at_the_end_is_left_out(cut):
    file = file_of(b"".join(BATCHES)[:-cut])
    assert len(list(scan_headers(file))) == len(list(scan_batches(file))) == len(SIZES) - 1


def test_zeros_are_no_batch():
    file = file_of(BATCHES[0] + bytes(200))
    with pytest.raises(CorruptRecordsError):
        list(scan_headers(file))
    with pytest.raises(CorruptRecordsError):
        list(scan_batches(file))


@pytest.mark.parametrize("at", [8, 20, 35, 60])
def test_batches_are_checked_up_to_an_offset(at):
    position = sum(map(len, BATCHES[:4]))
    content = bytearray(b"".join(BATCHES))
    content[position + at] ^= 0x40
    check_up_to(file_of(content), "a", 3)
    for offset in (4, 5, 100):
        with pytest.raises(DamagedRecordsError, match=f"^a: damaged at byte {position}: "):
            check_up_to(file_of(content), "a", offset)


def test_a_whole_batch_is_found_behind_damage_in_any_window():
    content = bytearray(b"".join(BATCHES))
    starts = [sum(map(len, BATCHES[:i])) for i in range(len(BATCHES))]
    content[starts[1] : starts[2] - 1] = bytes(starts[2] - 1 - starts[1])
    content[starts[3] + 100] ^= 1
    file = file_of(content)
    assert find_batch(file, starts[1], range(1, 100)) == starts[2]
    assert find_batch(file, starts[3], range(3, 100)) == starts[4]
    assert find_batch(file, starts[1], range(6, 1 << 31)) == starts[6]
    assert find_batch(file, starts[1], range(7, 100)) is None
    assert find_batch(file, starts[6], range(100)) is None
    file.truncate(file.size - 1)
    assert find_batch(file, starts[5], range(6, 100)) is None


def test_a_batch_is_found_whose_offset_has_other_high_bytes_than_the_first_ones():
    offset = 1 << 32
    batch = bytes(build_batch([NewRecord(1, None, b"x")], BatchOptions(base_offset=offset)))
    assert find_batch(file_of(b"?" + batch), 0, range(offset - 5, offset + 5)) == 1
