"""A minikafka cluster started by the run, which supports every kind of fault.

Nodes run with the hooks of `server.debug_hooks` only if a fault needs them.
"""

import shutil
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TypeVar

from minikafka.harness.clusters.cluster import free_port_range
from minikafka.harness.clusters.cluster_of_nodes import ClusterOfNodes, elr_features
from minikafka.harness.clusters.disk_faults import Volumes, volume_mib
from minikafka.harness.clusters.elections import metadata_end
from minikafka.harness.clusters.network import Network
from minikafka.harness.plan.settings import HarnessError, RunSettings
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.server import sync_journal
from minikafka.server.debug_hooks import (
    DISK_FULL,
    FOR_CLOCK,
    FOR_DISK,
    FOR_JOURNAL,
    HOOKS_VARIABLE,
    JOURNAL,
    SLOW_SYNC,
    VARIABLE,
    WALL_OFFSET,
    journal_line,
)
from minikafka.testing.errors import ClusterError
from minikafka.testing.nodes import Nodes, Placement

_DEFAULT_CONFIG = ("broker.session.timeout.ms=3000", "broker.heartbeat.interval.ms=500")
"""A dead leader must be detected and replaced well within a run of 30 seconds."""

_HOOKED = ("power-cut", "slow-disk", "full-disk", "clock")
_LOSSES_SHOWN = 4
_T = TypeVar("_T")


class _RunPlacement(Placement):
    """The network's placement of nodes, with the debug hooks and volumes that the faults need."""

    def __init__(self, network: Network | None, directory: Path, *, hooked: bool) -> None:
        self._on_network = network.placement if network else Placement()
        self._directory = directory
        self._hooked = hooked
        self.brokers: Sequence[int] = ()
        """The nodes whose volumes may be filled."""
        self.volumes = Volumes()
        self.volume_mib = 0

    def host(self, node: int) -> str:
        return self._on_network.host(node)

    def advertised(self, node: int, port: int) -> tuple[str, int]:
        return self._on_network.advertised(node, port)

    def prefix(self, node: int) -> list[str]:
        return self._on_network.prefix(node)

    def environ(self, node: int) -> dict[str, str]:
        if not self._hooked:
            return {}
        wanted = f"{FOR_JOURNAL},{FOR_DISK},{FOR_CLOCK}"
        return {VARIABLE: str(self.debug_dir(node)), HOOKS_VARIABLE: wanted}

    def debug_dir(self, node: int) -> Path:
        return self._directory / f"node-{node}" / "debug"

    def prepare(self, node: int, home: Path) -> None:
        if self.volume_mib and node in self.brokers:
            self.volumes.mount(node, home / "data", self.volume_mib)


