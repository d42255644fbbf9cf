"""The changes between two images, found by the identity of the objects that they share.

Source: `TopicsDelta.localChanges`, `LocalReplicaChanges`.
"""

from typing import NamedTuple

from minikafka.common.ids import TopicIdPartition, TopicPartition, Uuid
from minikafka.metadata.image import MetadataImage, TopicImage
from minikafka.metadata.partition_registration import PartitionRegistration


class LocalReplica(NamedTuple):
    """A replica of this broker whose registration changed."""

    topic_partition: TopicPartition
    topic_id: Uuid
    registration: PartitionRegistration


class LocalChanges(NamedTuple):
    """The changed replicas of a broker: leaders, followers and removed ones.

    `removed` are replicas whose topic is deleted or whose partition no longer lists this broker.
    """

    leaders: list[LocalReplica]
    followers: list[LocalReplica]
    removed: list[tuple[TopicPartition, TopicIdPartition]]


def changed_topics(
    old: MetadataImage, new: MetadataImage
) -> list[tuple[TopicImage | None, TopicImage | None]]:
    """Pairs of (old topic, new topic) for each topic that differs between the two images."""
    if old.topics is new.topics:
        return []
    pairs: list[tuple[TopicImage | None, TopicImage | None]] = [
        (topic, None) for topic_id, topic in old.topics.items() if topic_id not in new.topics
    ]
    for topic_id, topic in new.topics.items():
        before = old.topics.get(topic_id)
        if before is not topic:
            pairs.append((before, topic))
    return pairs


def local_changes(old: MetadataImage, new: MetadataImage, broker: int) -> LocalChanges:
    """The changes of the replicas on `broker`. The broker must apply the removals first."""
    changes = LocalChanges([], [], [])
    for before, after in changed_topics(old, new):
        if after is None:
            assert before is not None
            _removals(before, broker, changes)
            continue
        for index, registration in after.partitions.items():
            old_registration = before.partitions.get(index) if before else None
            if old_registration is registration:
                continue
            name = TopicPartition(after.name, index)
            if broker not in registration.replicas:
                if old_registration is not None and broker in old_registration.replicas:
                    changes.removed.append((name, TopicIdPartition(after.topic_id, index)))
                continue
            local = LocalReplica(name, after.topic_id, registration)
            (changes.leaders if registration.leader == broker else changes.followers).append(local)
    return changes


def _removals(topic: TopicImage, broker: int, changes: LocalChanges) -> None:
    for index, registration in topic.partitions.items():
        if broker in registration.replicas:
            changes.removed.append(
                (TopicPartition(topic.name, index), TopicIdPartition(topic.topic_id, index))
            )
