"""Batches against an independent writer and reader (kafka-python)."""

import warnings

import pytest

from minikafka.records.batch import read_header
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    TransactionEnd,
    build_batch,
    build_end_marker,
    reseal,
)
from minikafka.records.compression import Codec, compress
from minikafka.records.reader import EndMarker, end_marker, read_records, record_section

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of kafka-python, about itself
    from kafka.record import MemoryRecords


def test_kafka_python_reads_built_batches():
    rows = [NewRecord(1_000 + i, b"k", b"v%d" % i, (("h", b"x"),)) for i in range(5)]
    batch = build_batch(rows, BatchOptions(base_offset=3, producer_id=9, base_sequence=1))
    other = MemoryRecords(bytes(batch)).next_batch()
    assert other.validate_crc()
    assert (other.base_offset, other.producer_id, other.base_sequence) == (3, 9, 1)
    assert [(r.offset, r.timestamp, r.key, r.value) for r in other] == [
        (3 + i, row.timestamp, row.key, row.value) for i, row in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (BatchOptions(is_control=True), (False, True)),
        (BatchOptions(is_transactional=True), (True, False)),
        (BatchOptions(), (False, False)),
    ],
)
def test_flags_are_in_the_attributes(options, expected):
    header = read_header(build_batch([NewRecord(1, None, None)], options))
    assert (header.is_transactional, header.is_control) == expected


def test_empty_batch_keeps_its_range_of_offsets():
    header = read_header(build_batch([], BatchOptions(base_offset=5, last_offset_delta=4)))
    assert (header.record_count, header.next_offset, header.max_timestamp) == (0, 10, -1)


def test_reseal_exchanges_the_section_only():
    batch = build_batch([NewRecord(1, b"k", b"v" * 100)], BatchOptions(producer_id=4))
    header = read_header(batch)
    packed = compress(Codec.GZIP, record_section(batch, 0, header))
    sealed, new_header = reseal(header, Codec.GZIP, packed)
    assert read_header(sealed) == new_header
    assert new_header.producer_id == 4
    assert list(read_records(sealed)) == list(read_records(batch))


@pytest.mark.parametrize("is_commit", [True, False])
def test_end_marker_is_a_control_batch_of_the_transaction(is_commit):
    batch = build_end_marker(TransactionEnd(9, 3, is_commit, 7, 2), 1_000)
    header = read_header(batch)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (9, 3, -1)
    assert header.is_transactional
    assert header.is_control
    (record,) = read_records(batch)
    assert end_marker(record) == EndMarker(is_commit, 7)
    other = MemoryRecords(bytes(batch)).next_batch()
    assert other.validate_crc()
    assert (other.is_transactional, other.is_control_batch) == (True, True)
