"""Header fields, patches in place and sequence numbers."""

from minikafka.records.batch import (
    HEADER_SIZE,
    advance_sequence,
    assign,
    batch_crc,
    read_header,
    set_log_append_time,
)
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import read_records

RECORDS = [NewRecord(1_000 + i, None, b"v") for i in range(4)]


def test_header_has_sixty_one_bytes():
    assert HEADER_SIZE == 61


def test_offsets_and_size_follow_from_the_header():
    batch = build_batch(RECORDS, BatchOptions(base_offset=10, leader_epoch=3))
    header = read_header(batch)
    assert (header.base_offset, header.last_offset, header.next_offset) == (10, 13, 14)
    assert header.size == len(batch)
    assert header.max_timestamp == 1_003


def test_assigning_offset_and_epoch_keeps_the_checksum():
    batch = build_batch(RECORDS)
    header = read_header(batch)
    assigned = assign(batch, header, 77, 5)
    assert assigned == read_header(batch) == header._replace(base_offset=77, leader_epoch=5)
    assert batch_crc(batch, 0, len(batch)) == header.crc
    assert [record.offset for record in read_records(batch)] == [77, 78, 79, 80]


def test_log_append_time_renews_the_checksum():
    batch = build_batch(RECORDS)
    header = set_log_append_time(batch, read_header(batch), 9_999)
    assert read_header(batch) == header
    assert [record.timestamp for record in read_records(batch)] == [9_999] * 4


def test_sequence_wraps_to_zero():
    assert advance_sequence(2**31 - 1, 1) == 0
    assert advance_sequence(1, -2) == 2**31 - 1
    batch = build_batch(
        RECORDS, BatchOptions(producer_id=1, producer_epoch=0, base_sequence=2**31 - 2)
    )
    assert read_header(batch).last_sequence == 1


def test_last_sequence_of_a_plain_batch_is_none():
    assert read_header(build_batch(RECORDS)).last_sequence == -1
