"""The estimated memory of groups, updated as groups, members and offsets are added and removed."""

from dataclasses import dataclass, field
from typing import Final

from minikafka.coordinator.memory import MemoryBound

GROUP_BYTES: Final = 2000
MEMBER_BYTES: Final = 2000
PENDING_MEMBER_BYTES: Final = 1300
PROTOCOL_BYTES: Final = 200
OFFSET_BYTES: Final = 800


@dataclass(slots=True, eq=False)
class Holding:
    """The size of one group or of its offsets; it counts in `memory` after `count_in`."""

    held_bytes: int = 0
    memory: MemoryBound | None = field(default=None)

    def add(self, size_bytes: int) -> None:
        """Change the size by `size_bytes`, which may be negative."""
        self.held_bytes += size_bytes
        if self.memory is not None:
            self.memory.held_bytes += size_bytes

    def count_in(self, memory: MemoryBound) -> None:
        """Start to count the size in `memory`."""
        if self.memory is None:
            self.memory = memory
            memory.held_bytes += self.held_bytes

    def count_out(self) -> None:
        """Stop counting the size in the memory."""
        if self.memory is not None:
            self.memory.held_bytes -= self.held_bytes
            self.memory = None
