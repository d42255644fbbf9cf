"""Outbound connections: one per channel, opened by the first request, never retried here.

A channel that cannot be opened, or is closed, is reported once by `ChannelDown`; the sender decides
what to do. Requests that are written while the connection is being opened are sent in order.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from minikafka.common.effects import Channel
from minikafka.common.events import (
    CLOSED_BY_PEER,
    REFUSED,
    ChannelDown,
    Event,
    ResponseFrame,
)
from minikafka.server.frame_buffer import BufferPool, FrameBuffer, FrameTooLarge

if TYPE_CHECKING:
    from minikafka.server.outbound_login import OutboundLogin, OutboundLogins

_log = logging.getLogger("minikafka.server")
_CONNECT_TIMEOUT_S = 10.0
_RESPONSE_LIMIT_BYTES = 2**31 - 1
Chunk = bytes | bytearray | memoryview


class Outbound:
    """Every outbound connection of a node, by channel."""

    def __init__(self, step: Callable[[Event], None], loop: asyncio.AbstractEventLoop) -> None:
        """Report to `step`."""
        self._step = step
        self._loop = loop
        self._links: dict[Channel, Link] = {}
        self.pool = BufferPool()
        self.secure: Callable[[Link], asyncio.BufferedProtocol] = lambda link: link
        """Returns the protocol of a link's socket: the link, or TLS below it."""
        self.logins: OutboundLogins | None = None
        """How this node logs in to others; None if no listener of them has SASL."""
        self._tasks: list[asyncio.Task[None]] = []

    def send(self, channel: Channel, parts: Sequence[Chunk]) -> None:
        """Write a request; open the channel if it is not open."""
        link = self._links.get(channel)
        if link is None:
            link = self._links[channel] = self._new_link(channel)
            task = self._loop.create_task(self._open(link))
            self._tasks.append(task)
            task.add_done_callback(self._tasks.remove)
        link.write(parts)

    def close_channel(self, channel: Channel) -> None:
        """Close a channel without reporting it."""
        link = self._links.pop(channel, None)
        if link is not None:
            link.abandon()

    def close(self) -> None:
        """Close every channel."""
        for task in list(self._tasks):
            task.cancel()
        for channel in list(self._links):
            self.close_channel(channel)

    def lost(self, link: "Link", reason: str) -> None:
        """Report a lost link, unless its channel was closed on purpose."""
        if self._links.get(link.channel) is link:
            del self._links[link.channel]
            self._step(ChannelDown(link.channel, reason))

    def deliver(self, link: "Link", frame: memoryview) -> None:
        """Deliver a response, unless the channel was closed on purpose."""
        if self._links.get(link.channel) is link:
            self._step(ResponseFrame(link.channel, frame))

    def _new_link(self, channel: Channel) -> "Link":
        return Link(self, channel, self.pool)

    async def _open(self, link: "Link") -> None:
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                await self._connect(link)
        except ConnectionRefusedError:
            self.lost(link, REFUSED)
        except (OSError, TimeoutError, ValueError, OverflowError) as error:
            # ValueError: an invalid host name. OverflowError: a port that does not exist.
            self.lost(link, f"cannot connect: {str(error) or 'timed out'}")

    async def _connect(self, link: "Link") -> None:
        """Connect to the first address of the host that accepts a connection.

        Raises:
            ConnectionRefusedError: every address refuses connections.
            OSError: an address could not be reached, or the host has none.
        """
        host, port = link.channel.host, link.channel.port
        errors: list[OSError] = []
        for address in await self._addresses(host, port):
            try:
                await self._loop.create_connection(lambda: self.secure(link), address, port)
            except OSError as error:
                errors.append(error)
            else:
                return
        # asyncio reports the failures of several addresses as one error without its number.
        raise next((it for it in errors if not isinstance(it, ConnectionRefusedError)), errors[0])

    async def _addresses(self, host: str, port: int) -> list[str]:
        for family in (socket.AF_INET, socket.AF_INET6):
            try:
                socket.inet_pton(family, host)
            except OSError:
                continue
            return [host]
        found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Link(asyncio.BufferedProtocol):
    """One outbound connection."""

    def __init__(self, owner: Outbound, channel: Channel, pool: BufferPool) -> None:
        """Queue requests until `connection_made`."""
        self.channel = channel
        self._owner = owner
        self._frames = FrameBuffer(self._consume, pool, _RESPONSE_LIMIT_BYTES)
        self._transport: asyncio.Transport | None = None
        self._queue: list[Chunk] = []
        self._abandoned = False
        self._is_held = False
        self._login: OutboundLogin | None = None
        if owner.logins is not None:
            self._login = owner.logins.login_of(self)

    def write(self, parts: Sequence[Chunk]) -> None:
        """Write now, or when the connection is open and the node has logged in."""
        if self._transport is None or self._is_held:
            # Copied, because queued requests outlive the step, but views of a frame do not.
            self._queue.extend(bytes(part) for part in parts)
        elif len(parts) == 1:
            self._transport.write(parts[0])
        else:
            self._transport.writelines(parts)

    def abandon(self) -> None:
        """Close without a report."""
        self._abandoned = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Write the queued requests."""
        self._transport = cast(asyncio.Transport, transport)
        if self._abandoned:
            self._transport.abort()
            return
        if self._login is not None:
            self._login.begin()
        else:
            self.release()

    def write_now(self, data: bytes) -> None:
        """See `LoginLink`."""
        assert self._transport is not None
        self._transport.write(data)

    def hold(self) -> None:
        """See `LoginLink`."""
        self._is_held = True

    def release(self) -> None:
        """Write what is queued, and all further requests."""
        self._is_held = False
        queue, self._queue = self._queue, []
        if queue:
            self.write(queue)

    def fail(self, reason: str) -> None:
        """See `LoginLink`."""
        self._owner.lost(self, reason)
        assert self._transport is not None
        self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the loss."""
        self._frames.release()
        if self._login is not None:
            self._login.close()
        self._owner.lost(self, str(exc) if exc else CLOSED_BY_PEER)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the memory for the next bytes."""
        del sizehint
        return self._frames.space()

    def buffer_updated(self, nbytes: int) -> None:
        """Handle received bytes."""
        self._frames.received(nbytes)
        try:
            self._frames.drain()
        except FrameTooLarge as error:
            _log.warning("closing the connection to %s:%d: %s", *self.channel[:2], error)
            assert self._transport is not None
            self._transport.abort()

    def _consume(self, frame: memoryview) -> None:
        if self._login is None or not self._login.take(frame):
            self._owner.deliver(self, frame)
