"""The order in which a Java HashMap gives its keys: what Kafka's tools print by.

Scripts that compare the output of tools line by line would break on any other order.
"""

from collections.abc import Iterable

_DEFAULT_CAPACITY = 16


def hash_map_order(keys: Iterable[str], expected: int | None = None) -> list[str]:
    """The keys as `new HashMap<>(expected)` gives them after they were put in one by one.

    Without `expected` the map starts with Java's default capacity.
    Source: `java.util.HashMap` (power-of-two table, grown at three quarters, buckets in order).
    """
    listed = list(dict.fromkeys(keys))
    capacity = 1
    while capacity < (_DEFAULT_CAPACITY if expected is None else expected):
        capacity *= 2
    while len(listed) > capacity * 3 // 4:
        capacity *= 2
    return sorted(listed, key=lambda key: _spread_hash(key) & (capacity - 1))


def _spread_hash(text: str) -> int:
    value = 0
    units = text.encode("utf-16-be")
    for index in range(0, len(units), 2):
        value = (31 * value + units[index] * 256 + units[index + 1]) & 0xFFFFFFFF
    return value ^ value >> 16
