"""Metadata (key 3), v0-13.

Broker:      unfenced brokers, and topics with their partitions from the committed metadata. A
             request for a topic that does not exist may create it.
Versions:    v1 also replicas on brokers that are not alive; v4 auto-creation flag; v7 leader
             epochs; v9 flexible; v10 topic ids; v12 by topic id; v13 top-level error.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, INVALID_TOPIC_EXCEPTION, INVALID_REQUEST
             (a topic id in v10 or v11), TOPIC_AUTHORIZATION_FAILED (topic);
             LEADER_NOT_AVAILABLE, LISTENER_NOT_FOUND, REPLICA_NOT_AVAILABLE (v0) (partition).
"""

from collections.abc import Collection, Iterable, Iterator

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.config import broker as keys
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from minikafka.metadata.image import MetadataImage, TopicImage
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.metadata.topic_name import fault_in_topic_name
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import (
    AllowedTopics,
    allows_cluster,
    cluster_operations,
    topic_operations,
)
from minikafka.serving.context import BrokerContext
from minikafka.serving.encoded import EncodedResponse
from minikafka.serving.registry import broker_api

_UNAVAILABLE_FROM = 1
_LISTENER_ERROR_FROM = 6
_AUTO_CREATE_FLAG_FROM = 4
_BY_ID_FROM = 12
_DENIED = ErrorCode.TOPIC_AUTHORIZATION_FAILED
_WITHOUT_OPERATIONS = (ErrorCode.UNKNOWN_TOPIC_ID, _DENIED)


@broker_api(ApiKey.METADATA, versions=(0, 13))
def metadata(ctx: BrokerContext, request: MetadataRequest) -> MetadataResponse | EncodedResponse:
    """Answer from the image, or with the cached response to the same request."""
    topics = request.topics
    if ctx.version < _BY_ID_FROM and any(_is_by_id(topic) for topic in topics or ()):
        return _refuse_ids(topics or ())
    # As Kafka: a topic that is named several times is answered once.
    asked = {_key(topic): topic for topic in topics or ()}
    not_created = _create_missing(ctx, request, asked)
    # Unlike Kafka (row J8): also brokers that were fenced a moment ago.
    leaving = ctx.broker.leaving_brokers.ids
    named = list(_named_brokers(ctx, leaving))
    alive = [broker.node_id for broker in named if broker.node_id not in leaving]
    # As Kafka: a random broker, since clients may send admin requests to any broker and never
    # connect to the controller.
    controller_id = ctx.env.rng.choice(alive) if alive else -1
    key = (
        ctx.version,
        ctx.listener,
        controller_id,
        request.include_topic_authorized_operations,
        request.include_cluster_authorized_operations,
        None if topics is None else tuple(asked),
        leaving,
        _rights(ctx, not_created),
    )
    responses = ctx.broker.metadata_responses
    known = responses.find(ctx.broker.image, key)
    if known is not None:
        return known
    response = _describe(ctx, request, asked, not_created)
    response.brokers, response.controller_id = named, controller_id
    if ctx.version < _UNAVAILABLE_FROM:
        _leave_out_unavailable(response.topics, alive)
    return responses.add(key, len(key) + len(asked), response, ctx.version)


def _describe(
    ctx: BrokerContext,
    request: MetadataRequest,
    asked: dict[Uuid | str | None, MetadataRequestTopic],
    not_created: Collection[str | None],
) -> MetadataResponse:
    """Describe the topics, and what the client may do."""
    image = ctx.broker.image
    is_all = request.topics is None or (ctx.version == 0 and not asked)
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE, is_asked=not is_all)
    if is_all:
        described = [
            describe_topic(ctx, topic) for topic in image.topics.values() if topic.name in allowed
        ]
    else:
        described = [_asked(ctx, image, topic, allowed) for topic in asked.values()]
    for each in described:
        if each.name in not_created:
            each.error_code = _DENIED
    if request.include_topic_authorized_operations:
        for each in described:
            if each.error_code not in _WITHOUT_OPERATIONS:
                each.topic_authorized_operations = topic_operations(ctx, each.name or "")
    response = MetadataResponse(cluster_id=ctx.broker.cluster_id, topics=described)
    if request.include_cluster_authorized_operations:
        response.cluster_authorized_operations = cluster_operations(ctx)
    return response


def _leave_out_unavailable(topics: Iterable[MetadataResponseTopic], alive: Collection[int]) -> None:
    """Name only replicas on brokers that the response has, too, as Kafka in version 0."""
    for topic in topics:
        for partition in topic.partitions:
            replicas = [x for x in partition.replica_nodes if x in alive]
            isr = [x for x in partition.isr_nodes if x in alive]
            is_whole = replicas == partition.replica_nodes and isr == partition.isr_nodes
            if partition.error_code == ErrorCode.NONE and not is_whole:
                partition.error_code = ErrorCode.REPLICA_NOT_AVAILABLE
            partition.replica_nodes, partition.isr_nodes = replicas, isr


def _key(topic: MetadataRequestTopic) -> Uuid | str | None:
    return topic.name if topic.topic_id == ZERO_UUID else topic.topic_id


def _is_by_id(topic: MetadataRequestTopic) -> bool:
    return topic.name is None or topic.topic_id != ZERO_UUID


def _refuse_ids(topics: Iterable[MetadataRequestTopic]) -> MetadataResponse:
    """Reject topic ids in versions 10 and 11, which have the field but do not support it."""
    return MetadataResponse(
        topics=[
            MetadataResponseTopic(ErrorCode.INVALID_REQUEST, x.name or "", x.topic_id)
            for x in topics
        ]
    )


