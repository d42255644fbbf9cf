"""The order in which Kafka's coordinators list what they hold: that of its hash table.

Source: `TimelineHashMap`, `BaseHashTable`, `SnapshottableHashTable`.
"""

from collections.abc import Iterable
from typing import Final

from minikafka.coordinator.partitioning import java_hash

MAX_ORDERED_KEYS: Final = 1000
"""More keys stay as they are: to hash them would hold the step for too long."""
_MULTIPLIER: Final = -7046029254386353131
_MASK: Final = (1 << 64) - 1
_SIGN: Final = 1 << 31


def in_order(keys: Iterable[str], *, are_replaced: bool) -> list[str]:
    """Return keys, given in the order of their insertion, as Kafka lists them.

    The table grows before an entry is put; `are_replaced` tells whether entries are put again while
    they are in it, so that it grows one entry earlier.
    """
    found = list(keys)
    if len(found) > MAX_ORDERED_KEYS:
        return found
    slots = 2
    while (len(found) + are_replaced) * 3 > slots * 4:
        slots *= 2
    shift = 65 - slots.bit_length()
    # In one slot the last entry comes first.
    found.reverse()
    found.sort(key=lambda key: _mixed(key) >> shift)
    return found


def _mixed(key: str) -> int:
    hashed = java_hash(key)
    return ((hashed ^ _SIGN) - _SIGN) * _MULTIPLIER & _MASK