class OwnCluster(ClusterOfNodes):
    """A cluster of `testing.nodes.Nodes`."""

    _nodes: Nodes

    def __init__(self, settings: RunSettings, directory: Path, kinds: Collection[str]) -> None:
        """Start no process; `wait_ready` does. `kinds` are the faults that must be supported."""
        super().__init__("minikafka", settings, kinds, _DEFAULT_CONFIG)
        self._placement = _RunPlacement(
            self.network, directory, hooked=any(kind in kinds for kind in _HOOKED)
        )
        if "full-disk" in kinds:
            self._placement.volume_mib = volume_mib(settings)
        self._directory = directory
        self._placement.brokers = settings.brokers
        ports = settings.nodes + len(settings.voters)
        base_port = settings.base_port or free_port_range(ports)
        directory.mkdir(parents=True, exist_ok=True)
        self._nodes = Nodes(
            settings.nodes,
            config=self._config,
            features=elr_features(settings),
            base_port=base_port,
            directory=directory,
            placement=self._placement,
            voters=settings.voters,
        )

    def close(self) -> str:
        """Shut down in a controlled way, and remove the network and the volumes."""
        try:
            self._reap(self.node_ids)
            return super().close()
        finally:
            self._placement.volumes.unmount(self._directory)

    def start(self, *nodes: int) -> None:
        """Start those of the nodes that are not running."""
        with self._lock:
            self._reap(nodes)
        super().start(*nodes)

    def _reap(self, nodes: Sequence[int]) -> None:
        """Forget the processes of those of the nodes that exited on their own."""
        self._note_ended()
        self._nodes.kill(
            *(node for node in nodes if node in self._pids() and not self.is_alive(node))
        )

    def cut_power(self, node: int) -> str:
        """Kill the node and truncate every file to the size that its fsync journal records."""
        cuts, losses = sync_journal.cut_power(
            lambda: self.kill(node), self._placement.debug_dir(node)
        )
        took = sum(cut.size - cut.kept for cut in cuts)
        shown = ", ".join(map(str, losses[:_LOSSES_SHOWN]))
        more = f" and {len(losses) - _LOSSES_SHOWN} more" if len(losses) > _LOSSES_SHOWN else ""
        return f"{took} unflushed bytes in {len(cuts)} files are gone: {shown or 'no record'}{more}"

    def wipe(self, node: int) -> str:
        """Format the directory of a killed node again, with a new directory id."""
        lost_bytes = self._on_disk(lambda: self._nodes.wipe(node))
        self._forget_syncs(node, "")
        return f"{lost_bytes} bytes are gone, and the directory was formatted again"

    def copy_metadata(self, node: int) -> None:
        """Copy the metadata directory of a killed controller beside its data."""
        copy = self._copy_of(node)
        shutil.rmtree(copy, ignore_errors=True)
        self._on_disk(lambda: self._nodes.copy_metadata(node, copy))

    def restore_metadata(self, node: int) -> str:
        """Restore the metadata directory of a killed controller from its copy."""
        newer = metadata_end(self._nodes.log_dirs(node)[0]).offset
        self._on_disk(lambda: self._nodes.restore_metadata(node, self._copy_of(node)))
        self._forget_syncs(node, f"/{METADATA_FOLDER}")
        older = metadata_end(self._nodes.log_dirs(node)[0]).offset
        if older >= newer:
            raise HarnessError(f"node {node}: its metadata log did not grow after the copy")
        return f"its metadata log ends at offset {older} again, instead of {newer}"

    def _copy_of(self, node: int) -> Path:
        return self._directory / f"node-{node}" / "metadata-copy"

    def _on_disk(self, work: Callable[[], _T]) -> _T:
        """Do something with the files of a node.

        Raises:
            HarnessError: if the node runs, or the files cannot be changed.
        """
        try:
            return work()
        except (ClusterError, OSError) as error:
            raise HarnessError(str(error)) from error

    def _forget_syncs(self, node: int, folder: str) -> None:
        """Note in the fsync journal that files were replaced, so that a later cut ignores them."""
        journal = self._placement.debug_dir(node) / JOURNAL
        if journal.exists():
            with journal.open("ab") as lines:
                lines.write(journal_line("remove", f"{self._nodes.log_dirs(node)[0]}{folder}"))

    def slow_sync(self, node: int, delay_ms: int) -> None:
        """Delay each fsync by the debug hook."""
        self._set_hook(node, SLOW_SYNC, delay_ms)

    def fill_disk(self, node: int) -> str:
        """Fill the node's tmpfs with ballast; use the debug hook if no tmpfs could be mounted.

        The broker may exit, since its only log directory fails.
        """
        with self._lock:
            self._expect_end([node])
        volumes = self._placement.volumes
        if volumes.has(node):
            return f"{volumes.fill(node)} bytes of ballast fill its tmpfs"
        self._set_hook(node, DISK_FULL, 1)
        return "a debug hook makes its writes fail, since no tmpfs could be mounted"

    def free_disk(self, node: int) -> None:
        """Remove the ballast and the hook."""
        volumes = self._placement.volumes
        if volumes.has(node):
            volumes.free(node)
        self._set_hook(node, DISK_FULL, 0)

    def shift_clock(self, node: int, offset_ms: int) -> None:
        """Skew the wall clock by the debug hook."""
        self._set_hook(node, WALL_OFFSET, offset_ms)

    def _set_hook(self, node: int, name: str, value: int) -> None:
        path = self._placement.debug_dir(node) / name
        if value:
            unfinished = path.with_suffix(".part")
            unfinished.write_text(str(value))
            unfinished.replace(path)
        else:
            path.unlink(missing_ok=True)
