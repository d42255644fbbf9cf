"""Fetch (key 1), v4-18.

Broker:      consumers read up to the high watermark or the last stable offset; followers up to the
             log end offset, and each of their fetches reports their progress to the leader.
             Consumers with a rack are sent to a follower there (replica.selector.class).
Controller:  followers of the metadata log; see `apis/fetch_metadata.py`.
Leaves out:  quotas.
Versions:    v7 sessions; v9 leader epochs; v11 rack; v12 flexible, diverging epochs; v13 topic ids;
             v15 replica state; v16 node endpoints; v17 directory ids; v18 high watermark.
Errors:      FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR;
             per partition UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, NOT_LEADER_OR_FOLLOWER,
             FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE (the
             log is damaged, and no other replica can lead), KAFKA_STORAGE_ERROR,
             TOPIC_AUTHORIZATION_FAILED (also: a follower that may not act as a broker).
"""

from collections.abc import Sequence

from minikafka.apis._fetch_lane import FetchLane, fetch_lane
from minikafka.apis._leaders import NODE_ENDPOINTS_FROM_VERSION, endpoints_of
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.config import broker as keys
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
)
from minikafka.replica.fetch_read import (
    ConsumerReader,
    FetchRead,
    FollowerReader,
    refused_partition,
)
from minikafka.replica.fetch_session import (
    TOPIC_IDS_FROM_VERSION,
    RequestedPartition,
    Session,
    SessionKey,
    named_partitions,
    replica_id_of,
)
from minikafka.replica.rack_aware_read import RackAwareRead
from minikafka.security.acl import AclOperation
from minikafka.security.authorizer import Authorizer
from minikafka.serving.authorization import AllowedTopics, may_act_as_broker
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, next_turn, wait_until

_READ_COMMITTED = 1
_FROM_FOLLOWER_FROM = 11
"""Before it consumers read from the leader only (KIP-392)."""
_MAX_PARTITIONS_PER_STEP = 2_000
"""About 10 ms of work for a consumer. A follower's fetch is read in one step: the log may be
truncated between two steps."""
_CONSUMERS = {
    (is_committed_only, must_lead): ConsumerReader(is_committed_only, must_lead)
    for is_committed_only in (False, True)
    for must_lead in (False, True)
}
_LEADER_ERRORS = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)


def _lane(ctx: BrokerContext, request: FetchRequest, frame: memoryview) -> FetchLane | None:
    return fetch_lane(ctx, request, frame, fetch)


@broker_api(ApiKey.FETCH, versions=(4, 18), lane=_lane)
def fetch(ctx: BrokerContext, request: FetchRequest) -> FetchResponse | Steps[FetchResponse]:
    """Read, and wait up to `max_wait_ms` for `min_bytes` if less is available."""
    replica_id = replica_id_of(request)
    if replica_id >= 0 and not may_act_as_broker(ctx):
        return _no_broker(request)
    broker = ctx.broker
    try:
        session = broker.fetch_sessions.resolve(request, ctx.version)
    except KafkaError as error:
        return FetchResponse(error_code=error.code)
    read = _fetch_read(ctx, request, session, replica_id)
    if broker.authorizer is not None:
        _limit(ctx, broker.authorizer, read)
    rows = read.rows()
    if len(rows) > _MAX_PARTITIONS_PER_STEP and replica_id < 0:
        return _fetch_much(ctx, read, rows)
    read.read(rows, notes_progress=True)
    if read.is_enough:
        return _response(ctx, read)
    return _long_poll(ctx, read)


def _limit(ctx: BrokerContext, authorizer: Authorizer, read: FetchRead) -> None:
    """Let a consumer read only what it may; an unknown topic id is answered as unknown."""
    if read.reader.broker_id >= 0:
        return
    allowed = AllowedTopics(ctx, AclOperation.READ)
    topics = ctx.broker.image.topics

    def may_read(key: SessionKey) -> bool:
        if ctx.version < TOPIC_IDS_FROM_VERSION:
            return key.topic in allowed
        found = topics.get(key.topic_id)
        return found is None or found.name in allowed

    read.may_read = may_read
    if read.session is not None:
        read.session.read_with((authorizer.generation, ctx.principal, ctx.peer_host))


