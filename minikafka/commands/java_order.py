"""The iteration order of a Java HashMap, in which Kafka's tools print.

Scripts that compare the output of tools line by line would break on any other order.
"""

from collections.abc import Iterable
from typing import TypeVar

from minikafka.common.ids import TopicPartition

T = TypeVar("T")

_DEFAULT_CAPACITY = 16


def hash_map_order(keys: Iterable[str], expected: int | None = None) -> list[str]:
    """Return the keys in the order of a `new HashMap<>(expected)` that got them one by one.

    Without `expected` the map starts with Java's default capacity.
    Source: `java.util.HashMap` (power-of-two table, grown at three quarters, buckets in order).
    """
    listed = list(dict.fromkeys(keys))
    return _ordered(listed, [_text_hash(key) for key in listed], expected)


def partition_order(partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
    """Return partitions in the order of a HashMap or HashSet (`TopicPartition.hashCode`)."""
    listed = list(dict.fromkeys(partitions))
    return _ordered(listed, [(31 + at.partition) * 31 + _text_hash(at.topic) for at in listed])


def _ordered(listed: list[T], hashes: list[int], expected: int | None = None) -> list[T]:
    capacity = 1
    while capacity < (_DEFAULT_CAPACITY if expected is None else expected):
        capacity *= 2
    while len(listed) > capacity * 3 // 4:
        capacity *= 2
    buckets = [(value ^ (value & 0xFFFFFFFF) >> 16) & (capacity - 1) for value in hashes]
    return [listed[index] for index in sorted(range(len(listed)), key=buckets.__getitem__)]


def _text_hash(text: str) -> int:
    value = 0
    units = text.encode("utf-16-be")
    for index in range(0, len(units), 2):
        value = (31 * value + units[index] * 256 + units[index + 1]) & 0xFFFFFFFF
    return value
