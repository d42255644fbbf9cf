"""The fields of an error."""

from minikafka.common.errors import ErrorCode
from minikafka.records.errors import RecordError, RecordValidationError


def test_refusal_carries_code_message_and_records():
    error = RecordValidationError(ErrorCode.INVALID_RECORD, "no", (RecordError(2, "why"),))
    assert (error.code, error.message, str(error)) == (ErrorCode.INVALID_RECORD, "no", "no")
    assert error.record_errors[0].batch_index == 2
