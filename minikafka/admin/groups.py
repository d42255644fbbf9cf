"""Groups and their committed offsets: list, describe, commit, delete."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.admin.topics import describe_topics
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.group.embedded import assignment_of
from minikafka.messages import consumer_group_describe as consumer
from minikafka.messages import describe_groups as classic
from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.find_coordinator import Coordinator, FindCoordinatorRequest
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.metadata import MetadataRequest
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from minikafka.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from minikafka.protocol.primitives import MalformedMessage

CLASSIC = "Classic"
CONSUMER = "Consumer"
CONSUMER_PROTOCOL = "consumer"
DEAD = "Dead"
_PAGE = 2000
_MEMBER_IS_CLASSIC, _MEMBER_IS_CONSUMER = 0, 1


class NotConsumersError(AdminError):
    """The group is one of workers with another protocol, such as Kafka Connect's."""


class GroupListing(NamedTuple):
    """A group as its coordinator lists it; fields that the broker does not know are empty."""

    group_id: str
    type: str
    protocol: str
    state: str


class GroupMember(NamedTuple):
    """A member; `epoch` and `target` are None in a classic group.

    `is_upgraded` is True for a member that uses the consumer protocol, False for a classic member
    of a consumer group, and None if the broker does not tell it.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    host: str
    assigned: Sequence[TopicPartition]
    epoch: int | None = None
    target: Sequence[TopicPartition] | None = None
    is_upgraded: bool | None = None


class GroupDescription(NamedTuple):
    """A group with its members; the epochs are None for a classic group."""

    group_id: str
    type: str
    state: str
    assignor: str
    coordinator: Coordinator
    members: Sequence[GroupMember]
    epoch: int | None = None
    assignment_epoch: int | None = None


class CommittedOffset(NamedTuple):
    """A committed offset; `leader_epoch` is None if none was committed with it."""

    offset: int
    leader_epoch: int | None


def list_all_groups(
    client: AdminClient, *, states: Sequence[str] = (), types: Sequence[str] = ()
) -> list[GroupListing]:
    """List the groups of all brokers, of these states and types if any are given.

    Raises:
        AdminError: a broker rejects the request, or does not answer.
    """
    request = ListGroupsRequest(states_filter=list(states), types_filter=list(types))
    found: dict[str, GroupListing] = {}
    for broker_id in sorted(client.brokers()):
        response = client.settle(
            partial(client.ask_broker, broker_id, request), lambda it: int(it.error_code)
        )
        check(response.error_code)
        for each in response.groups:
            found[each.group_id] = GroupListing(
                each.group_id, each.group_type.capitalize(), each.protocol_type, each.group_state
            )
    return list(found.values())


def list_consumer_groups(
    client: AdminClient, *, states: Sequence[str] = (), types: Sequence[str] = ()
) -> list[GroupListing]:
    """List the groups of consumers: of both protocols, and those that only have offsets.

    Raises:
        AdminError: a broker rejects the request, or does not answer.
    """
    try:
        found = list_all_groups(client, states=states, types=types or (CLASSIC, CONSUMER))
    except AdminError as error:
        # Brokers without types have classic groups only.
        if error.code != ErrorCode.UNSUPPORTED_VERSION or types:
            raise
        found = list_all_groups(client, states=states)
    return [it for it in found if it.protocol in ("", CONSUMER_PROTOCOL)]


def coordinator_of_group(client: AdminClient, group_id: str) -> Coordinator:
    """Return the broker that coordinates a group.

    Raises:
        AdminError: there is none.
    """
    request = FindCoordinatorRequest(coordinator_keys=[group_id])
    response = client.settle(lambda: client.ask(request), lambda it: it.coordinators[0].error_code)
    found: Coordinator = response.coordinators[0]
    check(found.error_code, found.error_message)
    return found


class _Answer(NamedTuple):
    """A response, and the coordinator that sent it."""

    body: Any
    coordinator: Coordinator


def _ask_coordinator(
    client: AdminClient, group_id: str, request: Any, code_of: Callable[[Any], int]
) -> _Answer:
    """Ask the coordinator, and the next one if it has moved or does not answer."""

    def ask() -> _Answer:
        coordinator = coordinator_of_group(client, group_id)
        return _Answer(client.ask_broker(coordinator.node_id, request), coordinator)

    found: _Answer = client.settle(ask, lambda it: code_of(it.body), looks_up=True)
    return found


def describe_group(client: AdminClient, group_id: str) -> GroupDescription:
    """Describe a consumer group, of either protocol.

    Raises:
        AdminError: it does not exist, is no group of consumers, or its coordinator does not answer.
    """
    request = consumer.ConsumerGroupDescribeRequest([group_id])
    try:
        answer = _ask_coordinator(client, group_id, request, lambda it: it.groups[0].error_code)
    except AdminError as error:
        if error.code != ErrorCode.UNSUPPORTED_VERSION:
            raise
        return _describe_classic(client, group_id)
    (group,) = answer.body.groups
    if group.error_code in (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNSUPPORTED_VERSION):
        return _describe_classic(client, group_id)
    check(group.error_code, group.error_message)
    return GroupDescription(
        group_id,
        CONSUMER,
        group.group_state,
        group.assignor_name,
        answer.coordinator,
        [_consumer_member(it) for it in group.members],
        group.group_epoch,
        group.assignment_epoch,
    )


def _describe_classic(client: AdminClient, group_id: str) -> GroupDescription:
    request = classic.DescribeGroupsRequest([group_id])
    answer = _ask_coordinator(client, group_id, request, lambda it: it.groups[0].error_code)
    (group,) = answer.body.groups
    check(group.error_code, group.error_message)
    if group.protocol_type not in ("", CONSUMER_PROTOCOL):
        raise NotConsumersError(
            f"GroupId {group_id} is not a consumer group ({group.protocol_type}).",
            ErrorCode.INVALID_GROUP_ID,
        )
    return GroupDescription(
        group_id,
        CLASSIC,
        group.group_state,
        group.protocol_data,
        answer.coordinator,
        [_classic_member(it) for it in group.members],
    )


def _consumer_member(it: consumer.Member) -> GroupMember:
    is_known = it.member_type in (_MEMBER_IS_CLASSIC, _MEMBER_IS_CONSUMER)
    return GroupMember(
        it.member_id,
        it.instance_id,
        it.client_id,
        it.client_host,
        _partitions(it.assignment),
        it.member_epoch,
        _partitions(it.target_assignment),
        it.member_type == _MEMBER_IS_CONSUMER if is_known else None,
    )


def _partitions(assignment: consumer.Assignment) -> list[TopicPartition]:
    return [
        TopicPartition(it.topic_name, index)
        for it in assignment.topic_partitions
        for index in it.partitions
    ]


def _classic_member(it: classic.DescribedGroupMember) -> GroupMember:
    assigned: list[TopicPartition] = []
    if it.member_assignment:
        try:
            found = assignment_of(it.member_assignment)
        except MalformedMessage as error:
            raise AdminError(
                f"the assignment of member {it.member_id}: {error}", ErrorCode.CORRUPT_MESSAGE
            ) from None
        assigned = [
            TopicPartition(each.topic, index)
            for each in found.assigned_partitions
            for index in each.partitions
        ]
    return GroupMember(it.member_id, it.group_instance_id, it.client_id, it.client_host, assigned)


def committed_offsets(client: AdminClient, group_id: str) -> dict[TopicPartition, CommittedOffset]:
    """Return what a group has committed; nothing if it does not exist.

    Raises:
        AdminError: the coordinator rejects the request, or does not answer.
    """
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id, topics=None)])
    answer = _ask_coordinator(client, group_id, request, lambda it: it.groups[0].error_code)
    (group,) = answer.body.groups
    check(group.error_code)
    names: Mapping[Uuid, str] = {}
    if any(not topic.name for topic in group.topics):
        names = {it.topic_id: it.name for it in client.ask(MetadataRequest(topics=None)).topics}
    found = {}
    for topic in group.topics:
        name = topic.name or names.get(topic.topic_id)
        for it in topic.partitions:
            check(it.error_code)
            if name is not None and it.committed_offset >= 0:
                epoch = it.committed_leader_epoch
                found[TopicPartition(name, it.partition_index)] = CommittedOffset(
                    it.committed_offset, None if epoch < 0 else epoch
                )
    return found


def _by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at in partitions:
        found.setdefault(at.topic, []).append(at.partition)
    return found


def commit_offsets(
    client: AdminClient, group_id: str, offsets: Mapping[TopicPartition, int]
) -> None:
    """Commit offsets for a group without members.

    Raises:
        AdminError: the coordinator rejects them, or does not answer.
    """
    if not offsets:
        return
    topics = _by_topic(offsets)
    # Since version 10 topics are named by their ids.
    ids = {it.name: it.topic_id for it in describe_topics(client, list(topics), _PAGE)}
    request = OffsetCommitRequest(
        group_id,
        topics=[
            OffsetCommitRequestTopic(
                name,
                ids[name],
                [
                    OffsetCommitRequestPartition(index, offsets[TopicPartition(name, index)])
                    for index in indexes
                ],
            )
            for name, indexes in topics.items()
        ],
    )
    names = {topic_id: name for name, topic_id in ids.items()}

    def first_error(response: Any) -> int:
        codes = (it.error_code for topic in response.topics for it in topic.partitions)
        return next((int(code) for code in codes if code), ErrorCode.NONE)

    response = _ask_coordinator(client, group_id, request, first_error).body
    code = first_error(response)
    if code:
        refused = [
            str(TopicPartition(topic.name or names[topic.topic_id], it.partition_index))
            for topic in response.topics
            for it in topic.partitions
            if it.error_code
        ]
        raise AdminError(
            f"Failed altering group offsets for the following partitions: [{', '.join(refused)}]",
            code,
        )


def delete_offsets(
    client: AdminClient, group_id: str, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, int]:
    """Delete committed offsets of a group; return the error code of each partition.

    Raises:
        AdminError: the coordinator rejects the request as a whole, or does not answer.
    """
    request = OffsetDeleteRequest(
        group_id,
        [
            OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(it) for it in indexes])
            for name, indexes in _by_topic(partitions).items()
        ],
    )
    response = _ask_coordinator(client, group_id, request, lambda it: int(it.error_code)).body
    check(response.error_code)
    return {
        TopicPartition(topic.name, it.partition_index): it.error_code
        for topic in response.topics
        for it in topic.partitions
    }


def delete_group(client: AdminClient, group_id: str) -> None:
    """Delete a group without members, with its offsets.

    Raises:
        AdminError: the coordinator rejects it, or does not answer.
    """
    request = DeleteGroupsRequest([group_id])
    answer = _ask_coordinator(client, group_id, request, lambda it: it.results[0].error_code)
    check(answer.body.results[0].error_code)
