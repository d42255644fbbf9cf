"""Inbound connections: sockets that bring request frames and take responses.

Limits: `max.connections` and the creation rate (`server/connection_quotas.py`),
`max.connections.per.ip`, `socket.request.max.bytes`, `connections.max.idle.ms`,
`queued.max.request.bytes` (`server/request_memory.py`), and file descriptors
(`server/descriptors.py`). A connection whose peer does not read its responses is not read from
until it does, and the records of a response are read from their file as the peer takes them, so
that no queue grows without bound.

Connections take turns: a turn is one request, or as many as a millisecond has room for. A
connection that has more then goes to the end of the queue (`server/connection_turns.py`).

Responses that become ready together leave together: one system call for what a client's pipelined
requests, or one step of the node, brought about, instead of one each.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, cast

from minikafka.common.effects import Part
from minikafka.common.events import ConnectionClosed, ConnectionOpened, Event, RequestFrame
from minikafka.common.file_slice import FileSlice
from minikafka.server.acceptor import Acceptor
from minikafka.server.connection_limits import ConnectionLimits
from minikafka.server.connection_quotas import UNBOUNDED, ConnectionQuotas, ListenerLimits
from minikafka.server.connection_turns import ConnectionTurns
from minikafka.server.file_parts import PIECE_BYTES, pieces, read_part, record_bytes
from minikafka.server.frame_buffer import BufferPool, Buffers, FrameBuffer, FrameTooLarge
from minikafka.server.open_files import OPEN_FILES
from minikafka.server.request_memory import RequestMemory, Share

_log = logging.getLogger("minikafka.server")
_WRITE_HIGH_BYTES = 1024 * 1024
# The first of several pipelined requests waits for its answer no longer than it takes to handle
# this many.
_GATHERED_REPLIES = 8
_TURN_S = 0.001


class Connections:
    """Every inbound connection of a node, by number."""

    def __init__(
        self,
        step: Callable[[Event], None],
        loop: asyncio.AbstractEventLoop,
        on_unreadable: Callable[[str, Exception], None],
    ) -> None:
        """Report to `step`; `on_unreadable` hears of records that cannot be read for an answer."""
        self.deliver = step
        self.node_listeners: frozenset[str] = frozenset()
        """Listeners that other nodes connect to, and clients do not."""
        self._on_unreadable = on_unreadable
        self._turns = ConnectionTurns(loop)
        self._loop = loop
        self._by_id: dict[int, Connection] = {}
        self._per_address: dict[str, int] = {}
        self._count = 0
        self._gathering: list[Connection] | None = None
        self._pool = BufferPool()
        self.memory = RequestMemory(self._pool, loop)
        self._acceptors: dict[str, Acceptor] = {}
        self.quotas = ConnectionQuotas(loop.time)
        self.follow_limits: Callable[[], None] = lambda: None
        """Sets `limits` where the configuration has changed; called before each connection."""
        self.limits = ConnectionLimits(
            total=UNBOUNDED, per_address=UNBOUNDED, request_bytes=104_857_600, idle_ms=600_000
        )

    async def listen(self, listener: str, host: str, port: int, backlog: int) -> int:
        """Bind a listener; returns its port. It takes connections once `serve` was called for it.

        Raises:
            OSError: when the address cannot be bound.
        """
        acceptor = Acceptor(
            self._loop, lambda: self._taken(listener), lambda: self._wait_s(listener)
        )
        bound = await acceptor.bind(host, port, backlog)
        self._acceptors[listener] = acceptor
        return bound

    def buffers_of(self, connection: "Connection") -> Buffers:
        """Return where a connection's large frames get their memory; nodes never wait for it."""
        if connection.listener in self.node_listeners:
            return self._pool
        return Share(self.memory, connection)

    def reply(self, connection: int, parts: Sequence[Part]) -> None:
        """Write a response; dropped when the connection is gone."""
        target = self._by_id.get(connection)
        if target is None:
            return
        if target.is_sending or (len(parts) > 1 and record_bytes(parts) > PIECE_BYTES):
            target.write_gathered()
            target.send(parts)
            return
        try:
            # Not `cast`, which is a call, and every response would make it.
            chunks: Any = [read_part(part) if type(part) is FileSlice else part for part in parts]
        except Exception as error:  # noqa: BLE001 - one answer must not stop the node
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

    def unreadable(self, connection: "Connection", error: Exception) -> None:
        """Records of an answer cannot be read: close the connection, and report why."""
        connection.close()
        self._on_unreadable(f"the answer to connection {connection.number}", error)

    def queue(self, connection: "Connection") -> None:
        """Let a connection that has more requests wait for its turn."""
        self._turns.queue(connection, is_node=connection.listener in self.node_listeners)

    def queue_sending(self, connection: "Connection") -> None:
        """Let a connection that has more of a large answer wait for its turn."""
        self._turns.queue(_Sending(connection), is_node=connection.listener in self.node_listeners)

    def gather(self) -> None:
        """Keep responses back until `release`, which must come in the same turn of the loop."""
        self._gathering = []

    def release(self) -> None:
        """Write what was gathered; a connection that is draining does so when it is through."""
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
        """Go on, in a later turn of the loop."""
        target = self._by_id.get(connection)
        if target is not None:
            target.unmute()

    def disconnect(self, connection: int) -> None:
        """Close a connection after what was written to it."""
        target = self._by_id.get(connection)
        if target is not None:
            target.close()

    def close(self) -> None:
        """Close listeners and connections."""
        self.memory.close()
        for acceptor in self._acceptors.values():
            acceptor.close()
        for connection in list(self._by_id.values()):
            connection.transport.abort()

    async def serve(self, listener: str) -> None:
        """Take connections on a listener."""
        self._acceptors[listener].serve()

    @property
    def limits(self) -> ConnectionLimits:
        """What is allowed."""
        return self._limits

    @limits.setter
    def limits(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self.quotas.limit(ListenerLimits(limits.total, limits.rate), limits.listeners)
        surplus = len(self._by_id) - limits.total
        while surplus > 0 and self._make_room("max.connections is lower now"):
            surplus -= 1

    def _wait_s(self, listener: str) -> float:
        """Return for how long a listener takes no connection."""
        self.follow_limits()
        return self.quotas.wait_s(listener, is_of_nodes=listener in self.node_listeners)

    def _taken(self, listener: str) -> "Connection":
        self.quotas.count_rate(listener, is_of_nodes=listener in self.node_listeners)
        return Connection(self, listener)

    def left(self, connection: "Connection") -> None:
        """A connection is gone, admitted or not; another one may be taken."""
        self.quotas.left(connection.listener)
        for listener in tuple(self.quotas.waiting):
            self._acceptors[listener].resume()

    def admit(self, connection: "Connection", address: str) -> int | None:
        """A number for a new connection, or None where a limit is reached.

        Another node is let in by closing the connection of a client that was idle for longest, as
        Kafka does for the inter-broker listener.
        """
        held = self._per_address.get(address, 0)
        limits = self.limits
        if held >= limits.of_address(address):
            self._refused(address, f"{held} are open from there, max.connections.per.ip")
            return None
        is_node = connection.listener in self.node_listeners
        if OPEN_FILES.connections >= limits.descriptors:
            reason = (
                f"{OPEN_FILES.connections} connections are open, the other file descriptors are "
                "for logs; see ulimit -n"
            )
            if not (is_node and self._make_room(reason)):
                self._refused(address, reason)
                return None
        elif is_node and self.quotas.total > limits.total:
            self._make_room(f"{self.quotas.total} are open, max.connections")
        self._count += 1
        OPEN_FILES.connections += 1
        self._by_id[self._count] = connection
        self._per_address[address] = held + 1
        return self._count

    def _refused(self, address: str, reason: str) -> None:
        _log.warning("connection from %s refused: %s", address, reason)

    def _make_room(self, reason: str) -> bool:
        """Close the client's connection that was idle for longest; False if there is none."""
        clients = (
            each
            for each in self._by_id.values()
            if each.listener not in self.node_listeners and not each.transport.is_closing()
        )
        idlest = min(clients, key=Connection.active_since_s, default=None)
        if idlest is None:
            return False
        _log.warning("closing connection %s for one of another node: %s", idlest.number, reason)
        idlest.transport.abort()
        return True

    def forget(self, number: int, address: str) -> None:
        """A connection is gone."""
        del self._by_id[number]
        OPEN_FILES.connections -= 1
        held = self._per_address[address] - 1
        if held:
            self._per_address[address] = held
        else:
            del self._per_address[address]
        self.deliver(ConnectionClosed(number))

    def later(self, delay_s: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back after a delay."""
        return self._loop.call_later(delay_s, callback)

    def soon(self, callback: Callable[[], None]) -> None:
        """Call back in a later turn of the loop."""
        self._loop.call_soon(callback)

    def time_s(self) -> float:
        """The loop's clock."""
        return self._loop.time()


class _Sending:
    """A connection that waits for its turn to send more of a large answer."""

    __slots__ = ("_connection",)

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def take_turn(self) -> None:
        """Send a piece."""
        self._connection.take_sending_turn()


class Connection(asyncio.BufferedProtocol):
    """One inbound connection. Takes requests while neither muted nor behind with its responses."""

    transport: asyncio.Transport
    number: int | None = None

    def __init__(self, owner: Connections, listener: str) -> None:
        """Wait for `connection_made`."""
        self._owner = owner
        self.listener = listener
        owner.quotas.entered(listener)
        self.draining = False
        self._gathered: list[bytes] = []
        self._gathered_replies = 0
        self._outgoing: deque[Part] = deque()
        self._sends_in_turn = False
        self._address = ""
        self._muted = False
        self._congested = False
        self._queued = False
        self._reading = True
        self._is_closing = False
        self._active_at_s = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._turn_ends_s = 0.0
        self._frames = FrameBuffer(
            self._consume, owner.buffers_of(self), owner.limits.request_bytes
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the connection, or close it where a limit is reached."""
        self.transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self._address = peer[0] if peer else ""
        owner = self._owner
        self.number = owner.admit(self, self._address)
        if self.number is None:
            self.transport.abort()
            return
        self.transport.set_write_buffer_limits(high=_WRITE_HIGH_BYTES)
        self._active_at_s = owner.time_s()
        self._watch_idle()
        owner.deliver(ConnectionOpened(self.number, self.listener, self._address))

    def active_since_s(self) -> float:
        """When bytes came last, by the loop's clock."""
        return self._active_at_s

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        del exc
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._is_closing = True
        # The buffer refers to this connection: without a cycle both are gone at once.
        self._frames.release()
        self._owner.memory.forget(self)
        self._outgoing.clear()
        if self.number is not None:
            self._owner.forget(self.number, self._address)
        self._owner.left(self)

    def memory_is_free(self) -> None:
        """Try again to take memory for a large frame, or receive the rest of it."""
        self._frames.go_on_with_frame()
        self._go_on()

    def stalled(self, reason: str) -> None:
        """Close if a large frame is incomplete, or answers are not read."""
        if not (self._frames.misses_bytes or self._frames.lacks_memory or self._congested):
            return
        _log.warning(
            "closing connection %s from %s: a request is incomplete, and %s",
            self.number,
            self._address,
            reason,
        )
        self.transport.abort()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the next bytes go."""
        del sizehint
        return self._frames.space()

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes came."""
        self._active_at_s = self._owner.time_s()
        self._frames.received(nbytes)
        if not self._queued:
            self.take_turn()
        elif self._frames.is_full:
            self._set_reading()

    def eof_received(self) -> bool:
        """The peer will send no more: close."""
        return False

    def pause_writing(self) -> None:
        """The peer does not read its responses."""
        self._congested = True
        self._set_reading()

    def resume_writing(self) -> None:
        """The peer reads again."""
        self._congested = False
        self._active_at_s = self._owner.time_s()
        if self._outgoing:
            self._queue_sending()
        elif self._is_closing:
            self.transport.close()
        self._go_on()

    def gather(self, chunks: Sequence[bytes]) -> bool:
        """Keep a response until `write_gathered`; whether it is the first that is kept."""
        self._gathered.extend(chunks)
        self._gathered_replies += 1
        # Records are not held back: the peer that does not read them must be noticed first.
        if len(chunks) > 1 or self._gathered_replies == _GATHERED_REPLIES:
            self.write_gathered()
            return False
        return self._gathered_replies == 1

    def write_gathered(self) -> None:
        """Write the responses that were kept."""
        gathered = self._gathered
        if not gathered:
            return
        self._gathered = []
        self._gathered_replies = 0
        if self._outgoing:
            self._outgoing.extend(gathered)
        elif len(gathered) == 1:
            self.transport.write(gathered[0])
        else:
            self.transport.writelines(gathered)

    @property
    def is_sending(self) -> bool:
        """True while a response is written piece by piece."""
        return bool(self._outgoing)

    def send(self, parts: Sequence[Part]) -> None:
        """Write a response piece by piece, as the peer takes it."""
        for part in parts:
            if type(part) is FileSlice and part.length > PIECE_BYTES:
                self._outgoing.extend(pieces(part))
            else:
                self._outgoing.append(part)
        if not self._sends_in_turn:
            self._send_on()

    def take_sending_turn(self) -> None:
        """Send a piece of a large answer."""
        self._sends_in_turn = False
        self._send_on()
        if not self._sends_in_turn:
            self._go_on()

    def _queue_sending(self) -> None:
        if not self._sends_in_turn:
            self._sends_in_turn = True
            self._owner.queue_sending(self)
            self._set_reading()

    def _send_on(self) -> None:
        """Send up to the end of a piece of records; the next one has to wait for a turn."""
        outgoing = self._outgoing
        has_sent = False
        while outgoing and not self._congested and not self.transport.is_closing():
            part = outgoing[0]
            if has_sent and type(part) is FileSlice:
                self._queue_sending()
                return
            try:
                data = read_part(part) if type(part) is FileSlice else part
            except Exception as error:  # noqa: BLE001 - one answer must not stop the node
                outgoing.clear()
                self._owner.unreadable(self, error)
                return
            outgoing.popleft()
            has_sent = has_sent or type(part) is FileSlice
            self.transport.write(cast(bytes, data))
        if self._is_closing and not outgoing:
            self.transport.close()

    def close(self) -> None:
        """Close the connection after what was written to it."""
        self.write_gathered()
        self._is_closing = True
        self._set_reading()
        if not self._outgoing:
            self.transport.close()

    def mute(self) -> None:
        """Hand out no further request."""
        self._muted = True
        self._set_reading()

    def unmute(self) -> None:
        """Hand out requests again: in a later turn, since this is called from inside a step."""
        self._muted = False
        # A request that was parked for long is no idleness of the client.
        self._active_at_s = self._owner.time_s()
        self._owner.soon(self._go_on)

    def take_turn(self) -> None:
        """Hand out requests until the turn ends; wait for the next one if there are more."""
        self._queued = False
        if self.transport.is_closing() or self._is_closing:
            return
        self.draining = True
        self._turn_ends_s = perf_counter() + _TURN_S
        try:
            self._queued = self._frames.drain(self._turn_goes_on)
        except FrameTooLarge as error:
            _log.warning("closing connection %s from %s: %s", self.number, self._address, error)
            self.write_gathered()
            self.transport.abort()
        finally:
            self.draining = False
            self.write_gathered()
        if self._queued:
            self._owner.queue(self)
        if not self._reading or self._frames.is_full:
            self._set_reading()

    def _turn_goes_on(self) -> bool:
        return perf_counter() < self._turn_ends_s

    def _go_on(self) -> None:
        self._set_reading()
        if not self._queued:
            self.take_turn()

    def _consume(self, frame: memoryview) -> None:
        self._owner.deliver(RequestFrame(self.number, frame))  # type: ignore[arg-type]

    def _set_reading(self) -> None:
        """Read while there is room: only who reads learns that the peer is gone."""
        self._frames.paused = (
            self._muted or self._congested or self._sends_in_turn or self._is_closing
        )
        stop = self._congested or self._frames.is_full
        if stop == self._reading and not self.transport.is_closing():
            self._reading = not stop
            if stop:
                self.transport.pause_reading()
            else:
                self.transport.resume_reading()

    def _watch_idle(self) -> None:
        idle_ms = self._owner.limits.idle_ms
        if idle_ms < 0:
            return
        left_s = self._active_at_s + idle_ms / 1000 - self._owner.time_s()
        if left_s <= 0:
            _log.info("closing connection %s from %s: idle", self.number, self._address)
            self.transport.abort()
            return
        self._idle_timer = self._owner.later(max(left_s, 1.0), self._watch_idle)