def _named_brokers(
    ctx: BrokerContext, leaving: Collection[int]
) -> Iterator[MetadataResponseBroker]:
    """Yield the unfenced and the leaving brokers that have the request's listener."""
    for broker in ctx.broker.image.brokers.values():
        endpoint = broker.endpoint(ctx.listener)
        is_named = not broker.fenced or broker.broker_id in leaving
        if is_named and endpoint is not None:
            yield MetadataResponseBroker(
                broker.broker_id, endpoint.host, endpoint.port, broker.rack
            )


def _asked(
    ctx: BrokerContext, image: MetadataImage, asked: MetadataRequestTopic, allowed: AllowedTopics
) -> MetadataResponseTopic:
    if asked.topic_id != ZERO_UUID:
        found = image.topics.get(asked.topic_id)
        if found is None:
            return MetadataResponseTopic(ErrorCode.UNKNOWN_TOPIC_ID, None, asked.topic_id)
        if found.name not in allowed:
            return MetadataResponseTopic(_DENIED, None, asked.topic_id)
        return describe_topic(ctx, found)
    name = asked.name
    if name is None:
        return MetadataResponseTopic(ErrorCode.INVALID_TOPIC_EXCEPTION, "")
    if name not in allowed:
        # Whether the topic exists is not said.
        return MetadataResponseTopic(_DENIED, name)
    found = image.topic(name)
    if found is not None:
        return describe_topic(ctx, found)
    code = (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if fault_in_topic_name(name) is None
        else ErrorCode.INVALID_TOPIC_EXCEPTION
    )
    return MetadataResponseTopic(code, name, is_internal=name in INTERNAL_TOPICS)


def _create_missing(
    ctx: BrokerContext, request: MetadataRequest, asked: Iterable[Uuid | str | None]
) -> Collection[str | None]:
    """Create topics that do not exist; return those that the client may see and not create."""
    allowed = request.allow_auto_topic_creation or ctx.version < _AUTO_CREATE_FLAG_FROM
    if not allowed or not ctx.broker.local.config[keys.AUTO_CREATE_TOPICS_ENABLE]:
        return ()
    known = ctx.broker.image.topic_ids
    missing = [name for name in asked if isinstance(name, str) and name not in known]
    denied: list[str] = []
    if missing and ctx.authorizer is not None:
        missing, denied = _split_by_rights(ctx, missing)
    missing = [name for name in missing if fault_in_topic_name(name) is None]
    if missing:
        ctx.broker.auto_topics.create(missing)
    return denied


def _split_by_rights(ctx: BrokerContext, names: list[str]) -> tuple[list[str], list[str]]:
    """Return the topics that the client may create, and those that it may only see."""
    visible = AllowedTopics(ctx, AclOperation.DESCRIBE)
    seen = [name for name in names if name in visible]
    if not seen or allows_cluster(ctx, AclOperation.CREATE, is_asked=False):
        return seen, []
    creatable = AllowedTopics(ctx, AclOperation.CREATE)
    allowed = [name for name in seen if name in creatable]
    return allowed, [name for name in seen if name not in creatable]


def _rights(ctx: BrokerContext, not_created: Collection[str | None]) -> tuple[object, ...] | None:
    """The part of the cache's key that differs between clients with different rights."""
    authorizer = ctx.authorizer
    if authorizer is None:
        return None
    return authorizer.generation, ctx.principal, ctx.peer_host, *not_created


def describe_topic(ctx: BrokerContext, topic: TopicImage) -> MetadataResponseTopic:
    """Describe one topic with all its partitions."""
    return MetadataResponseTopic(
        ErrorCode.NONE,
        topic.name,
        topic.topic_id,
        topic.name in INTERNAL_TOPICS,
        [_partition(ctx, index, registration) for index, registration in topic.partitions.items()],
    )


def _partition(
    ctx: BrokerContext, index: int, registration: PartitionRegistration
) -> MetadataResponsePartition:
    error, leader = leader_for(ctx, registration)
    return MetadataResponsePartition(
        error,
        index,
        leader,
        registration.leader_epoch,
        list(registration.replicas),
        list(registration.isr),
        offline_replicas(ctx.broker.image, registration),
    )


def leader_for(ctx: BrokerContext, registration: PartitionRegistration) -> tuple[ErrorCode, int]:
    """Return NONE and the leader, or an error and -1 if clients of this listener have none."""
    leader = registration.leader
    broker = ctx.broker.image.brokers.get(leader)
    if leader == NO_LEADER or broker is None:
        return ErrorCode.LEADER_NOT_AVAILABLE, NO_LEADER
    if broker.fenced or broker.endpoint(ctx.listener) is None:
        code = (
            ErrorCode.LISTENER_NOT_FOUND
            if ctx.version >= _LISTENER_ERROR_FROM or ctx.api_key != ApiKey.METADATA
            else ErrorCode.LEADER_NOT_AVAILABLE
        )
        return code, NO_LEADER
    return ErrorCode.NONE, leader


def offline_replicas(image: MetadataImage, registration: PartitionRegistration) -> list[int]:
    """Return the replicas whose broker is fenced or unregistered, or whose directory is offline."""
    offline = []
    for replica, directory in zip(registration.replicas, registration.directories, strict=True):
        broker = image.brokers.get(replica)
        if (
            broker is None
            or broker.fenced
            or (broker.log_dirs and not directory.is_reserved and directory not in broker.log_dirs)
        ):
            offline.append(replica)
    return offline
