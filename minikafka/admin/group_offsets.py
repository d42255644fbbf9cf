"""The consumer groups of a cluster, with the offsets that they have committed."""

from collections.abc import Mapping
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.messages.list_groups import ListedGroup, ListGroupsRequest
from minikafka.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup


class GroupProgress(NamedTuple):
    """A group, its state and its committed offsets; None if they cannot be read."""

    name: str
    state: str
    committed: Mapping[TopicPartition, int] | None


def read_groups(client: AdminClient, topics: Mapping[Uuid, str]) -> list[GroupProgress]:
    """Return the groups of all brokers that answer, by name; `topics` are the known topics."""
    found: list[GroupProgress] = []
    for broker in sorted(client.brokers()):
        try:
            listed = client.ask_broker(broker, ListGroupsRequest()).groups
        except AdminError:
            continue
        found += _with_offsets(client, broker, listed, topics)
    return sorted(found, key=lambda group: group.name)


def _with_offsets(
    client: AdminClient, broker: int, listed: list[ListedGroup], topics: Mapping[Uuid, str]
) -> list[GroupProgress]:
    if not listed:
        return []
    # The broker that lists a group is its coordinator.
    request = OffsetFetchRequest(
        groups=[OffsetFetchRequestGroup(group_id=each.group_id, topics=None) for each in listed]
    )
    committed: dict[str, dict[TopicPartition, int]] = {}
    try:
        response = client.ask_broker(broker, request)
    except AdminError:
        pass
    else:
        for group in response.groups:
            if group.error_code == ErrorCode.NONE:
                committed[group.group_id] = {
                    TopicPartition(
                        topic.name or topics.get(topic.topic_id, ""), it.partition_index
                    ): it.committed_offset
                    for topic in group.topics
                    for it in topic.partitions
                    if it.error_code == ErrorCode.NONE and it.committed_offset >= 0
                }
    return [
        GroupProgress(each.group_id, each.group_state, committed.get(each.group_id))
        for each in listed
    ]
