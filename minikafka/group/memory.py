"""How much memory the groups of a node may take.

Sizes are estimates, counted as groups, members and offsets come and go. What the log holds is
always taken in; clients may add to it up to the bound, and are asked to come again later above it.
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
    """What all groups of a node hold, and may hold."""

    config: Callable[[], Config]
    held_bytes: int = 0

    def require(self, more_bytes: int) -> None:
        """See that there is room for so many bytes more.

        Raises:
            CoordinatorNotAvailableError: there is not; the client tries again later.
        """
        if more_bytes <= 0:
            return
        most_bytes = self.config()[log_keys.GROUP_COORDINATOR_MEMORY_BYTES]
        if self.held_bytes + more_bytes > most_bytes:
            _log.warning(
                "a request that adds %d bytes to groups is answered COORDINATOR_NOT_AVAILABLE: "
                "groups hold %d bytes, and group.coordinator.memory.bytes is %d",
                more_bytes, self.held_bytes, most_bytes,
            )  # fmt: skip
            raise CoordinatorNotAvailableError


@dataclass(slots=True, eq=False)
class Holding:
    """What one group holds, or its offsets; a part of `memory` from `count_in` to `count_out`."""

    held_bytes: int = 0
    memory: GroupMemory | None = field(default=None)

    def add(self, size_bytes: int) -> None:
        """Hold so many bytes more, or less."""
        self.held_bytes += size_bytes
        if self.memory is not None:
            self.memory.held_bytes += size_bytes

    def count_in(self, memory: GroupMemory) -> None:
        """Count in `memory` from now on."""
        if self.memory is None:
            self.memory = memory
            memory.held_bytes += self.held_bytes

    def count_out(self) -> None:
        """Count nowhere any more."""
        if self.memory is not None:
            self.memory.held_bytes -= self.held_bytes
            self.memory = None
