"""Listening sockets: accept connections within the limits, and survive a lack of descriptors.

The server of uvloop closes its socket permanently if the system has no descriptor left.
"""

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable
from typing import Final

from minikafka.server.bound_sockets import BoundSockets
from minikafka.server.open_files import NO_DESCRIPTOR, OPEN_FILES

_log = logging.getLogger("minikafka.server")
_ACCEPTED_A_TURN: Final = 16
_WAIT_S: Final = 0.1
_PASSING: Final = frozenset((errno.ECONNABORTED, errno.EAGAIN, errno.EINTR, errno.EPROTO))


class Acceptor:
    """The sockets of one listener: one for each address of its host."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        bound: BoundSockets,
        protocol: Callable[[], asyncio.BaseProtocol],
        wait_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Create a protocol for each connection, from `serve` on.

        `wait_s` is called before each accept and returns for how many seconds to accept none.
        """
        self._wait_s = wait_s
        self._loop = loop
        self._protocol = protocol
        self._bound = bound
        self._timers: dict[socket.socket, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[object]] = set()

    def serve(self) -> None:
        """Start to accept connections.

        Raises:
            OSError: another process listens on an address since it was bound.
        """
        for each in self._bound.sockets:
            each.listen(self._bound.backlog)
            self._resume(each)

    def close(self) -> None:
        """Stop accepting connections, and close the sockets."""
        for timer in self._timers.values():
            timer.cancel()
        for each in self._bound.sockets:
            self._loop.remove_reader(each.fileno())
        self._bound.close()

    def resume(self) -> None:
        """Check again now whether a connection may be accepted."""
        for listening, timer in list(self._timers.items()):
            timer.cancel()
            self._resume(listening)

    def _resume(self, listening: socket.socket) -> None:
        self._timers.pop(listening, None)
        self._loop.add_reader(listening.fileno(), self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        """Accept a few connections; the others are accepted in later turns of the loop."""
        for _ in range(_ACCEPTED_A_TURN):
            wait_s = self._wait_s()
            if wait_s > 0:
                self._pause(listening, wait_s)
                return
            try:
                taken, _ = listening.accept()
            except OSError as error:
                # A client's connection may then be rejected by the limit on connections.
                if error.errno in NO_DESCRIPTOR and OPEN_FILES.make_room():
                    continue
                if error.errno not in _PASSING:
                    self._wait(listening, error)
                return
            taken.setblocking(False)
            taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # The protocol is created now, so that the connection counts in the limits at once.
            task = self._loop.create_task(self._take(taken, self._protocol()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _take(self, taken: socket.socket, protocol: asyncio.BaseProtocol) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: protocol, taken)
        except OSError as error:
            taken.close()
            protocol.connection_lost(error)
            _log.warning("a connection was lost while it was accepted: %s", error.strerror)

    def _wait(self, listening: socket.socket, error: OSError) -> None:
        """Leave connections in the system's accept queue for `_WAIT_S`."""
        self._pause(listening, _WAIT_S)
        reason = os.strerror(error.errno or 0)
        hint = "; see ulimit -n" if error.errno in NO_DESCRIPTOR else ""
        _log.warning("no connection is accepted for %s s: %s%s", _WAIT_S, reason, hint)

    def _pause(self, listening: socket.socket, wait_s: float) -> None:
        self._loop.remove_reader(listening.fileno())
        self._timers[listening] = self._loop.call_later(wait_s, self._resume, listening)
