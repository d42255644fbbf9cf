"""Creation and deletion of topics, and addition of partitions.

Each topic of a request succeeds or fails separately; all that succeed are written in one batch.

Source: `ReplicationControlManager` (`createTopics`, `createPartitions`, `deleteTopics`),
`ControllerApis`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.errors import (
    ErrorCode,
    InvalidConfigError,
    InvalidPartitionsError,
    InvalidReplicaAssignmentError,
    InvalidReplicationFactorError,
    InvalidRequestError,
    InvalidTopicError,
    KafkaError,
    PolicyViolationError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    TopicDeletionDisabledError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.config import broker as broker_keys
from minikafka.config.topic import MIN_INSYNC_REPLICAS, TOPIC_KEYS
from minikafka.config.values import check_topic_conflicts, check_topic_values
from minikafka.controller.manual_assignment import check_replicas
from minikafka.controller.replica_placer import place
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View, replication_factor
from minikafka.messages import create_partitions as partition_messages
from minikafka.messages import create_topics as topic_messages
from minikafka.messages import delete_topics as delete_messages
from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.remove_topic_record import RemoveTopicRecord
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.metadata.image import RESOURCE_TOPIC, TopicImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.metadata.serde import MetadataRecord
from minikafka.metadata.topic_name import METADATA_TOPIC, fault_in_topic_name, metric_name

MAX_PARTITIONS_PER_REQUEST = 10_000
_BY_DEFAULT = -1
_NAME_TWICE = "Duplicate topic name."


@dataclass(slots=True)
class _Batch:
    """The decisions of a request so far."""

    view: View
    records: list[MetadataRecord] = field(default_factory=list)
    _by_metric_name: dict[str, str] = field(default_factory=dict)
    _shown: dict[tuple[tuple[str, str], ...], list[topic_messages.CreatableTopicConfigs]] = field(
        default_factory=dict
    )

    def shown_configs(self, own: dict[str, str]) -> list[topic_messages.CreatableTopicConfigs]:
        """As `_shown_configs`; topics with the same configuration share one list."""
        key = tuple(own.items())
        shown = self._shown.get(key)
        if shown is None:
            shown = self._shown[key] = _shown_configs(self.view, own)
        return shown

    def colliding(self, name: str) -> str | None:
        """Return an existing topic with the same metric name, or None.

        As Kafka: topics of one request are not compared.
        """
        known = self._by_metric_name
        if not known:
            known.update((metric_name(each), each) for each in self.view.image.topic_ids)
        return known.get(metric_name(name))


def create_topics(
    view: View, request: topic_messages.CreateTopicsRequest
) -> ControllerResult[topic_messages.CreateTopicsResponse]:
    """Create each valid topic; a validate-only request writes nothing.

    Raises:
        PolicyViolationError: the request has more partitions than one request may create.
    """
    _check_partition_count(view, request.topics)
    batch = _Batch(view)
    twice = _repeated(topic.name for topic in request.topics)
    results = [_answer_repeated(name) for name in twice]
    for topic in request.topics:
        if topic.name in twice:
            continue
        try:
            results.append(_create(batch, topic))
        except KafkaError as error:
            results.append(
                topic_messages.CreatableTopicResult(
                    name=topic.name,
                    error_code=error.code,
                    error_message=error.message,
                    configs=None,
                )
            )
    response = topic_messages.CreateTopicsResponse(topics=results)
    records = [] if request.validate_only else batch.records
    return ControllerResult(records, response, atomic=True)


def _check_partition_count(view: View, topics: list[topic_messages.CreatableTopic]) -> None:
    by_default = view.config[broker_keys.NUM_PARTITIONS]
    total = sum(
        len(topic.assignments)
        or (by_default if topic.num_partitions == _BY_DEFAULT else max(topic.num_partitions, 0))
        for topic in topics
    )
    if total > MAX_PARTITIONS_PER_REQUEST:
        raise PolicyViolationError("Excessively large number of partitions per request.")


def _repeated(names: Iterable[str]) -> dict[str, None]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return {name: None for name, count in counts.items() if count > 1}


def _answer_repeated(name: str) -> topic_messages.CreatableTopicResult:
    return topic_messages.CreatableTopicResult(
        name=name,
        error_code=ErrorCode.INVALID_REQUEST,
        error_message=_NAME_TWICE,
        configs=None,
    )


def _create(
    batch: _Batch, topic: topic_messages.CreatableTopic
) -> topic_messages.CreatableTopicResult:
    view = batch.view
    _check_name(batch, topic.name)
    configs = _checked_configs(view, topic.configs)
    assignment = _assignment(view, topic)
    topic_id = Uuid.draw(view.rng)
    batch.records.append(TopicRecord(name=topic.name, topic_id=topic_id))
    batch.records += [
        ConfigRecord(resource_type=RESOURCE_TOPIC, resource_name=topic.name, name=key, value=value)
        for key, value in configs.items()
    ]
    if view.elr_enabled and MIN_INSYNC_REPLICAS.name in configs:
        # As Kafka: this record follows every setting of min.insync.replicas, also the first.
        batch.records.append(ClearElrRecord(topic_name=topic.name))
    batch.records += _new_partitions(view, topic_id, assignment)
    return topic_messages.CreatableTopicResult(
        name=topic.name,
        topic_id=topic_id,
        error_message=None,
        num_partitions=len(assignment),
        replication_factor=len(assignment[0]),
        configs=batch.shown_configs(configs),
    )


def _check_name(batch: _Batch, name: str) -> None:
    if name == METADATA_TOPIC:
        raise InvalidRequestError(f"Creation of internal topic {METADATA_TOPIC} is prohibited.")
    fault = fault_in_topic_name(name)
    if fault is not None:
        raise InvalidTopicError(fault)
    topics = batch.view.image.topic_ids
    if name in topics:
        raise TopicAlreadyExistsError(f"Topic {name!r} already exists.")
    if "." in name or "_" in name:
        other = batch.colliding(name)
        if other is not None:
            raise InvalidTopicError(f"Topic '{name}' collides with existing topic: {other}")


def _checked_configs(
    view: View, given: list[topic_messages.CreatableTopicConfig]
) -> dict[str, str]:
    fault = check_topic_values((config.name, config.value) for config in given)
    if fault is not None:
        raise InvalidConfigError(fault)
    found = {}
    for config in given:
        key = TOPIC_KEYS.get(config.name)
        if config.value is not None and key is not None:
            found[config.name] = key.spelling(config.value)
    conflict = check_topic_conflicts(view.layers(), found)
    if conflict is not None:
        raise InvalidConfigError(conflict)
    return found


def _shown_configs(view: View, own: dict[str, str]) -> list[topic_messages.CreatableTopicConfigs]:
    """Return every configuration key of the topic with its effective value and source."""
    layers = view.layers()
    shown = []
    for key in TOPIC_KEYS:
        origin = layers.topic_origins(key, own)[0]
        shown.append(
            topic_messages.CreatableTopicConfigs(
                name=key.name,
                value=layers.topic_text(key, own),
                config_source=origin.source,
                is_sensitive=key.sensitive,
            )
        )
    return shown


def _assignment(view: View, topic: topic_messages.CreatableTopic) -> list[tuple[int, ...]]:
    """Return the replicas of each partition, as requested or as placed here."""
    if topic.assignments:
        return _manual_assignment(view, topic)
    partitions, factor = topic.num_partitions, topic.replication_factor
    if factor < _BY_DEFAULT or factor == 0:
        raise InvalidReplicationFactorError(
            "Replication factor must be larger than 0, or -1 to use the default value."
        )
    if partitions < _BY_DEFAULT or partitions == 0:
        raise InvalidPartitionsError(
            "Number of partitions was set to an invalid non-positive value."
        )
    if partitions == _BY_DEFAULT:
        partitions = view.config[broker_keys.NUM_PARTITIONS]
    if factor == _BY_DEFAULT:
        factor = view.config[broker_keys.DEFAULT_REPLICATION_FACTOR]
    try:
        return place(
            view.image.brokers.values(),
            partitions=partitions,
            replication_factor=factor,
            rng=view.rng,
        )
    except InvalidReplicationFactorError as error:
        raise InvalidReplicationFactorError(
            f"Unable to replicate the partition {factor} time(s): {error.message}"
        ) from None


def _manual_assignment(view: View, topic: topic_messages.CreatableTopic) -> list[tuple[int, ...]]:
    if topic.replication_factor != _BY_DEFAULT:
        raise InvalidRequestError(
            "A manual partition assignment was specified, but replication factor was not set to -1."
        )
    if topic.num_partitions != _BY_DEFAULT:
        raise InvalidRequestError(
            "A manual partition assignment was specified, but numPartitions was not set to -1."
        )
    by_index: dict[int, tuple[int, ...]] = {}
    for row in topic.assignments:
        if row.partition_index in by_index:
            raise InvalidReplicaAssignmentError(
                f"partition {row.partition_index} is assigned twice"
            )
        by_index[row.partition_index] = tuple(row.broker_ids)
    first = len(next(iter(by_index.values())))
    for index, replicas in by_index.items():
        check_replicas(view, replicas, factor=first, partition=index)
    if sorted(by_index) != list(range(len(by_index))):
        raise InvalidReplicaAssignmentError(
            "partitions should be a consecutive 0-based integer sequence"
        )
    return [by_index[index] for index in range(len(by_index))]


def _new_partitions(
    view: View, topic_id: Uuid, assignment: list[tuple[int, ...]], first_index: int = 0
) -> list[MetadataRecord]:
    known: dict[tuple[int, ...], PartitionRegistration] = {}
    records: list[MetadataRecord] = []
    for index, replicas in enumerate(assignment, first_index):
        registration = known.get(replicas)
        if registration is None:
            registration = known[replicas] = _new_partition(view, replicas)
        records.append(registration.to_record(topic_id, index))
    return records


def _new_partition(view: View, replicas: tuple[int, ...]) -> PartitionRegistration:
    """Return a new partition: all active replicas are in the ISR, the first of them leads."""
    isr = tuple(replica for replica in replicas if view.image.broker_is_active(replica))
    if not isr:
        raise InvalidReplicationFactorError(
            f"Unable to replicate the partition {len(replicas)} time(s): All brokers are currently "
            "fenced or in controlled shutdown."
        )
    return PartitionRegistration(
        replicas=replicas,
        directories=tuple(view.default_directory(replica) for replica in replicas),
        isr=isr,
        leader=isr[0],
        leader_epoch=0,
        partition_epoch=0,
    )


def create_partitions(
    view: View, request: partition_messages.CreatePartitionsRequest
) -> ControllerResult[partition_messages.CreatePartitionsResponse]:
    """Add partitions to topics; each topic succeeds or fails separately."""
    records: list[MetadataRecord] = []
    twice = _repeated(topic.name for topic in request.topics)
    results = [_partitions_refused(name, InvalidRequestError(_NAME_TWICE)) for name in twice]
    for asked in request.topics:
        if asked.name in twice:
            continue
        try:
            records += _added_partitions(view, asked, len(records))
        except KafkaError as error:
            results.append(_partitions_refused(asked.name, error))
        else:
            results.append(partition_messages.CreatePartitionsTopicResult(name=asked.name))
    response = partition_messages.CreatePartitionsResponse(results=results)
    return ControllerResult([] if request.validate_only else records, response, atomic=True)


def _partitions_refused(
    name: str, error: KafkaError
) -> partition_messages.CreatePartitionsTopicResult:
    return partition_messages.CreatePartitionsTopicResult(
        name=name, error_code=error.code, error_message=error.message
    )


def _added_partitions(
    view: View, asked: partition_messages.CreatePartitionsTopic, already: int
) -> list[MetadataRecord]:
    topic = view.image.topic(asked.name)
    if topic is None:
        raise UnknownTopicOrPartitionError
    if asked.name in INTERNAL_TOPICS:
        # Unlike Kafka (row W6).
        raise InvalidPartitionsError(
            f"Topic {asked.name} cannot have more partitions: its coordinators would not find the "
            "records of groups and transactional ids that are there."
        )
    present = len(topic.partitions)
    if asked.count <= present:
        raise InvalidPartitionsError(
            f"Topic already has {present} partition(s)."
            if asked.count == present
            else f"The topic {asked.name} currently has {present} partition(s); {asked.count} "
            "would not be an increase."
        )
    added = asked.count - present
    if already + added > MAX_PARTITIONS_PER_REQUEST:
        raise PolicyViolationError(
            f"one request can create at most {MAX_PARTITIONS_PER_REQUEST} partitions"
        )
    assignment = _added_assignment(view, topic, asked, added)
    return _new_partitions(view, topic.topic_id, assignment, present)


def _added_assignment(
    view: View,
    topic: TopicImage,
    asked: partition_messages.CreatePartitionsTopic,
    added: int,
) -> list[tuple[int, ...]]:
    factor = replication_factor(topic)
    if asked.assignments is None:
        return place(
            view.image.brokers.values(),
            partitions=added,
            replication_factor=factor,
            rng=view.rng,
        )
    if len(asked.assignments) != added:
        raise InvalidReplicaAssignmentError(
            f"Attempted to add {added} additional partition(s), but only "
            f"{len(asked.assignments)} assignment(s) were specified."
        )
    first_new = len(topic.partitions)
    for index, row in enumerate(asked.assignments, first_new):
        check_replicas(view, row.broker_ids, factor=factor, partition=index)
    return [tuple(row.broker_ids) for row in asked.assignments]


class TopicRights(NamedTuple):
    """Whether a client may see a topic, and whether it may delete it."""

    may_see: Callable[[str], bool]
    may_delete: Callable[[str], bool]


_ALL_RIGHTS = TopicRights(lambda _: True, lambda _: True)


def delete_topics(
    view: View,
    request: delete_messages.DeleteTopicsRequest,
    version: int,
    rights: TopicRights = _ALL_RIGHTS,
) -> ControllerResult[delete_messages.DeleteTopicsResponse]:
    """Delete topics by name, or (v6) by name or id; each succeeds or fails separately.

    Whether a topic exists is only said to clients that may see it; a topic id is no secret.

    Raises:
        TopicDeletionDisabledError, InvalidRequestError: delete.topic.enable is false.
    """
    if not view.config[broker_keys.DELETE_TOPIC_ENABLE]:
        if version < _DISABLED_ERROR_FROM:
            raise InvalidRequestError("delete.topic.enable is false")
        raise TopicDeletionDisabledError
    results: list[delete_messages.DeletableTopicResult] = []
    names, ids = _named_topics(request, results)
    doomed: dict[Uuid, TopicImage] = {}
    for topic_id, count in ids.items():
        topic = view.image.topics.get(topic_id)
        if count > 1:
            results.append(_kept(None, topic_id, InvalidRequestError("Duplicate topic id.")))
        elif topic is None:
            results.append(_kept(None, topic_id, UnknownTopicIdError()))
        elif not rights.may_delete(topic.name):
            shown = topic.name if rights.may_see(topic.name) else None
            results.append(_kept(shown, topic_id, TopicAuthorizationFailedError()))
        else:
            doomed[topic_id] = topic
    for name, count in names.items():
        topic = view.image.topic(name)
        if count > 1:
            results.append(_kept(name, ZERO_UUID, InvalidRequestError(_NAME_TWICE)))
        elif topic is None or not rights.may_delete(name):
            is_unknown = topic is None and rights.may_see(name)
            error = UnknownTopicOrPartitionError if is_unknown else TopicAuthorizationFailedError
            results.append(_kept(name, ZERO_UUID, error()))
        elif topic.topic_id in ids:
            # As Kafka: one answer for both, and the topic is kept.
            doomed.pop(topic.topic_id, None)
            results.append(_kept(name, topic.topic_id, InvalidRequestError(_NAMED_BY_BOTH)))
        else:
            doomed[topic.topic_id] = topic
    results += [
        delete_messages.DeletableTopicResult(name=topic.name, topic_id=topic_id)
        for topic_id, topic in doomed.items()
    ]
    records: list[MetadataRecord] = [RemoveTopicRecord(topic_id=topic_id) for topic_id in doomed]
    response = delete_messages.DeleteTopicsResponse(responses=results)
    return ControllerResult(records, response, atomic=True)


_DISABLED_ERROR_FROM = 3


_NAMED_BY_BOTH = "The provided topic name maps to an ID that was already supplied."


def _named_topics(
    request: delete_messages.DeleteTopicsRequest,
    results: list[delete_messages.DeletableTopicResult],
) -> tuple[Counter[str], Counter[Uuid]]:
    """Count the names and the ids of topics to delete; append the answers to invalid entries."""
    names: Counter[str] = Counter(request.topic_names)
    ids: Counter[Uuid] = Counter()
    for state in request.topics:
        if state.name is None and state.topic_id == ZERO_UUID:
            error = InvalidRequestError("Neither topic name nor id were specified.")
        elif state.name is None:
            ids[state.topic_id] += 1
            continue
        elif state.topic_id == ZERO_UUID:
            names[state.name] += 1
            continue
        else:
            error = InvalidRequestError("You may not specify both topic name and topic id.")
        results.append(_kept(state.name, state.topic_id, error))
    return names, ids


def _kept(
    name: str | None, topic_id: Uuid, error: KafkaError
) -> delete_messages.DeletableTopicResult:
    return delete_messages.DeletableTopicResult(
        name=name, topic_id=topic_id, error_code=error.code, error_message=error.message
    )
