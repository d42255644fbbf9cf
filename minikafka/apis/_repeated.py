"""Requests that name a partition more than once."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
P = TypeVar("P")


def last_of_each(rows: Iterable[tuple[T, int, P]]) -> list[tuple[T, list[P]]]:
    """Return each topic once, with each of its partitions once; rows are topic, index, partition.

    As Kafka: the last entry of a partition counts, at the position of the first; the others are
    ignored. A topic that is named twice is answered once (`KafkaApis.handleProduceRequest`,
    `FetchRequest.fetchData`, `KafkaApis.handleDeleteRecordsRequest`).
    """
    topics: dict[T, dict[int, P]] = {}
    for topic, index, partition in rows:
        topics.setdefault(topic, {})[index] = partition
    return [(topic, list(partitions.values())) for topic, partitions in topics.items()]
