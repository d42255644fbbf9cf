"""Arguments and results of operations on clusters for tests."""

import time
from typing import NamedTuple

_RETRY_S = 0.01

Value = bytes | str | None
Message = Value | tuple[Value, Value]
"""A value, or a key and a value; texts are encoded as UTF-8."""


class KafkaRecord(NamedTuple):
    """A record of a topic."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Deadline:
    """The end of an operation that is tried again until then."""

    def __init__(self, timeout_s: float) -> None:
        """Start the time."""
        self.timeout_s = timeout_s
        self._end_s = time.monotonic() + timeout_s

    @property
    def left_s(self) -> float:
        """The time that is left, at least a millisecond."""
        return max(self._end_s - time.monotonic(), 0.001)

    @property
    def is_over(self) -> bool:
        """True when no time is left."""
        return time.monotonic() >= self._end_s

    def wait(self, every_s: float = _RETRY_S) -> bool:
        """Wait for a moment; return False if the time is over."""
        if self.is_over:
            return False
        time.sleep(every_s)
        return True
