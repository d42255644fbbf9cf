"""The groups of the `__consumer_offsets` partitions that this broker leads.

Source: `GroupCoordinatorService`, `CoordinatorRuntime`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from minikafka.common.environment import Environment
from minikafka.common.ids import TopicPartition
from minikafka.config.values import Config
from minikafka.group.ports import OFFSETS_TOPIC, LedPartition, Replicas
from minikafka.metadata.image import MetadataImage


@dataclass(slots=True, kw_only=True)
class GroupCoordinator:
    """Knows which partitions of `__consumer_offsets` are led here."""

    env: Environment
    broker_id: int
    replicas: Replicas
    image: Callable[[], MetadataImage]
    config: Callable[[], Config]
    _led: dict[int, LedPartition] = field(default_factory=dict)

    def start(self) -> None:
        """Take on the partitions that are led already, and follow leadership from now on."""
        self.replicas.on_leadership.append(self._leadership)
        self.replicas.on_removed.append(self._removed)
        for partition in list(self.replicas.led()):
            self._leadership(partition)

    def _leadership(self, partition: LedPartition) -> None:
        name = partition.topic_partition
        if name.topic != OFFSETS_TOPIC:
            return
        if partition.is_leader:
            self._led[name.partition] = partition
        else:
            self._led.pop(name.partition, None)

    def _removed(self, name: TopicPartition) -> None:
        if name.topic == OFFSETS_TOPIC:
            self._led.pop(name.partition, None)
