"""The partitions of an internal topic that this broker coordinates, each with its shard.

A shard is created when this broker becomes leader, and closed when leadership ends.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from minikafka.common.errors import NotCoordinatorError
from minikafka.common.ids import TopicPartition
from minikafka.coordinator.partitioning import partition_of
from minikafka.coordinator.ports import LedPartition
from minikafka.coordinator.shard import Shard, ShardOwner, ShardServices


class HasShard(Protocol):
    """The content of a shard, with the shard."""

    @property
    def shard(self) -> Shard:
        """The state of the partition."""

    def load(self) -> None:
        """Start to read the log."""


T = TypeVar("T", bound=HasShard)


@dataclass(slots=True, kw_only=True, eq=False)
class Shards(Generic[T]):
    """The shards of the partitions of `topic`, by partition index.

    `make` returns the content of a shard. If `keeps_epochs`, a
    later epoch of the same leader keeps the shard: the log is unchanged.
    """

    topic: str
    services: ShardServices
    make: Callable[[LedPartition, ShardOwner], T]
    keeps_epochs: bool = False
    by_index: dict[int, T] = field(default_factory=dict)

    def start(self) -> None:
        """Create shards for the partitions that are led already, and follow leadership changes."""
        self.services.replicas.listeners.append(self)
        for partition in list(self.services.replicas.led()):
            self.leadership_changed(partition)

    def leadership_changed(self, partition: LedPartition) -> None:
        """Open the shard of a partition that this broker leads, close that of another one."""
        name = partition.topic_partition
        if name.topic != self.topic:
            return
        found = self.by_index.get(name.partition)
        is_same = found is not None and found.shard.partition is partition
        if partition.is_leader and is_same and self.keeps_epochs:
            return
        self._close(name.partition)
        if partition.is_leader:
            made = self.by_index[name.partition] = self.make(partition, self)
            made.load()

    def replica_stopped(self, name: TopicPartition) -> None:
        """Close the shard of a partition."""
        if name.topic == self.topic:
            self._close(name.partition)

    def lost(self, shard: Shard) -> None:
        """See `ShardOwner`."""
        index = shard.partition.topic_partition.partition
        found = self.by_index.get(index)
        if found is not None and found.shard is shard:
            del self.by_index[index]
        shard.close()

    def _close(self, index: int) -> None:
        found = self.by_index.get(index)
        if found is not None:
            self.lost(found.shard)

    def partition_of(self, key: str) -> int | None:
        """Return the partition of a group or transactional id; None if the topic does not exist."""
        topic = self.services.view.image.topic(self.topic)
        return None if topic is None else partition_of(key, len(topic.partitions))

    def find(self, key: str) -> T | None:
        """Return the content that has a group or transactional id, in any state."""
        index = self.partition_of(key)
        return None if index is None else self.by_index.get(index)

    def of(self, key: str) -> T:
        """Return the content that serves a group or transactional id.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError
        """
        return _active(self.find(key))

    def at(self, index: int) -> T:
        """Return the content that serves a partition.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError
        """
        return _active(self.by_index.get(index))

    def all_active(self) -> Iterator[T]:
        """Yield the content of all partitions that are led.

        Raises:
            CoordinatorLoadInProgressError: some are not loaded yet.
        """
        for each in list(self.by_index.values()):
            if each.shard.partition.is_leader and not each.shard.is_closed:
                each.shard.require_active()
                yield each


def _active(found: T | None) -> T:
    if found is None:
        raise NotCoordinatorError
    found.shard.require_active()
    return found
