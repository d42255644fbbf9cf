"""The partitions of which this broker has a replica: online, or offline with their log.

`HOSTED_STATES` has the transitions. Source: `HostedPartition`, `ReplicaManager.allPartitions`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from minikafka.common.ids import TopicIdPartition, TopicPartition, Uuid
from minikafka.common.state_table import StateTable
from minikafka.coordinator.ports import PartitionListener
from minikafka.replica.partition import Partition
from minikafka.replica.replica_fetcher_manager import ReplicaFetcherManager


class HostedState(Enum):
    """The state of a partition on this broker."""

    NONE = "none"
    ONLINE = "online"
    OFFLINE = "offline"


HOSTED_STATES = StateTable(
    "partition",
    {
        # Its log is created or was loaded; or its log is lost, or could not be created.
        HostedState.NONE: (HostedState.ONLINE, HostedState.OFFLINE),
        # Its log directory fails or its log is damaged; or the metadata removes the replica.
        HostedState.ONLINE: (HostedState.OFFLINE, HostedState.NONE),
        # The metadata removes the replica, or a leader has the records that its log had. It does
        # not come online before: an empty log could be elected (E7).
        HostedState.OFFLINE: (HostedState.NONE,),
    },
)


@dataclass(slots=True, eq=False, repr=False)
class HostedPartitions:
    """The hosted partitions by name. A partition that leaves ONLINE is stopped for good."""

    fetchers: ReplicaFetcherManager
    listeners: Sequence[PartitionListener]
    online: dict[TopicPartition, Partition] = field(default_factory=dict)
    online_by_id: dict[tuple[Uuid, int], Partition] = field(default_factory=dict)
    offline: dict[TopicPartition, None] = field(default_factory=dict)

    def state(self, name: TopicPartition) -> HostedState:
        """The state of a partition."""
        if name in self.online:
            return HostedState.ONLINE
        return HostedState.OFFLINE if name in self.offline else HostedState.NONE

    def led(self) -> Iterator[Partition]:
        """The partitions of which this broker is leader."""
        return (each for each in self.online.values() if each.is_leader)

    def add(self, partition: Partition) -> None:
        """Note a partition whose log exists."""
        name = partition.topic_partition
        HOSTED_STATES.require(self.state(name), HostedState.ONLINE, name)
        self.online[name] = partition
        self.online_by_id[partition.topic_id, name.partition] = partition

    def take_offline(self, name: TopicPartition) -> None:
        """Note that the log of a partition cannot be used; no effect if that is known."""
        before = self.state(name)
        if before is HostedState.OFFLINE:
            return
        HOSTED_STATES.require(before, HostedState.OFFLINE, name)
        self.offline[name] = None
        if before is HostedState.ONLINE:
            self._stop(self.online[name])

    def end_offline(self, name: TopicPartition) -> None:
        """Allow an empty log for a partition: a leader has the records that are missing here."""
        self.offline.pop(name, None)

    def remove(self, name: TopicPartition, key: TopicIdPartition) -> bool:
        """Remove a replica that the metadata assigns elsewhere; return True if it was online."""
        self.offline.pop(name, None)
        partition = self.online_by_id.get((key.topic_id, key.partition))
        if partition is None:
            return False
        self._stop(partition)
        return True

    def _stop(self, partition: Partition) -> None:
        name = partition.topic_partition
        del self.online[name]
        del self.online_by_id[partition.topic_id, name.partition]
        self.fetchers.unfollow(TopicIdPartition(partition.topic_id, name.partition))
        partition.stop()
        for each in self.listeners:
            each.replica_stopped(name)
