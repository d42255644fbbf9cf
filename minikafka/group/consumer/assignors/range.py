"""The range assignor: neighbouring partitions of each topic go to the same member.

Members that subscribe to the same topics get the same ranges of each, so that topics with the same
number of partitions are divided alike. Static members come first, by their instance ids, so that
they keep their ranges when others come and go.

Source: `RangeAssignor` (server side).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from minikafka.common.ids import Uuid
from minikafka.group.consumer.assignors.spec import PIECE_US, Computing, GroupSpec, Subscriber

_PARTITION_US: Final = 0.2


@dataclass(slots=True)
class _Ranges:
    """The ranges of one topic that are left: the first ones have one partition more."""

    partition_count: int
    subscriber_count: int = 0
    given: int = 0
    at: int = 0

    def take(self) -> range:
        """Return the next range."""
        size, larger = divmod(self.partition_count, self.subscriber_count)
        start = self.at
        self.at = min(start + size + (self.given < larger), self.partition_count)
        self.given += 1
        return range(start, self.at)


class RangeAssignor:
    """Divides each topic on its own."""

    name = "range"

    def assign(self, group: GroupSpec) -> Computing:
        """Compute the targets of all members, in pieces."""
        topics = {topic_id: _Ranges(count) for topic_id, count in group.partition_counts.items()}
        for subscriber in group.subscribers.values():
            for topic_id in subscriber.topics:
                topics[topic_id].subscriber_count += 1
            yield PIECE_US + len(subscriber.topics) * _PARTITION_US
        targets = {}
        for member_id in _in_order(group.subscribers):
            target: dict[Uuid, frozenset[int]] = {}
            for topic_id in sorted(group.subscribers[member_id].topics):
                part = topics[topic_id].take()
                if part:
                    target[topic_id] = frozenset(part)
            targets[member_id] = target
            yield PIECE_US + sum(map(len, target.values())) * _PARTITION_US
        return targets


def _in_order(subscribers: Mapping[str, Subscriber]) -> list[str]:
    """Return the ids of static members by instance id, then of the others."""

    def place(member_id: str) -> tuple[bool, str]:
        instance = subscribers[member_id].instance_id
        return (True, member_id) if instance is None else (False, instance)

    return sorted(subscribers, key=place)
