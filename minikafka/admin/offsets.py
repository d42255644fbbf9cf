"""The offsets of logs: earliest, latest, by timestamp."""

from collections.abc import Collection, Mapping
from typing import Final

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.admin.topics import describe_topics
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)

EARLIEST: Final = -2
LATEST: Final = -1
_CONSUMER: Final = -1
_PAGE: Final = 2000


def leaders(client: AdminClient, topics: Collection[str]) -> dict[TopicPartition, int | None]:
    """Return all partitions of topics with their leaders; None for a partition without one.

    Raises:
        AdminError: a topic does not exist, or no broker answers.
    """
    if not topics:
        return {}
    if "" in topics:
        # Kafka's client refuses such a name itself; a broker has no error for it.
        raise AdminError(
            "The given topic name '' cannot be represented in a request.",
            ErrorCode.INVALID_TOPIC_EXCEPTION,
        )
    return {
        TopicPartition(topic.name, it.partition): it.leader
        for topic in describe_topics(client, list(topics), _PAGE)
        for it in topic.partitions
    }


def list_offsets(
    client: AdminClient, partitions: Collection[TopicPartition], timestamp: int
) -> dict[TopicPartition, int]:
    """Return the offset of the first record at or after a time, or EARLIEST or LATEST.

    It is -1 if a partition has no such record. The order is that of `partitions`. Leaders that have
    moved, or that do not answer, are looked up again.

    Raises:
        AdminError: a partition does not exist, has no leader, or its leader does not answer.
    """
    found: dict[TopicPartition, int] = {}

    def ask() -> int:
        """Ask for what is missing; return the first error."""
        missing = [at for at in partitions if at not in found]
        first = int(ErrorCode.NONE)
        for broker_id, asked in _by_leader(client, missing).items():
            if broker_id is None:
                first = first or int(ErrorCode.LEADER_NOT_AVAILABLE)
                continue
            response = client.ask_broker(broker_id, _request(asked, timestamp))
            for topic in response.topics:
                for it in topic.partitions:
                    if it.error_code:
                        first = first or int(it.error_code)
                    else:
                        found[TopicPartition(topic.name, it.partition_index)] = it.offset
        return first

    check(client.settle(ask, int, looks_up=True))
    return {at: found[at] for at in partitions}


def _by_leader(
    client: AdminClient, partitions: Collection[TopicPartition]
) -> Mapping[int | None, list[TopicPartition]]:
    known = leaders(client, {at.topic for at in partitions})
    groups: dict[int | None, list[TopicPartition]] = {}
    for at in partitions:
        groups.setdefault(known.get(at), []).append(at)
    return groups


def _request(partitions: Collection[TopicPartition], timestamp: int) -> ListOffsetsRequest:
    topics: dict[str, ListOffsetsTopic] = {}
    for at in partitions:
        topic = topics.setdefault(at.topic, ListOffsetsTopic(at.topic))
        topic.partitions.append(ListOffsetsPartition(at.partition, timestamp=timestamp))
    return ListOffsetsRequest(replica_id=_CONSUMER, topics=list(topics.values()))
