"""A cluster of our own that can be broken in every way.

Nodes run with the hooks of `server.debug_hooks` only where a fault needs them.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from minikafka.harness.clusters import sync_journal
from minikafka.harness.clusters.cluster import free_port_range
from minikafka.harness.clusters.cluster_of_nodes import ClusterOfNodes, elr_features
from minikafka.harness.clusters.disk_faults import Volumes, volume_mib
from minikafka.harness.clusters.network import Network
from minikafka.harness.plan.settings import RunSettings
from minikafka.server.debug_hooks import DISK_FULL, SLOW_SYNC, VARIABLE, WALL_OFFSET
from minikafka.testing.nodes import CONTROLLER, Nodes, Placement

_DEFAULT_CONFIG = ("broker.session.timeout.ms=3000", "broker.heartbeat.interval.ms=500")
"""So that a dead leader is noticed, and replaced, well within a run of half a minute."""

_HOOKED = ("power-cut", "slow-fsync", "full-disk", "clock-offset")
_LOSSES_SHOWN = 4


class _RunPlacement(Placement):
    """Where the network puts nodes, with debug hooks and volumes as the faults need them."""

    def __init__(self, network: Network | None, directory: Path, *, hooked: bool) -> None:
        self._on_network = network.placement if network else Placement()
        self._directory = directory
        self._hooked = hooked
        self.volumes = Volumes()
        self.volume_mib = 0

    def host(self, node: int) -> str:
        return self._on_network.host(node)

    def advertised(self, node: int, port: int) -> tuple[str, int]:
        return self._on_network.advertised(node, port)

    def prefix(self, node: int) -> list[str]:
        return self._on_network.prefix(node)

    def environ(self, node: int) -> dict[str, str]:
        return {VARIABLE: str(self.debug_dir(node))} if self._hooked else {}

    def debug_dir(self, node: int) -> Path:
        return self._directory / f"node-{node}" / "debug"

    def prepare(self, node: int, home: Path) -> None:
        if self.volume_mib and node != CONTROLLER:
            self.volumes.mount(node, home / "data", self.volume_mib)


class OwnCluster(ClusterOfNodes):
    """`testing.nodes.Nodes`, for a run."""

    def __init__(self, settings: RunSettings, directory: Path, kinds: Collection[str]) -> None:
        """Nothing runs before `wait_ready`. `kinds` are the faults that it must be able to do."""
        super().__init__("minikafka", settings, kinds, _DEFAULT_CONFIG)
        self._placement = _RunPlacement(
            self.network, directory, hooked=any(kind in kinds for kind in _HOOKED)
        )
        if "full-disk" in kinds:
            self._placement.volume_mib = volume_mib(settings)
        self._directory = directory
        base_port = settings.base_port or free_port_range(settings.nodes + 1)
        directory.mkdir(parents=True, exist_ok=True)
        self._nodes = Nodes(
            settings.nodes,
            config=self._config,
            features=elr_features(settings),
            base_port=base_port,
            directory=directory,
            placement=self._placement,
        )

    def close(self) -> str:
        """Shut down in a controlled way, and undo what was made on the machine."""
        try:
            self._bury((*self.brokers, CONTROLLER))
            return super().close()
        finally:
            self._placement.volumes.unmount(self._directory)

    def start(self, *nodes: int) -> None:
        """Start those that do not run."""
        with self._lock:
            self._bury(nodes)
        super().start(*nodes)

    def _bury(self, nodes: Sequence[int]) -> None:
        """Forget the processes of these that have ended by themselves."""
        self._note_ended()
        self._nodes.kill(
            *(node for node in nodes if node in self._pids() and not self.is_alive(node))
        )

    def cut_power(self, node: int) -> str:
        """SIGKILL, and cut every file back to what its journal of fsyncs has."""
        cuts, losses = sync_journal.cut_power(
            lambda: self.kill(node), self._placement.debug_dir(node)
        )
        took = sum(cut.size - cut.kept for cut in cuts)
        shown = ", ".join(map(str, losses[:_LOSSES_SHOWN]))
        more = f" and {len(losses) - _LOSSES_SHOWN} more" if len(losses) > _LOSSES_SHOWN else ""
        return f"{took} unflushed bytes in {len(cuts)} files are gone: {shown or 'no record'}{more}"

    def slow_sync(self, node: int, delay_ms: int) -> None:
        """By the hook."""
        self._tell(node, SLOW_SYNC, delay_ms)

    def fill_disk(self, node: int) -> str:
        """By ballast in a tmpfs; by the hook where none could be mounted.

        A broker whose only log directory fails may end.
        """
        with self._lock:
            self._expect_end([node])
        volumes = self._placement.volumes
        if volumes.has(node):
            return f"{volumes.fill(node)} bytes of ballast fill its tmpfs"
        self._tell(node, DISK_FULL, 1)
        return "its writes fail by a debug hook, since no tmpfs could be mounted"

    def free_disk(self, node: int) -> None:
        """Undo it."""
        volumes = self._placement.volumes
        if volumes.has(node):
            volumes.free(node)
        self._tell(node, DISK_FULL, 0)

    def shift_clock(self, node: int, offset_ms: int) -> None:
        """By the hook."""
        self._tell(node, WALL_OFFSET, offset_ms)

    def _tell(self, node: int, what: str, value: int) -> None:
        path = self._placement.debug_dir(node) / what
        if value:
            unfinished = path.with_suffix(".part")
            unfinished.write_text(str(value))
            unfinished.replace(path)
        else:
            path.unlink(missing_ok=True)
