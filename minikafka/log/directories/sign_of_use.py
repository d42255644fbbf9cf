"""Whether a broker of a cluster has used a log directory: then there was committed metadata."""

from collections.abc import Iterable

from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    RECOVERY_POINTS,
    UNKNOWN_BROKER_EPOCH,
    read_clean_shutdown,
    read_offsets,
)
from minikafka.log.directories.log_directory import METADATA_FOLDER, LogDirectory
from minikafka.log.directories.log_folders import is_log
from minikafka.log.disk import Disk
from minikafka.log.file_names import parse_folder


def sign_of_use(disk: Disk) -> str | None:
    """Return the name of a file or folder that a registered broker left; None in a new directory.

    A broker that never found a leader leaves a clean shutdown file without an epoch, and a
    checkpoint without logs. They are no sign.
    """
    if read_clean_shutdown(disk) not in (None, UNKNOWN_BROKER_EPOCH):
        return CLEAN_SHUTDOWN
    if disk.exists(RECOVERY_POINTS) and read_offsets(disk, RECOVERY_POINTS) != {}:
        return RECOVERY_POINTS
    for name in disk.list(""):
        if name != METADATA_FOLDER and parse_folder(name) is not None and is_log(disk, name):
            return name
    return None


def sign_of_use_in(directories: Iterable[LogDirectory]) -> str | None:
    """Return the path of what shows that a node was in use; None if nothing does."""
    for directory in directories:
        sign = sign_of_use(directory.disk)
        if sign is not None:
            return f"{directory.disk.root}/{sign}"
    return None
