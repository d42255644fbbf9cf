"""What a decision of the controller is made from: the latest metadata and the rules in force.

A view is made for each operation and holds nothing that outlives it. Operations are functions of a
view and a request.

Source: `ReplicationControlManager` (effective min ISR, `LeaderAcceptor`),
`ClusterControlManager.defaultDir`; SPEC H6, E12, L7.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar, cast

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.config import topic as topic_keys
from minikafka.config.broker import (
    ELIGIBLE_LEADER_REPLICAS_ENABLED,
    UNCLEAN_RECOVERY_MANAGER_ENABLED,
    UNCLEAN_RECOVERY_TIMEOUT_MS,
)
from minikafka.config.definition import Key
from minikafka.config.values import Config, ConfigLayers
from minikafka.controller.election import Acceptable, Election, Strategy
from minikafka.controller.partition_change import ELR_FROM, Rules, Target, partition_change
from minikafka.controller.replica_index import IndexedPartition, ReplicaIndex
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.image import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    METADATA_VERSION,
    RESOURCE_BROKER,
    RESOURCE_TOPIC,
    ImageBuilder,
    MetadataImage,
    TopicImage,
)
from minikafka.metadata.partition_registration import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    PartitionRegistration,
    effective_min_isr,
)
from minikafka.metadata.replay import replay
from minikafka.metadata.serde import MetadataRecord

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The latest image (records that are not committed yet included) and what goes with it.

    `next_offset` is where the first record of the operation will stand in the metadata log.
    """

    image: MetadataImage
    index: ReplicaIndex
    config: Config
    node_id: int
    kraft_version: int
    next_offset: int
    rng: Random
    _topic_values: dict[tuple[str, str], object] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """By name of the key and topic: an operation may ask for each of a topic's partitions."""

    @property
    def metadata_version(self) -> int:
        """The finalized metadata.version; 0 before the cluster is bootstrapped."""
        return self.image.feature(METADATA_VERSION)

    @property
    def elr_enabled(self) -> bool:
        """E12: whether the ELR is kept."""
        return (
            self.image.feature(ELIGIBLE_LEADER_REPLICAS_VERSION) > 0
            and self.metadata_version >= ELR_FROM
            and self.config[ELIGIBLE_LEADER_REPLICAS_ENABLED]
        )

    def layers(self) -> ConfigLayers:
        """Where broker values come from, as this controller sees it."""
        return ConfigLayers(
            dynamic_broker=self.image.config(RESOURCE_BROKER, str(self.node_id)),
            dynamic_default=self.image.config(RESOURCE_BROKER, ""),
            static=self.config.given,
        )

    def topic_value(self, key: Key[T], topic: str) -> T:
        """The value of a topic key that is in force for a topic."""
        known, name = self._topic_values, (key.name, topic)
        if name not in known:
            known[name] = self.layers().topic_value(key, self.image.config(RESOURCE_TOPIC, topic))
        return cast(T, known[name])

    def min_insync_replicas(self, topic: str) -> int:
        """The configured minimum of a topic; a partition may have fewer replicas."""
        return self.topic_value(topic_keys.MIN_INSYNC_REPLICAS, topic)

    def min_isr(self, topic: str, registration: PartitionRegistration) -> int:
        """The effective min ISR of one partition of `topic` (H6).

        Unlike Kafka: `getTopicEffectiveMinIsr` takes the number of replicas of partition 0 for all
        partitions, and so drops the ELR of a larger one too early.
        """
        return effective_min_isr(self.min_insync_replicas(topic), len(registration.replicas))

    def unclean_allowed(self, topic: str) -> bool:
        """Whether a replica that may lack records may lead (L5, L6)."""
        return self.topic_value(topic_keys.UNCLEAN_LEADER_ELECTION_ENABLE, topic)

    def election(self, topic: str) -> Election:
        """What an election does that nobody asked for; clean with the recovery manager (L3, L4)."""
        if self.recovery_enabled:
            return Election.ONLINE
        return Election.UNCLEAN if self.unclean_allowed(topic) else Election.ONLINE

    @property
    def recovery_enabled(self) -> bool:
        """Whether the unclean recovery manager takes the place of unclean elections."""
        return self._cluster_value(UNCLEAN_RECOVERY_MANAGER_ENABLED)

    @property
    def recovery_timeout_ms(self) -> int:
        """How long a balanced recovery waits for more answers than it needs (U5)."""
        return self._cluster_value(UNCLEAN_RECOVERY_TIMEOUT_MS)

    def _cluster_value(self, key: Key[T]) -> T:
        text = self.image.config(RESOURCE_BROKER, "").get(key.name)
        return self.config[key] if text is None else key.parse(text)

    def strategy(self, topic: str) -> Strategy:
        """L7: how a topic's partitions are recovered.

        The topic's own values are asked first, then the layers of broker values. In each the
        strategy counts before the deprecated key, so that whoever sets something nearer to the
        topic is obeyed, by whichever of the two names.
        """
        strategy, deprecated = (
            topic_keys.UNCLEAN_RECOVERY_STRATEGY,
            topic_keys.UNCLEAN_LEADER_ELECTION_ENABLE,
        )
        for layer in (self.image.config(RESOURCE_TOPIC, topic), *self.layers()):
            if strategy.name in layer:
                return Strategy(strategy.parse(layer[strategy.name]))
            if deprecated.name in layer:
                allowed = deprecated.parse(layer[deprecated.name])
                return Strategy.AGGRESSIVE if allowed else Strategy.BALANCED
        return Strategy(strategy.default)

    def acceptable(
        self, registration: PartitionRegistration, *, without: int = -1, including: int = -1
    ) -> Acceptable:
        """Who of the replicas may lead: active, with the directory of its replica online.

        `without` is taken for fenced and `including` for active: records that say so are being
        written by the same operation.
        """

        def acceptable(replica: int) -> bool:
            broker = self.image.brokers.get(replica)
            if broker is None or replica == without:
                return False
            if not broker.active and replica != including:
                return False
            return is_online(registration.directory(replica), broker.log_dirs)

        return acceptable

    def default_directory(self, broker_id: int) -> Uuid:
        """The directory of a new replica, as far as the controller can say."""
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
        """The record that brings a partition to `target`; the topic's own election by default."""
        return partition_change(
            found.partition,
            found.registration,
            target,
            Rules(
                min_insync_replicas=self.min_insync_replicas(found.topic.name),
                elr_enabled=self.elr_enabled,
                metadata_version=self.metadata_version,
                election=self.election(found.topic.name) if election is None else election,
                acceptable=self.acceptable(
                    found.registration, without=without, including=including
                ),
                default_directory=self.default_directory,
                last_known_may_lead=election is Election.UNCLEAN or not self.recovery_enabled,
                designated=designated,
            ),
        )

    def after(self, records: Iterable[MetadataRecord]) -> "View":
        """The view with these records applied; its index stays as it was."""
        builder = ImageBuilder(self.image)
        for record in records:
            replay(builder, record, self.next_offset)
        return replace(self, image=builder.build(self.image.offset, self.image.epoch))

    def find(self, topic: TopicImage, index: int) -> IndexedPartition | None:
        """A partition of a topic, or None."""
        registration = topic.partitions.get(index)
        if registration is None:
            return None
        return IndexedPartition(topic, TopicIdPartition(topic.topic_id, index), registration)


def replication_factor(topic: TopicImage) -> int:
    """How many replicas the first partition of a topic has."""
    return len(topic.partitions[0].replicas)


def is_online(directory: Uuid, log_dirs: tuple[Uuid, ...]) -> bool:
    """Whether a broker with these directories can use a replica in `directory`.

    Source: `DirectoryId.isOnline`.
    """
    if directory in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING):
        return True
    if directory == DIRECTORY_LOST:
        return False
    return not log_dirs or directory in log_dirs
