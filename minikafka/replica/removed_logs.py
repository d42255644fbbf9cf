"""Logs that this broker no longer uses: their folders are renamed, a few in each step.

Source: `LogManager.asyncDelete`, `LogManager.addStrayLog`.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from minikafka.common.environment import Environment
from minikafka.common.faults import FaultReceiver, OutOfFilesError, StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.directories.log_manager import LogManager

MAX_FOLDERS_PER_STEP: Final = 8


@dataclass(slots=True, eq=False, repr=False)
class RemovedLogs:
    """Renames the folders of dropped logs (`LogDirectory.drop`), and removes empty ones."""

    env: Environment
    logs: LogManager
    faults: FaultReceiver
    empty: list[tuple[TopicPartition, LogDirectory]] = field(default_factory=list)
    """The empty folders of partitions that are not on this broker."""
    _is_scheduled: bool = False

    def begin(self) -> None:
        """Rename a few folders now, unless a step is scheduled, and the others in later steps."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self.env.attempt(self._step)

    def _step(self) -> None:
        faults, more = self.logs.retire(self.env.clock.now, MAX_FOLDERS_PER_STEP)
        for fault in faults:
            self.faults.take_offline(fault)
        for _ in range(min(MAX_FOLDERS_PER_STEP, len(self.empty))):
            try:
                _remove_empty(*self.empty[0])
            except StorageFault as fault:
                self.faults.take_offline(fault)
            del self.empty[0]
        self._is_scheduled = more or bool(self.empty)
        if self._is_scheduled:
            self.env.later(partial(self.env.attempt, self._step))

    def finish(self) -> None:
        """Rename all folders in this step."""
        more = True
        while more:
            try:
                faults, more = self.logs.retire(self.env.clock.now, MAX_FOLDERS_PER_STEP)
            except OutOfFilesError:
                return  # The shutdown of the logs renames the others.
            for fault in faults:
                self.faults.take_offline(fault)
            more = more and not faults


def _remove_empty(at: TopicPartition, home: LogDirectory) -> None:
    if home.is_online:
        home.disk.reserve_files()
        home.remove_empty(at)
