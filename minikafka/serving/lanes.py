"""Lanes: fast paths for repeated requests of a connection.

Most requests of a producer differ only in their correlation id and their records, most of a
consumer only in that id, the session epoch and the position. A lane knows the bytes that they have
in common, so that they need no decoding, no dispatch and no encoding. It is a cache in front of a
handler, never a second implementation: it calls the same functions, and returns None for any
request that is not exactly what it knows, or whose append is refused. Such a request takes the
general way, as if there were no lanes.

The handler's module makes lanes, with `broker_api(…, lane=…)`.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from minikafka.common.effects import Part
from minikafka.rpc.envelope import RequestHeader

MAX_LANES: Final = 16
"""The limit for the lanes of one connection."""
MAX_BYTES: Final = 1024
"""The limit for what the requests of a lane have in common: a lane has several copies of it."""
_API_KEY_AT: Final = 1
_VERSION_ENDS: Final = 4
CORRELATION_ID_ENDS: Final = 8
"""A request begins with the API key, the version and the correlation id."""


Answer = tuple[Part, ...] | Generator[Any, Any, Any] | object
"""The parts of the encoded response, or what the handler would return."""


class Lane(Protocol):
    """A short way for the requests that begin with `prefix`.

    `header` is that of the request that the lane was made from. `request` is the last request, or
    one like it without records; it is for the answer to a failure. `prefix` has all bytes before
    the first that may differ; its correlation id does not count.
    """

    header: RequestHeader
    request: Any
    prefix: bytes

    def answer(self, frame: memoryview, correlation_id: int) -> Answer | None:
        """Handle a request; None if it must take the general way, and nothing has happened yet."""


@dataclass(slots=True, eq=False, repr=False)
class Lanes:
    """The lanes of one connection."""

    ends: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The lengths of the prefixes, by API key."""
    _by_prefix: dict[bytes, Lane] = field(default_factory=dict)
    _misses: int = 0
    """Requests that took the general way, although their API has lanes."""

    def find(self, frame: memoryview) -> Lane | None:
        """The lane for a request, if it has one."""
        if len(frame) < CORRELATION_ID_ENDS:
            return None
        for end in self.ends.get(frame[_API_KEY_AT], ()):
            lane = self._by_prefix.get(bytes(frame[CORRELATION_ID_ENDS:end]))
            if lane is not None and lane.prefix[:_VERSION_ENDS] == frame[:_VERSION_ENDS]:
                return lane
        return None

    def is_wanted(self) -> bool:
        """True if a lane should be made for a request that had none.

        Not for the first one: many connections send only one. Later for fewer and fewer, so that a
        client that never repeats itself costs little.
        """
        self._misses += 1
        misses = self._misses
        return misses > 1 and not misses & (misses - 1)

    def add(self, lane: Lane) -> None:
        """Use a lane from now on. If there are too many, the oldest one goes."""
        by_prefix = self._by_prefix
        prefix = lane.prefix[CORRELATION_ID_ENDS:]
        by_prefix.pop(prefix, None)
        by_prefix[prefix] = lane
        if len(by_prefix) > MAX_LANES:
            del by_prefix[next(iter(by_prefix))]
        ends: dict[int, dict[int, None]] = {}
        for each in reversed(by_prefix.values()):
            ends.setdefault(each.header.api_key, {})[len(each.prefix)] = None
        self.ends = {key: tuple(lengths) for key, lengths in ends.items()}
