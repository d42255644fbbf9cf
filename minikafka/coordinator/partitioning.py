"""The partition of an internal topic whose leader coordinates a group or a transactional id.

Source: `GroupCoordinatorService.partitionFor`, `TransactionStateManager.partitionFor`.
"""


def partition_of(key: str, partition_count: int) -> int:
    """Return the partition for a group id or transactional id: `abs(hashCode) % count`."""
    return (java_hash(key) & 0x7FFFFFFF) % partition_count


def java_hash(text: str) -> int:
    """Return Java's `String.hashCode` as an unsigned 32-bit number, computed over UTF-16 units."""
    units = text.encode("utf-16-be", "surrogatepass")
    hashed = 0
    for at in range(0, len(units), 2):
        hashed = (31 * hashed + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return hashed
