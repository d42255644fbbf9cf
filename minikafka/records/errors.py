"""Errors of records: damaged bytes, and records that break a rule.

`CorruptRecordsError` means that bytes are not a valid batch; every reader of a log or of a response
must handle it. `RecordValidationError` is a leader's refusal of a producer's batch.
"""

from typing import NamedTuple


class CorruptRecordsError(ValueError):
    """Bytes that are not a record batch, or a damaged one."""


class ContentTooLargeError(CorruptRecordsError):
    """The decompressed size of a batch is above the limit."""


class TooManyPartsError(ValueError):
    """A batch has more records and record headers than may be read at once."""

    def __init__(self, count: int, most: int) -> None:
        """Make the text from the count and the limit."""
        super().__init__(f"{count} records and record headers, at most {most} are read")


class RecordError(NamedTuple):
    """One record that broke a rule: its index in its batch, and the reason."""

    batch_index: int
    message: str


class RecordValidationError(Exception):
    """An append that a leader refuses. Nothing of it was written.

    `code` is the protocol's error code; `record_errors` names single records if the rule is about
    records (in responses since Produce v8).
    """

    names_log_start = True
    """True if the response to the producer has the log start offset."""

    def __init__(
        self, code: int, message: str, record_errors: tuple[RecordError, ...] = ()
    ) -> None:
        """Set the error code for the producer, and the reason."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.record_errors = record_errors


class NotOneBatchError(RecordValidationError):
    """The bytes for a partition are not exactly one batch of the current format.

    As Kafka, whose `ProduceRequest` refuses them before it looks up the log.
    """

    names_log_start = False
