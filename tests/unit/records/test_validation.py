"""Batches that a leader refuses, their errors, and fields that it rewrites."""

from random import Random

import pytest

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.common.errors import ErrorCode
from minikafka.records import summary, validation
from minikafka.records.batch import HEADER_SIZE, batch_crc, read_header
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
    build_sparse_batch,
    reseal,
)
from minikafka.records.compression import Codec, compress
from minikafka.records.errors import RecordValidationError
from minikafka.records.reader import read_records
from minikafka.records.validation import AppendOrigin, RecordPolicy, validate_batch

NOW_MS = 1_000_000
RECORDS = [NewRecord(NOW_MS + i, b"key", b"value %d" % i) for i in range(3)]


def validate(batch, origin=AppendOrigin.CLIENT, **policy):
    return validate_batch(memoryview(batch), RecordPolicy(**policy), origin, NOW_MS)


def refused(batch, origin=AppendOrigin.CLIENT, **policy):
    with pytest.raises(RecordValidationError) as caught:
        validate(batch, origin, **policy)
    return caught.value


def test_sound_batch_is_returned_as_it_is():
    batch = build_batch(RECORDS)
    view, header = validate(batch)
    assert view.obj is batch
    assert header == read_header(batch)


def test_read_only_bytes_are_copied_so_that_offsets_can_be_assigned():
    view, _ = validate(bytes(build_batch(RECORDS)))
    assert not view.readonly


def test_bytes_after_the_batch_that_make_no_other_are_dropped():
    batch = build_batch(RECORDS)
    view, _ = validate(batch + batch[:50])
    assert view == batch


@pytest.mark.parametrize("bytes_", [b"", bytes(11), build_batch(RECORDS)[:-1]])
def test_no_whole_batch_is_an_invalid_record(bytes_):
    assert refused(bytearray(bytes_)).code == ErrorCode.INVALID_RECORD


def test_two_batches_from_a_client_are_refused():
    assert refused(build_batch(RECORDS) * 2).code == ErrorCode.INVALID_RECORD


def test_old_magic_is_refused():
    batch = build_batch(RECORDS)
    batch[16] = 1
    assert refused(batch).code == ErrorCode.INVALID_RECORD


def test_unknown_magic_is_corrupt():
    batch = build_batch(RECORDS)
    batch[16] = 3
    assert refused(batch).code == ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize("at", [21, 40, 70])
def test_changed_byte_is_corrupt(at):
    batch = build_batch(RECORDS)
    batch[at] ^= 0x40
    assert refused(batch).code == ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize(
    "batch",
    [
        build_batch(RECORDS, BatchOptions(base_offset=1)),
        build_batch(RECORDS, BatchOptions(is_control=True)),
        build_batch(RECORDS, BatchOptions(producer_id=1, producer_epoch=0)),
        build_batch(RECORDS, BatchOptions(last_offset_delta=7)),
        build_batch([]),
    ],
)
def test_client_batch_that_breaks_a_header_rule_is_an_invalid_record(batch):
    assert refused(batch).code == ErrorCode.INVALID_RECORD


def test_coordinator_may_write_control_batches():
    batch = build_batch(RECORDS, BatchOptions(is_control=True))
    assert validate(batch, AppendOrigin.COORDINATOR)[1].is_control


def test_large_batch_is_refused_except_from_the_quorum_leader():
    batch = build_batch(RECORDS)
    limit = len(batch) - 1
    assert refused(batch, max_message_bytes=limit).code == ErrorCode.MESSAGE_TOO_LARGE
    validate(batch, AppendOrigin.RAFT_LEADER, max_message_bytes=limit)


def test_records_without_key_are_named_on_a_compacted_topic():
    keyless = RECORDS[0]._replace(key=None)
    error = refused(build_batch([RECORDS[0], keyless, keyless]), keys_required=True)
    assert error.code == ErrorCode.INVALID_RECORD
    assert [row.batch_index for row in error.record_errors] == [1, 2]


def test_record_from_the_future_is_named():
    late = RECORDS[0]._replace(timestamp=NOW_MS + 100)
    batch = build_batch([RECORDS[0], late])
    error = refused(batch, timestamp_after_max_ms=99)
    assert error.code == ErrorCode.INVALID_TIMESTAMP
    assert [row.batch_index for row in error.record_errors] == [1]
    validate(batch, timestamp_after_max_ms=100)


def test_record_from_long_ago_is_named_where_a_bound_is_set():
    early = RECORDS[0]._replace(timestamp=NOW_MS - 100)
    batch = build_batch([RECORDS[0], early])
    error = refused(batch, timestamp_before_max_ms=99)
    assert [row.batch_index for row in error.record_errors] == [1]
    validate(batch)


def test_record_without_timestamp_passes_any_bound():
    batch = build_batch([RECORDS[0]._replace(timestamp=-1)])
    validate(batch, timestamp_before_max_ms=0)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_batch_that_another_leader_stamped_gets_create_time(codec):
    batch = build_batch(RECORDS, BatchOptions(log_append_time=NOW_MS + 7, codec=codec))
    view, header = validate(batch)
    assert not header.is_log_append_time
    assert header.max_timestamp == NOW_MS + 7
    assert read_header(view) == header
    assert header.crc == batch_crc(view, 0, header.size)


