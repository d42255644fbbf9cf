"""ConsumerGroupDescribe (key 69), v0-1.

Broker:      the coordinator describes consumer groups.
Versions:    v1 the type of each member.
Errors:      GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS,
             NOT_COORDINATOR, GROUP_ID_NOT_FOUND, INVALID_GROUP_ID (per group); UNSUPPORTED_VERSION
             (group.version 0).
"""

from collections.abc import Iterable, Mapping

from minikafka.apis._consumer_groups import require_consumer_protocol
from minikafka.common.errors import ErrorCode, InvalidGroupIdError, KafkaError, error_of
from minikafka.common.ids import Uuid
from minikafka.coordinator.listing import in_order
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import ConsumerMember
from minikafka.group.consumer.settings import assignor_names
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)
from minikafka.metadata.image import MetadataImage
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, group_operations, require_group
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_CLASSIC, _CONSUMER = 0, 1


@broker_api(ApiKey.CONSUMER_GROUP_DESCRIBE, versions=(0, 1))
def consumer_group_describe(
    ctx: BrokerContext, request: ConsumerGroupDescribeRequest
) -> ConsumerGroupDescribeResponse:
    """Describe each group, once."""
    groups = [_describe(ctx, group_id) for group_id in dict.fromkeys(request.group_ids)]
    if request.include_authorized_operations:
        for group in groups:
            if not group.error_code:
                group.authorized_operations = group_operations(ctx, group.group_id)
    return ConsumerGroupDescribeResponse(groups=_of_allowed_topics(ctx, groups))


def _of_allowed_topics(ctx: BrokerContext, groups: list[DescribedGroup]) -> list[DescribedGroup]:
    """As Kafka: a group is not described if the client may not see a topic that it consumes."""
    if ctx.authorizer is None:
        return groups
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE)

    def is_allowed(group: DescribedGroup) -> bool:
        return all(
            topic.topic_name in allowed
            for member in group.members
            for assignment in (member.assignment, member.target_assignment)
            for topic in assignment.topic_partitions
        )

    return [group if is_allowed(group) else _denied(group.group_id) for group in groups]


def _denied(group_id: str) -> DescribedGroup:
    return DescribedGroup(
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        "The group has described topic(s) that the client is not authorized to describe.",
        group_id,
    )


def _describe(ctx: BrokerContext, group_id: str) -> DescribedGroup:
    try:
        require_consumer_protocol(ctx)
        require_group(ctx, AclOperation.DESCRIBE, group_id)
        if not group_id:
            raise InvalidGroupIdError
        group = ctx.broker.groups.shard_of(group_id).groups.group(group_id)
    except KafkaError as error:
        message = error.message if error.message != error_of(error.code).message else None
        return DescribedGroup(error.code, message, group_id)
    image = ctx.broker.image
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=group.preferred_assignor or assignor_names(ctx.broker.local.config)[0],
        members=[
            _member(group, group.members[each], image)
            for each in in_order(group.members, are_replaced=True)
        ],
    )


def _member(group: ConsumerGroup, member: ConsumerMember, image: MetadataImage) -> Member:
    has: dict[Uuid, list[int]] = {}
    for partitions in (member.assigned, member.revoking):
        for topic_id, indexes in partitions.items():
            has.setdefault(topic_id, []).extend(indexes)
    return Member(
        member.member_id,
        member.instance_id,
        member.rack_id,
        member.epoch,
        member.client_id,
        member.client_host,
        sorted(member.subscribed_names),
        member.subscribed_regex,
        _assignment(has, image),
        _assignment(group.target(member.member_id), image),
        _CLASSIC if member.is_classic else _CONSUMER,
    )


def _assignment(partitions: Mapping[Uuid, Iterable[int]], image: MetadataImage) -> Assignment:
    """Return partitions of topics that exist."""
    return Assignment(
        [
            TopicPartitions(topic_id, image.topics[topic_id].name, sorted(indexes))
            for topic_id, indexes in partitions.items()
            if topic_id in image.topics
        ]
    )
