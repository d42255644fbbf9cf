"""Answers that name a former leader, as a broker gives them whose metadata is behind."""

from collections.abc import Iterator
from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.faults.partition_lists import Matches, answered_partitions
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.metadata import MetadataResponseBroker
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration


def stale_partitions(
    response: Any, version: int, matches: Matches, before: MetadataImage, now: MetadataImage
) -> Iterator[tuple[Any, int, int]]:
    """Yield the matching partitions of a response, each with the leader and epoch to name.

    These are from `before`. If the partition has changed no leader since, or is newer, the leader
    is the next replica and the epoch is the one before. A partition that keeps both is left out.
    """
    for name, topic_id, entry in answered_partitions(response, version):
        if not matches(name, topic_id, entry.partition_index):
            continue
        index = entry.partition_index
        current = _registration(now, name, topic_id, index)
        if current is None:
            continue
        leader, epoch = _former(_registration(before, name, topic_id, index), current)
        if (leader, epoch) != (entry.leader_id, entry.leader_epoch):
            yield entry, leader, epoch


def name_leader(entry: Any, leader: int, epoch: int) -> None:
    """Name a leader in the entry of a partition."""
    entry.error_code = int(ErrorCode.NONE)
    entry.leader_id, entry.leader_epoch = leader, epoch


def name_broker(response: Any, leader: int, listener: str, now: MetadataImage) -> None:
    """Add a leader that is fenced by now to the brokers of a Metadata response."""
    if response.API_KEY != ApiKey.METADATA:
        return
    broker = now.brokers.get(leader)
    endpoint = None if broker is None else broker.endpoint(listener)
    if broker is None or endpoint is None:
        return
    if all(each.node_id != leader for each in response.brokers):
        response.brokers.append(
            MetadataResponseBroker(leader, endpoint.host, endpoint.port, broker.rack)
        )


def _former(before: PartitionRegistration | None, now: PartitionRegistration) -> tuple[int, int]:
    if before is not None and before.leader >= 0 and before.leader_epoch != now.leader_epoch:
        return before.leader, before.leader_epoch
    replicas = now.replicas
    at = replicas.index(now.leader) if now.leader in replicas else -1
    return replicas[(at + 1) % len(replicas)], max(now.leader_epoch - 1, 0)


def _registration(
    image: MetadataImage, name: str, topic_id: Uuid, index: int
) -> PartitionRegistration | None:
    topic = image.topics.get(topic_id) or image.topic(name)
    return None if topic is None else topic.partitions.get(index)
