"""Notifications about changes of a partition."""

from enum import Enum
from typing import Protocol


class PartitionEvent(Enum):
    """The kind of a partition's change, for its watchers."""

    APPENDED = "records were appended"
    COMMITTED = "the high watermark moved"
    OTHER = "something that no fetch waits for"
    ALL = "anything: every waiting fetch must check"


class PartitionWatcher(Protocol):
    """An object that remembers a partition's state, and must know when that is outdated."""

    def changed(self, event: PartitionEvent) -> None:
        """Handle a change; called within the step, before or after it takes effect."""

    def follower_moves(self, broker: int) -> None:
        """Handle a new position of a follower; called before the leader notes it."""
