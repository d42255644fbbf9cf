"""The input of a controller decision: latest metadata, configuration in force, broker sessions.

A view is created for each operation and not kept after it. Operations are functions of a view and a
request.

Source: `ReplicationControlManager` (effective min ISR, `LeaderAcceptor`),
`ClusterControlManager.defaultDir`; docs/rules.md H6, E12, L7.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar, cast

from minikafka.common.ids import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    TopicIdPartition,
    Uuid,
)
from minikafka.config import topic as topic_keys
from minikafka.config.broker import (
    ELIGIBLE_LEADER_REPLICAS_ENABLED,
    UNCLEAN_RECOVERY_MANAGER_ENABLED,
    UNCLEAN_RECOVERY_TIMEOUT_MS,
)
from minikafka.config.definition import Key
from minikafka.config.values import Config, ConfigLayers
from minikafka.controller.broker_heartbeats import BrokerHeartbeats
from minikafka.controller.election import Acceptable, Election, Strategy
from minikafka.controller.partition_change import ChangeContext, Target, partition_change
from minikafka.controller.replica_index import IndexedPartition, ReplicaIndex
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION, ELR_FROM, METADATA_VERSION
from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_TOPIC,
    ImageBuilder,
    MetadataImage,
    TopicImage,
)
from minikafka.metadata.local_broker import broker_layers
from minikafka.metadata.partition_registration import PartitionRegistration, effective_min_isr
from minikafka.metadata.replay import replay
from minikafka.metadata.serde import MetadataRecord

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The latest image (including records that are not committed yet), its index and configuration.

    `next_offset` is the offset that the first record of the operation will get. `heartbeats` are
    the broker sessions, which decisions about brokers update; `now_ms` is their monotonic time.
    """

    image: MetadataImage
    index: ReplicaIndex
    config: Config
    node_id: int
    kraft_version: int
    next_offset: int
    rng: Random
    cluster_id: str
    heartbeats: BrokerHeartbeats
    now_ms: int
    _topic_values: dict[tuple[str, str], object] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """A cache by key name and topic: an operation may read a value once for each partition."""

    @property
    def metadata_version(self) -> int:
        """The finalized metadata.version; 0 before the cluster is bootstrapped."""
        return self.image.feature(METADATA_VERSION)

    @property
    def elr_enabled(self) -> bool:
        """E12: True if the ELR is kept."""
        return (
            self.image.feature(ELIGIBLE_LEADER_REPLICAS_VERSION) > 0
            and self.metadata_version >= ELR_FROM
            and self.config[ELIGIBLE_LEADER_REPLICAS_ENABLED]
        )

    def layers(self) -> ConfigLayers:
        """Return the sources of broker configuration values, as this controller sees them."""
        return broker_layers(self.image, self.node_id, self.config.given)

    def topic_value(self, key: Key[T], topic: str) -> T:
        """Return the effective value of a key for a topic."""
        known, name = self._topic_values, (key.name, topic)
        if name not in known:
            known[name] = self.layers().topic_value(key, self.image.config(RESOURCE_TOPIC, topic))
        return cast(T, known[name])

    def min_insync_replicas(self, topic: str) -> int:
        """Return the configured minimum of a topic; a partition may have fewer replicas."""
        return self.topic_value(topic_keys.MIN_INSYNC_REPLICAS, topic)

    def min_isr(self, topic: str, registration: PartitionRegistration) -> int:
        """Return the effective min ISR of one partition of `topic` (H6).

        Unlike Kafka (row I2), whose `getTopicEffectiveMinIsr` uses the number of replicas of
        partition 0 for all partitions, and so drops the ELR of a partition with more replicas too
        early.
        """
        return effective_min_isr(self.min_insync_replicas(topic), len(registration.replicas))

    def unclean_allowed(self, topic: str) -> bool:
        """True if a replica that may lack records may lead (L5, L6)."""
        return self.topic_value(topic_keys.UNCLEAN_LEADER_ELECTION_ENABLE, topic)

    def election(self, topic: str) -> Election:
        """Return the kind of automatic elections; clean with the recovery manager (L3, L4)."""
        if self.recovery_enabled:
            return Election.ONLINE
        return Election.UNCLEAN if self.unclean_allowed(topic) else Election.ONLINE

    @property
    def recovery_enabled(self) -> bool:
        """True if the unclean recovery manager replaces unclean elections."""
        return self._cluster_value(UNCLEAN_RECOVERY_MANAGER_ENABLED)

    @property
    def recovery_timeout_ms(self) -> int:
        """The time that a balanced recovery waits for more answers than it needs (U5)."""
        return self._cluster_value(UNCLEAN_RECOVERY_TIMEOUT_MS)

    def _cluster_value(self, key: Key[T]) -> T:
        value = key.parse_stored(self.image.config(RESOURCE_BROKER, "").get(key.name))
        return self.config[key] if value is None else value

    def strategy(self, topic: str) -> Strategy:
        """Return the recovery strategy of a topic's partitions (L7).

        The topic's values are read first, then the layers of broker values. In each layer the
        strategy takes precedence over the deprecated key, so the layer nearest to the topic
        decides, whichever of the two keys it sets. A value that cannot be parsed has no effect.
        """
        strategy, deprecated = (
            topic_keys.UNCLEAN_RECOVERY_STRATEGY,
            topic_keys.UNCLEAN_LEADER_ELECTION_ENABLE,
        )
        for layer in (self.image.config(RESOURCE_TOPIC, topic), *self.layers()):
            name = strategy.parse_stored(layer.get(strategy.name))
            if name is not None:
                return Strategy(name)
            allowed = deprecated.parse_stored(layer.get(deprecated.name))
            if allowed is not None:
                return Strategy.AGGRESSIVE if allowed else Strategy.BALANCED
        return Strategy(strategy.default)

    def acceptable(
        self, registration: PartitionRegistration, *, without: int = -1, including: int = -1
    ) -> Acceptable:
        """Return a test for replicas that may lead: broker active, log directory online.

        `without` counts as fenced and `including` as active: the same operation is writing records
        that make them so.
        """

        def acceptable(replica: int) -> bool:
            broker = self.image.brokers.get(replica)
            if broker is None or replica == without:
                return False
            if not broker.active and replica != including:
                return False
            if replica not in registration.replicas:
                # The change itself adds it, so it has no log yet.
                return False
            return is_online(registration.directory(replica), broker.log_dirs)

        return acceptable

    def default_directory(self, broker_id: int) -> Uuid:
        """Return the directory of a new replica; UNASSIGNED if the broker will choose it."""
        broker = self.image.brokers.get(broker_id)
        if broker is None or not broker.log_dirs:
            return DIRECTORY_MIGRATING
        return broker.log_dirs[0] if len(broker.log_dirs) == 1 else DIRECTORY_UNASSIGNED

    def change(
        self,
        found: IndexedPartition,
        target: Target,
        *,
        election: Election | None = None,
        without: int = -1,
        including: int = -1,
        designated: int = -1,
    ) -> PartitionChangeRecord | None:
        """Return the record that brings a partition to `target`, or None if nothing changes.

        `election` defaults to the election that the topic's configuration allows.
        """
        return partition_change(
            found.partition,
            found.registration,
            target,
            ChangeContext(
                min_insync_replicas=self.min_insync_replicas(found.topic.name),
                elr_enabled=self.elr_enabled,
                metadata_version=self.metadata_version,
                election=self.election(found.topic.name) if election is None else election,
                acceptable=self.acceptable(
                    found.registration, without=without, including=including
                ),
                default_directory=self.default_directory,
                recovery_enabled=self.recovery_enabled,
                designated=designated,
            ),
        )

    def after(self, records: Iterable[MetadataRecord]) -> "View":
        """Return the view with these records applied; its index is not updated."""
        builder = ImageBuilder(self.image)
        for record in records:
            replay(builder, record, self.next_offset)
        return replace(self, image=builder.build(self.image.offset, self.image.epoch))

    def find(self, topic: TopicImage, index: int) -> IndexedPartition | None:
        """Return a partition of a topic, or None."""
        registration = topic.partitions.get(index)
        if registration is None:
            return None
        return IndexedPartition(topic, TopicIdPartition(topic.topic_id, index), registration)


def replication_factor(topic: TopicImage) -> int:
    """Return the number of replicas of a topic's first partition."""
    return len(topic.partitions[0].replicas)


def is_online(directory: Uuid, log_dirs: tuple[Uuid, ...]) -> bool:
    """True if a broker with these directories can use a replica in `directory`.

    Source: `DirectoryId.isOnline`.
    """
    if directory in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING):
        return True
    if directory == DIRECTORY_LOST:
        return False
    return not log_dirs or directory in log_dirs
