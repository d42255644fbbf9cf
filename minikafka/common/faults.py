"""What may stop a node, or take one of its log directories away.

These are no protocol errors: a client never causes them and never sees them by name.
"""


class InvariantViolation(AssertionError):  # noqa: N818 - the field's word is "violation"
    """A rule that the code relies on does not hold. The node logs it and halts."""


class StorageFault(Exception):  # noqa: N818 - a fault is not a KafkaError
    """A log directory can no longer be trusted: an I/O error, a full disk, a file that vanished.

    The log directory goes offline; a node whose metadata log lives there halts. Nothing that was
    being written when it was raised may be acknowledged.
    """

    def __init__(self, log_dir: str, reason: str) -> None:
        """Name the directory and say what the system reported."""
        super().__init__(f"log directory {log_dir}: {reason}")
        self.log_dir = log_dir
        self.reason = reason


class DirectoryInUseFault(StorageFault):
    """Another process holds the lock of the directory."""


class MissingPathFault(StorageFault):
    """The file or folder is not there. Expected only where another thread may have renamed it."""


class OutOfFilesFault(StorageFault):
    """The system has no descriptor left for a file (EMFILE, ENFILE). The directory is sound.

    What was asked for did not begin: its request is answered KAFKA_STORAGE_ERROR, or it is tried
    again later. Where a `StorageFault` takes a directory offline, this one does not.
    """


class RecordsGoneError(ValueError):
    """Records that were to be sent were deleted since; the disk is sound."""


class RecordsCutError(RecordsGoneError):
    """Their file has been cut since: by a truncation of the log, or from outside."""


FATAL = (InvariantViolation, StorageFault)
"""What passes every barrier; see `Environment.contain`."""
