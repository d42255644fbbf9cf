"""The failure of a log directory: its partitions go offline, and the controller learns of it.

Source: `ReplicaManager.handleLogDirFailure`, `LogDirFailureHandler`.
"""

from dataclasses import dataclass, field

from minikafka.common.effects import Halt
from minikafka.common.environment import Environment
from minikafka.common.faults import StorageFault
from minikafka.common.ids import ZERO_UUID
from minikafka.log.directories.log_manager import LogManager
from minikafka.replica.broker_lifecycle import BrokerLifecycle
from minikafka.replica.hosted_partitions import HostedPartitions


@dataclass(slots=True, eq=False, repr=False)
class LogDirFailureHandler:
    """Takes failed directories offline, and reports each of them once."""

    env: Environment
    logs: LogManager
    hosted: HostedPartitions
    lifecycle: BrokerLifecycle
    metadata_log_dir: str
    _failed: dict[str, None] = field(default_factory=dict)

    def handle(self, fault: StorageFault) -> None:
        """Take the log directory of a fault and its partitions offline.

        The node stops if no directory is left.

        Raises:
            StorageFault: the directory holds the metadata log.
        """
        lost = self.logs.take_offline(fault)
        if not lost and fault.log_dir in self._failed:
            return
        self._failed[fault.log_dir] = None
        for name in lost:
            self.hosted.take_offline(name)
        if fault.log_dir == self.metadata_log_dir:
            raise fault
        for directory in self.logs.directories:
            known = directory.directory_id != ZERO_UUID
            if known and directory.disk.root == fault.log_dir:
                self.lifecycle.report_offline_dir(directory.directory_id)
        if not self.logs.online:
            self.env.effects.append(Halt(1, "no log directory is left"))
