"""The log directories of replicas: where they are, and moves to others (KIP-113)."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from minikafka.admin.client import AdminClient
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from minikafka.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest


class Replica(NamedTuple):
    """A replica. Replicas are sorted by broker, topic and partition."""

    broker: int
    at: TopicPartition

    def __str__(self) -> str:
        """Return topic, partition and broker, as Kafka's tools write a replica."""
        return f"{self.at}-{self.broker}"


class ReplicaDirectories(NamedTuple):
    """The directory of a replica, and that of its future replica; None if there is none."""

    current: str | None = None
    future: str | None = None


def describe_replicas(
    client: AdminClient, replicas: Iterable[Replica]
) -> dict[Replica, ReplicaDirectories]:
    """Return the directories of replicas.

    Raises:
        AdminError: a broker does not answer.
    """
    found = {each: ReplicaDirectories() for each in replicas}
    by_broker: dict[int, dict[str, list[int]]] = {}
    for broker, at in found:
        by_broker.setdefault(broker, {}).setdefault(at.topic, []).append(at.partition)
    for broker, topics in by_broker.items():
        request = DescribeLogDirsRequest([DescribableLogDirTopic(*item) for item in topics.items()])
        for home in client.ask_broker(broker, request).results:
            for topic in home.topics:
                for it in topic.partitions:
                    replica = Replica(broker, TopicPartition(topic.name, it.partition_index))
                    known = found.get(replica, ReplicaDirectories())
                    which = "future" if it.is_future_key else "current"
                    found[replica] = known._replace(**{which: home.log_dir})
    return found


def alter_replica_log_dirs(
    client: AdminClient, wanted: Mapping[Replica, str]
) -> dict[Replica, ErrorCode]:
    """Request moves of replicas to directories; return the error code of each.

    Raises:
        AdminError: a broker does not answer.
    """
    by_broker: dict[int, dict[str, dict[str, list[int]]]] = {}
    for replica, path in wanted.items():
        topics = by_broker.setdefault(replica.broker, {}).setdefault(path, {})
        topics.setdefault(replica.at.topic, []).append(replica.at.partition)
    codes: dict[Replica, ErrorCode] = {}
    for broker, paths in by_broker.items():
        request = AlterReplicaLogDirsRequest(
            dirs=[
                AlterReplicaLogDir(
                    path, [AlterReplicaLogDirTopic(*item) for item in topics.items()]
                )
                for path, topics in paths.items()
            ]
        )
        for topic in client.ask_broker(broker, request).results:
            for it in topic.partitions:
                at = TopicPartition(topic.topic_name, it.partition_index)
                codes[Replica(broker, at)] = ErrorCode(it.error_code)
    return codes
