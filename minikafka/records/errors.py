"""What can be wrong with records: bytes that are damaged, and bytes that break a rule.

`CorruptRecordsError` says that bytes cannot be what somebody wrote; whoever reads a log or a
response handles it. `RecordValidationError` says what a leader answers to a producer.
"""

from enum import IntEnum
from typing import NamedTuple


class ErrorCode(IntEnum):
    OFFSET_OUT_OF_RANGE = 1
    CORRUPT_MESSAGE = 2
    MESSAGE_TOO_LARGE = 10
    RECORD_LIST_TOO_LARGE = 18
    INVALID_TIMESTAMP = 32
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    INVALID_PRODUCER_EPOCH = 47
    INVALID_TXN_STATE = 48
    TRANSACTION_COORDINATOR_FENCED = 52
    UNSUPPORTED_COMPRESSION_TYPE = 76
    INVALID_RECORD = 87


class CorruptRecordsError(ValueError):
    """Bytes that are no record batch, or no longer the one that was written."""


class RecordError(NamedTuple):
    """One record that broke a rule: its index in its batch, and why."""

    batch_index: int
    message: str


class RecordValidationError(Exception):
    """An append that a leader refuses. Nothing of it was written.

    `code` is the protocol's error code; `record_errors` names single records where the rule is one
    about records (Produce v8 and newer carry them).
    """

    def __init__(
        self, code: int, message: str, record_errors: tuple[RecordError, ...] = ()
    ) -> None:
        """Say which code the producer gets, and why."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.record_errors = record_errors
