"""The flushes of a broker's logs: one is in progress for each log at most.

Source: `LogManager.flushDirtyLogs`, `UnifiedLog.flush`.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from minikafka.common.environment import RETRY_MS, Environment
from minikafka.common.faults import FaultReceiver, OutOfFilesError, StorageFault
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.flush import FlushRequest
from minikafka.log.unified_log import UnifiedLog


class LogListener(Protocol):
    """The receiver of events of this broker's logs."""

    def log_flushed(self, log: UnifiedLog) -> None:
        """Note that more of a log is durable."""

    def log_swapped(self, log: UnifiedLog) -> None:
        """Note that a copy in another directory, all of which is durable, has become the log."""


@dataclass(slots=True, eq=False, repr=False)
class LogFlusher:
    """Flushes `logs`."""

    env: Environment
    logs: LogManager
    faults: FaultReceiver
    listener: LogListener

    def flush_all(self) -> None:
        """Request the flushes that logs want; called once a second."""
        for log in self.logs.unflushed():
            self.flush(log)

    def flush(self, log: UnifiedLog) -> None:
        """Flush a log; records that are appended while a flush runs go into the next one.

        Without file descriptors the records stay in the log, and requests that wait for the flush
        keep waiting: `flush_all` requests it again.
        """
        with suppress(OutOfFilesError):
            self._request(log)

    def _request(self, log: UnifiedLog) -> None:
        if log.is_flushing or self.logs.get(log.topic_partition) is not log:
            return
        try:
            request = log.take_flush()
        except StorageFault as fault:
            self.faults.take_offline(fault)
            return
        if request is not None:
            self.env.flush((request,), partial(self._flushed, log, request))

    def _flushed(self, log: UnifiedLog, request: FlushRequest, fault: StorageFault | None) -> None:
        if fault is not None:
            self.faults.take_offline(fault)
            if fault.log_dir != log.disk.root:
                # The log's directory is intact: the fault is of another directory, one of whose
                # files was synced to free its descriptor.
                log.not_flushed(request)
                self.env.after(RETRY_MS, partial(self.flush, log))
            return
        log.flushed(request)
        self.listener.log_flushed(log)
