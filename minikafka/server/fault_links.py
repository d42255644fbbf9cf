"""Outbound connections of a node that are cut or slow, by the node at their other end.

A cut is silence, as if a cable were pulled: what is written or arrives is held, and a connection
that is opened gets no answer. When the cut ends, what was held is delivered in order, unless a
timeout has ended the connection before. The other end does not learn that a connection was closed
during the cut before the cut ends. The inbound connections of a node are the outbound ones of
another node.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, cast

from minikafka.common.effects import Channel
from minikafka.common.events import Event
from minikafka.node.node import Node
from minikafka.server.outbound import Chunk, Link, Outbound

Message = tuple[float, bytes]
"""The time at which it is due, by the loop's clock, and its bytes."""
_DUE_S: Final = 0.0005


class FaultyOutbound(Outbound):
    """Every outbound connection of a node."""

    def __init__(
        self,
        step: Callable[[Event], None],
        loop: asyncio.AbstractEventLoop,
        node_at: Callable[[str, int], int | None],
    ) -> None:
        """Start without faults; `node_at` returns the node with an address, if there is one."""
        super().__init__(step, loop)
        self.cut: frozenset[int] = frozenset()
        self.slow_ms: dict[int, int] = {}
        self._node_at = node_at
        self._closed_in_cut: list[FaultyLink] = []
        self._changed = asyncio.Event()

    def set(self, cut: Collection[int], slow_ms: Mapping[int, int]) -> None:
        """Cut the connections to these nodes, slow those to others; heal every other one.

        Each message on a slow connection takes so many ms longer, in both directions.
        """
        self.cut = frozenset(cut)
        self.slow_ms = {node: ms for node, ms in slow_ms.items() if ms}
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
        for link in list(self._links.values()):
            cast(FaultyLink, link).changed()
        closed, self._closed_in_cut = self._closed_in_cut, []
        for link in closed:
            link.abandon()

    def close(self) -> None:
        """Close every channel; what a cut holds is dropped."""
        self.cut = frozenset()
        for link in self._closed_in_cut:
            link.abandon()
        super().close()

    def time_s(self) -> float:
        """Return the time of the loop's clock."""
        return self._loop.time()

    def later(self, delay_s: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call `callback` after a delay."""
        return self._loop.call_later(delay_s, callback)

    def is_cut(self, channel: Channel) -> bool:
        """Return True if nothing passes on a channel."""
        return bool(self.cut) and self._node_at(channel.host, channel.port) in self.cut

    def delay_s(self, channel: Channel) -> float:
        """Return how much longer each message on a channel takes."""
        if not self.slow_ms:
            return 0.0
        node = self._node_at(channel.host, channel.port)
        return 0.0 if node is None else self.slow_ms.get(node, 0) / 1000

    def keep(self, link: "FaultyLink") -> None:
        """Keep a link that was closed during a cut, so that the other end does not notice."""
        self._closed_in_cut.append(link)

    def _new_link(self, channel: Channel) -> Link:
        return FaultyLink(self, channel)

    async def _connect(self, link: Link) -> None:
        while self.is_cut(link.channel):
            await self._changed.wait()
        # A connection is open after a message in each direction.
        await asyncio.sleep(2 * self.delay_s(link.channel))
        await super()._connect(link)


class FaultyLink(Link):
    """One outbound connection, with the messages that are held or late."""

    def __init__(self, owner: FaultyOutbound, channel: Channel) -> None:
        """Start like any link."""
        super().__init__(owner, channel, owner.pool)
        self._faulty = owner
        self._sending: deque[Message] = deque()
        self._arriving: deque[Message] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._is_paused = False

    def write(self, parts: Sequence[Chunk]) -> None:
        """Write now, or when the connection is open, not cut, and the message is due."""
        if self._transport is None or self._is_held:
            super().write(parts)
            return
        delay_s = self._faulty.delay_s(self.channel)
        if not (delay_s or self._sending or self._faulty.is_cut(self.channel)):
            super().write(parts)
            return
        data = b"".join(bytes(part) for part in parts)
        self._add(self._sending, data, delay_s)

    def changed(self) -> None:
        """Follow a change of the faults."""
        if self._transport is None or self._transport.is_closing():
            return
        is_cut = self._faulty.is_cut(self.channel)
        if is_cut != self._is_paused:
            self._is_paused = is_cut
            if is_cut:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()
        self._pump()

    def abandon(self) -> None:
        """Close without a report; during a cut the other end must not notice."""
        if self._transport is not None and self._faulty.is_cut(self.channel):
            self._abandoned = True
            self._faulty.keep(self)
            return
        self._stop()
        super().abandon()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Write the queued requests."""
        queue, self._queue = self._queue, []
        super().connection_made(transport)
        if not self._abandoned:
            self.changed()
            if queue:
                self.write(queue)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the loss; drop what is not delivered."""
        self._stop()
        super().connection_lost(exc)

    def _consume(self, frame: memoryview) -> None:
        delay_s = self._faulty.delay_s(self.channel)
        if delay_s or self._arriving:
            self._add(self._arriving, bytes(frame), delay_s)
        else:
            super()._consume(frame)

    def _add(self, queue: deque[Message], data: bytes, delay_s: float) -> None:
        due_s = self._faulty.time_s() + delay_s
        if queue:
            # No message overtakes another one.
            due_s = max(due_s, queue[-1][0])
        queue.append((due_s, data))
        self._pump()

    def _pump(self) -> None:
        """Pass on the messages that are due, unless the link is cut."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._transport is None or self._faulty.is_cut(self.channel):
            return
        now_s = self._faulty.time_s() + _DUE_S
        while self._sending and self._sending[0][0] <= now_s:
            self._transport.write(self._sending.popleft()[1])
        while self._arriving and self._arriving[0][0] <= now_s:
            super()._consume(memoryview(self._arriving.popleft()[1]))
        due = [queue[0][0] for queue in (self._sending, self._arriving) if queue]
        if due and self._timer is None:
            self._timer = self._faulty.later(max(min(due) - now_s, 0.0) + _DUE_S, self._pump)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._sending.clear()
        self._arriving.clear()


def nodes_by_address(node: Node) -> Callable[[str, int], int | None]:
    """Return a function that finds the node with an address, by the metadata and the voters."""

    def node_at(host: str, port: int) -> int | None:
        image, voters = node.loader.image, node.raft.voters
        registered = [
            *((each, broker.endpoints) for each, broker in image.brokers.items()),
            *((each, controller.endpoints) for each, controller in image.controllers.items()),
            *((each, voter.endpoints) for each, voter in (voters.voters if voters else {}).items()),
        ]
        for node_id, endpoints in registered:
            if any((each.host, each.port) == (host, port) for each in endpoints):
                return node_id
        for voter in node.config.voters:
            if (voter.host, voter.port) == (host, port):
                return voter.node_id
        return None

    return node_at
