"""An Apache Kafka of our own, started by the tools that --kafka-tools names.

Its nodes can be killed, stopped, paused. A power cut leaves each log up to its recovery point,
since nobody can know what else Kafka had flushed: it may take more than a real one would, and takes
nothing from the metadata log. Disk and clock cannot be touched.
"""

from collections.abc import Collection
from pathlib import Path

from minikafka.harness.clusters import power_cut
from minikafka.harness.clusters.cluster import free_port_range
from minikafka.harness.clusters.cluster_of_nodes import ClusterOfNodes, elr_features
from minikafka.harness.clusters.network import NotDoneError
from minikafka.harness.plan.settings import RunSettings
from minikafka.testing.kafka_nodes import KafkaNodes

_DEFAULT_CONFIG = ("broker.session.timeout.ms=6000", "broker.heartbeat.interval.ms=1000")
_PORTS = 110
_NO_HOOKS = "Apache Kafka has no hook for it"


class KafkaCluster(ClusterOfNodes):
    """`testing.kafka_nodes.KafkaNodes`, for a run."""

    def __init__(self, settings: RunSettings, directory: Path, kinds: Collection[str]) -> None:
        """Nothing runs before `wait_ready`. `kinds` are the faults that it must be able to do."""
        assert settings.kafka_tools is not None
        super().__init__("Apache Kafka", settings, kinds, _DEFAULT_CONFIG)
        self._nodes = KafkaNodes(
            settings.kafka_tools,
            settings.nodes,
            config=self._config,
            features=elr_features(settings),
            base_port=settings.base_port or free_port_range(_PORTS),
            directory=directory,
            placement=self.network.placement if self.network else None,
        )
        self._opened = False

    def wait_ready(self) -> None:
        """Start everything."""
        self._opened = True
        super().wait_ready()

    def close(self) -> str:
        """Stop everything."""
        return super().close() if self._opened else ""

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
