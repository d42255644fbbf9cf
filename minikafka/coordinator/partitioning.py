"""The partition of an internal topic whose leader coordinates a group or a transactional id."""

from typing import Final

_SIGN: Final = 1 << 31


def partition_of(key: str, partition_count: int) -> int:
    """Return the partition of a group id or transactional id.

    Source: `GroupCoordinatorService.partitionFor`, `TransactionStateManager.partitionFor`:
    `Utils.abs(key.hashCode()) % count`.
    """
    hashed = java_hash(key)
    # A negative number in Java. The lowest one has no absolute value there: Kafka takes 0.
    size = hashed if hashed < _SIGN else (-hashed) % _SIGN
    return size % partition_count


def java_hash(text: str) -> int:
    """Return Java's `String.hashCode` as an unsigned 32-bit number, computed over UTF-16 units."""
    units = text.encode("utf-16-be", "surrogatepass")
    hashed = 0
    for at in range(0, len(units), 2):
        hashed = (31 * hashed + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return hashed
