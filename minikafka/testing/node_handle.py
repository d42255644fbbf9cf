"""One node of a cluster for tests."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from minikafka.server.sync_journal import Loss
    from minikafka.testing.fault_handles import AnswerFaultHandle, FaultHandle
    from minikafka.testing.faults import ClusterFaults


class _Owner(Protocol):
    """The methods of a cluster that a handle passes its node to."""

    def kill(self, *nodes: int) -> None: ...
    def stop(self, *nodes: int) -> None: ...
    def start(self, *nodes: int) -> None: ...
    def pause(self, *nodes: int) -> None: ...
    def resume(self, *nodes: int) -> None: ...
    def port(self, node: int) -> int: ...
    def pid(self, node: int) -> int: ...
    def log_text(self, node: int) -> str: ...
    def log_dir(self, node: int) -> Path: ...
    @property
    def faults(self) -> "ClusterFaults": ...


class NodeHandle:
    """One node, with the verbs of its cluster."""

    def __init__(self, cluster: _Owner, node_id: int) -> None:
        """Name a node; it need not run."""
        self._cluster = cluster
        self.node_id = node_id

    def __repr__(self) -> str:
        return f"<node {self.node_id}>"

    @property
    def port(self) -> int:
        """The port on which it serves clients."""
        return self._cluster.port(self.node_id)

    @property
    def pid(self) -> int:
        """Its process id while it runs."""
        return self._cluster.pid(self.node_id)

    @property
    def log_text(self) -> str:
        """Its log output."""
        return self._cluster.log_text(self.node_id)

    @property
    def log_dir(self) -> Path:
        """Its log directory."""
        return self._cluster.log_dir(self.node_id)

    def kill(self) -> None:
        """Send SIGKILL, and wait until the process has ended."""
        self._cluster.kill(self.node_id)

    def stop(self) -> None:
        """Stop it by a controlled shutdown."""
        self._cluster.stop(self.node_id)

    def start(self) -> None:
        """Start it again, and wait until it serves."""
        self._cluster.start(self.node_id)

    def pause(self) -> None:
        """Send SIGSTOP: for others it looks like a node behind a dead network."""
        self._cluster.pause(self.node_id)

    def resume(self) -> None:
        """Send SIGCONT."""
        self._cluster.resume(self.node_id)

    def fault(self, /, api: str, what: str, **match: Any) -> "AnswerFaultHandle":
        """Let answers of an API at this node be wrong, late or missing; see `Cluster.fault`."""
        return self._cluster.faults.fault(api, what, node=self.node_id, **match)

    def isolate(self) -> "FaultHandle":
        """Cut its links to all other nodes."""
        return self._cluster.faults.isolate(self.node_id)

    def slow(self, *others: int, ms: int) -> "FaultHandle":
        """Let each message to and from other nodes take longer."""
        return self._cluster.faults.slow(self.node_id, others, ms=ms)

    def clock(self, *, offset_ms: int = 0, drift: float = 0.0) -> "FaultHandle":
        """Shift its wall clock; with a drift of 0.1 its clocks gain 10 %."""
        return self._cluster.faults.clock(self.node_id, offset_ms=offset_ms, drift=drift)

    def fill_disk(self) -> "FaultHandle":
        """Let its writes fail, as on a full disk; it may end because of it."""
        return self._cluster.faults.fill_disk(self.node_id)

    def free_disk(self) -> None:
        """Let it write again; `start` it if it has ended."""
        self._cluster.faults.free_disk(self.node_id)

    def slow_disk(self, ms: int) -> "FaultHandle":
        """Let each sync of a file take longer."""
        return self._cluster.faults.slow_disk(self.node_id, ms=ms)

    def lose_power(self) -> "list[Loss]":
        """Kill it, and drop what it had not synced; return the lost offsets of partitions."""
        return self._cluster.faults.lose_power(self.node_id)
