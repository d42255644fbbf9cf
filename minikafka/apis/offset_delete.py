"""OffsetDelete (key 47), v0.

Broker:      the coordinator deletes offsets of topics that the group does not consume (KIP-496).
Errors:      GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS,
             COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, INVALID_GROUP_ID, GROUP_ID_NOT_FOUND,
             NON_EMPTY_GROUP; GROUP_SUBSCRIBED_TO_TOPIC, UNKNOWN_TOPIC_OR_PARTITION (per partition).
"""

from minikafka.apis._groups import when_settled
from minikafka.common.errors import ErrorCode, InvalidGroupIdError, KafkaError
from minikafka.group.group import Group
from minikafka.group.kinds import AnyGroup
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, require_group
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.OFFSET_DELETE, versions=(0, 0))
def offset_delete(
    ctx: BrokerContext, request: OffsetDeleteRequest
) -> OffsetDeleteResponse | Steps[OffsetDeleteResponse]:
    """Delete the offsets of partitions that no member of the group consumes."""
    require_group(ctx, AclOperation.DELETE, request.group_id)
    try:
        if not request.group_id:
            raise InvalidGroupIdError
        shard = ctx.broker.groups.shard_of(request.group_id)
        group = shard.store.group(request.group_id)
        if isinstance(group, Group) and not group.uses_consumer_protocol:
            # The topics that its members consume are unknown.
            group.require_empty()
        response, forgotten = _answers(ctx, request, group)
        write = shard.delete_offsets(group, forgotten)
    except KafkaError as error:
        return OffsetDeleteResponse(error_code=error.code)
    if write is None:
        return response

    def respond(codes: list[ErrorCode]) -> OffsetDeleteResponse:
        return OffsetDeleteResponse(error_code=codes[0]) if codes[0] else response

    return when_settled((write,), respond)


def _answers(
    ctx: BrokerContext, request: OffsetDeleteRequest, group: AnyGroup
) -> tuple[OffsetDeleteResponse, list[tuple[str, int]]]:
    """Return the response, and the partitions whose offsets must be deleted."""
    subscribed = group.subscribed_topics()
    forgotten: list[tuple[str, int]] = []
    allowed = AllowedTopics(ctx, AclOperation.READ)
    topics = []
    for topic in request.topics:
        is_consumed = group.may_consume(topic.name, subscribed)
        answer = OffsetDeleteResponseTopic(topic.name)
        topics.append(answer)
        for index in (each.partition_index for each in topic.partitions):
            code = ErrorCode.NONE
            if topic.name not in allowed:
                code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            elif ctx.broker.image.partition(topic.name, index) is None:
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif is_consumed:
                code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
            else:
                forgotten.append((topic.name, index))
            answer.partitions.append(OffsetDeleteResponsePartition(index, code))
    return OffsetDeleteResponse(topics=topics), forgotten
