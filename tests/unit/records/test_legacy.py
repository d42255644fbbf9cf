"""Magic 0 and 1, written by kafka-python."""

import warnings

import pytest

from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import read_records
from minikafka.records.scan import split_batches

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of kafka-python, about itself
    from kafka.record.legacy_records import LegacyRecordBatchBuilder


def legacy(magic, codec, count=3, offset=0):
    builder = LegacyRecordBatchBuilder(magic, codec, 1 << 20)
    for i in range(count):
        builder.append(offset + i, 1_000 + i if magic else None, b"k%d" % i, b"v%d" % i)
    built = bytearray(builder.build())
    if codec and magic:
        built[:8] = (offset + count - 1).to_bytes(8, "big")  # as a broker would assign it
    return bytes(built)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [0, 1, 2])
def test_records_are_read(magic, codec):
    read = list(read_records(legacy(magic, codec)))
    assert [(r.offset, r.key, r.value) for r in read] == [
        (i, b"k%d" % i, b"v%d" % i) for i in range(3)
    ]
    assert [r.timestamp for r in read] == ([1_000, 1_001, 1_002] if magic else [-1] * 3)


def test_wrapper_is_one_batch_with_the_offsets_of_its_messages():
    ((_, header),) = split_batches(legacy(1, 1))
    assert (header.base_offset, header.last_offset, header.record_count) == (0, 2, 3)
    assert header.leader_epoch == header.producer_id == -1


def test_plain_messages_are_batches_of_one():
    headers = [header for _, header in split_batches(legacy(1, 0))]
    assert [(header.base_offset, header.last_offset) for header in headers] == [
        (0, 0), (1, 1), (2, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("magic", [0, 1])
def test_wrong_checksum_is_corrupt(magic):
    damaged = bytearray(legacy(magic, 0))
    damaged[-1] ^= 1
    with pytest.raises(CorruptRecordsError):
        list(read_records(damaged))
