"""All inbound connections of a node: their listeners, limits and turns.

Limits: `max.connections` and the creation rate (`server/connection_quotas.py`),
`max.connections.per.ip`, `socket.request.max.bytes`, `connections.max.idle.ms`,
`queued.max.request.bytes` (`server/request_memory.py`), and file descriptors
(`server/descriptors.py`). A connection itself is in `server/connection.py`.

Responses that become ready in one step of the node are sent together.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minikafka.common.effects import Part
from minikafka.common.events import ConnectionClosed, Event
from minikafka.common.file_slice import FileSlice
from minikafka.server.acceptor import Acceptor
from minikafka.server.bound_sockets import BoundSockets
from minikafka.server.connection import Connection
from minikafka.server.connection_limits import ConnectionLimits
from minikafka.server.connection_quotas import UNBOUNDED, ConnectionQuotas, ListenerLimits
from minikafka.server.connection_turns import ConnectionTurns
from minikafka.server.file_parts import PIECE_BYTES, read_part, record_bytes
from minikafka.server.frame_buffer import BufferPool, Buffers
from minikafka.server.open_files import OPEN_FILES
from minikafka.server.request_memory import RequestMemory, Share

_log = logging.getLogger("minikafka.server")


class Connections:
    """Every inbound connection of a node, by number."""

    def __init__(
        self,
        step: Callable[[Event], None],
        loop: asyncio.AbstractEventLoop,
        on_unreadable: Callable[[str, Exception], None],
        follow_limits: Callable[[], None] = lambda: None,
        held_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        """Report to `step`; `on_unreadable` is called if records of a response cannot be read.

        `follow_limits` sets `limits` if the configuration has changed; it is called before each
        accept. `held_bytes` returns the bytes of requests that handlers hold.
        """
        self.deliver = step
        self.node_listeners: frozenset[str] = frozenset()
        """Listeners that other nodes connect to, and clients do not."""
        self.before_login: dict[str, int] = {}
        """The largest request before the login, by listener whose clients must log in."""
        self._on_unreadable = on_unreadable
        self._turns = ConnectionTurns(loop)
        self._loop = loop
        self._by_id: dict[int, Connection] = {}
        self._per_address: dict[str, int] = {}
        self._count = 0
        self._gathering: list[Connection] | None = None
        self._pool = BufferPool()
        self.memory = RequestMemory(self._pool, loop, held_bytes)
        self._acceptors: dict[str, Acceptor] = {}
        self.quotas = ConnectionQuotas(loop.time)
        self.secured: Mapping[str, Callable[[], asyncio.BaseProtocol]] = {}
        """What creates the protocol of a new connection, for each listener with TLS."""
        self.follow_limits = follow_limits
        self.limits = ConnectionLimits(
            total=UNBOUNDED, per_address=UNBOUNDED, request_bytes=104_857_600, idle_ms=600_000
        )

    def listen(self, listener: str, bound: BoundSockets) -> None:
        """Take the sockets of a listener. It accepts connections after `serve`."""
        self._acceptors[listener] = Acceptor(
            self._loop, bound, lambda: self._accepted(listener), lambda: self._wait_s(listener)
        )

    def request_bytes(self, listener: str) -> int:
        """Return the largest request that a new connection of a listener may send."""
        return self.before_login.get(listener, self.limits.request_bytes)

    def buffers_of(self, connection: Connection) -> Buffers:
        """Return the source of memory for a connection's large frames; nodes never wait for it."""
        if connection.listener in self.node_listeners:
            return self._pool
        return Share(self.memory, connection)

    def reply(self, connection: int, parts: Sequence[Part]) -> None:
        """Write a response; it is dropped if the connection is closed."""
        target = self._by_id.get(connection)
        if target is None:
            return
        if target.is_sending or (len(parts) > 1 and record_bytes(parts) > PIECE_BYTES):
            target.write_gathered()
            target.send(parts)
            return
        try:
            # Any instead of `cast`, which would be a call for every response.
            chunks: Any = [read_part(part) if type(part) is FileSlice else part for part in parts]
        except Exception as error:  # noqa: BLE001 - one response must not stop the node
            self.unreadable(target, error)
            return
        gathering = self._gathering
        if gathering is not None:
            if target.gather(chunks):
                gathering.append(target)
        elif target.draining:
            target.gather(chunks)
        elif len(chunks) == 1:
            target.transport.write(chunks[0])
        else:
            target.transport.writelines(chunks)

    def unreadable(self, connection: Connection, error: Exception) -> None:
        """Close a connection whose response has records that cannot be read; report the error."""
        connection.close()
        self._on_unreadable(f"the response on connection {connection.number}", error)

    def queue(self, connection: Connection) -> None:
        """Queue a connection that has more requests."""
        self._turns.queue(connection, is_node=connection.listener in self.node_listeners)

    def queue_sending(self, connection: Connection) -> None:
        """Queue a connection that has more of a large response to send."""
        self._turns.queue(_Sending(connection), is_node=connection.listener in self.node_listeners)

    def gather(self) -> None:
        """Hold responses until `release`, which must follow in the same turn of the loop."""
        self._gathering = []

    def release(self) -> None:
        """Write the gathered responses; a draining connection writes its own when it is done."""
        gathered, self._gathering = self._gathering, None
        for connection in gathered or ():
            if not connection.draining:
                connection.write_gathered()

    def mute(self, connection: int) -> None:
        """Stop handing out requests of a connection."""
        target = self._by_id.get(connection)
        if target is not None:
            target.mute()

    def unmute(self, connection: int) -> None:
        """Hand out requests of a connection again, in a later turn of the loop."""
        target = self._by_id.get(connection)
        if target is not None:
            target.unmute()

    def logged_in(self, connection: int) -> None:
        """Let a client that has logged in send requests as large as any."""
        target = self._by_id.get(connection)
        if target is not None:
            target.set_request_limit(self.limits.request_bytes)

    def disconnect(self, connection: int) -> None:
        """Close a connection after its pending responses are sent."""
        target = self._by_id.get(connection)
        if target is not None:
            target.close()

    def reset(self, connection: int) -> None:
        """Close a connection at once with RST instead of FIN."""
        target = self._by_id.get(connection)
        if target is not None:
            target.reset()

    def close(self) -> None:
        """Close listeners and connections."""
        self.memory.close()
        for acceptor in self._acceptors.values():
            acceptor.close()
        for connection in list(self._by_id.values()):
            connection.transport.abort()

    def serve(self, listener: str) -> None:
        """Start to accept connections on a listener.

        Raises:
            OSError: another process listens on its address since it was bound.
        """
        self._acceptors[listener].serve()

    @property
    def limits(self) -> ConnectionLimits:
        """The limits in force."""
        return self._limits

    @limits.setter
    def limits(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self.quotas.limit(ListenerLimits(limits.total, limits.rate), limits.listeners)
        surplus = len(self._by_id) - limits.total
        while surplus > 0 and self._make_room("max.connections is lower now"):
            surplus -= 1

    def _wait_s(self, listener: str) -> float:
        """Return for how many seconds a listener must not accept a connection."""
        self.follow_limits()
        return self.quotas.wait_s(listener, is_of_nodes=listener in self.node_listeners)

    def _accepted(self, listener: str) -> asyncio.BaseProtocol:
        self.quotas.count_rate(listener, is_of_nodes=listener in self.node_listeners)
        secured = self.secured.get(listener)
        return Connection(self, listener) if secured is None else secured()

    def left(self, connection: Connection) -> None:
        """Note that a connection was closed, admitted or not; another one may be accepted."""
        self.quotas.left(connection.listener)
        for listener in tuple(self.quotas.waiting):
            self._acceptors[listener].resume()

    def admit(self, connection: Connection, address: str) -> int | None:
        """Return a number for a new connection, or None if a limit is reached.

        For another node, the client connection that was idle longest is closed instead, as Kafka
        does for the inter-broker listener.
        """
        held = self._per_address.get(address, 0)
        limits = self.limits
        if held >= limits.of_address(address):
            self._rejected(address, f"{held} open from this address (max.connections.per.ip)")
            return None
        is_node = connection.listener in self.node_listeners
        if OPEN_FILES.connections >= limits.descriptors:
            reason = (
                f"{OPEN_FILES.connections} connections are open, the other file descriptors are "
                "reserved for logs; see ulimit -n"
            )
            if not (is_node and self._make_room(reason)):
                self._rejected(address, reason)
                return None
        elif is_node and self.quotas.total > limits.total:
            self._make_room(f"{self.quotas.total} connections are open (max.connections)")
        self._count += 1
        OPEN_FILES.connections += 1
        self._by_id[self._count] = connection
        self._per_address[address] = held + 1
        return self._count

    def _rejected(self, address: str, reason: str) -> None:
        _log.warning("connection from %s rejected: %s", address, reason)

    def _make_room(self, reason: str) -> bool:
        """Close the client connection that was idle longest; False if there is none."""
        clients = (
            each
            for each in self._by_id.values()
            if each.listener not in self.node_listeners and not each.transport.is_closing()
        )
        idlest = min(clients, key=Connection.active_since_s, default=None)
        if idlest is None:
            return False
        _log.warning("closing idle client connection %s to make room: %s", idlest.number, reason)
        idlest.transport.abort()
        return True

    def forget(self, number: int, address: str, *, was_open: bool) -> None:
        """Remove a closed connection; report it to the node, which knows it if it was open."""
        del self._by_id[number]
        OPEN_FILES.connections -= 1
        held = self._per_address[address] - 1
        if held:
            self._per_address[address] = held
        else:
            del self._per_address[address]
        if was_open:
            self.deliver(ConnectionClosed(number))

    def later(self, delay_s: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call `callback` after a delay."""
        return self._loop.call_later(delay_s, callback)

    def soon(self, callback: Callable[[], None]) -> None:
        """Call `callback` in a later turn of the loop."""
        self._loop.call_soon(callback)

    def time_s(self) -> float:
        """Return the time of the loop's clock."""
        return self._loop.time()


class _Sending:
    """A connection that waits for its turn to send more of a large response."""

    __slots__ = ("_connection",)

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def take_turn(self) -> None:
        """Send a piece."""
        self._connection.take_sending_turn()
