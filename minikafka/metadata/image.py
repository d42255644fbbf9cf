"""The cluster's metadata at one offset of the metadata log, as an immutable value.

An image shares all unchanged parts with the image before it. A shared part is the *same object*:
`metadata/delta.py` finds changes by identity.

Source: `MetadataImage` and its parts; the builder stands in for `MetadataDelta`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.metadata.broker_registration import BrokerRegistration, ControllerRegistration
from minikafka.metadata.carried import Carried, CarriedChange, CarriedKey
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.metadata.serde import MetadataRecord

RESOURCE_TOPIC = 2
RESOURCE_BROKER = 4
RESOURCE_BROKER_LOGGER = 8
RESOURCE_CLIENT_METRICS = 16
RESOURCE_GROUP = 32


@dataclass(frozen=True, slots=True)
class TopicImage:
    """One topic: partitions by index, from 0 without gaps."""

    name: str
    topic_id: Uuid
    partitions: Mapping[int, PartitionRegistration]


@dataclass(frozen=True, slots=True)
class MetadataImage:
    """The state of the metadata log up to and including `offset` (-1: empty)."""

    offset: int = -1
    epoch: int = 0
    topics: Mapping[Uuid, TopicImage] = field(default_factory=dict)
    topic_ids: Mapping[str, Uuid] = field(default_factory=dict)
    brokers: Mapping[int, BrokerRegistration] = field(default_factory=dict)
    controllers: Mapping[int, ControllerRegistration] = field(default_factory=dict)
    configs: Mapping[tuple[int, str], Mapping[str, str]] = field(default_factory=dict)
    features: Mapping[str, int] = field(default_factory=dict)
    next_producer_id: int = 0
    carried: Carried = field(default_factory=dict)

    def topic(self, name: str) -> TopicImage | None:
        """The topic of this name, or None."""
        topic_id = self.topic_ids.get(name)
        return None if topic_id is None else self.topics[topic_id]

    def partition(self, name: str, index: int) -> PartitionRegistration | None:
        """A partition by topic name, or None."""
        topic = self.topic(name)
        return None if topic is None else topic.partitions.get(index)

    def config(self, resource_type: int, name: str) -> Mapping[str, str]:
        """The values that are set on a resource; empty if there are none."""
        return self.configs.get((resource_type, name), _NOTHING)

    def feature(self, name: str) -> int:
        """The finalized level of a feature; 0 if it is not finalized."""
        return self.features.get(name, 0)

    def broker_is_active(self, broker: int) -> bool:
        """True if a broker is registered, unfenced and not shutting down."""
        registration = self.brokers.get(broker)
        return registration is not None and registration.active

    def all_partitions(self) -> Iterator[tuple[TopicPartition, Uuid, PartitionRegistration]]:
        """Every partition, in the order of topic creation."""
        for topic in self.topics.values():
            for index, registration in topic.partitions.items():
                yield TopicPartition(topic.name, index), topic.topic_id, registration


_NOTHING: Mapping[str, str] = {}


@dataclass(slots=True, eq=False, repr=False)
class ImageBuilder:
    """A new image that records change; each part is copied when it is first changed."""

    base: MetadataImage
    _topics: dict[Uuid, TopicImage] | None = None
    _topic_ids: dict[str, Uuid] | None = None
    _brokers: dict[int, BrokerRegistration] | None = None
    _controllers: dict[int, ControllerRegistration] | None = None
    _configs: dict[tuple[int, str], Mapping[str, str]] | None = None
    _features: dict[str, int] | None = None
    _next_producer_id: int | None = None
    _carried: dict[CarriedKey, MetadataRecord] | None = None
    _own_partitions: dict[Uuid, dict[int, PartitionRegistration]] = field(default_factory=dict)
    known_registrations: dict[tuple[object, ...], PartitionRegistration] = field(
        default_factory=dict
    )
    """Equal new partitions, like most of a new topic, share one registration."""

    @property
    def topics(self) -> Mapping[Uuid, TopicImage]:
        """The topics, including changes."""
        return self.base.topics if self._topics is None else self._topics

    @property
    def topic_ids(self) -> Mapping[str, Uuid]:
        """Topic ids by name, including changes."""
        return self.base.topic_ids if self._topic_ids is None else self._topic_ids

    @property
    def brokers(self) -> Mapping[int, BrokerRegistration]:
        """The brokers, including changes."""
        return self.base.brokers if self._brokers is None else self._brokers

    def put_topic(self, name: str, topic_id: Uuid) -> None:
        """Add a topic without partitions."""
        if self._topic_ids is None:
            self._topic_ids = dict(self.base.topic_ids)
        self._topic_ids[name] = topic_id
        own = self._own_partitions[topic_id] = {}
        self._own_topics()[topic_id] = TopicImage(name, topic_id, own)

    def remove_topic(self, topic_id: Uuid) -> None:
        """Remove a topic with its partitions and its configuration."""
        topic = self._own_topics().pop(topic_id)
        if self._topic_ids is None:
            self._topic_ids = dict(self.base.topic_ids)
        del self._topic_ids[topic.name]
        self._own_partitions.pop(topic_id, None)
        self._own_configs().pop((RESOURCE_TOPIC, topic.name), None)

    def put_partition(
        self, topic_id: Uuid, index: int, registration: PartitionRegistration
    ) -> None:
        """Add or replace a partition of a topic that exists."""
        own = self._own_partitions.get(topic_id)
        if own is None:
            topics = self._own_topics()
            topic = topics[topic_id]
            own = self._own_partitions[topic_id] = dict(topic.partitions)
            topics[topic_id] = replace(topic, partitions=own)
        own[index] = registration

    def put_broker(self, registration: BrokerRegistration) -> None:
        """Add or replace a broker."""
        if self._brokers is None:
            self._brokers = dict(self.base.brokers)
        self._brokers[registration.broker_id] = registration

    def remove_broker(self, broker: int) -> None:
        """Remove a broker."""
        if self._brokers is None:
            self._brokers = dict(self.base.brokers)
        del self._brokers[broker]

    def put_controller(self, registration: ControllerRegistration) -> None:
        """Add or replace a controller."""
        if self._controllers is None:
            self._controllers = dict(self.base.controllers)
        self._controllers[registration.controller_id] = registration

    def remove_controller(self, controller: int) -> None:
        """Remove a controller, if it exists."""
        if self._controllers is None:
            self._controllers = dict(self.base.controllers)
        self._controllers.pop(controller, None)

    def set_config(self, resource_type: int, name: str, key: str, value: str | None) -> None:
        """Set a value of a resource, or remove it (`value` None)."""
        configs = self._own_configs()
        values = dict(configs.get((resource_type, name), _NOTHING))
        if value is None:
            values.pop(key, None)
        else:
            values[key] = value
        if values:
            configs[resource_type, name] = values
        else:
            configs.pop((resource_type, name), None)

    def set_feature(self, name: str, level: int) -> None:
        """Finalize a feature at `level`; level 0 removes it."""
        if self._features is None:
            self._features = dict(self.base.features)
        if level:
            self._features[name] = level
        else:
            self._features.pop(name, None)

    def set_next_producer_id(self, next_producer_id: int) -> None:
        """Set the first producer id that is not allocated yet."""
        self._next_producer_id = next_producer_id

    def set_carried(self, change: CarriedChange) -> None:
        """Set or remove a record of a subsystem that does not exist here."""
        if self._carried is None:
            self._carried = dict(self.base.carried)
        if change.record is None:
            # The record may be removed already. As Kafka, except for ACLs.
            self._carried.pop(change.key, None)
        else:
            self._carried[change.key] = change.record

    def build(self, offset: int, epoch: int) -> MetadataImage:
        """Make the changed image, as of `offset`. The builder must not be used afterwards."""
        base = self.base
        producer_id = self._next_producer_id
        return MetadataImage(
            offset=offset,
            epoch=epoch,
            topics=self.topics,
            topic_ids=self.topic_ids,
            brokers=self.brokers,
            controllers=base.controllers if self._controllers is None else self._controllers,
            configs=base.configs if self._configs is None else self._configs,
            features=base.features if self._features is None else self._features,
            next_producer_id=base.next_producer_id if producer_id is None else producer_id,
            carried=base.carried if self._carried is None else self._carried,
        )

    def _own_topics(self) -> dict[Uuid, TopicImage]:
        if self._topics is None:
            self._topics = dict(self.base.topics)
        return self._topics

    def _own_configs(self) -> dict[tuple[int, str], Mapping[str, str]]:
        if self._configs is None:
            self._configs = dict(self.base.configs)
        return self._configs
