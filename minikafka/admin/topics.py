"""Administration of topics: list, describe, create, add partitions, delete.

Describing follows the cursors of DescribeTopicPartitions (D1, D4). It falls back to Metadata if the
cluster does not have that API; the eligible leader replicas are then unknown (None).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.common.errors import ErrorCode, is_retriable
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from minikafka.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    TopicRequest,
)
from minikafka.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from minikafka.metadata.partition_registration import LeaderRecoveryState

_NO_LEADER = -1
_BROKER_DECIDES = -1
REASSIGNMENTS_TIMEOUT_S = 2.0
"""Unlike Kafka (row O5). Brokers answer all other requests of a description themselves."""


class TopicListing(NamedTuple):
    """The name and id of a topic."""

    name: str
    topic_id: Uuid
    is_internal: bool


class PartitionDescription(NamedTuple):
    """One partition; `elr` and `last_known_elr` are None if the cluster does not report them.

    `is_recovering`: the leader was elected uncleanly and has not reported its recovery yet (L8);
    always False for clusters that do not report it.
    """

    partition: int
    leader: int | None
    replicas: Sequence[int]
    isr: Sequence[int]
    elr: Sequence[int] | None
    last_known_elr: Sequence[int] | None
    is_recovering: bool = False


class TopicDescription(NamedTuple):
    """One topic with its partitions in order."""

    name: str
    topic_id: Uuid
    partitions: Sequence[PartitionDescription]


class Reassignment(NamedTuple):
    """The replicas of a partition that is being reassigned."""

    replicas: Sequence[int]
    adding: Sequence[int]
    removing: Sequence[int]


def list_topics(client: AdminClient) -> list[TopicListing]:
    """Return every topic that the client may see, sorted by name."""
    response = client.ask(MetadataRequest(topics=None))
    listings = [
        TopicListing(topic.name, topic.topic_id, topic.is_internal)
        for topic in response.topics
        if topic.error_code == ErrorCode.NONE
    ]
    return sorted(listings)


def describe_topics(
    client: AdminClient, names: Sequence[str], partition_limit: int
) -> list[TopicDescription]:
    """Describe the named topics, sorted by name, in pages of `partition_limit` partitions.

    Raises:
        AdminError: a topic cannot be described, or the server's pages do not end.
    """
    try:
        pages = list(_pages(client, sorted(names), partition_limit))
    except AdminError as error:
        if error.code != ErrorCode.UNSUPPORTED_VERSION:
            raise
        return _by_metadata(client, [MetadataRequestTopic(name=name) for name in names])
    partitions: dict[str, list[PartitionDescription]] = {}
    topic_ids: dict[str, Uuid] = {}
    for page in pages:
        for topic in page.topics:
            assert topic.name is not None, "topics were asked for by name"
            check(topic.error_code)
            topic_ids[topic.name] = topic.topic_id
            found = partitions.setdefault(topic.name, [])
            found += [_partition(partition) for partition in topic.partitions]
    return [
        TopicDescription(name, topic_ids[name], sorted(partitions[name]))
        for name in sorted(partitions)
    ]


def describe_topic_by_id(client: AdminClient, topic_id: Uuid) -> TopicDescription:
    """Describe one topic by its id, by Metadata: DescribeTopicPartitions accepts names only.

    Raises:
        AdminError: the topic does not exist.
    """
    return _by_metadata(client, [MetadataRequestTopic(topic_id=topic_id, name=None)])[0]


def create_topic(
    client: AdminClient,
    name: str,
    *,
    partitions: int | None = None,
    replication_factor: int | None = None,
    assignment: Sequence[Sequence[int]] = (),
    configs: Mapping[str, str] | None = None,
) -> None:
    """Create a topic; the cluster's defaults apply to missing arguments.

    Raises:
        AdminError: the topic cannot be created, with the cluster's reason.
    """
    topic = CreatableTopic(
        name=name,
        num_partitions=_BROKER_DECIDES if partitions is None else partitions,
        replication_factor=_BROKER_DECIDES if replication_factor is None else replication_factor,
        assignments=[
            CreatableReplicaAssignment(index, list(brokers))
            for index, brokers in enumerate(assignment)
        ],
        configs=[CreatableTopicConfig(*item) for item in (configs or {}).items()],
    )
    request = CreateTopicsRequest(topics=[topic], timeout_ms=client.timeout_ms)
    response = client.settle(lambda: client.ask(request), lambda it: it.topics[0].error_code)
    check(response.topics[0].error_code, response.topics[0].error_message)


def add_partitions(
    client: AdminClient, counts: Mapping[str, tuple[int, Sequence[Sequence[int]]]]
) -> None:
    """Increase each topic to a total number of partitions, with optional new assignments.

    Raises:
        AdminError: a topic was rejected, with the cluster's reason.
    """
    topics = [
        CreatePartitionsTopic(
            name, count, [CreatePartitionsAssignment(list(brokers)) for brokers in new] or None
        )
        for name, (count, new) in counts.items()
    ]
    request = CreatePartitionsRequest(topics=topics, timeout_ms=client.timeout_ms)
    response = client.settle(
        lambda: client.ask(request), lambda it: max(result.error_code for result in it.results)
    )
    for result in response.results:
        check(result.error_code, result.error_message)


def delete_topics(client: AdminClient, names: Sequence[str]) -> None:
    """Delete topics.

    Raises:
        AdminError: a topic was not deleted, with the cluster's reason.
    """
    request = DeleteTopicsRequest(
        topics=[DeleteTopicState(name=name) for name in names], timeout_ms=client.timeout_ms
    )
    response = client.settle(
        lambda: client.ask(request), lambda it: max(topic.error_code for topic in it.responses)
    )
    for topic in response.responses:
        if topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise AdminError(f"there is no topic {topic.name}", topic.error_code)
        check(topic.error_code, topic.error_message)


def list_reassignments(
    client: AdminClient, topics: Sequence[TopicDescription]
) -> dict[TopicPartition, Reassignment] | None:
    """Return the ongoing reassignments of topics; empty if the cluster cannot list them.

    None if they are not known in time, as without an active controller.
    """
    try:
        with client.limited(REASSIGNMENTS_TIMEOUT_S):
            request = ListPartitionReassignmentsRequest(
                timeout_ms=client.timeout_ms,
                topics=[
                    ListPartitionReassignmentsTopics(
                        topic.name, [it.partition for it in topic.partitions]
                    )
                    for topic in topics
                ],
            )
            response = client.settle(lambda: client.ask(request), lambda it: int(it.error_code))
        check(response.error_code, response.error_message)
    except AdminError as error:
        if is_retriable(error.code):
            return None
        # As Kafka: `TopicCommand.listAllReassignments` ignores these errors.
        silent = (ErrorCode.UNSUPPORTED_VERSION, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
        if error.code not in silent:
            raise
        return {}
    return {
        TopicPartition(topic.name, it.partition_index): Reassignment(
            it.replicas, it.adding_replicas, it.removing_replicas
        )
        for topic in response.topics
        for it in topic.partitions
    }


def _pages(
    client: AdminClient, names: Sequence[str], partition_limit: int
) -> Iterator[DescribeTopicPartitionsResponse]:
    cursor: DescribeTopicPartitionsRequestCursor | None = None
    while True:
        remaining = [name for name in names if cursor is None or name >= cursor.topic_name]
        request = DescribeTopicPartitionsRequest(
            topics=[TopicRequest(name) for name in remaining],
            response_partition_limit=partition_limit,
            cursor=cursor,
        )
        response = client.ask(request)
        yield response
        following = response.next_cursor
        if following is None:
            return
        if cursor is not None and (following.topic_name, following.partition_index) <= (
            cursor.topic_name,
            cursor.partition_index,
        ):
            raise AdminError(
                "the server's pages do not end: they return to partition "
                f"{following.topic_name}-{following.partition_index}"
            )
        cursor = DescribeTopicPartitionsRequestCursor(
            following.topic_name, following.partition_index
        )


def _partition(it: DescribeTopicPartitionsResponsePartition) -> PartitionDescription:
    return PartitionDescription(
        it.partition_index,
        None if it.leader_id == _NO_LEADER else it.leader_id,
        it.replica_nodes,
        it.isr_nodes,
        it.eligible_leader_replicas,
        it.last_known_elr,
        it.leader_recovery_state == LeaderRecoveryState.RECOVERING,
    )


def _by_metadata(client: AdminClient, topics: list[MetadataRequestTopic]) -> list[TopicDescription]:
    response = client.ask(MetadataRequest(topics=topics, allow_auto_topic_creation=False))
    return sorted(_from_metadata(topic) for topic in response.topics)


def _from_metadata(topic: MetadataResponseTopic) -> TopicDescription:
    check(topic.error_code)
    assert topic.name is not None, "a topic without an error has a name"
    partitions = sorted(_partition_from_metadata(it) for it in topic.partitions)
    return TopicDescription(topic.name, topic.topic_id, partitions)


def _partition_from_metadata(it: MetadataResponsePartition) -> PartitionDescription:
    leader = None if it.leader_id == _NO_LEADER else it.leader_id
    return PartitionDescription(
        it.partition_index, leader, it.replica_nodes, it.isr_nodes, None, None
    )
