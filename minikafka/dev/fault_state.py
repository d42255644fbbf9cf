"""The faults set by `minikafka dev --faults`, and the part of them that each node has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.faults.vocabulary import AnswerFault

Pair = tuple[int, int]
"""Two different nodes, the lower id first."""


@dataclass(frozen=True, slots=True)
class PlacedFault:
    """A fault of answers, and the nodes for which it is meant: None for all."""

    fault: AnswerFault
    nodes: tuple[int, ...] | None

    def is_for(self, node: int) -> bool:
        """True if a node has the fault."""
        return self.nodes is None or node in self.nodes

    @property
    def counter(self) -> Path:
        """The file with the calls and hits of all nodes."""
        return Path(self.fault.counter_file)

    def __str__(self) -> str:
        fault = self.fault
        given = fault.to_json()
        words = [f"{fault.id}: {fault.api} {fault.error or fault.kind}"]
        words += [f"{fault.ms} ms"] if fault.ms else []
        words += ["after the work"] if fault.after else []
        shown = ("topic", "partition", "client_id", "broker_id", "nth", "times", "probability")
        words += [f"{name} {_shown(given[name])}" for name in shown if name in given]
        words += [] if self.nodes is None else [named_nodes(self.nodes)]
        return ", ".join(words)


class DiskState(NamedTuple):
    """The disk of a node: every write fails if it is full; each fsync takes `sync_ms` longer."""

    is_full: bool = False
    sync_ms: int = 0


@dataclass(frozen=True, slots=True)
class FaultState:
    """Everything that is set."""

    faults: tuple[PlacedFault, ...] = ()
    cut: frozenset[Pair] = frozenset()
    slow_ms: Mapping[Pair, int] = field(default_factory=dict)
    clocks: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    """Offset in ms, and rate."""
    disks: Mapping[int, DiskState] = field(default_factory=dict)

    def commands(self, node: int) -> dict[str, Any]:
        """Return the commands of `server.fault_control` by which a node has its part of it."""
        cut = [_peer(pair, node) for pair in self.cut if node in pair]
        slow = {_peer(pair, node): ms for pair, ms in self.slow_ms.items() if node in pair}
        offset_ms, rate = self.clocks.get(node, (0, 1.0))
        return {
            "set": [each.fault.to_json() for each in self.faults if each.is_for(node)],
            "links": {
                "cut": sorted(cut),
                "slow_ms": {str(peer): slow[peer] for peer in sorted(slow)},
            },
            "clock": {"offset_ms": offset_ms, "rate": rate},
        }

    def lines(self) -> Iterator[str]:
        """Yield a line for links, clocks and disks."""
        if self.cut:
            yield f"cut: {', '.join(f'{low}-{high}' for low, high in sorted(self.cut))}"
        for (low, high), ms in sorted(self.slow_ms.items()):
            yield f"slow: {low}-{high} by {ms} ms"
        for node, (offset_ms, rate) in sorted(self.clocks.items()):
            drift = "" if rate == 1 else f", rate {rate:g}"
            yield f"clock of node {node}: {offset_ms:+} ms{drift}"
        for node, disk in sorted(self.disks.items()):
            if disk.is_full:
                yield f"full disk: node {node}"
            if disk.sync_ms:
                yield f"slow disk: node {node}, {disk.sync_ms} ms for each fsync"


def named_nodes(nodes: Sequence[int]) -> str:
    """Return "node 1" or "nodes 1, 2"."""
    return f"node{'' if len(nodes) == 1 else 's'} {', '.join(map(str, nodes))}"


def _shown(value: object) -> str:
    text = str(value)
    return text if text.isprintable() else ascii(text)


def _peer(pair: Pair, node: int) -> int:
    return pair[1] if pair[0] == node else pair[0]
