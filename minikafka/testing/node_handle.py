"""One node of a cluster for tests."""

from pathlib import Path
from typing import Protocol


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
