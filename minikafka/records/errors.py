"""What can be wrong with records: bytes that are damaged, and bytes that break a rule.

`CorruptRecordsError` says that bytes cannot be what somebody wrote; whoever reads a log or a
response handles it. `RecordValidationError` says what a leader answers to a producer.
"""

from typing import NamedTuple


class CorruptRecordsError(ValueError):
    """Bytes that are no record batch, or no longer the one that was written."""


class ContentTooLargeError(CorruptRecordsError):
    """Compressed bytes open to more than may be held."""


class TooManyPartsError(ValueError):
    """A batch has more records and record headers than may be read at once."""

    def __init__(self, count: int, most: int) -> None:
        """Say how many there are, and how many there may be."""
        super().__init__(f"{count} records and record headers, at most {most} are read")


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
