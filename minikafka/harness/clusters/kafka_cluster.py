"""An Apache Kafka cluster that the run starts with the scripts that --kafka-tools names (S4).

Its nodes can be killed, stopped and paused. A power cut truncates each log to its recovery point,
since what else Kafka had flushed is unknown: it may drop more than a real one would, and it drops
nothing from the metadata log. Disk and clock faults are not supported.
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
_ONE_VOTER = "the cluster has one controller, so nothing restores what it loses"
_NO_HOOKS = "Apache Kafka has no debug hook for this fault"


class KafkaCluster(ClusterOfNodes):
    """A cluster of `testing.kafka_nodes.KafkaNodes`."""

    def __init__(self, settings: RunSettings, directory: Path, kinds: Collection[str]) -> None:
        """Start no process; `wait_ready` does. `kinds` are the faults that must be supported."""
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
        """Start every node; return when every broker serves requests."""
        self._opened = True
        super().wait_ready()

    def close(self) -> str:
        """Shut down in a controlled way, if the cluster was started."""
        return super().close() if self._opened else ""

    def cut_power(self, node: int) -> str:
        """Kill the node and truncate its logs to their recovery points."""
        if node not in self.brokers:
            raise NotDoneError("a controller has no recovery points")
        losses = power_cut.cut_power(lambda: self.kill(node), self._nodes.log_dirs(node))
        return f"cut back to its recovery points: {', '.join(map(str, losses)) or 'no record'}"

    def wipe(self, node: int) -> str:  # noqa: ARG002
        """Raise NotDoneError: the tool that starts the cluster formats no single node."""
        raise NotDoneError(_ONE_VOTER)

    def copy_metadata(self, node: int) -> None:  # noqa: ARG002
        """Raise NotDoneError: without another voter an old copy would lose records."""
        raise NotDoneError(_ONE_VOTER)

    def slow_sync(self, node: int, delay_ms: int) -> None:  # noqa: ARG002
        """Raise NotDoneError: Apache Kafka has no hook for this fault."""
        raise NotDoneError(_NO_HOOKS)

    def fill_disk(self, node: int) -> str:  # noqa: ARG002
        """Raise NotDoneError: Apache Kafka has no hook for this fault."""
        raise NotDoneError(_NO_HOOKS)

    def free_disk(self, node: int) -> None:
        """Do nothing, since `fill_disk` is not supported."""

    def shift_clock(self, node: int, offset_ms: int) -> None:  # noqa: ARG002
        """Raise NotDoneError: Apache Kafka has no hook for this fault."""
        raise NotDoneError(_NO_HOOKS)
