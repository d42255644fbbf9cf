"""Fetch (key 1), v4-18.

Broker:      consumers read up to the high watermark or the last stable offset; followers up to the
             log end offset, and each of their fetches reports their progress to the leader.
Controller:  followers of the metadata log; see `apis/fetch_metadata.py`.
Leaves out:  preferred read replicas (always -1), quotas.
Versions:    v7 sessions; v9 leader epochs; v11 rack; v12 flexible, diverging epochs; v13 topic ids;
             v15 replica state; v16 node endpoints; v17 directory ids; v18 high watermark.
Errors:      FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR;
             per partition UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, NOT_LEADER_OR_FOLLOWER,
             FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE (the
             log is damaged, and no other replica can lead), KAFKA_STORAGE_ERROR,
             TOPIC_AUTHORIZATION_FAILED (a follower, not on the inter-broker listener).
"""

from collections.abc import Sequence

from minikafka.apis._fetch_lane import FetchLane, fetch_lane
from minikafka.apis._fetch_reading import ConsumerFetch, FollowerFetch, Reading, refused_partition
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.config import broker as keys
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
)
from minikafka.replica.fetch_session import (
    Named,
    RequestedPartition,
    Session,
    named_partitions,
    replica_id_of,
)
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, wait_until

_READ_COMMITTED = 1


def _lane(ctx: BrokerContext, request: FetchRequest, frame: memoryview) -> FetchLane | None:
    return fetch_lane(ctx, request, frame, fetch)


@broker_api(ApiKey.FETCH, versions=(4, 18), lane=_lane)
def fetch(ctx: BrokerContext, request: FetchRequest) -> FetchResponse | Steps[FetchResponse]:
    """Read, and wait up to `max_wait_ms` for `min_bytes` if less is available."""
    if replica_id_of(request) >= 0 and not ctx.may_be_broker:
        return _no_broker(request)
    try:
        session = ctx.broker.fetch_sessions.resolve(request, ctx.version)
    except KafkaError as error:
        return FetchResponse(error_code=error.code)
    reading = _reading(ctx, request, session)
    wanted = reading.wanted()
    if reading.takes_long(wanted):
        return _fetch_much(ctx, reading, wanted)
    reading.read(wanted, notes_progress=True)
    if reading.is_enough:
        return reading.response()
    return _long_poll(ctx, reading)


def _fetch_much(
    ctx: BrokerContext, reading: Reading, wanted: Sequence[Named | RequestedPartition]
) -> Steps[FetchResponse]:
    """Serve a consumer's fetch of many partitions in slices; other requests run between them."""
    session = reading.session
    if session is not None:
        # The wait that follows must notice changes between two slices.
        session.waiting += 1
    try:
        yield from reading.read_in_slices(wanted)
        if reading.is_enough:
            return reading.response()
        return (yield from _long_poll(ctx, reading))
    finally:
        if session is not None:
            session.waiting -= 1


def _no_broker(request: FetchRequest) -> FetchResponse:
    """Reject a follower's fetch on another listener than the inter-broker listener.

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


def _reading(ctx: BrokerContext, request: FetchRequest, session: Session | None) -> Reading:
    named = []
    if session is None:
        # As Kafka: a partition that is named twice is read once, by its last entry.
        named = [Named(key, each) for key, each in dict(named_partitions(request)).items()]
    replica_id = replica_id_of(request)
    if replica_id >= 0:
        state = request.replica_state
        epoch = -1 if state is None else state.replica_epoch
        return FollowerFetch(ctx, request, session, named, request.max_bytes, reader_id=replica_id,
                             replica_epoch=epoch)  # fmt: skip
    return ConsumerFetch(
        ctx,
        request,
        session,
        named,
        min(request.max_bytes, ctx.broker.local.config[keys.FETCH_MAX_BYTES]),
        is_committed_only=request.isolation_level == _READ_COMMITTED,
    )


def _long_poll(ctx: BrokerContext, reading: Reading) -> Steps[FetchResponse]:
    deadline_ms = ctx.deadline_ms(reading.request.max_wait_ms)
    session = reading.session
    if session is None:
        yield from wait_until(
            reading.wait_keys(), reading.is_settled, deadline_ms, for_answer_only=True
        )
    else:
        session.waiting += 1
        try:
            yield from wait_until(
                reading.wait_keys(), reading.is_settled, deadline_ms, for_answer_only=True
            )
        finally:
            session.waiting -= 1
    reading.forget_answers()
    wanted = reading.wanted()
    if reading.takes_long(wanted):
        yield from reading.read_in_slices(wanted)
    else:
        reading.read(wanted, notes_progress=False)
    return reading.response()
