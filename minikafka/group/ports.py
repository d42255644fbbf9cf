"""What groups need of their broker's replicas, as ports: sibling rooms do not import one another.

`Replicas` is filled by `replica.replica_manager.ReplicaManager`, `LedPartition` by
`replica.partition.Partition`.
"""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Protocol

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.results import DamagedRecordsError, LogAppendInfo
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.validation import Origin

OFFSETS_TOPIC = "__consumer_offsets"


class LedPartition(Protocol):
    """A replica of a partition of `__consumer_offsets`."""

    @property
    def topic_partition(self) -> TopicPartition:
        """Which partition it is."""

    @property
    def is_leader(self) -> bool:
        """Whether this broker leads it."""

    @property
    def leader_epoch(self) -> int:
        """The leader epoch in force."""

    @property
    def log(self) -> UnifiedLog:
        """Its log."""

    @property
    def committed(self) -> Hashable:
        """Notified when the high watermark moves, or leadership is over."""

    def append_as_leader(
        self, records: memoryview, *, required_acks: int, origin: Origin = ...
    ) -> LogAppendInfo:
        """Append a batch; see `Partition.append_as_leader`."""


class Replicas(Protocol):
    """The replicas of this broker."""

    @property
    def on_leadership(self) -> list[Callable[[Any], None]]:
        """Called with a partition that started a new leader epoch, here or elsewhere."""

    @property
    def on_removed(self) -> list[Callable[[TopicPartition], None]]:
        """Called with the name of a partition that is here no more."""

    def led(self) -> Iterator[Any]:
        """The partitions that this broker leads."""

    def take_offline(self, fault: StorageFault) -> None:
        """Give up a log directory that failed."""

    def damaged(self, partition: Any, error: DamagedRecordsError) -> ErrorCode:
        """Let another replica lead a partition whose log is damaged, if one can."""
