"""The faults that a test has injected into a cluster: handles on them, and what each node does."""

import fcntl
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, Self

from minikafka.testing.errors import ClusterError
from minikafka.testing.values import Deadline

_LOCK_S = 1.0
Link = tuple[int, int]
"""Two nodes."""


@dataclass(eq=False)
class NodeFaults:
    """The faults of one node."""

    answers: list[Mapping[str, Any]] = field(default_factory=list)
    cut: set[int] = field(default_factory=set)
    """The nodes to which its connections are cut."""
    slow_ms: dict[int, int] = field(default_factory=dict)
    offset_ms: int = 0
    rate: float = 1.0
    is_disk_full: bool = False
    sync_ms: int = 0

    def commands(self) -> dict[str, Any]:
        """Return the commands of `server.fault_control` that set them, without those of disks."""
        return {
            "set": self.answers,
            "links": {
                "cut": sorted(self.cut),
                "slow_ms": {str(node): ms for node, ms in sorted(self.slow_ms.items())},
            },
            "clock": {"offset_ms": self.offset_ms, "rate": self.rate},
        }


NO_FAULTS: Final = NodeFaults().commands()


class FaultOwner(Protocol):
    """The cluster of a fault."""

    def remove(self, fault: "FaultHandle") -> None:
        """Remove a fault."""


class FaultHandle(ABC):
    """A fault that is active until `remove`, the end of its `with` block, or `heal`."""

    def __init__(self, owner: FaultOwner) -> None:
        """Describe it; the owner activates it."""
        self._owner = owner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.remove()
            return
        # The error of the block says more.
        with suppress(ClusterError):
            self.remove()

    def __repr__(self) -> str:
        return f"<{self}>"

    @abstractmethod
    def __str__(self) -> str:
        """Return a line for reports."""

    @abstractmethod
    def add_to(self, nodes: Mapping[int, NodeFaults]) -> None:
        """Add it to the faults of the nodes that it is for."""

    def remove(self) -> None:
        """End it. A second call does nothing."""
        self._owner.remove(self)

    def no_count(self) -> AbstractContextManager[object]:
        """Return a context in which no node counts a call; a node must not be paused in one."""
        return nullcontext()

    def ended(self) -> None:  # noqa: B027 - not every fault has something to keep
        """Keep what is known about it: it is not active any more."""


class AnswerFaultHandle(FaultHandle):
    """A fault of answers; `hits` counts them."""

    def __init__(
        self, owner: FaultOwner, fault: Mapping[str, Any], nodes: Sequence[int], counter: Path
    ) -> None:
        """Describe it: `fault` is its JSON form; `counter` is the file in which the nodes count."""
        super().__init__(owner)
        self._fault = fault
        self._nodes = nodes
        self._counter = counter
        self._last_hits: int | None = None

    def __str__(self) -> str:
        values = dict(self._fault)
        what = values.pop("error", "") or values["kind"]
        hidden = ("api", "kind", "id", "counter_file", "role")
        match = [f"{name}={value}" for name, value in values.items() if name not in hidden]
        words = [values["api"], what, *match]
        hits = self.hits
        return f"{' '.join(words)} at {names(self._nodes)}: {hits} hit{'' if hits == 1 else 's'}"

    @property
    def hits(self) -> int:
        """The number of answers that it has changed, at all nodes; also after its end."""
        if self._last_hits is not None:
            return self._last_hits
        from minikafka.server.fault_counter import counts

        try:
            return counts(self._counter)[1]
        except FileNotFoundError:
            return 0

    def add_to(self, nodes: Mapping[int, NodeFaults]) -> None:
        """Add it to its nodes."""
        for node in self._nodes:
            nodes[node].answers.append(self._fault)

    @contextmanager
    def no_count(self) -> Iterator[None]:
        """Lock the file, unless something else does not release it."""
        try:
            file = os.open(self._counter, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            yield
            return
        try:
            deadline = Deadline(_LOCK_S)
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if not deadline.wait(0.001):
                        break
            yield
        finally:
            os.close(file)

    def ended(self) -> None:
        """Keep the hits, and remove their file."""
        self._last_hits = self.hits
        self._counter.unlink(missing_ok=True)


class LinkFaultHandle(FaultHandle):
    """Links that are cut, or slow if there are `slow_ms`."""

    def __init__(
        self, owner: FaultOwner, groups: Sequence[Sequence[int]], slow_ms: int | None = None
    ) -> None:
        """Describe it: the links between nodes of different groups."""
        super().__init__(owner)
        self._groups = groups
        self._slow_ms = slow_ms

    def __str__(self) -> str:
        groups = " from ".join(names(group) for group in self._groups)
        if self._slow_ms is None:
            return f"cut: {groups}"
        return f"slow links, {self._slow_ms} ms: {groups.replace(' from ', ' to ')}"

    def _links(self) -> Iterable[Link]:
        for group in self._groups:
            for other in self._groups:
                if group is not other:
                    yield from ((node, to) for node in group for to in other)

    def add_to(self, nodes: Mapping[int, NodeFaults]) -> None:
        """Add it to both ends of each link; the last one for a slow link counts."""
        for node, to in self._links():
            if self._slow_ms is None:
                nodes[node].cut.add(to)
            else:
                nodes[node].slow_ms[to] = self._slow_ms


class ClockFaultHandle(FaultHandle):
    """A wrong clock; the last one for a node counts."""

    def __init__(self, owner: FaultOwner, node: int, offset_ms: int, rate: float) -> None:
        """Describe it: the wall clock is shifted, both clocks run at a rate."""
        super().__init__(owner)
        self._node = node
        self._offset_ms = offset_ms
        self._rate = rate

    def __str__(self) -> str:
        return f"clock of node {self._node}: offset {self._offset_ms} ms, rate {self._rate:g}"

    def add_to(self, nodes: Mapping[int, NodeFaults]) -> None:
        """Replace the clock of its node."""
        nodes[self._node].offset_ms, nodes[self._node].rate = self._offset_ms, self._rate


class DiskFaultHandle(FaultHandle):
    """Disks that are full, or slow if there are `sync_ms`."""

    def __init__(self, owner: FaultOwner, nodes: Sequence[int], sync_ms: int | None = None) -> None:
        """Describe it: writes fail, or each sync takes so much longer."""
        super().__init__(owner)
        self.nodes = nodes
        self.sync_ms = sync_ms

    def __str__(self) -> str:
        what = "full disk" if self.sync_ms is None else f"slow disk, {self.sync_ms} ms a sync"
        return f"{what}: {names(self.nodes)}"

    def add_to(self, nodes: Mapping[int, NodeFaults]) -> None:
        """Add it to its nodes; the last one for a slow disk counts."""
        for node in self.nodes:
            if self.sync_ms is None:
                nodes[node].is_disk_full = True
            else:
                nodes[node].sync_ms = self.sync_ms


def names(nodes: Sequence[int]) -> str:
    """Return "node 1" or "nodes 1, 2"."""
    return f"node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes))}"