def _fetch_much(
    ctx: BrokerContext, read: FetchRead, rows: Sequence[RequestedPartition]
) -> Steps[FetchResponse]:
    """Serve a consumer's fetch of many partitions in slices; other requests run between them."""
    session = read.session
    if session is not None:
        # The wait that follows must notice changes between two slices.
        session.waiting += 1
    try:
        yield from _read_in_slices(ctx, read, rows)
        if read.is_enough:
            return _response(ctx, read)
        return (yield from _long_poll(ctx, read))
    finally:
        if session is not None:
            session.waiting -= 1


def _read_in_slices(
    ctx: BrokerContext, read: FetchRead, rows: Sequence[RequestedPartition]
) -> Steps[None]:
    """Read each partition once for a consumer, a few in each step."""
    for start in range(0, len(rows), _MAX_PARTITIONS_PER_STEP):
        if start:
            yield from next_turn(ctx.env, for_answer_only=True)
        read.read(rows[start : start + _MAX_PARTITIONS_PER_STEP], notes_progress=False)


def _no_broker(request: FetchRequest) -> FetchResponse:
    """Reject a follower's fetch by a client that may not act as a broker.

    It must not count, because fetches of followers move the high watermark. As Kafka: the response
    is that to a fetch without the ClusterAction permission.
    """
    error = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return FetchResponse(
        responses=[
            FetchableTopicResponse(
                topic.topic,
                topic.topic_id,
                [refused_partition(wanted.partition, error) for wanted in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _fetch_read(
    ctx: BrokerContext, request: FetchRequest, session: Session | None, replica_id: int
) -> FetchRead:
    if session is not None:
        requested = []
    else:
        # As Kafka: a partition that is named twice is read once, by its last entry.
        requested = [
            RequestedPartition(key, each) for key, each in dict(named_partitions(request)).items()
        ]
    reader: ConsumerReader | FollowerReader
    if replica_id >= 0:
        state = request.replica_state
        reader = FollowerReader(replica_id, -1 if state is None else state.replica_epoch)
        max_bytes = request.max_bytes
    else:
        reader = _CONSUMERS[
            request.isolation_level == _READ_COMMITTED, ctx.version < _FROM_FOLLOWER_FROM
        ]
        max_bytes = min(request.max_bytes, ctx.broker.local.config[keys.FETCH_MAX_BYTES])
        if request.rack_id and ctx.broker.replicas.settings.selects_by_rack:
            # Older versions have no rack.
            return RackAwareRead(
                ctx.broker.replicas, request, ctx.version, reader, session, requested, max_bytes,
                listener=ctx.listener,
            )  # fmt: skip
    return FetchRead(
        ctx.broker.replicas, request, ctx.version, reader, session, requested, max_bytes
    )


def _long_poll(ctx: BrokerContext, read: FetchRead) -> Steps[FetchResponse]:
    deadline_ms = ctx.deadline_ms(read.request.max_wait_ms)
    session = read.session
    if session is None:
        yield from wait_until(read.wait_keys(), read.is_settled, deadline_ms, for_answer_only=True)
    else:
        session.waiting += 1
        try:
            yield from wait_until(
                read.wait_keys(), read.is_settled, deadline_ms, for_answer_only=True
            )
        finally:
            session.waiting -= 1
    read.forget_answers()
    rows = read.rows()
    if len(rows) > _MAX_PARTITIONS_PER_STEP and read.reader.broker_id < 0:
        yield from _read_in_slices(ctx, read, rows)
    else:
        read.read(rows, notes_progress=False)
    return _response(ctx, read)


def _response(ctx: BrokerContext, read: FetchRead) -> FetchResponse:
    session = read.session
    response = FetchResponse(
        session_id=0 if session is None else session.session_id, responses=read.topics()
    )
    if read.must_answer and ctx.version >= NODE_ENDPOINTS_FROM_VERSION:
        _name_leaders(ctx, response)
    return response


def _name_leaders(ctx: BrokerContext, response: FetchResponse) -> None:
    image = ctx.broker.image
    leaders: list[int] = []
    for topic in response.responses:
        found = image.topics.get(topic.topic_id)
        for data in topic.partitions:
            if found is None or data.error_code not in _LEADER_ERRORS:
                continue
            registration = found.partitions.get(data.partition_index)
            if registration is not None:
                data.current_leader = LeaderIdAndEpoch(
                    registration.leader, registration.leader_epoch
                )
                leaders.append(registration.leader)
    response.node_endpoints = endpoints_of(ctx, leaders, NodeEndpoint)
