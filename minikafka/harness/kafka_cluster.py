"""An Apache Kafka of our own, started by the tools that --kafka-tools names.

Its nodes can be killed, stopped, paused. A power cut leaves each log up to its recovery point,
since nobody can know what else Kafka had flushed: it may take more than a real one would, and takes
nothing from the metadata log. What stands between the nodes is chosen as in `own_cluster`. Disk and
clock cannot be touched.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from minikafka.harness import leftovers, power_cut
from minikafka.harness.cluster import ClusterUnderTest, free_port_range
from minikafka.harness.network import NotDoneError
from minikafka.harness.own_cluster import choose_network
from minikafka.harness.settings import HarnessError, RunSettings
from minikafka.testing.cluster import ClusterError
from minikafka.testing.kafka_nodes import KafkaNodes
from minikafka.testing.nodes import CONTROLLER

_DEFAULT_CONFIG = ("broker.session.timeout.ms=6000", "broker.heartbeat.interval.ms=1000")
_PORTS = 110
_NO_HOOKS = "Apache Kafka has no hook for it"


class KafkaCluster(ClusterUnderTest):
    """`testing.kafka_nodes.KafkaNodes`, for a run."""

    def __init__(self, settings: RunSettings, directory: Path, kinds: Collection[str]) -> None:
        """Nothing runs before `wait_ready`. `kinds` are the faults that it must be able to do."""
        assert settings.kafka_tools is not None
        self.network = choose_network(settings.network, kinds, self._pids, settings.seed)
        pairs = (*_DEFAULT_CONFIG, *settings.cluster_config)
        self._nodes = KafkaNodes(
            settings.kafka_tools,
            settings.nodes,
            config=dict(item.split("=", 1) for item in pairs),
            base_port=settings.base_port or free_port_range(_PORTS),
            directory=directory,
            placement=self.network.placement if self.network else None,
        )
        self._opened = False
        between = f", {self.network.way}" if self.network else ""
        self.name = (
            f"Apache Kafka, {settings.nodes} brokers and a controller{between}, {', '.join(pairs)}"
        )

    def _pids(self) -> dict[int, int]:
        return self._nodes.pids()

    @property
    def brokers(self) -> Sequence[int]:
        """From 1 on."""
        return self._nodes.brokers

    def wait_ready(self) -> None:
        """Start everything."""
        self._opened = True
        leftovers.remove()
        nodes = self._nodes
        if self.network:
            ports = {node: nodes.port(node) for node in (*nodes.brokers, CONTROLLER)}
            self.network.open(ports, CONTROLLER)
        self._do(nodes.open)
        self.bootstrap_servers = self._nodes.bootstrap_servers

    def close(self) -> str:
        """Stop everything."""
        if not self._opened:
            return ""
        try:
            self._nodes.close()
        except ClusterError as error:
            return f"The cluster did not stop as it should: {error}."
        finally:
            if self.network:
                self.network.close()
        return ""

    def log_dirs(self) -> Mapping[int, Sequence[Path]]:
        """Of every broker."""
        return {node: self._nodes.log_dirs(node) for node in self.brokers}

    def controller(self) -> int:
        """There is one."""
        return CONTROLLER

    def kill(self, *nodes: int) -> None:
        """SIGKILL."""
        self._require_alive(nodes)
        self._do(lambda: self._nodes.kill(*nodes))

    def stop(self, *nodes: int) -> None:
        """Shut down in a controlled way."""
        self._require_alive(nodes)
        self._do(lambda: self._nodes.stop(*nodes))

    def start(self, *nodes: int) -> None:
        """Start those that do not run."""
        dead = [node for node in nodes if not self.is_alive(node)]
        if dead:
            self._do(lambda: self._nodes.start(*dead))

    def pause(self, *nodes: int) -> None:
        """SIGSTOP."""
        self._require_alive(nodes)
        self._do(lambda: self._nodes.pause(*nodes))

    def resume(self, *nodes: int) -> None:
        """SIGCONT."""
        self._do(lambda: self._nodes.resume(*(node for node in nodes if self.is_alive(node))))

    def cut_power(self, node: int) -> str:
        """SIGKILL, and cut the logs back to their recovery points."""
        if node not in self.brokers:
            raise NotDoneError("a controller has no recovery points")
        losses = power_cut.cut_power(lambda: self.kill(node), self._nodes.log_dirs(node))
        return f"cut back to its recovery points: {', '.join(map(str, losses)) or 'no record'}"

    def slow_sync(self, node: int, delay_ms: int) -> None:  # noqa: ARG002
        """Cannot be done."""
        raise NotDoneError(_NO_HOOKS)

    def fill_disk(self, node: int) -> str:  # noqa: ARG002
        """Cannot be done."""
        raise NotDoneError(_NO_HOOKS)

    def free_disk(self, node: int) -> None:
        """Nothing was filled."""

    def shift_clock(self, node: int, offset_ms: int) -> None:  # noqa: ARG002
        """Cannot be done."""
        raise NotDoneError(_NO_HOOKS)

    def is_alive(self, node: int) -> bool:
        """Whether we did not end it."""
        return self._nodes.is_alive(node)

    def _require_alive(self, nodes: Sequence[int]) -> None:
        dead = [node for node in nodes if not self.is_alive(node)]
        if dead:
            raise HarnessError(f"node {', '.join(map(str, dead))} does not run")

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except ClusterError as error:
            raise HarnessError(str(error)) from error
