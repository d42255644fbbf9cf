"""Finding batches in bytes that may be cut or damaged."""

import pytest

from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc, header_at, split_batches

ONE = build_batch([NewRecord(1, b"k", b"v")])
TWO = build_batch([NewRecord(1, b"k", b"v" * 30)], BatchOptions(base_offset=1))


def test_batches_are_found_one_behind_the_other():
    found = [(position, header.base_offset) for position, header in split_batches(ONE + TWO)]
    assert found == [(0, 0), (len(ONE), 1)]


@pytest.mark.parametrize("cut", range(1, len(TWO)))
def test_partial_batch_at_the_end_is_left_out(cut):
    assert len(list(split_batches((ONE + TWO)[:-cut]))) == 1


@pytest.mark.parametrize("length", [0, -1, 13])
def test_impossible_length_is_corrupt(length):
    damaged = bytearray(ONE)
    damaged[8:12] = length.to_bytes(4, "big", signed=True)
    with pytest.raises(CorruptRecordsError):
        header_at(damaged, 0, len(damaged))


def test_magic_two_smaller_than_its_header_is_corrupt():
    damaged = bytearray(ONE)
    damaged[8:12] = (40).to_bytes(4, "big")
    with pytest.raises(CorruptRecordsError):
        header_at(damaged, 0, len(damaged))


def test_wrong_checksum_is_reported_with_the_offset():
    damaged = bytearray(TWO)
    damaged[-1] ^= 1
    with pytest.raises(CorruptRecordsError, match="offset 1"):
        check_crc(damaged, 0, header_at(damaged, 0, len(damaged)))
