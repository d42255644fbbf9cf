"""Logs with damaged records: a replica is set aside if another one can lead in its place.

Unlike Kafka (row F6), which serves damaged records.
"""

import logging
from dataclasses import dataclass, field

from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.faults import FaultReceiver, OutOfFilesError, StorageFault
from minikafka.common.ids import DIRECTORY_LOST, TopicIdPartition, TopicPartition
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.metadata.features import DIRECTORIES_FROM, METADATA_VERSION
from minikafka.metadata.local_broker import BrokerView
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.hosted_partitions import HostedPartitions
from minikafka.replica.lost_logs import LostLogs
from minikafka.replica.partition import Partition

_log = logging.getLogger("minikafka.replica")


@dataclass(slots=True, eq=False, repr=False)
class DamagedLogs:
    """Decides about the replicas of this broker whose logs are damaged."""

    env: Environment
    view: BrokerView
    logs: LogManager
    hosted: HostedPartitions
    lost: LostLogs
    assignments: DirectoryAssignments
    faults: FaultReceiver
    set_aside_count: int = 0
    _logged: dict[TopicPartition, str] = field(default_factory=dict)
    """The last damage that was logged for a replica that stays in use."""

    def handle(self, partition: Partition, error: DamagedRecordsError) -> ErrorCode:
        """Set aside a leader's damaged log if another replica can become leader.

        Otherwise the leader continues to serve the intact records. A follower also keeps its log:
        its leader, in the same epoch, relies on the records that it had.

        Return the error for the request that met the damage: KAFKA_STORAGE_ERROR, after which a
        client asks the next leader, or CORRUPT_MESSAGE, which stops a consumer.
        """
        name, log = partition.topic_partition, partition.log
        if self.hosted.online.get(name) is not partition:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if not self._another_can_lead(partition):
            if self._logged.get(name) != str(error):
                self._logged[name] = str(error)
                _log.error(
                    "[Partition %s broker=%d] %s/%s. %s: restore the file from a copy and restart "
                    "the broker. Fetches from that offset fail with CORRUPT_MESSAGE, everything "
                    "else is served",
                    name, self.view.broker_id, log.disk.root, error,
                    "No other replica is in sync" if partition.is_leader
                    else "The replica is a follower",
                )  # fmt: skip
            return ErrorCode.CORRUPT_MESSAGE
        try:
            folder = self.logs.set_damaged_aside(name)
        except OutOfFilesError as error_now:
            # The next request that meets the damage tries again.
            return error_now.code
        except StorageFault as fault:
            # The log is lost in its directory, so the fault does not include it.
            self.hosted.take_offline(name)
            self.faults.take_offline(fault)
            return ErrorCode.KAFKA_STORAGE_ERROR
        _log.error(
            "[Partition %s broker=%d] %s/%s. The replica is copied from another broker; remove %s "
            "when that is done, and check the disk",
            name, self.view.broker_id, log.disk.root, error, folder,
        )  # fmt: skip
        self.set_aside_count += 1
        self.lost.add(name, f"the log of {name} is damaged and was moved to {folder}")
        self.assignments.assign(
            TopicIdPartition(partition.topic_id, name.partition), DIRECTORY_LOST
        )
        self.hosted.take_offline(name)
        return ErrorCode.KAFKA_STORAGE_ERROR

    def forget(self, name: TopicPartition) -> None:
        """Drop a replica that this broker no longer has."""
        self._logged.pop(name, None)

    def _another_can_lead(self, partition: Partition) -> bool:
        """True if another member of the ISR can become leader: the metadata shows it unfenced."""
        image = self.view.image
        if not partition.is_leader or image.feature(METADATA_VERSION) < DIRECTORIES_FROM:
            return False
        brokers = image.brokers
        return any(
            each != self.view.broker_id and each in brokers and not brokers[each].fenced
            for each in partition.isr.committed
        )
