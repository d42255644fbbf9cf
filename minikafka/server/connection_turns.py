"""Turns of connections that have more requests than they may hand out in one turn.

Connections of other nodes come before those of clients. After two milliseconds of turns the loop
handles its other events.
"""

import asyncio
from collections import deque
from time import perf_counter
from typing import Final, Protocol

_TURNS_S: Final = 0.002
"""The longest time for which turns delay other events of the loop."""


class Taker(Protocol):
    """A connection that waits for its turn."""

    def take_turn(self) -> None:
        """Hand out requests until the turn ends."""


class ConnectionTurns:
    """The connections of a node that wait for their turn, in order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start without connections."""
        self._loop = loop
        self._nodes: deque[Taker] = deque()
        self._clients: deque[Taker] = deque()
        self._are_due = False

    def queue(self, taker: Taker, *, is_node: bool) -> None:
        """Queue a connection that has more requests."""
        (self._nodes if is_node else self._clients).append(taker)
        self._schedule()

    def _schedule(self) -> None:
        if not self._are_due:
            self._are_due = True
            self._loop.call_soon(self._take)

    def _take(self) -> None:
        self._are_due = False
        end_s = perf_counter() + _TURNS_S
        while self._nodes or self._clients:
            (self._nodes or self._clients).popleft().take_turn()
            if perf_counter() > end_s:
                break
        if self._nodes or self._clients:
            self._schedule()
