"""One connection with TLS: a transport for its protocol, and a protocol of the socket's transport.

The event loops' own TLS is not used: it sends no alert when a handshake fails, so that a client
does not learn why, and holds a large buffer for each connection. Here all connections share one
buffer for received bytes; what waits to be sent waits encrypted in the socket's transport, so that
`pause_writing` and `resume_writing` work as without TLS.

A handshake must end within a time, and needs little memory: OpenSSL limits its messages.
"""

import asyncio
import ssl
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Protocol, cast

RECEIVE_BYTES: Final = 64 * 1024
_FLUSH_BYTES: Final = 64 * 1024
"""The size of the pieces that the socket gets: OpenSSL keeps memory for the largest one."""
_JOINED_BYTES: Final = 16 * 1024
"""The size of a record: smaller parts of a response are encrypted together."""
_CLIENT_HELLO: Final = 0x16


class Inner(Protocol):
    """The protocol above TLS."""

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the memory for the next bytes."""

    def buffer_updated(self, nbytes: int) -> None:
        """Handle received bytes."""

    def pause_writing(self) -> None:
        """Note that the other side does not read."""

    def resume_writing(self) -> None:
        """Note that the other side reads again."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the end of the connection."""


class ReceiveBuffer:
    """The memory for received bytes, shared by all connections of a loop."""

    def __init__(self) -> None:
        """Allocate it."""
        self.view = memoryview(bytearray(RECEIVE_BYTES))


