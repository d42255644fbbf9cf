"""Reassignments of partitions: start, cancel, list; and the log directories of replicas.

`replica_log_dirs` has the moves between directories.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check, error_text
from minikafka.admin.topics import Reassignment
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from minikafka.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from minikafka.messages.metadata import MetadataRequest


class LiveBroker(NamedTuple):
    """A live broker with its rack."""

    broker_id: int
    rack: str | None


def live_brokers(client: AdminClient) -> list[LiveBroker]:
    """Return the live brokers, sorted by id."""
    response = client.ask(MetadataRequest(topics=[]))
    return sorted(LiveBroker(it.node_id, it.rack) for it in response.brokers)


def current_reassignments(client: AdminClient) -> dict[TopicPartition, Reassignment]:
    """Return the ongoing reassignments, sorted by partition.

    Raises:
        AdminError: the request failed, with the cluster's reason.
    """
    request = ListPartitionReassignmentsRequest(timeout_ms=client.timeout_ms, topics=None)
    response = client.settle(lambda: client.ask(request), lambda it: int(it.error_code))
    check(response.error_code, response.error_message)
    found = {
        TopicPartition(topic.name, it.partition_index): Reassignment(
            it.replicas, it.adding_replicas, it.removing_replicas
        )
        for topic in response.topics
        for it in topic.partitions
    }
    return {at: found[at] for at in sorted(found)}


def alter_reassignments(
    client: AdminClient,
    wanted: Mapping[TopicPartition, Sequence[int] | None],
    *,
    resizing_allowed: bool = True,
) -> dict[TopicPartition, str]:
    """Start reassignments, or cancel them (None); return the errors of rejected partitions.

    Raises:
        AdminError: the whole request was rejected.
    """
    topics: dict[str, ReassignableTopic] = {}
    for at, replicas in wanted.items():
        topic = topics.setdefault(at.topic, ReassignableTopic(at.topic))
        topic.partitions.append(
            ReassignablePartition(at.partition, None if replicas is None else list(replicas))
        )
    request = AlterPartitionReassignmentsRequest(
        timeout_ms=client.timeout_ms,
        allow_replication_factor_change=resizing_allowed,
        topics=list(topics.values()),
    )
    response = client.settle(lambda: client.ask(request), lambda it: int(it.error_code))
    check(response.error_code, response.error_message)
    return {
        TopicPartition(topic.name, it.partition_index): error_text(it.error_code, it.error_message)
        for topic in response.responses
        for it in topic.partitions
        if it.error_code != ErrorCode.NONE
    }


def replica_directories(
    client: AdminClient, replicas: Mapping[TopicPartition, Sequence[int]]
) -> dict[tuple[TopicPartition, int], str]:
    """Return the directory of each (partition, broker), without brokers that do not answer."""
    by_broker: dict[int, dict[str, list[int]]] = {}
    for at, brokers in replicas.items():
        for broker in brokers:
            by_broker.setdefault(broker, {}).setdefault(at.topic, []).append(at.partition)
    found: dict[tuple[TopicPartition, int], str] = {}
    for broker, topics in by_broker.items():
        request = DescribeLogDirsRequest([DescribableLogDirTopic(*item) for item in topics.items()])
        try:
            response = client.ask_broker(broker, request)
        except AdminError:
            # The broker does not answer; the directories of its replicas are unknown.
            continue
        for result in response.results:
            for topic in result.topics:
                for it in topic.partitions:
                    if it.is_future_key:
                        continue
                    found[TopicPartition(topic.name, it.partition_index), broker] = result.log_dir
    return found
