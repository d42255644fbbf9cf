"""The memory bound of the groups of a node.

Sizes are estimates, updated as groups, members and offsets are added and removed. The content of
the log is always loaded, even above the bound; a request that would exceed the bound is rejected
with a retriable error.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from minikafka.common.errors import CoordinatorNotAvailableError
from minikafka.config import log_keys
from minikafka.config.values import Config

GROUP_BYTES: Final = 2000
MEMBER_BYTES: Final = 2000
PENDING_MEMBER_BYTES: Final = 1300
PROTOCOL_BYTES: Final = 200
OFFSET_BYTES: Final = 800

_log = logging.getLogger("minikafka.group")


@dataclass(slots=True, eq=False)
class GroupMemory:
    """The memory that all groups of a node use, and its bound."""

    config: Callable[[], Config]
    held_bytes: int = 0

    def require(self, more_bytes: int) -> None:
        """Check that `more_bytes` more are within the bound.

        Raises:
            CoordinatorNotAvailableError: they are not; the client will retry.
        """
        if more_bytes <= 0:
            return
        most_bytes = self.config()[log_keys.GROUP_COORDINATOR_MEMORY_BYTES]
        if self.held_bytes + more_bytes > most_bytes:
            _log.warning(
                "a request that would add %d bytes to groups is rejected with "
                "COORDINATOR_NOT_AVAILABLE: groups use %d bytes, and "
                "group.coordinator.memory.bytes is %d",
                more_bytes, self.held_bytes, most_bytes,
            )  # fmt: skip
            raise CoordinatorNotAvailableError


@dataclass(slots=True, eq=False)
class Holding:
    """The size of one group or of its offsets; it counts in `memory` after `count_in`."""

    held_bytes: int = 0
    memory: GroupMemory | None = field(default=None)

    def add(self, size_bytes: int) -> None:
        """Change the size by `size_bytes`, which may be negative."""
        self.held_bytes += size_bytes
        if self.memory is not None:
            self.memory.held_bytes += size_bytes

    def count_in(self, memory: GroupMemory) -> None:
        """Start to count the size in `memory`."""
        if self.memory is None:
            self.memory = memory
            memory.held_bytes += self.held_bytes

    def count_out(self) -> None:
        """Stop counting the size in the memory."""
        if self.memory is not None:
            self.memory.held_bytes -= self.held_bytes
            self.memory = None
