"""A record of a run: its transcript, its messages, and high watermarks.

A recorder only observes: it does not change the run.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.messages.api_keys import ApiKey
from minikafka.sim.world.network import SimStream
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.world import World

MESSAGES_KEPT = 1_000_000
"""The last messages, of some hours of virtual time: a violation may be found late."""
_SIZE_BYTES = 4
_HEADER_BYTES = 12


@dataclass(slots=True)
class RecordedMessage:
    """One frame; `arrived_us` is None if it has not arrived."""

    sent_us: int
    source: str
    target: str
    what: str
    is_request: bool
    arrived_us: int | None = None


class HighWatermarkMove(NamedTuple):
    """A new high watermark of a leader."""

    at_us: int
    partition: str
    leader: int
    offset: int


@dataclass(slots=True)
class Recorder:
    """Pass `add_line` to the simulation, and call `follow` before the run."""

    lines: list[str] = field(default_factory=list)
    messages: deque[RecordedMessage] = field(default_factory=lambda: deque(maxlen=MESSAGES_KEPT))
    ends: list[HighWatermarkMove] = field(default_factory=list)
    _asked: dict[tuple[SimStream, bytes], str] = field(default_factory=dict)
    _reached: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add_line(self, line: str) -> None:
        """Add a line of the transcript."""
        self.lines.append(line)

    def follow(self, cluster: SimCluster) -> None:
        """Start to observe a cluster."""
        world, checks = cluster.world, cluster.on_step

        def sent(stream: SimStream, side: int, frame: bytes) -> Callable[[], None]:
            return self._sent(world, stream, side, frame)

        def stepped(node: SimNode) -> None:
            self._observe(world, node)
            checks(node)

        cluster.network.watch = sent
        cluster.on_step = stepped

    def _sent(self, world: World, stream: SimStream, side: int, frame: bytes) -> Callable[[], None]:
        message = RecordedMessage(
            world.now_us,
            stream.hosts[side],
            stream.hosts[1 - side],
            self._name(stream, frame, is_request=side == 0),
            side == 0,
        )
        self.messages.append(message)

        def arrives() -> None:
            message.arrived_us = world.now_us

        return arrives

    def _name(self, stream: SimStream, frame: bytes, *, is_request: bool) -> str:
        """Return the API of a frame; a response has that of its request, by correlation id."""
        body = frame[_SIZE_BYTES:_HEADER_BYTES]
        if not is_request:
            return self._asked.pop((stream, body[:4]), "answer")
        name = _api_name(int.from_bytes(body[:2], "big"))
        self._asked[stream, body[4:8]] = name
        return name

    def _observe(self, world: World, node: SimNode) -> None:
        running = node.node
        if running is None or running.broker is None:
            return
        for where, partition in running.broker.replicas.partitions.items():
            if not partition.is_leader or where.topic.startswith("__"):
                continue
            now = (node.config.node_id, partition.log.high_watermark)
            name = f"{where.topic}-{where.partition}"
            if self._reached.get(name) != now:
                self._reached[name] = now
                self.ends.append(HighWatermarkMove(world.now_us, name, *now))


def _api_name(key: int) -> str:
    try:
        return "".join(word.capitalize() for word in ApiKey(key).name.split("_"))
    except ValueError:
        return f"API {key}"
