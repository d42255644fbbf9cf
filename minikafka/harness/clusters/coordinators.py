"""The coordinator of each transactional id, from the changes of __transaction_state."""

from collections.abc import Iterable, Sequence

from minikafka.coordinator.partitioning import partition_of
from minikafka.harness.lines import RunEvent

STATE_TOPIC = "__transaction_state"
COORDINATOR = "coordinator"
"""The event's name. Fields: `at_ms`, `id` (the transactional id), `leader` (None if no node
coordinates it)."""


def coordinator_changes(changes: Iterable[RunEvent], ids: Sequence[str]) -> list[RunEvent]:
    """Return the changes of the coordinators of transactional ids.

    `changes` are those of the partitions of `STATE_TOPIC`, numbered from 0, since its creation.
    """
    every = list(changes)
    count = max((change["partition"] for change in every), default=-1) + 1
    if not count:
        return []
    by_partition: dict[int, list[str]] = {}
    for each in ids:
        by_partition.setdefault(partition_of(each, count), []).append(each)
    found = []
    leaders: dict[str, int | None] = {}
    for change in every:
        for each in by_partition.get(change["partition"], ()):
            if each not in leaders or leaders[each] != change["leader"]:
                leaders[each] = change["leader"]
                found.append(
                    {
                        "at_ms": change["at_ms"],
                        "event": COORDINATOR,
                        "id": each,
                        "leader": change["leader"],
                    }
                )
    return found
