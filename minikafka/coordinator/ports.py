"""The interface of the broker's replicas to coordinators, which do not import `replica`.

`replica.replica_manager.ReplicaManager` implements `Replicas`, `replica.partition.Partition`
implements `LedPartition`.
"""

from collections.abc import Hashable, Iterator
from typing import Any, Protocol

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import FaultReceiver
from minikafka.common.ids import TopicPartition
from minikafka.log.appends import LogAppendInfo
from minikafka.log.producers.verification import VerificationGuard
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import TransactionEnd
from minikafka.records.validation import AppendOrigin


class LedPartition(Protocol):
    """A replica of a partition of an internal topic."""

    @property
    def topic_partition(self) -> TopicPartition:
        """The topic and index of the partition."""

    @property
    def is_leader(self) -> bool:
        """True if this broker leads the partition."""

    @property
    def leader_epoch(self) -> int:
        """The current leader epoch."""

    @property
    def log(self) -> UnifiedLog:
        """The log of the replica."""

    @property
    def committed(self) -> Hashable:
        """The key that is notified when the high watermark moves or leadership ends."""

    @property
    def watchers(self) -> dict[Any, None]:
        """Objects with the methods of `PartitionWatcher`, notified of each change."""

    def append_as_leader(
        self,
        records: memoryview,
        *,
        required_acks: int,
        origin: AppendOrigin = ...,
        guard: VerificationGuard = ...,
    ) -> LogAppendInfo:
        """Append a batch; see `Partition.append_as_leader`."""

    def append_end_marker(self, end: TransactionEnd) -> LogAppendInfo:
        """Append the marker of a transaction; see `Partition.append_end_marker`."""


class PartitionListener(Protocol):
    """The receiver of events of this broker's partitions."""

    def leadership_changed(self, partition: LedPartition) -> None:
        """Note a new leader epoch of a partition, led here or by another broker."""

    def replica_stopped(self, name: TopicPartition) -> None:
        """Note that this broker no longer has a replica, or that its log is offline."""


class Replicas(FaultReceiver, Protocol):
    """The replicas of this broker."""

    @property
    def listeners(self) -> list[PartitionListener]:
        """The receivers of their events, in the order of the calls."""

    def led(self) -> Iterator[Any]:
        """The partitions that this broker leads."""

    def damaged(self, partition: Any, error: DamagedRecordsError) -> ErrorCode:
        """Let another replica lead a partition whose log is damaged, if one can."""
