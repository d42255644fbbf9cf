"""OffsetCommit (key 8), v2-10.

Broker:      the coordinator writes the offsets in one batch, and answers when it is committed.
Versions:    v5 no retention time; v6 leader epoch; v7 static members; v8 flexible;
             v9 consumer groups (KIP-848); v10 topic ids.
Errors:      GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS,
             COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID,
             FENCED_INSTANCE_ID, REBALANCE_IN_PROGRESS, GROUP_ID_NOT_FOUND,
             UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, OFFSET_METADATA_TOO_LARGE,
             UNKNOWN_SERVER_ERROR (per partition).
"""

from minikafka.apis._groups import when_settled
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.group.offset_commits import CommitRow
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, require_group
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps

_TOPIC_IDS_FROM = 10


@broker_api(ApiKey.OFFSET_COMMIT, versions=(2, 10))
def offset_commit(
    ctx: BrokerContext, request: OffsetCommitRequest
) -> OffsetCommitResponse | Steps[OffsetCommitResponse]:
    """Commit the offsets of the partitions that exist."""
    require_group(ctx, AclOperation.READ, request.group_id)
    rows: list[CommitRow] = []
    allowed = AllowedTopics(ctx, AclOperation.READ)
    response = OffsetCommitResponse(
        topics=[_topic(ctx, topic, rows, allowed) for topic in request.topics]
    )
    try:
        commits = ctx.broker.groups.shard_of(request.group_id).commits
        write = commits.commit(request, ctx.version, rows)
    except KafkaError as error:
        _answer(rows, error.code)
        return response
    if write is None:
        return response

    def respond(codes: list[ErrorCode]) -> OffsetCommitResponse:
        _answer(rows, codes[0])
        return response

    return when_settled((write,), respond)


def _topic(
    ctx: BrokerContext,
    topic: OffsetCommitRequestTopic,
    rows: list[CommitRow],
    allowed: AllowedTopics,
) -> OffsetCommitResponseTopic:
    """Return the topic's part of the response; add its existing partitions to `rows`."""
    image = ctx.broker.image
    answers = [OffsetCommitResponsePartition(each.partition_index) for each in topic.partitions]
    if ctx.version >= _TOPIC_IDS_FROM:
        found = image.topics.get(topic.topic_id)
        unknown = ErrorCode.UNKNOWN_TOPIC_ID
    else:
        found = image.topic(topic.name)
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    # An unknown id has no name that could be allowed; it is answered as unknown.
    name = found.name if found is not None else topic.name
    is_denied = (bool(name) or ctx.version < _TOPIC_IDS_FROM) and name not in allowed
    for wanted, answer in zip(topic.partitions, answers, strict=True):
        if is_denied:
            answer.error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif found is None:
            answer.error_code = unknown
        elif wanted.partition_index not in found.partitions:
            answer.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        else:
            rows.append(CommitRow(found.name, found.topic_id, wanted, answer))
    return OffsetCommitResponseTopic(topic.name, topic.topic_id, answers)


def _answer(rows: list[CommitRow], code: ErrorCode) -> None:
    for row in rows:
        if not row.answer.error_code:
            row.answer.error_code = code
