"""Checks before a follower appends."""

import pytest

from minikafka.log.appends import batches_in, headers_from_leader
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError


def batch(offset, epoch=0):
    options = BatchOptions(base_offset=offset, leader_epoch=epoch)
    return bytes(build_batch([NewRecord(1, None, b"v")] * 2, options))


def test_batches_are_cut_apart_and_a_partial_one_is_dropped():
    one, two = batch(0), batch(2)
    assert [bytes(piece) for piece in batches_in(memoryview(one + two + one[:9]))] == [one, two]


def test_newer_epoch_and_all_that_follows_is_left_out():
    data = batch(0, 1) + batch(2, 3) + batch(4, 2)
    headers, end = headers_from_leader(memoryview(data), 2)
    assert ([header.base_offset for header in headers], end) == ([0], len(batch(0)))


def test_offsets_must_rise():
    with pytest.raises(CorruptRecordsError, match="offset 1 comes after 1"):
        headers_from_leader(memoryview(batch(0) + batch(1)), 0)
