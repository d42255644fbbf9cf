"""A cluster of our own that can be broken in every way: brokers 1, 2, … and controller 101.

Each node is a process. What stands between them is chosen by the faults that the run has: nothing,
proxies or namespaces. Nodes run with the hooks of `server.debug_hooks` only where a fault needs
them.
"""

import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from minikafka.harness import leftovers, sync_journal
from minikafka.harness.cluster import ClusterUnderTest, free_port_range
from minikafka.harness.disk_faults import Volumes, volume_mib
from minikafka.harness.namespaces import NamespaceNetwork
from minikafka.harness.network import NETWORK_KINDS, Network
from minikafka.harness.proxy import Pids, ProxyNetwork
from minikafka.harness.settings import HarnessError, RunSettings
from minikafka.server.debug_hooks import DISK_FULL, SLOW_SYNC, VARIABLE, WALL_OFFSET
from minikafka.testing.cluster import ClusterError
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


class OwnCluster(ClusterUnderTest):
    """`testing.nodes.Nodes`, for a run."""

    def __init__(self, settings: RunSettings, directory: Path, kinds: Collection[str]) -> None:
        """Nothing runs before `wait_ready`. `kinds` are the faults that it must be able to do."""
        self.network = choose_network(settings.network, kinds, self._pids, settings.seed)
        self._placement = _RunPlacement(
            self.network, directory, hooked=any(kind in kinds for kind in _HOOKED)
        )
        if "full-disk" in kinds:
            self._placement.volume_mib = volume_mib(settings)
        self._directory = directory
        pairs = (*_DEFAULT_CONFIG, *settings.cluster_config)
        base_port = settings.base_port or free_port_range(settings.nodes + 1)
        directory.mkdir(parents=True, exist_ok=True)
        self._nodes = Nodes(
            settings.nodes,
            config=dict(item.split("=", 1) for item in pairs),
            base_port=base_port,
            directory=directory,
            placement=self._placement,
        )
        self._lock = threading.RLock()
        between = f", {self.network.way}" if self.network else ""
        self.name = (
            f"minikafka, {settings.nodes} brokers and a controller{between}, {', '.join(pairs)}"
        )

    def _pids(self) -> dict[int, int]:
        return self._nodes.pids()

    @property
    def brokers(self) -> Sequence[int]:
        """From 1 on."""
        return self._nodes.brokers

    def wait_ready(self) -> None:
        """Start everything, and return when every broker serves."""
        leftovers.remove()
        nodes = self._nodes
        if self.network:
            ports = {node: nodes.port(node) for node in (*nodes.brokers, CONTROLLER)}
            self.network.open(ports, CONTROLLER)
        try:
            nodes.open()
        except ClusterError as error:
            raise HarnessError(f"the cluster did not start: {error}") from error
        self.bootstrap_servers = nodes.bootstrap_servers

    def close(self) -> str:
        """Shut down in a controlled way, and undo what was made on the machine."""
        problem = ""
        try:
            for node in (*self._nodes.brokers, CONTROLLER):
                # One that ended by itself was told of when it did.
                if node in self._pids() and not self.is_alive(node):
                    self._nodes.kill(node)
            self._nodes.close()
        except ClusterError as error:
            problem = f"The cluster did not stop as it should: {error}."
        finally:
            if self.network:
                self.network.close()
            self._placement.volumes.unmount(self._directory)
        return problem

    def log_dirs(self) -> Mapping[int, Sequence[Path]]:
        """Of every broker."""
        return {node: self._nodes.log_dirs(node) for node in self.brokers}

    def controller(self) -> int:
        """There is one."""
        return CONTROLLER

    def kill(self, *nodes: int) -> None:
        """SIGKILL."""
        with self._lock:
            self._require_alive(nodes)
            self._nodes.kill(*nodes)

    def stop(self, *nodes: int) -> None:
        """Shut down in a controlled way."""
        self._require_alive(nodes)
        try:
            self._nodes.stop(*nodes)
        except ClusterError as error:
            raise HarnessError(str(error)) from error

    def start(self, *nodes: int) -> None:
        """Start those that do not run."""
        with self._lock:
            dead = [node for node in nodes if not self.is_alive(node)]
            self._nodes.kill(*(node for node in dead if node in self._pids()))
        try:
            self._nodes.start(*dead)
        except ClusterError as error:
            raise HarnessError(str(error)) from error

    def pause(self, *nodes: int) -> None:
        """SIGSTOP."""
        with self._lock:
            self._require_alive(nodes)
            self._nodes.pause(*nodes)

    def resume(self, *nodes: int) -> None:
        """SIGCONT."""
        with self._lock:
            self._nodes.resume(*(node for node in nodes if self.is_alive(node)))

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
        """By ballast in a tmpfs; by the hook where none could be mounted."""
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

    def is_alive(self, node: int) -> bool:
        """Whether its process has not ended."""
        return self._nodes.is_alive(node)

    def _tell(self, node: int, what: str, value: int) -> None:
        path = self._placement.debug_dir(node) / what
        if value:
            unfinished = path.with_suffix(".part")
            unfinished.write_text(str(value))
            unfinished.replace(path)
        else:
            path.unlink(missing_ok=True)

    def _require_alive(self, nodes: Sequence[int]) -> None:
        dead = [node for node in nodes if not self.is_alive(node)]
        if dead:
            raise HarnessError(f"node {', '.join(map(str, dead))} does not run")


def choose_network(wanted: str, kinds: Collection[str], pids: Pids, seed: int) -> Network | None:
    """What is to stand between the nodes.

    With "auto": nothing if no fault needs it; namespaces if they can do all that is needed here;
    else proxies.

    Raises:
        HarnessError: if namespaces are wanted and the machine has none for us.
    """
    needed = [kind for kind in NETWORK_KINDS if kind in kinds]
    if wanted == "none" or (wanted == "auto" and not needed):
        return None
    if wanted != "proxy":
        namespaces = NamespaceNetwork()
        problem = namespaces.problem()
        if wanted == "namespaces":
            if problem:
                raise HarnessError(f"--network namespaces: {problem}.")
            return namespaces
        if not problem and not any(kind in namespaces.cannot for kind in needed):
            return namespaces
    return ProxyNetwork(pids, seed)
