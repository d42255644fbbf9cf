"""Records out of batches."""

import pytest

from minikafka.records.batch import ControlType, read_header
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
    build_sparse_batch,
    control_record,
    end_marker_value,
)
from minikafka.records.compression import Codec
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import (
    control_type,
    end_marker,
    read_batch,
    read_records,
    sequence_of,
)

ROWS = [
    NewRecord(100, b"k", b"v", (("a", b"1"), ("a", None), ("ä", b""))),
    NewRecord(90, None, None),
    NewRecord(110, b"", b""),
]


@pytest.mark.parametrize("codec", list(Codec))
def test_records_come_out_as_they_went_in(codec):
    batch = build_batch(ROWS, BatchOptions(base_offset=7, codec=codec))
    read = list(read_records(memoryview(batch)))
    assert [tuple(record[1:]) for record in read] == [tuple(row) for row in ROWS]
    assert [record.offset for record in read] == [7, 8, 9]


def test_offsets_of_a_compacted_batch_have_gaps():
    batch = build_sparse_batch(
        [(1, ROWS[0]), (4, ROWS[1])], BatchOptions(base_offset=10, last_offset_delta=6)
    )
    assert [record.offset for record in read_records(batch)] == [11, 14]
    assert read_header(batch).next_offset == 17


def test_damaged_batch_is_refused_unless_the_caller_has_checked():
    batch = build_batch(ROWS)
    batch[17] ^= 1
    with pytest.raises(CorruptRecordsError):
        list(read_records(batch))
    assert len(list(read_records(batch, verify=False))) == 3


def test_header_key_that_is_not_text_is_read_with_replacement_characters():
    batch = build_batch([NewRecord(1, None, None, (("ab", None),))])
    at = batch.index(b"ab")
    batch[at] = 0xFF
    (record,) = read_records(batch, verify=False)
    assert record.headers == (("\ufffdb", None),)


def test_end_of_a_transaction_is_read():
    record = control_record(ControlType.COMMIT, end_marker_value(4), 50)
    batch = build_batch([record], BatchOptions(is_control=True, is_transactional=True))
    (read,) = read_batch(batch, 0, read_header(batch))
    assert end_marker(read) == (True, 4)
    assert control_type(read.key) == ControlType.COMMIT


def test_other_control_records_end_no_transaction():
    batch = build_batch([control_record(ControlType.LEADER_CHANGE, b"", 5)])
    (read,) = read_records(batch)
    assert end_marker(read) is None


@pytest.mark.parametrize(("key", "value"), [(None, b""), (b"\0", b""), (b"\0\0\0\1", b"\0")])
def test_malformed_control_record_is_corrupt(key, value):
    (read,) = read_records(build_batch([NewRecord(1, key, value)]))
    with pytest.raises(CorruptRecordsError):
        end_marker(read)


def test_sequence_of_a_record_counts_from_the_batch():
    batch = build_batch(ROWS, BatchOptions(producer_id=1, producer_epoch=0, base_sequence=5))
    header = read_header(batch)
    assert [sequence_of(header, record) for record in read_records(batch)] == [5, 6, 7]
    plain = build_batch(ROWS)
    assert sequence_of(read_header(plain), next(iter(read_records(plain)))) == -1
