"""One inbound connection: a socket that receives request frames and sends responses.

While a peer does not read its responses, its connection is not read from either, and the records of
a response are read from their file as the peer receives them, so that no queue grows without bound.

Connections take turns: in a turn a connection hands out one request, or as many as it can within a
millisecond. A connection with more goes to the end of the queue (`server/connection_turns.py`).

Responses to pipelined requests are sent together, with one system call.
"""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from struct import Struct
from time import perf_counter
from typing import Protocol, cast

from minikafka.common.effects import Part
from minikafka.common.events import ConnectionOpened, Event, RequestFrame
from minikafka.common.file_slice import FileSlice
from minikafka.server.connection_limits import ConnectionLimits
from minikafka.server.connection_quotas import ConnectionQuotas
from minikafka.server.file_parts import PIECE_BYTES, pieces, read_part
from minikafka.server.frame_buffer import Buffers, FrameBuffer, FrameTooLarge
from minikafka.server.request_memory import RequestMemory

_log = logging.getLogger("minikafka.server")
_WRITE_HIGH_BYTES = 1024 * 1024
# The response to the first of several pipelined requests waits at most until this many are handled.
_GATHERED_REPLIES = 8
_TURN_S = 0.001
# As `struct linger`: on, 0 seconds. The system then resets a connection that is closed.
_NO_LINGER = Struct("ii").pack(1, 0)
# The `__new__` of a named tuple is Python code; every request makes an event.
_new_request: Callable[[tuple[int | None, memoryview]], RequestFrame] = partial(
    tuple.__new__, RequestFrame
)


