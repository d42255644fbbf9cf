"""The folders of deleted logs, until they are removed."""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from minikafka.common.clock import Now
from minikafka.log.disk import Disk
from minikafka.log.unified_log import UnifiedLog


class _Deleted(NamedTuple):
    """A folder that is due to be removed at `due_ms` (monotonic). Names are unique."""

    due_ms: int
    name: str
    log: UnifiedLog | None


@dataclass(slots=True, eq=False, repr=False)
class DeletedFolders:
    """The folders of deleted logs in one log directory."""

    disk: Disk
    _heap: list[_Deleted] = field(default_factory=list)

    def add(self, name: str, due_ms: int = 0, log: UnifiedLog | None = None) -> None:
        """Add a folder, and the log that responses may still be reading from it."""
        heappush(self._heap, _Deleted(due_ms, name, log))

    def remove(self, now: Now, most: int) -> int:
        """Remove at most `most` folders that are due; return how many.

        Raises:
            StorageFault: a folder cannot be removed; it stays due.
        """
        count = 0
        while count < most and self.has_due(now):
            deleted = self._heap[0]
            if deleted.log is not None:
                deleted.log.abandon()
            self.disk.remove(deleted.name)
            heappop(self._heap)
            count += 1
        return count

    def has_due(self, now: Now) -> bool:
        """True if a folder is due."""
        return bool(self._heap) and self._heap[0].due_ms <= now.monotonic_ms