class TlsTransport(asyncio.BufferedProtocol):
    """TLS on one connection; see the subclasses for the beginning and the end of its handshake."""

    def __init__(
        self,
        inner: Inner,
        context: ssl.SSLContext,
        loop: asyncio.AbstractEventLoop,
        buffer: ReceiveBuffer,
        *,
        handshake_s: float,
        server_hostname: str | None = None,
    ) -> None:
        """Prepare; with `server_hostname` this side is the client."""
        self._inner = inner
        self._loop = loop
        self._buffer = buffer
        self._handshake_s = handshake_s
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._incoming,
            self._outgoing,
            server_side=server_hostname is None,
            server_hostname=server_hostname,
        )
        self._raw: asyncio.Transport = cast(asyncio.Transport, None)
        self._timer: asyncio.TimerHandle | None = None
        self._is_shaken = False
        self._has_failed = False
        self._is_closing = False
        self._is_paused = False
        self._reads_later = False
        self.first_bytes = b""

    # What a subclass does

    def begun(self) -> None:
        """Note that the connection is open and the handshake begins."""

    def shaken(self) -> None:
        """Note that the handshake is complete."""

    def failed(self, error: Exception) -> None:
        """Handle a handshake that has failed, after the alert for the other side was sent."""
        raise NotImplementedError

    # The protocol of the socket's transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake."""
        self._raw = cast(asyncio.Transport, transport)
        self._timer = self._loop.call_later(self._handshake_s, self._time_out)
        self.begun()
        if not self._raw.is_closing():
            self._shake_hands()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the memory for the next bytes."""
        del sizehint
        return self._buffer.view

    def buffer_updated(self, nbytes: int) -> None:
        """Decrypt received bytes, or go on with the handshake."""
        if self._has_failed:
            return
        received = self._buffer.view[:nbytes]
        self._incoming.write(received)
        if self._is_shaken:
            self._read()
            return
        if not self.first_bytes:
            self.first_bytes = bytes(received[:12])
        self._shake_hands()

    def eof_received(self) -> bool:
        """Close the connection: the peer will send no more."""
        return False

    def pause_writing(self) -> None:
        """Pass it on, after the handshake."""
        if self._is_shaken:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on, after the handshake."""
        if self._is_shaken:
            self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass it on, and release what only an open connection needs."""
        self._is_closing = True
        self._end_timer()
        self._inner.connection_lost(exc)
        # Breaks the reference cycles with both neighbours, so that all are freed at once.
        del self._inner, self._tls, self._incoming, self._outgoing

    # The transport of the inner protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt and send."""
        if not self._is_closing:
            self._encrypt(data)
            self._flush()

    def writelines(self, parts: Iterable[bytes | bytearray | memoryview]) -> None:
        """Encrypt and send, small parts together."""
        if self._is_closing:
            return
        small: list[bytes | bytearray | memoryview] = []
        size = 0
        for part in parts:
            if size + len(part) > _JOINED_BYTES:
                self._encrypt(b"".join(small))
                small, size = [], 0
            if len(part) >= _JOINED_BYTES:
                self._encrypt(part)
            else:
                small.append(part)
                size += len(part)
        self._encrypt(b"".join(small))
        self._flush()

    def pause_reading(self) -> None:
        """Stop decrypting and receiving."""
        if not self._is_paused:
            self._is_paused = True
            self._raw.pause_reading()

    def resume_reading(self) -> None:
        """Decrypt what was received before, in a later turn, and receive again."""
        if self._is_paused:
            self._is_paused = False
            self._raw.resume_reading()
            if not self._reads_later:
                self._reads_later = True
                self._loop.call_soon(self._read_later)

    def close(self) -> None:
        """Close the connection after everything is sent, and say so to the other side."""
        if self._is_closing:
            return
        self._is_closing = True
        if self._is_shaken:
            # The answer of the other side is not waited for.
            with suppress(ssl.SSLError):
                self._tls.unwrap()
            self._flush()
        self._raw.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._is_closing = True
        self._raw.abort()

    def is_closing(self) -> bool:
        """Return True if the connection is closed or being closed."""
        return self._is_closing or self._raw.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what the socket's transport knows."""
        return self._raw.get_extra_info(name, default)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Set the limits of the bytes that wait to be sent."""
        self._raw.set_write_buffer_limits(high=high, low=low)

    @property
    def peer_certificate(self) -> bytes | None:
        """The verified certificate of the other side in DER, or None."""
        return self._tls.getpeercert(binary_form=True) or None

    # Inside

    def _shake_hands(self) -> None:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
        except (ssl.SSLError, ValueError) as error:
            # The alert with the reason.
            self._flush()
            self._fail(error)
        else:
            self._flush()
            self._end_timer()
            self._is_shaken = True
            self.shaken()
            self._read()

    def _fail(self, error: Exception) -> None:
        self._has_failed = True
        self._end_timer()
        self.failed(error)

    def _time_out(self) -> None:
        if not self.is_closing():
            self._fail(TimeoutError(f"not complete after {self._handshake_s:g} s"))

    def _end_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _read_later(self) -> None:
        self._reads_later = False
        self._read()

    def _read(self) -> None:
        """Decrypt into the memory of the inner protocol until it pauses or nothing is left."""
        if self.is_closing():
            return
        inner, read = self._inner, self._tls.read
        try:
            while not (self._is_paused or self.is_closing()):
                space = inner.get_buffer(-1)
                filled, is_end = self._filled(space, read)
                if filled:
                    inner.buffer_updated(filled)
                if is_end or not filled:
                    break
        except ssl.SSLZeroReturnError:
            self.close()
        except ssl.SSLError as error:
            self._flush()
            self._is_closing = True
            self._raw.abort()
            self.broken(error)
            return
        if self._outgoing.pending:
            # The answer to a change of keys.
            self._flush()

    def _filled(self, space: memoryview, read: Any) -> tuple[int, bool]:
        """Fill `space`; return how many bytes it got, and True if no more are there."""
        filled, size = 0, len(space)
        while filled < size:
            try:
                count = read(size - filled, space[filled:])
                if not count:
                    # The other side has said that it sends no more.
                    raise ssl.SSLZeroReturnError
            except ssl.SSLWantReadError:
                return filled, True
            except ssl.SSLError:
                if filled:
                    # Raised again by the next call, after these bytes were handled.
                    return filled, False
                raise
            filled += count
        return filled, False

    def broken(self, error: ssl.SSLError) -> None:
        """Note that the other side has sent what is no TLS, or was changed on its way."""

    def _encrypt(self, data: bytes | bytearray | memoryview) -> None:
        rest = memoryview(data)
        if rest.itemsize != 1:
            rest = rest.cast("B")
        try:
            while rest:
                rest = rest[self._tls.write(rest) :]
                if self._outgoing.pending >= _FLUSH_BYTES:
                    self._flush()
        except ssl.SSLError:
            self.abort()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._raw.write(self._outgoing.read())


def is_client_hello(first_bytes: bytes) -> bool:
    """True if a connection begins as one with TLS does."""
    return first_bytes[:1] == bytes((_CLIENT_HELLO,))
