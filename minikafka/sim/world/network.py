"""The network of a simulated world: TCP as its users see it.

A stream carries bytes in order, or ends. TCP retransmits lost packets, so that loss and clogging
show as delay, and a cut link as silence until it heals. Messages on different streams overtake one
another. Each `send` carries one whole frame: the shell cuts bytes into frames, with its own tests.

A process that ends closes its streams, and its peers are notified. A machine that loses power sends
nothing; its peers get a reset only after it has booted.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from minikafka.common.events import CLOSED_BY_PEER, REFUSED
from minikafka.sim.world.world import US_PER_MS, World

Address = tuple[str, int]


class StreamEnd(Protocol):
    """One end of a stream."""

    def arrived(self, data: bytes) -> None:
        """Handle the bytes of one `send` of the other end."""

    def ended(self, reason: str) -> None:
        """Handle the end of the stream; nothing more arrives."""


@dataclass(slots=True, eq=False)
class SimStream:
    """A connection. Side 0 opened it, side 1 accepted it; `hosts` are the hosts of both."""

    hosts: tuple[str, str]
    address: Address
    ends: list[StreamEnd | None]
    clear_at_us: list[int] = field(default_factory=lambda: [0, 0])
    """The arrival time of the last message that each side has sent."""
    held: tuple[deque[Callable[[], None]], deque[Callable[[], None]]] = field(
        default_factory=lambda: (deque(), deque())
    )
    """Messages of each side that a cut link or a clogged stream holds back, in order."""
    clogs: list[int] = field(default_factory=lambda: [0, 0])
    """The number of clogs that hold each side's messages, although other streams pass the link.
    """
    unanswered: bool = False
    """A message was sent to an end whose machine has no power."""


Clog = list[tuple[SimStream, int]]
"""The streams that one fault has clogged, each with the side whose messages are stuck."""
Accept = Callable[[SimStream], StreamEnd | None]
StreamWatch = Callable[[SimStream, int, bytes], Callable[[], None]]
"""Gets each frame that a side sends, and returns a callback for its arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSpeed:
    """The delay of a message: `base_us`, up to `jitter_us`, and `resend_us` after each loss."""

    base_us: int = 100
    jitter_us: int = 400
    lost_per_thousand: int = 0
    resend_us: int = 200 * US_PER_MS


