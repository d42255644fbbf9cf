"""The connections of a simulated process: those that it accepted, and the channels that it opened.

It does the work of `server/listener.py` and `server/outbound.py` on the simulated network. The
memory of a frame is overwritten after its step, which reveals views that are kept too long.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from minikafka.common import effects as fx
from minikafka.common import events
from minikafka.common.faults import OutOfFilesError, RecordsGoneError, StorageFault
from minikafka.common.file_slice import FileSlice
from minikafka.sim.world.network import SimNetwork, SimStream
from minikafka.sim.world.world import Action, World

_SCRIBBLE = b"\xee"
_SIZE_BYTES = 4


@dataclass(slots=True)
class SimInbound:
    """A connection that a client or another node has opened to this node."""

    owner: "SimConnections"
    number: int
    stream: SimStream
    waiting: deque[bytearray] = field(default_factory=deque)
    muted: bool = False

    def arrived(self, data: bytes) -> None:
        """Queue a request."""
        self.waiting.append(bytearray(data))
        self.owner.post(partial(self.owner.hand_out, self))

    def ended(self, reason: str) -> None:
        """Close the connection after its peer did."""
        del reason
        self.owner.post(partial(self.owner.inbound_ended, self))


@dataclass(slots=True)
class SimOutbound:
    """A channel that this node has opened."""

    owner: "SimConnections"
    channel: fx.Channel
    stream: SimStream | None = None

    def arrived(self, data: bytes) -> None:
        """Hand a response to the node."""
        self.owner.post(partial(self.owner.response, self, bytearray(data)))

    def ended(self, reason: str) -> None:
        """Report the lost channel to the node."""
        self.owner.post(partial(self.owner.outbound_ended, self, reason))


@dataclass(slots=True, eq=False, repr=False)
class SimConnections:
    """The connections of the process of one host.

    `post` runs an action in the process, now or when it is resumed. `step` runs a step of the node
    for an event.
    """

    world: World
    network: SimNetwork
    host: str
    post: Callable[[Action], None]
    step: Callable[[events.Event], None]
    _inbound: dict[int, SimInbound] = field(default_factory=dict)
    _outbound: dict[fx.Channel, SimOutbound] = field(default_factory=dict)
    _accepted: int = 0

    def serve(self, listener: str, port: int) -> None:
        """Accept connections on a listener."""
        self.network.listen((self.host, port), partial(self._accept, listener))

    def clear(self) -> None:
        """Drop all connections: the process has ended."""
        self._inbound.clear()
        self._outbound.clear()

    # Connections to the node

    def _accept(self, listener: str, stream: SimStream) -> SimInbound:
        self._accepted += 1
        inbound = SimInbound(self, self._accepted, stream)
        self._inbound[inbound.number] = inbound
        opened = events.ConnectionOpened(inbound.number, listener, stream.hosts[0])
        self.post(lambda: self.step(opened))
        return inbound

    def hand_out(self, inbound: SimInbound) -> None:
        """Hand the requests of a connection to the node, one per step, until it mutes them."""
        while inbound.waiting and not inbound.muted and inbound.number in self._inbound:
            frame = inbound.waiting.popleft()
            self.step(events.RequestFrame(inbound.number, memoryview(frame)[_SIZE_BYTES:]))
            frame[:] = _SCRIBBLE * len(frame)

    def inbound_ended(self, inbound: SimInbound) -> None:
        """Report to the node that a peer closed its connection."""
        if self._inbound.pop(inbound.number, None) is not None:
            self.step(events.ConnectionClosed(inbound.number))

    def reply(self, connection: int, parts: Sequence[fx.Part]) -> None:
        """Send a response; close the connection if its records cannot be read."""
        inbound = self._inbound.get(connection)
        if inbound is None:
            return
        try:
            data = _joined(parts)
        except StorageFault as fault:
            self.disconnect(connection)
            failed = events.ReadFailed(fault)
            self.world.after(0, lambda: self.post(lambda: self.step(failed)))
            return
        except (RecordsGoneError, OutOfFilesError):
            # Another partition of the same response has taken this one offline.
            self.disconnect(connection)
            return
        self.network.send(inbound.stream, 1, data)

    def mute(self, connection: int) -> None:
        """Hold back the further requests of a connection."""
        self._inbound[connection].muted = True

    def unmute(self, connection: int) -> None:
        """Hand out the requests that were held back, and later ones."""
        inbound = self._inbound.get(connection)
        if inbound is not None:
            inbound.muted = False
            self.world.after(0, lambda: self.post(partial(self.hand_out, inbound)))

    def disconnect(self, connection: int) -> None:
        """Close a connection, unless its peer did."""
        inbound = self._inbound.pop(connection, None)
        if inbound is not None:
            self.network.close(inbound.stream, 1)

    # Channels of the node

    def send(self, channel: fx.Channel, parts: Sequence[fx.Part]) -> None:
        """Send a request on a channel, which is opened first if it is not open."""
        data = _joined(parts)
        outbound = self._outbound.get(channel)
        if outbound is None:
            outbound = self._outbound[channel] = SimOutbound(self, channel)
            outbound.stream = self.network.connect(
                self.host, (channel.host, channel.port), outbound
            )
        assert outbound.stream is not None
        self.network.send(outbound.stream, 0, data)

    def close_channel(self, channel: fx.Channel) -> None:
        """Close a channel, unless it is down."""
        outbound = self._outbound.pop(channel, None)
        if outbound is not None and outbound.stream is not None:
            self.network.close(outbound.stream, 0)

    def response(self, outbound: SimOutbound, frame: bytearray) -> None:
        """Hand a response on a channel to the node."""
        if self._outbound.get(outbound.channel) is outbound:
            self.step(events.ResponseFrame(outbound.channel, memoryview(frame)[_SIZE_BYTES:]))
            frame[:] = _SCRIBBLE * len(frame)

    def outbound_ended(self, outbound: SimOutbound, reason: str) -> None:
        """Report to the node that a channel is down."""
        if self._outbound.get(outbound.channel) is outbound:
            del self._outbound[outbound.channel]
            self.step(events.ChannelDown(outbound.channel, reason))


def _joined(parts: Sequence[fx.Part]) -> bytes:
    return b"".join(part.read() if isinstance(part, FileSlice) else part for part in parts)
