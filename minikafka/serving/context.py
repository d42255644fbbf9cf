"""The context of a handler: the request and the parts of the node that it may use.

A context is created for each request. It does not store the time: `now_ms` reads the node's clock,
so that a resumed handler sees the time of the step that resumed it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from minikafka.common.environment import Environment
from minikafka.common.ids import Uuid
from minikafka.common.principal import KafkaPrincipal
from minikafka.config.node_config import NodeConfig
from minikafka.config.values import ConfigLayers
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.local_broker import LocalBroker, broker_layers
from minikafka.serving.absent import AbsentFeatureWarnings
from minikafka.serving.encoded import EncodedResponses
from minikafka.serving.leaving_brokers import LeavingBrokers

if TYPE_CHECKING:
    from minikafka.controller.quorum_controller import QuorumController
    from minikafka.group.coordinator import GroupCoordinator
    from minikafka.log.directories.log_manager import LogManager
    from minikafka.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
    from minikafka.raft.raft_node import RaftNode
    from minikafka.replica.auto_topics import AutoTopics
    from minikafka.replica.broker_lifecycle import BrokerLifecycle
    from minikafka.replica.fetch_session import FetchSessions
    from minikafka.replica.log_cleaner import LogCleaner
    from minikafka.replica.producer_ids import ProducerIds
    from minikafka.replica.replica_manager import ReplicaManager
    from minikafka.replica.transactional_appends import TransactionalAppends
    from minikafka.rpc.controller_channel import ControllerChannel
    from minikafka.security.authorizer import Authorizer
    from minikafka.transaction.coordinator import TransactionCoordinator

    class RepeatedLogins(Protocol):
        """Logins of clients that have logged in before; see `node/logins.py`."""

        def repeat(
            self, number: int, request: "SaslHandshakeRequest", version: int
        ) -> "SaslHandshakeResponse | None":
            """Begin a login on the connection `number`; None if it is answered later."""


class KeyCheck(Protocol):
    """The check of new keys and certificates, which are in files of this node."""

    def problem(self, values: Mapping[str, str]) -> str:
        """Return why a listener could not use these dynamic values; empty if it could."""


@dataclass(slots=True, eq=False, repr=False)
class NodeServices:
    """The services of both roles."""

    env: Environment
    config: NodeConfig
    cluster_id: str
    raft: "RaftNode"
    loader: MetadataLoader
    authorizer: "Authorizer | None"
    logins: "RepeatedLogins | None" = field(default=None, kw_only=True)
    """None if the node has no SASL listener."""

    @property
    def image(self) -> MetadataImage:
        """The committed metadata that this node has applied."""
        return self.loader.image

    def config_layers(self) -> ConfigLayers:
        """Return the sources of this node's broker configuration values, including dynamic ones."""
        config = self.config
        return broker_layers(self.image, config.node_id, config.values.given)


@dataclass(slots=True, eq=False, repr=False)
class BrokerServices(NodeServices):
    """The services for handlers on broker listeners."""

    logs: "LogManager"
    replicas: "ReplicaManager"
    cleaner: "LogCleaner"
    transactional_appends: "TransactionalAppends"
    fetch_sessions: "FetchSessions"
    groups: "GroupCoordinator"
    transactions: "TransactionCoordinator"
    lifecycle: "BrokerLifecycle"
    producer_ids: "ProducerIds"
    auto_topics: "AutoTopics"
    forwarding: "ControllerChannel"
    local: LocalBroker
    leaving_brokers: LeavingBrokers
    keys: KeyCheck | None = None
    """None if the node has no listener with TLS."""
    absent: AbsentFeatureWarnings = field(default_factory=AbsentFeatureWarnings)
    metadata_responses: EncodedResponses = field(default_factory=EncodedResponses)

    @property
    def broker_id(self) -> int:
        """The id of this broker."""
        return self.config.node_id


@dataclass(slots=True, eq=False, repr=False)
class ControllerServices(NodeServices):
    """The services for handlers on controller listeners."""

    controller: "QuorumController"
    directory_id: Uuid


@dataclass(slots=True, eq=False, repr=False)
class RequestContext:
    """One request: its header and the connection that it arrived on."""

    env: Environment
    api_key: int
    version: int
    correlation_id: int
    client_id: str | None
    listener: str
    peer_host: str
    principal: KafkaPrincipal

    @property
    def authorizer(self) -> "Authorizer | None":
        """The authorizer; None if the node has none, and everybody may do everything."""
        raise NotImplementedError

    @property
    def has_caught_up(self) -> bool:
        """False if the node may not know ACLs that were committed long ago."""
        return True

    @property
    def now_ms(self) -> int:
        """The monotonic time of the running step."""
        return self.env.clock.monotonic_ms

    def deadline_ms(self, timeout_ms: int) -> int:
        """The monotonic time `timeout_ms` from now."""
        return self.env.clock.monotonic_ms + max(timeout_ms, 0)


@dataclass(slots=True, eq=False, repr=False)
class BrokerContext(RequestContext):
    """A request on a broker listener."""

    broker: BrokerServices
    frame: memoryview | None
    """The request bytes, for forwarding; not valid after the handler has waited."""

    @property
    def authorizer(self) -> "Authorizer | None":
        """See `RequestContext`."""
        return self.broker.authorizer

    @property
    def has_caught_up(self) -> bool:
        """See `RequestContext`."""
        return self.broker.lifecycle.has_caught_up

    @property
    def may_be_broker(self) -> bool:
        """True if the request arrived on the inter-broker listener, which clients may share.

        Without an authorizer this replaces the right to CLUSTER_ACTION that Kafka requires of a
        broker: see `authorization.may_act_as_broker`.
        """
        return self.listener == self.broker.config.inter_broker_listener_name


@dataclass(slots=True, eq=False, repr=False)
class ControllerContext(RequestContext):
    """A request on a controller listener, or one that a broker forwarded in an Envelope.

    `connection` is the number of the connection: the broker's, if the request was forwarded.
    """

    services: ControllerServices
    connection: int
    is_forwarded: bool = False

    @property
    def authorizer(self) -> "Authorizer | None":
        """See `RequestContext`."""
        return self.services.authorizer
