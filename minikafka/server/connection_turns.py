"""Turns of connections that have more requests than one turn has room for.

Other nodes are in front of clients. Every two milliseconds the loop looks for what else has come.
"""

import asyncio
from collections import deque
from time import perf_counter
from typing import Final, Protocol

_TURNS_S: Final = 0.002
"""What is due in the loop waits no longer than this for turns."""


class Taker(Protocol):
    """A connection that waits for its turn."""

    def take_turn(self) -> None:
        """Hand out requests until the turn ends."""


class ConnectionTurns:
    """The connections of a node that wait for their turn, in order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start with none."""
        self._loop = loop
        self._nodes: deque[Taker] = deque()
        self._clients: deque[Taker] = deque()
        self._are_due = False

    def queue(self, taker: Taker, *, is_node: bool) -> None:
        """Let a connection that has more requests wait for its turn."""
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