@dataclass(slots=True)
class SimNetwork:
    """Every stream of a world. Links are directed: (from, to)."""

    world: World
    speed: LinkSpeed = field(default_factory=LinkSpeed)
    slow_links: dict[tuple[str, str], LinkSpeed] = field(default_factory=dict)
    messages: int = 0
    held: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of messages that each link has held back because it was cut or stuck."""
    slowed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of messages that each link has carried while it was slow."""
    watch: StreamWatch | None = None
    _rng: Random = field(init=False)
    _cut: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of cuts of each link that were not undone."""
    _down: dict[str, None] = field(default_factory=dict)
    _listening: dict[Address, Accept] = field(default_factory=dict)
    _streams: dict[SimStream, None] = field(default_factory=dict)
    _calling: list[SimStream] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Set up the entropy for delays."""
        self._rng = self.world.rng("network")

    # Operations of hosts

    def listen(self, address: Address, accept: Accept) -> None:
        """Accept connections at an address."""
        self._listening[address] = accept

    def connect(self, host: str, address: Address, end: StreamEnd) -> SimStream:
        """Open a stream; messages sent before it is established are delivered after that."""
        stream = SimStream((host, address[0]), address, [end, None])
        self._streams[stream] = None
        self._travel(stream, 0, lambda: self._call(stream))
        return stream

    def send(self, stream: SimStream, side: int, data: bytes) -> None:
        """Send one frame from a side; drop it if the stream has ended."""
        if stream.ends[side] is not None:
            self.messages += 1
            self.world.add_to_digest(stream.hosts[side].encode(), data)
            arrives = self.watch(stream, side, data) if self.watch is not None else None
            self._travel(stream, side, lambda: self._deliver(stream, 1 - side, data, arrives))

    def close(self, stream: SimStream, side: int, reason: str = CLOSED_BY_PEER) -> None:
        """Close a side; the other end is notified after all earlier messages."""
        if stream.ends[side] is not None:
            stream.ends[side] = None
            self._travel(stream, side, lambda: self._end(stream, 1 - side, reason))

    # Faults of hosts

    def close_all(self, host: str) -> None:
        """Close all streams of a host whose process ends."""
        self._stop_listening(host)
        for stream in list(self._streams):
            for side in (0, 1):
                if stream.hosts[side] == host:
                    self.close(stream, side)

    def lose_power(self, host: str) -> None:
        """Cut the power of a host, without notice to its peers.

        Messages that a cut link held back were in its send buffers, and are lost.
        """
        self._stop_listening(host)
        self._down[host] = None
        for stream in list(self._streams):
            for side in (0, 1):
                if stream.hosts[side] == host:
                    stream.ends[side] = None
                    if self._link(stream, side) in self._cut:
                        stream.held[side].clear()
            if stream.ends == [None, None]:
                del self._streams[stream]

    def boot(self, host: str) -> None:
        """Boot a host, which resets its former streams."""
        self._down.pop(host, None)
        calling, self._calling = self._calling, []
        for stream in calling:
            self._call(stream)
        for stream in list(self._streams):
            if stream.unanswered and host in stream.hosts:
                self._reset(stream, 1 - stream.hosts.index(host))

    # Faults of links

    def cut(self, source: str, target: str, *, both: bool = True) -> None:
        """Cut the link from one host to another, by default both ways."""
        for link in _directions(source, target, both=both):
            self._cut[link] = self._cut.get(link, 0) + 1

    def undo_cut(self, source: str, target: str, *, both: bool = True) -> None:
        """Undo one `cut` with these arguments; a link that others have cut, too, stays cut."""
        for link in _directions(source, target, both=both):
            count = self._cut.pop(link, 0)
            if count > 1:
                self._cut[link] = count - 1
            elif count:
                self._release(link)

    def heal(self, source: str, target: str) -> None:
        """Heal a link, both ways, however often it was cut."""
        for link in _directions(source, target, both=True):
            if link in self._cut:
                del self._cut[link]
                self._release(link)

    def clog(self, source: str, target: str, share: float = 1.0) -> Clog:
        """Hold present and future messages on a `share` of the streams that a link has now.

        A connection may be stuck between two retransmissions, or in a slow proxy, while a later one
        gets through. Held messages arrive after `unclog`, also if their sender is gone by then.
        """
        return self._clogged(
            each for each in self._sides(source, target) if share >= 1 or self._rng.random() < share
        )

    def clog_under_way(self, source: str, target: str) -> Clog:
        """Hold the messages that are in flight, and later ones of the same streams."""
        return self._clogged(
            (stream, side)
            for stream, side in self._sides(source, target)
            if stream.clear_at_us[side] > self.world.now_us
        )

    def abort(self, source: str, target: str) -> Clog:
        """Abort the connections of a host to another one, and hold the messages in flight.

        As after a timeout: the host reconnects and sends the request again, while the first one is
        still in flight, or in a receive buffer of the other host.
        """
        aborted: Clog = []
        for stream, side in list(self._sides(source, target)):
            end = stream.ends[side]
            if end is not None:
                stream.clogs[side] += 1
                aborted.append((stream, side))
                self.close(stream, side)
                end.ended("connection aborted")
        return aborted

    def unclog(self, clog: Clog) -> None:
        """Release the messages that one fault held, unless others hold them, too."""
        for stream, side in clog:
            if stream in self._streams and stream.clogs[side]:
                stream.clogs[side] -= 1
                if not stream.clogs[side] and stream.held[side]:
                    self._resume(stream, side)

    def _sides(self, source: str, target: str) -> Iterator[tuple[SimStream, int]]:
        for stream in self._streams:
            for side in (0, 1):
                if self._link(stream, side) == (source, target):
                    yield stream, side

    @staticmethod
    def _clogged(sides: Iterable[tuple[SimStream, int]]) -> Clog:
        clog = list(sides)
        for stream, side in clog:
            stream.clogs[side] += 1
        return clog

    def heal_all(self) -> None:
        """Heal and unclog every link, and reset all speeds."""
        self.slow_links.clear()
        for stream in self._streams:
            for side in (0, 1):
                for each, its_side in self._sides(*self._link(stream, side)):
                    self.unclog([(each, its_side)] * each.clogs[its_side])
        for source, target in list(self._cut):
            self.heal(source, target)

    def is_cut(self, source: str, target: str) -> bool:
        """Return True if the link from one host to another is cut."""
        return (source, target) in self._cut

    # Delivery

    def _travel(self, stream: SimStream, side: int, action: Callable[[], None]) -> None:
        link = self._link(stream, side)
        at_us = max(self.world.now_us + self._delay_us(link), stream.clear_at_us[side])
        stream.clear_at_us[side] = at_us

        def arrive() -> None:
            held = stream.held[side]
            if held or link in self._cut or stream.clogs[side]:
                self.held[link] += 1
                held.append(action)
            else:
                action()

        self.world.after(at_us - self.world.now_us, arrive)

    @staticmethod
    def _link(stream: SimStream, side: int) -> tuple[str, str]:
        return stream.hosts[side], stream.hosts[1 - side]

    def _delay_us(self, link: tuple[str, str]) -> int:
        speed = self.slow_links.get(link)
        if speed is None:
            speed = self.speed
        else:
            self.slowed[link] += 1
        delay_us = speed.base_us + self._rng.randint(0, speed.jitter_us)
        again_us = speed.resend_us
        while speed.lost_per_thousand and self._rng.randrange(1000) < speed.lost_per_thousand:
            delay_us += again_us
            again_us *= 2
        return delay_us

    def _release(self, link: tuple[str, str]) -> None:
        """Deliver the messages that a link held back, in order, after one more delay."""
        for stream in self._streams:
            for side in (0, 1):
                if stream.held[side] and self._link(stream, side) == link:
                    self._resume(stream, side)

    def _resume(self, stream: SimStream, side: int) -> None:
        link = self._link(stream, side)

        def go_on() -> None:
            held = stream.held[side]
            while held and link not in self._cut and not stream.clogs[side]:
                held.popleft()()

        self.world.after(self._delay_us(link), go_on)

    # Arrivals

    def _call(self, stream: SimStream) -> None:
        host = stream.address[0]
        if host in self._down:
            self._calling.append(stream)
            return
        if stream.ends[0] is None:
            self._streams.pop(stream, None)
            return
        accept = self._listening.get(stream.address)
        end = None if accept is None else accept(stream)
        if end is None:
            self._travel(stream, 1, lambda: self._end(stream, 0, REFUSED))
        else:
            stream.ends[1] = end

    def _deliver(
        self, stream: SimStream, side: int, data: bytes, arrives: Callable[[], None] | None
    ) -> None:
        end = stream.ends[side]
        if end is not None:
            if arrives is not None:
                arrives()
            end.arrived(data)
        elif stream.hosts[side] in self._down:
            stream.unanswered = True
        else:
            self._reset(stream, 1 - side)

    def _reset(self, stream: SimStream, side: int) -> None:
        self._travel(stream, 1 - side, lambda: self._end(stream, side, "connection reset"))

    def _end(self, stream: SimStream, side: int, reason: str) -> None:
        end, stream.ends[side] = stream.ends[side], None
        if stream.ends[1 - side] is None:
            self._streams.pop(stream, None)
        if end is not None:
            end.ended(reason)

    def _stop_listening(self, host: str) -> None:
        for address in [address for address in self._listening if address[0] == host]:
            del self._listening[address]


def _directions(source: str, target: str, *, both: bool) -> tuple[tuple[str, str], ...]:
    return ((source, target), (target, source)) if both else ((source, target),)
