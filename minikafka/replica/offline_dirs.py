"""The reaction of a broker to a log directory that goes offline."""

from dataclasses import dataclass

from minikafka.common.effects import Halt
from minikafka.common.environment import Environment
from minikafka.common.faults import StorageFault
from minikafka.common.ids import ZERO_UUID
from minikafka.log.directories.log_manager import LogManager
from minikafka.replica.broker_lifecycle import BrokerLifecycle


@dataclass(slots=True, eq=False, repr=False)
class OfflineDirs:
    """Reports offline directories to the controller."""

    env: Environment
    logs: LogManager
    lifecycle: BrokerLifecycle
    metadata_log_dir: str

    def report(self, fault: StorageFault) -> None:
        """Report the directory of a fault; stop the node if no directory is left.

        Raises:
            StorageFault: the directory holds the metadata log.
        """
        if fault.log_dir == self.metadata_log_dir:
            raise fault
        for directory in self.logs.directories:
            known = directory.directory_id != ZERO_UUID
            if known and directory.disk.root == fault.log_dir:
                self.lifecycle.report_offline_dir(directory.directory_id)
        if not self.logs.online:
            self.env.effects.append(Halt(1, "no log directory is left"))
