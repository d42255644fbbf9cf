"""The base class of clusters whose nodes the run itself starts, breaks and stops.

The faults of the run decide what connects the nodes: plain loopback, proxies or namespaces. The
derived class decides which product the nodes run.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from minikafka.harness.clusters import leftovers
from minikafka.harness.clusters.cluster import ClusterUnderTest
from minikafka.harness.clusters.namespaces import NamespaceNetwork
from minikafka.harness.clusters.network import NETWORK_KINDS, Network
from minikafka.harness.clusters.proxy import Pids, ProxyNetwork
from minikafka.harness.plan.settings import HarnessError, RunSettings
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.testing.errors import ClusterError
from minikafka.testing.kafka_nodes import KafkaNodes
from minikafka.testing.nodes import Nodes


class ClusterOfNodes(ClusterUnderTest):
    """Brokers 1, 2, … and the controllers, each a process. A derived class sets `_nodes`.

    Faults run in their own threads, and the run may end in another thread: short operations hold a
    lock.
    """

    _nodes: Nodes | KafkaNodes

    def __init__(
        self, product: str, settings: RunSettings, kinds: Collection[str], config: Sequence[str]
    ) -> None:
        """Start no process; `wait_ready` does.

        `kinds` are the kinds of faults that the cluster must support, `config` the default
        key=value pairs, which the run's settings override.
        """
        self.network = choose_network(settings.network, kinds, self._pids, settings.seed)
        pairs = (*config, *settings.cluster_config)
        self._config = dict(item.split("=", 1) for item in pairs)
        self._lock = threading.RLock()
        self._ending: set[int] = set()
        self._ended: list[tuple[int, str]] = []
        between = f", {self.network.way}" if self.network else ""
        controllers = settings.describe_controllers()
        self.name = (
            f"{product}, {settings.nodes} brokers, {controllers}{between}, {', '.join(pairs)}"
        )

    def _pids(self) -> dict[int, int]:
        return self._nodes.pids()

    @property
    def brokers(self) -> Sequence[int]:
        """The broker ids, which start at 1."""
        return self._nodes.brokers

    @property
    def voters(self) -> Sequence[int]:
        """The controllers."""
        return self._nodes.voters

    @property
    def node_ids(self) -> Sequence[int]:
        """Brokers and controllers."""
        return self._nodes.node_ids

    def wait_ready(self) -> None:
        """Start every node; return when every broker serves requests."""
        leftovers.remove()
        if self.network:
            self.network.open({node: self._nodes.ports(node) for node in self.node_ids})
        try:
            self._nodes.open()
        except ClusterError as error:
            raise HarnessError(f"the cluster did not start: {error}") from error
        self.bootstrap_servers = self._nodes.bootstrap_servers

    def close(self) -> str:
        """Shut down in a controlled way, and remove the network that was set up."""
        with self._lock:
            self._expect_end(self.node_ids)
        try:
            self._nodes.close()
        except ClusterError as error:
            return f"The cluster did not stop as it should: {error}."
        finally:
            if self.network:
                self.network.close()
        return ""

    def log_dirs(self) -> Mapping[int, Sequence[Path]]:
        """The log directories of every broker."""
        return {node: self._nodes.log_dirs(node) for node in self.brokers}

    def metadata_log_dirs(self) -> Sequence[Path]:
        """The log directory of each controller."""
        return [self._nodes.log_dirs(node)[0] for node in self.voters]

    def unexpected_ends(self) -> Sequence[tuple[int, str]]:
        """Return each unexpected exit once."""
        with self._lock:
            for node in self.node_ids:
                how = "" if node in self._ending else self._nodes.how_ended(node)
                if how:
                    self._ending.add(node)
                    self._ended.append((node, how))
            found, self._ended = self._ended, []
        return found

    def node_logs(self) -> Mapping[int, Path]:
        """The log file of every node."""
        return {node: self._nodes.log_file(node) for node in self.node_ids}

    def _note_ended(self) -> None:
        """Keep the ends so far for `unexpected_ends`, before a node is started again."""
        self._ended = [*self.unexpected_ends()]

    def _expect_end(self, nodes: Sequence[int]) -> None:
        """Stop reporting exits of these nodes: the run stops them itself."""
        self._note_ended()
        self._ending |= set(nodes)

    def kill(self, *nodes: int) -> None:
        """Kill nodes with SIGKILL."""
        with self._lock:
            self._require_alive(nodes)
            self._expect_end(nodes)
            self._do(lambda: self._nodes.kill(*nodes))

    def stop(self, *nodes: int) -> None:
        """Shut nodes down in a controlled way."""
        with self._lock:
            self._require_alive(nodes)
            self._expect_end(nodes)
        self._do(lambda: self._nodes.stop(*nodes))

    def start(self, *nodes: int) -> None:
        """Start those of the nodes that are not running."""
        with self._lock:
            self._note_ended()
            dead = [node for node in nodes if not self.is_alive(node)]
        if dead:
            try:
                self._do(lambda: self._nodes.start(*dead))
            finally:
                with self._lock:
                    self._ending -= set(dead)

    def pause(self, *nodes: int) -> None:
        """Pause nodes with SIGSTOP."""
        with self._lock:
            self._require_alive(nodes)
            self._do(lambda: self._nodes.pause(*nodes))

    def resume(self, *nodes: int) -> None:
        """Resume with SIGCONT those of the nodes that are alive."""
        with self._lock:
            alive = [node for node in nodes if self.is_alive(node)]
            self._do(lambda: self._nodes.resume(*alive))

    def is_alive(self, node: int) -> bool:
        """True while the node's process exists."""
        return self._nodes.is_alive(node)

    def _require_alive(self, nodes: Sequence[int]) -> None:
        dead = [node for node in nodes if not self.is_alive(node)]
        if dead:
            are = "node {} is" if len(dead) == 1 else "nodes {} are"
            raise HarnessError(f"{are.format(', '.join(map(str, dead)))} not running")

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except ClusterError as error:
            raise HarnessError(str(error)) from error


def elr_features(settings: RunSettings) -> dict[str, int]:
    """The feature levels that `settings.elr` changes from their defaults."""
    return {ELIGIBLE_LEADER_REPLICAS_VERSION: 0} if settings.elr == "off" else {}


def choose_network(wanted: str, kinds: Collection[str], pids: Pids, seed: int) -> Network | None:
    """Return the network between the nodes; None for plain loopback.

    "auto" selects plain loopback if no fault needs a network; else namespaces if they support all
    needed faults on this machine; else proxies.

    Raises:
        HarnessError: if namespaces are requested and cannot be created on this machine.
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
