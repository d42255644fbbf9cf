"""What a handler may touch.

A context is made for each request. It never stores the time: `now_ms` is asked of the node's clock,
so that a resumed handler sees the time of the step that resumed it.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from minikafka.apis._absent import AbsentFeatureWarnings
from minikafka.apis._encoded import EncodedResponses
from minikafka.common.environment import Environment
from minikafka.common.ids import Uuid
from minikafka.config.node_config import NodeConfig
from minikafka.config.values import Config, ConfigLayers
from minikafka.metadata.image import RESOURCE_BROKER, MetadataImage
from minikafka.metadata.loader import MetadataLoader

if TYPE_CHECKING:
    from minikafka.controller.quorum_controller import QuorumController
    from minikafka.group.coordinator import GroupCoordinator
    from minikafka.log.log_manager import LogManager
    from minikafka.raft.raft_node import RaftNode
    from minikafka.replica.auto_topics import AutoTopics
    from minikafka.replica.broker_lifecycle import BrokerLifecycle
    from minikafka.replica.fetch_session import FetchSessions
    from minikafka.replica.producer_ids import ProducerIds
    from minikafka.replica.replica_manager import ReplicaManager
    from minikafka.rpc.controller_channel import ControllerChannel


@dataclass(slots=True)
class NodeServices:
    """What both roles have."""

    env: Environment
    node: NodeConfig
    cluster_id: str
    raft: "RaftNode"
    loader: MetadataLoader

    @property
    def image(self) -> MetadataImage:
        """The committed metadata that this node has seen."""
        return self.loader.image

    def config_layers(self) -> ConfigLayers:
        """Where this node's broker values come from, dynamic ones included."""
        image = self.image
        return ConfigLayers(
            dynamic_broker=image.config(RESOURCE_BROKER, str(self.node.node_id)),
            dynamic_default=image.config(RESOURCE_BROKER, ""),
            static=self.node.values.given,
        )


@dataclass(slots=True)
class BrokerServices(NodeServices):
    """What handlers on broker listeners work with."""

    logs: "LogManager"
    replicas: "ReplicaManager"
    fetch_sessions: "FetchSessions"
    groups: "GroupCoordinator"
    lifecycle: "BrokerLifecycle"
    producer_ids: "ProducerIds"
    auto_topics: "AutoTopics"
    forwarding: "ControllerChannel"
    dynamic: Config
    absent: AbsentFeatureWarnings = field(default_factory=AbsentFeatureWarnings)
    metadata_responses: EncodedResponses = field(default_factory=EncodedResponses)

    @property
    def broker_id(self) -> int:
        """The id of this broker."""
        return self.node.node_id


@dataclass(slots=True)
class ControllerServices(NodeServices):
    """What handlers on controller listeners work with."""

    controller: "QuorumController"
    directory_id: Uuid


@dataclass(slots=True)
class RequestContext:
    """One request: who asked, how, and what with."""

    env: Environment
    api_key: int
    version: int
    correlation_id: int
    client_id: str | None
    listener: str
    peer_host: str

    @property
    def now_ms(self) -> int:
        """Monotonic time of the running step."""
        return self.env.clock.monotonic_ms


@dataclass(slots=True)
class BrokerContext(RequestContext):
    """A request on a broker listener."""

    broker: BrokerServices
    frame: memoryview | None
    """The request as it came, for forwarding; gone once the handler has waited."""

    @property
    def may_be_broker(self) -> bool:
        """Whether the request came where brokers connect; clients may share that listener.

        It stands in for the ClusterAction that Kafka asks a broker's principal for.
        """
        return self.listener == self.broker.node.inter_broker_listener_name

    def deadline_ms(self, timeout_ms: int) -> int:
        """The monotonic time `timeout_ms` from now."""
        return self.env.clock.monotonic_ms + max(timeout_ms, 0)


@dataclass(slots=True)
class ControllerContext(RequestContext):
    """A request on a controller listener, or one that a broker forwarded in an Envelope."""

    server: ControllerServices

    def deadline_ms(self, timeout_ms: int) -> int:
        """The monotonic time `timeout_ms` from now."""
        return self.env.clock.monotonic_ms + max(timeout_ms, 0)