@pytest.mark.parametrize(
    ("stamp", "policy"),
    [
        (-1, {}),
        (NOW_MS + 101, {"timestamp_after_max_ms": 100}),
        (NOW_MS, {"log_append_time": True}),
    ],
)
def test_stamped_batch_is_refused_as_a_whole(stamp, policy):
    error = refused(build_batch(RECORDS, BatchOptions(log_append_time=stamp)), **policy)
    assert error.code == ErrorCode.INVALID_TIMESTAMP
    assert [row.batch_index for row in error.record_errors] == [0, 1, 2]


def test_batch_of_a_producer_without_an_epoch_is_accepted():
    validate(build_batch(RECORDS, BatchOptions(producer_id=1, base_sequence=0)))


def test_log_append_time_stamps_the_batch():
    view, header = validate(build_batch(RECORDS), log_append_time=True)
    assert header.is_log_append_time
    assert {record.timestamp for record in read_records(view)} == {NOW_MS}


def test_wrong_max_timestamp_is_corrected():
    header = read_header(build_batch(RECORDS))
    section = build_batch(RECORDS)[header.size - header.batch_length + 49 :]
    lied, _ = reseal(header._replace(max_timestamp=NOW_MS + 50), Codec.NONE, section)
    view, header = validate(lied)
    assert header.max_timestamp == NOW_MS + 2
    assert read_header(view) == header


@pytest.mark.parametrize("have", list(Codec))
@pytest.mark.parametrize("want", list(Codec))
def test_topic_codec_replaces_the_producers(have, want):
    batch = build_batch(RECORDS, BatchOptions(codec=have))
    view, header = validate(batch, codec=want)
    assert header.codec == want
    assert (view.obj is batch) == (have == want)
    assert list(read_records(view)) == list(read_records(batch))


def test_gap_in_offset_deltas_is_refused():
    rows = [(0, RECORDS[0]), (2, RECORDS[1])]
    batch = build_sparse_batch(rows, BatchOptions(last_offset_delta=1))
    assert refused(batch).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", list(Codec))
def test_garbage_under_a_right_checksum_is_refused(codec):
    header = read_header(build_batch(RECORDS))
    sealed, _ = reseal(header, codec, compress(codec, b"no records at all" * 9))
    assert refused(bytearray(sealed)).code == ErrorCode.INVALID_RECORD


def test_count_that_no_batch_could_hold_is_refused():
    header = read_header(build_batch(RECORDS))
    most = 2**31 - 1
    sealed, _ = reseal(
        header._replace(record_count=most, last_offset_delta=most - 1), Codec.NONE, bytes(9)
    )
    assert refused(bytearray(sealed)).code == ErrorCode.INVALID_RECORD


def test_batch_that_decompresses_beyond_its_limit_is_too_large():
    batch = build_batch([RECORDS[0]._replace(value=bytes(70_000))], BatchOptions(codec=Codec.ZSTD))
    validate(batch, max_message_bytes=2_000)
    assert refused(batch, max_message_bytes=1_000).code == ErrorCode.MESSAGE_TOO_LARGE


def test_more_headers_than_may_be_read_are_too_large(monkeypatch):
    monkeypatch.setattr(summary, "MAX_PARTS", 10)
    batch = build_batch([RECORDS[0]._replace(headers=(("", None),) * 10)])
    assert refused(batch).code == ErrorCode.MESSAGE_TOO_LARGE


def test_timestamp_beyond_what_the_protocol_can_say_is_refused():
    header = read_header(build_batch(RECORDS))
    section = build_batch(RECORDS)[HEADER_SIZE:]
    sealed, _ = reseal(header._replace(base_timestamp=2**63 - 1), Codec.NONE, section)
    error = refused(bytearray(sealed), timestamp_after_max_ms=2**63 - 1)
    assert error.code == ErrorCode.INVALID_TIMESTAMP


def test_refusal_names_a_bounded_number_of_records():
    late = RECORDS[0]._replace(timestamp=NOW_MS + 100)
    error = refused(build_batch([late] * 2000), timestamp_after_max_ms=99)
    assert len(error.record_errors) == validation.MAX_RECORD_ERRORS


@pytest.mark.parametrize(
    "batch",
    [
        build_batch(RECORDS * 4),
        build_batch([RECORDS[0]._replace(headers=(("", None),) * 12)]),
        build_batch([RECORDS[0]._replace(value=bytes(200_000))], BatchOptions(codec=Codec.LZ4)),
        build_batch(
            [RECORDS[0]._replace(value=Random(1).randbytes(2_000))], BatchOptions(codec=Codec.GZIP)
        ),
    ],
)
def test_batch_beyond_the_budget_is_left_as_it_is(batch):
    before = bytes(batch)
    with pytest.raises(OverBudgetError):
        validate_batch(memoryview(batch), RecordPolicy(), AppendOrigin.CLIENT, NOW_MS, Budget(10))
    assert batch == before


def test_checked_records_are_taken_from_the_budget():
    budget = Budget(10)
    validate_batch(
        memoryview(build_batch(RECORDS)), RecordPolicy(), AppendOrigin.CLIENT, NOW_MS, budget
    )
    assert budget.units == 7


def test_damaged_compression_is_an_unknown_error():
    batch = build_batch(RECORDS)
    _, header = validate(batch)
    sealed, _ = reseal(header, Codec.GZIP, b"no gzip at all")
    assert refused(bytearray(sealed), keys_required=True).code == ErrorCode.UNKNOWN_SERVER_ERROR
