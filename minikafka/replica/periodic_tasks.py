"""The periodic work on a broker's replicas.

Source: the tasks "isr-expiration" and "highwatermark-checkpoint" of `ReplicaManager`, and those of
`LogManager`.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from minikafka.common.environment import Environment
from minikafka.common.faults import FaultReceiver, OutOfFilesError
from minikafka.common.ids import TopicIdPartition
from minikafka.log.directories.log_manager import LogManager
from minikafka.replica.hosted_partitions import HostedPartitions
from minikafka.replica.log_flusher import LogFlusher
from minikafka.replica.removed_logs import MAX_FOLDERS_PER_STEP
from minikafka.replica.replica_fetcher_manager import ReplicaFetcherManager
from minikafka.replica.settings import ReplicaSettings

_LOG_TICK_MS: Final = 1_000


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class PeriodicTasks:
    """Shrinks ISRs, checkpoints high watermarks, and applies retention and flush intervals.

    Work for which no file descriptor is left is done in the next period.
    """

    env: Environment
    logs: LogManager
    hosted: HostedPartitions
    fetchers: ReplicaFetcherManager
    flusher: LogFlusher
    settings: ReplicaSettings
    faults: FaultReceiver
    _is_deleting: bool = False

    def start(self) -> None:
        """Start the timers."""
        self.env.after(self.settings.lag_max_ms // 2, self._shrink_isrs)
        self.env.after(self.settings.high_watermark_checkpoint_ms, self._checkpoint_high_watermarks)
        self.env.after(_LOG_TICK_MS, self._tick_logs)

    def _shrink_isrs(self) -> None:
        for partition in self.hosted.led():
            partition.check_lag()
        self.env.after(self.settings.lag_max_ms // 2, self._shrink_isrs)

    def _checkpoint_high_watermarks(self) -> None:
        with suppress(OutOfFilesError):
            for fault in self.logs.checkpoint_high_watermarks():
                self.faults.take_offline(fault)
        self.env.after(self.settings.high_watermark_checkpoint_ms, self._checkpoint_high_watermarks)

    def _tick_logs(self) -> None:
        with suppress(OutOfFilesError):
            for fault in self.logs.tick(self.env.clock.now):
                self.faults.take_offline(fault)
        self._report_log_starts()
        self.flusher.flush_all()
        if not self._is_deleting:
            self._delete_folders()
        self.env.after(_LOG_TICK_MS, self._tick_logs)

    def _report_log_starts(self) -> None:
        """Report log start offsets that retention moved to fetch sessions and fetchers."""
        for name, partition in self.hosted.online.items():
            start_offset = partition.log.log_start_offset
            if start_offset != partition.notified_log_start:
                partition.notified_log_start = start_offset
                partition.notify_watchers()
                self.fetchers.moved(TopicIdPartition(partition.topic_id, name.partition))

    def _delete_folders(self) -> None:
        """Delete a few folders of removed replicas; those that remain follow in later steps."""
        self._is_deleting = False
        with suppress(OutOfFilesError):
            faults, self._is_deleting = self.logs.remove_deleted(
                self.env.clock.now, MAX_FOLDERS_PER_STEP
            )
            for fault in faults:
                self.faults.take_offline(fault)
        if self._is_deleting:
            self.env.later(self._delete_folders)
