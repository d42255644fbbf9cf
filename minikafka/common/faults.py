"""Faults that stop a node or take one of its log directories offline, and the lack of files.

Faults are not protocol errors: a client never causes them and never sees their names.
"""

from typing import Protocol

from minikafka.common.errors import KafkaStorageError


class InvariantViolation(AssertionError):  # noqa: N818 - the field's word is "violation"
    """A rule on which the code relies is violated. The node logs it and halts."""


class StorageFault(Exception):  # noqa: N818 - a fault is not a KafkaError
    """A log directory can no longer be trusted: an I/O error, a full disk, a missing file.

    The log directory goes offline; a node with its metadata log in it halts. Records that were
    being written when it was raised must not be acknowledged.
    """

    def __init__(self, log_dir: str, reason: str) -> None:
        """Make the text from the directory and the error of the system."""
        super().__init__(f"log directory {log_dir}: {reason}")
        self.log_dir = log_dir
        self.reason = reason


class DirectoryInUseFault(StorageFault):
    """Another process holds the lock of the directory."""


class MissingPathFault(StorageFault):
    """The file or folder does not exist. Expected only if another thread may have renamed it."""


class OutOfFilesError(KafkaStorageError):
    """The system has no descriptor left for a file (EMFILE, ENFILE). The directory is intact.

    This is no fault: the operation did not begin, and can be repeated. A request fails with
    KAFKA_STORAGE_ERROR, as with any other `KafkaError`; other work is called again by
    `Environment.attempt`. It is logged where it is raised.
    """

    def __init__(self, log_dir: str, reason: str) -> None:
        """Name the directory and the refused operation; clients get the text of the code."""
        super().__init__()
        self.log_dir = log_dir
        self.reason = reason

    def __str__(self) -> str:
        """The text for operators, who may know the directory."""
        return f"log directory {self.log_dir}: {self.reason}"


class FaultReceiver(Protocol):
    """The receiver of storage faults."""

    def take_offline(self, fault: StorageFault) -> None:
        """Take the log directory of a fault offline."""


class RecordsGoneError(ValueError):
    """Records of a response were deleted before they were sent; the disk is intact."""


class RecordsCutError(RecordsGoneError):
    """The file of the records was cut: by a truncation of the log, or by another program."""


DISK_ERRORS = (StorageFault, OutOfFilesError)
"""What a log directory raises: it has failed, or the operation did not begin."""

FATAL = (InvariantViolation, *DISK_ERRORS)
"""Errors that end a node if they are outside of any request."""
