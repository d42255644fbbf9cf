"""How those who watch a partition hear of what changed."""

from enum import Enum
from typing import Protocol


class News(Enum):
    """How a partition changed, for those who watch it."""

    APPENDED = "records were appended"
    COMMITTED = "the high watermark moved"
    OTHER = "something that no fetch waits for"
    ALL = "anything: every waiting fetch must check"


class Watcher(Protocol):
    """Something that remembers what it told of a partition, and must hear when that is old."""

    def changed(self, news: News) -> None:
        """Hear of a change; called within the step, before or after it takes effect."""

    def follower_moves(self, broker: int) -> None:
        """Hear that a follower is not where it was; called before that is noted."""
