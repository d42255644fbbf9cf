"""The partition of a key, as Kafka's Java client and librdkafka's `murmur2` choose it.

Source: `Utils.murmur2`, `BuiltInPartitioner.partitionForKey`.
"""

from struct import iter_unpack
from typing import Final

_SEED: Final = 0x9747B28C
_M: Final = 0x5BD1E995
_R: Final = 24
_MASK: Final = 0xFFFFFFFF


def partition_of_key(key: bytes, partitions: int) -> int:
    """Return the partition of a key in a topic with so many partitions."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(data: bytes) -> int:
    """Return the 32-bit hash of some bytes, as an unsigned number."""
    found = (_SEED ^ len(data)) & _MASK
    whole = len(data) & ~3
    for (word,) in iter_unpack("<I", data[:whole]):
        mixed = word * _M & _MASK
        mixed = (mixed ^ mixed >> _R) * _M & _MASK
        found = found * _M & _MASK ^ mixed
    rest = int.from_bytes(data[whole:], "little")
    if len(data) > whole:
        found = (found ^ rest) * _M & _MASK
    found = (found ^ found >> 13) * _M & _MASK
    return found ^ found >> 15
