"""The durability of the metadata log: flushes outside of a step, and the recovery point.

Source: `KafkaRaftLog.flush`; `KafkaRaftClient.flushLeaderLog`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NewType

from minikafka.common.effects import SyncTarget
from minikafka.common.environment import RETRY_MS, Environment, FlushCallback
from minikafka.common.faults import StorageFault
from minikafka.log.disk import Disk
from minikafka.log.flush import FlushRequest
from minikafka.log.unified_log import UnifiedLog
from minikafka.raft.metadata_storage import (
    RECOVERY_POINT,
    read_recovery_point,
    write_recovery_point,
)

_RECOVERY_POINT_INTERVAL_MS = 5_000
DurableEnd = NewType("DurableEnd", int)
"""An offset below which the metadata log is on the disk. Only this module makes one, so that no
voter reports another offset."""
OnDurable = Callable[[DurableEnd], None]


@dataclass(slots=True, eq=False, repr=False)
class MetadataFlusher:
    """Flushes the metadata log, and saves the offset below which it is durable and committed.

    `on_flushed` is called after each flush of `flush`.
    """

    env: Environment
    log: UnifiedLog
    disk: Disk
    on_flushed: Callable[[], None]
    recovery_point: int = field(init=False)
    """The value in its file."""
    _waiting: list[OnDurable] = field(default_factory=list, init=False)
    _is_flushing: bool = field(default=False, init=False)
    _recovery_point_due_ms: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.recovery_point = read_recovery_point(self.disk)

    @property
    def flushed_offset(self) -> int:
        """Everything below this offset is on the disk."""
        return self.log.recovery_point

    def flush_then(self, callback: OnDurable) -> None:
        """Call back when the current end of the log, and any truncation before it, is durable."""
        self._waiting.append(callback)
        self.flush()
        if not self._is_flushing:
            self._call_back()

    def _call_back(self) -> None:
        waiting, self._waiting = self._waiting, []
        for callback in waiting:
            callback(DurableEnd(self.flushed_offset))

    def flush(self) -> None:
        """Flush everything that was appended; one flush at a time."""
        if self._is_flushing:
            return
        request = self.log.take_flush(everything=True)
        if request is None:
            return
        self._is_flushing = True
        self.env.flush((request,), lambda fault: self._flushed(request, fault))

    def _flushed(self, request: FlushRequest, fault: StorageFault | None) -> None:
        self._is_flushing = False
        if fault is not None:
            # Raises it if it is of this directory, not of another one, whose file was synced to
            # free its descriptor.
            self.env.on_storage_fault(fault)
            self.log.not_flushed(request)
            self.env.after(RETRY_MS, self.flush)
            return
        self.log.flushed(request)
        self.on_flushed()
        if self.env.clock.monotonic_ms >= self._recovery_point_due_ms:
            self.save_recovery_point()
        if self.flushed_offset < self.log.log_end_offset:
            self.flush()
        if not self._is_flushing:
            self._call_back()

    def flush_with(self, target: SyncTarget, on_done: FlushCallback, *, has_flushed: bool) -> None:
        """Flush committed records, then `target`, outside of this step and in this order.

        With `has_flushed` the committed records are durable already, as those of a leader.
        """

        def done(fault: StorageFault | None) -> None:
            on_done(fault)
            self.save_recovery_point()

        if has_flushed:
            self.env.flush((target,), done)
        else:
            self.flush_then(lambda _: self.env.flush((target,), done))

    def save_recovery_point(self, *, sync: bool = False) -> None:
        """Save the offset below which all is durable and committed. No truncation goes below it."""
        self._recovery_point_due_ms = self.env.clock.monotonic_ms + _RECOVERY_POINT_INTERVAL_MS
        reached = min(self.log.recovery_point, self.log.high_watermark)
        if reached > self.recovery_point:
            write_recovery_point(self.disk, reached, sync=sync)
            # Durable with the next flush, so that a power failure loses only the latest changes.
            self.log.note_written(RECOVERY_POINT)
            self.recovery_point = reached

    def close(self) -> None:
        """Flush and close the log.

        Raises:
            StorageFault: the disk reports an error; the log may not be durable.
        """
        self.log.close()
        self.save_recovery_point(sync=True)