class ConnectionOwner(Protocol):
    """All connections of a node; see `server.listener.Connections`."""

    deliver: Callable[[Event], None]
    memory: RequestMemory
    quotas: ConnectionQuotas

    @property
    def limits(self) -> ConnectionLimits:
        """The limits in force."""

    def request_bytes(self, listener: str) -> int:
        """Return the largest request that a new connection of a listener may send."""

    def buffers_of(self, connection: "Connection") -> Buffers:
        """Return the source of memory for large frames."""

    def admit(self, connection: "Connection", address: str) -> int | None:
        """Return a number for a new connection, or None if a limit is reached."""

    def queue(self, connection: "Connection") -> None:
        """Queue a connection that has more requests."""

    def queue_sending(self, connection: "Connection") -> None:
        """Queue a connection that has more of a large response to send."""

    def unreadable(self, connection: "Connection", error: Exception) -> None:
        """Close a connection whose response has records that cannot be read."""

    def left(self, connection: "Connection") -> None:
        """Note that a connection was closed, admitted or not."""

    def forget(self, number: int, address: str, *, was_open: bool) -> None:
        """Remove a closed connection; report it to the node, which knows it if it was open."""

    def later(self, delay_s: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call `callback` after a delay."""

    def soon(self, callback: Callable[[], None]) -> None:
        """Call `callback` in a later turn of the loop."""

    def time_s(self) -> float:
        """Return the time of the loop's clock."""


class Connection(asyncio.BufferedProtocol):
    """One inbound connection. It reads requests unless it is muted or its responses are pending."""

    transport: asyncio.Transport
    number: int | None = None

    def __init__(self, owner: ConnectionOwner, listener: str) -> None:
        """Prepare; the connection starts with `connection_made`."""
        self._owner = owner
        self.listener = listener
        owner.quotas.entered(listener)
        self.draining = False
        self._gathered: list[bytes] = []
        self._gathered_replies = 0
        self._outgoing: deque[Part] = deque()
        self._sends_in_turn = False
        self._address = ""
        self._is_open = False
        self._muted = False
        self._congested = False
        self._queued = False
        self._reading = True
        self._is_closing = False
        self._active_at_s = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._turn_ends_s = 0.0
        self._frames = FrameBuffer(
            self._consume, owner.buffers_of(self), owner.request_bytes(listener)
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the connection, or close it if a limit is reached."""
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
        self.started()

    def started(self) -> None:
        """Open the connection at once: there is no handshake."""
        self.opened(None)

    def opened(self, certificate_name: str | None) -> None:
        """Report the connection to the node, with the name in the client's certificate."""
        number = self.number
        assert number is not None
        self._is_open = True
        self._owner.deliver(
            ConnectionOpened(number, self.listener, self._address, certificate_name)
        )

    def active_since_s(self) -> float:
        """Return when the last bytes arrived, by the loop's clock."""
        return self._active_at_s

    def connection_lost(self, exc: Exception | None) -> None:
        """Release everything that the connection holds."""
        del exc
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._is_closing = True
        # Breaks the reference cycle with the buffer, so that both are freed at once.
        self._frames.release()
        self._owner.memory.forget(self)
        self._outgoing.clear()
        if self.number is not None:
            self._owner.forget(self.number, self._address, was_open=self._is_open)
        self._owner.left(self)

    def memory_is_free(self) -> None:
        """Try again to get memory for a large frame, or receive the rest of it."""
        self._frames.go_on_with_frame()
        self._go_on()

    def stalled(self, reason: str) -> None:
        """Close if a large frame is incomplete, or the peer does not read its responses."""
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
        """Return the memory for the next bytes."""
        del sizehint
        return self._frames.space()

    def buffer_updated(self, nbytes: int) -> None:
        """Handle received bytes."""
        self._active_at_s = self._owner.time_s()
        self._frames.received(nbytes)
        if not self._queued:
            self.take_turn()
        elif self._frames.is_full:
            self._set_reading()

    def eof_received(self) -> bool:
        """Close the connection: the peer will send no more."""
        return False

    def pause_writing(self) -> None:
        """Stop reading requests: the peer does not read its responses."""
        self._congested = True
        self._set_reading()

    def resume_writing(self) -> None:
        """Continue: the peer reads its responses again."""
        self._congested = False
        self._active_at_s = self._owner.time_s()
        if self._outgoing:
            self._queue_sending()
        elif self._is_closing:
            self.transport.close()
        self._go_on()

    def gather(self, chunks: Sequence[bytes]) -> bool:
        """Hold a response until `write_gathered`; return True if it is the first one held."""
        self._gathered.extend(chunks)
        self._gathered_replies += 1
        # Records are written at once, so that a peer that does not read them is noticed.
        if len(chunks) > 1 or self._gathered_replies == _GATHERED_REPLIES:
            self.write_gathered()
            return False
        return self._gathered_replies == 1

    def write_gathered(self) -> None:
        """Write the held responses."""
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
        """Write a response piece by piece, as the peer receives it."""
        for part in parts:
            if type(part) is FileSlice and part.length > PIECE_BYTES:
                self._outgoing.extend(pieces(part))
            else:
                self._outgoing.append(part)
        if not self._sends_in_turn:
            self._send_on()

    def take_sending_turn(self) -> None:
        """Send a piece of a large response."""
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
        """Send up to the end of a piece of records; the next piece waits for a turn."""
        outgoing = self._outgoing
        has_sent = False
        while outgoing and not self._congested and not self.transport.is_closing():
            part = outgoing[0]
            if has_sent and type(part) is FileSlice:
                self._queue_sending()
                return
            try:
                data = read_part(part) if type(part) is FileSlice else part
            except Exception as error:  # noqa: BLE001 - one response must not stop the node
                outgoing.clear()
                self._owner.unreadable(self, error)
                return
            outgoing.popleft()
            has_sent = has_sent or type(part) is FileSlice
            self.transport.write(cast(bytes, data))
        if self._is_closing and not outgoing:
            self.transport.close()

    def close(self) -> None:
        """Close the connection after its pending responses are sent."""
        self.write_gathered()
        self._is_closing = True
        self._set_reading()
        if not self._outgoing:
            self.transport.close()

    def reset(self) -> None:
        """Close the connection with RST; drop what is not sent yet."""
        self._gathered.clear()
        self._gathered_replies = 0
        self._is_closing = True
        sock = self.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.transport.abort()

    def set_request_limit(self, request_bytes: int) -> None:
        """Let requests have up to `request_bytes` from now on."""
        self._frames.limit_bytes = request_bytes

    def mute(self) -> None:
        """Stop handing out requests."""
        self._muted = True
        self._set_reading()

    def unmute(self) -> None:
        """Hand out requests again, in a later turn, since this is called from inside a step."""
        self._muted = False
        # The time that a request was parked does not count as idle time of the client.
        self._active_at_s = self._owner.time_s()
        self._owner.soon(self._go_on)

    def take_turn(self) -> None:
        """Hand out requests until the turn ends; queue for the next turn if there are more."""
        self._queued = False
        if self.transport.is_closing() or self._is_closing:
            return
        self.draining = True
        self._turn_ends_s = perf_counter() + _TURN_S
        try:
            self._queued = self._frames.drain(self._turn_goes_on)
        except FrameTooLarge as error:
            hint = "; it begins as TLS does, which this listener has not" if error.is_tls else ""
            _log.warning(
                "closing connection %s from %s: %s%s", self.number, self._address, error, hint
            )
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
        self._owner.deliver(_new_request((self.number, frame)))

    def _set_reading(self) -> None:
        """Read while there is room: only a read notices that the peer closed the connection."""
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
