"""Listening sockets: they take connections while limits allow it, and outlive a lack of files.

The loop's own server closes its socket for good where the system refuses a descriptor (uvloop).
"""

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable
from typing import Final

from minikafka.server.open_files import NO_DESCRIPTOR, OPEN_FILES

_log = logging.getLogger("minikafka.server")
_ACCEPTED_A_TURN: Final = 16
_WAIT_S: Final = 0.1
_PASSING: Final = frozenset((errno.ECONNABORTED, errno.EAGAIN, errno.EINTR, errno.EPROTO))


class Acceptor:
    """The sockets of one listener: one for each address that its host has."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        protocol: Callable[[], asyncio.BaseProtocol],
        wait_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Give each connection a protocol of its own; `bind` must follow.

        `wait_s` is asked before each connection for how many seconds none may be taken.
        """
        self._wait_s = wait_s
        self._loop = loop
        self._protocol = protocol
        self._backlog = 0
        self._sockets: list[socket.socket] = []
        self._timers: dict[socket.socket, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[object]] = set()

    async def bind(self, host: str, port: int, backlog: int) -> int:
        """Bind to all addresses of `host`, those of the machine if it is empty; return the port.

        Raises:
            OSError: one of them cannot be bound.
        """
        self._backlog = backlog
        found = await self._loop.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        try:
            for family, kind, protocol, _, address in dict.fromkeys(found):
                self._sockets.append(_bound(family, kind, protocol, address))
        except OSError:
            self.close()
            raise
        name = self._sockets[0].getsockname()
        return int(name[1])

    def serve(self) -> None:
        """Take connections from now on."""
        for each in self._sockets:
            each.listen(self._backlog)
            self._resume(each)

    def close(self) -> None:
        """Take no connection any more."""
        for timer in self._timers.values():
            timer.cancel()
        for each in self._sockets:
            self._loop.remove_reader(each.fileno())
            each.close()
        self._sockets.clear()

    def resume(self) -> None:
        """Ask again at once whether a connection may be taken."""
        for listening, timer in list(self._timers.items()):
            timer.cancel()
            self._resume(listening)

    def _resume(self, listening: socket.socket) -> None:
        self._timers.pop(listening, None)
        self._loop.add_reader(listening.fileno(), self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        """Take a few connections; the others are taken in later turns of the loop."""
        for _ in range(_ACCEPTED_A_TURN):
            wait_s = self._wait_s()
            if wait_s > 0:
                self._pause(listening, wait_s)
                return
            try:
                taken, _ = listening.accept()
            except OSError as error:
                # A client's connection is refused then, since its descriptor is too high.
                if error.errno in NO_DESCRIPTOR and OPEN_FILES.make_room():
                    continue
                if error.errno not in _PASSING:
                    self._wait(listening, error)
                return
            taken.setblocking(False)
            taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # It counts from now on.
            task = self._loop.create_task(self._take(taken, self._protocol()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _take(self, taken: socket.socket, protocol: asyncio.BaseProtocol) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: protocol, taken)
        except OSError as error:
            taken.close()
            protocol.connection_lost(error)
            _log.warning("a connection was lost before it was taken: %s", error.strerror)

    def _wait(self, listening: socket.socket, error: OSError) -> None:
        """Leave connections in the system's queue for a moment."""
        self._pause(listening, _WAIT_S)
        reason = os.strerror(error.errno or 0)
        hint = "; see ulimit -n" if error.errno in NO_DESCRIPTOR else ""
        _log.warning("no connection can be taken for %s s: %s%s", _WAIT_S, reason, hint)

    def _pause(self, listening: socket.socket, wait_s: float) -> None:
        self._loop.remove_reader(listening.fileno())
        self._timers[listening] = self._loop.call_later(wait_s, self._resume, listening)


def _bound(family: int, kind: int, protocol: int, address: object) -> socket.socket:
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.setblocking(False)
        bound.bind(address)  # type: ignore[arg-type]
    except OSError:
        bound.close()
        raise
    return bound
