"""The failure of a log directory: its partitions go offline, the others stay online.

Source: `ReplicaManager.handleLogDirFailure`, `LogDirFailureHandler`.
"""

import logging
from dataclasses import dataclass, field

from minikafka.common.faults import OutOfFilesFault, StorageFault
from minikafka.log.directories.log_manager import LogManager
from minikafka.replica.hosted_partitions import HostedPartitions
from minikafka.replica.offline_dirs import OfflineDirs

_log = logging.getLogger("minikafka.replica")


@dataclass(slots=True, eq=False, repr=False)
class LogDirFailureHandler:
    """Takes failed directories offline, and reports each of them once."""

    logs: LogManager
    hosted: HostedPartitions
    offline_dirs: OfflineDirs
    _failed: dict[str, None] = field(default_factory=dict)

    def handle(self, fault: StorageFault) -> None:
        """Take the log directory of a fault and its partitions offline.

        If the fault is only a lack of file descriptors, nothing goes offline.
        """
        if isinstance(fault, OutOfFilesFault):
            _log.warning(
                "an operation failed or was postponed for lack of file descriptors (ulimit -n): %s",
                fault,
            )
            return
        lost = self.logs.take_offline(fault.log_dir)
        if not lost and fault.log_dir in self._failed:
            return
        self._failed[fault.log_dir] = None
        _log.error("log directory %s is offline: %s", fault.log_dir, fault.reason)
        for name in lost:
            self.hosted.take_offline(name)
        self.offline_dirs.report(fault)
