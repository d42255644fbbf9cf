"""The uniform assignor: all members get as many partitions as possible, and keep what they have.

If all members subscribe to the same topics, the numbers of partitions differ by at most one. If
not, partitions go to the subscriber of their topic with the fewest ones, first those of the topics
with the most partitions for each subscriber; then partitions move from members with many to members
with few as long as that makes the numbers more even.

Source: `UniformAssignor`, `UniformHomogeneousAssignmentBuilder`,
`UniformHeterogeneousAssignmentBuilder`.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from heapq import heapify, heapreplace
from itertools import islice
from typing import Final

from minikafka.common.ids import Uuid
from minikafka.group.consumer.assignors.spec import PIECE_US, Computing, GroupSpec, Targets

_PARTITION_US: Final = 0.5
_MAX_ROUNDS: Final = 16

_Work = dict[str, dict[Uuid, set[int]]]
_Loads = list[tuple[int, int, str]]


class UniformAssignor:
    """Evens out the numbers of partitions."""

    name = "uniform"

    def assign(self, group: GroupSpec) -> Computing:
        """Compute the targets of all members, in pieces."""
        if not group.partition_counts:
            return {}
        if group.is_homogeneous:
            return (yield from _Equals(group).assign())
        return (yield from _Others(group).assign())


@dataclass(slots=True, eq=False)
class _Equals:
    """Members that all subscribe to the same topics."""

    group: GroupSpec
    targets: _Work = field(default_factory=dict)
    free: list[tuple[Uuid, int]] = field(default_factory=list)

    def assign(self) -> Computing:
        total = yield from self._find_free()
        count = len(self.group.subscribers)
        least, larger = divmod(total, count)
        room: dict[str, int] = {}
        for place, member_id in enumerate(self.group.subscribers):
            is_larger = larger > 0
            kept, left = self._keep(member_id, least + is_larger)
            if left and is_larger and count - place > larger:
                # A later member may have more already.
                is_larger, left = False, left - 1
            larger -= is_larger
            self.targets[member_id] = kept
            if left:
                room[member_id] = left
            yield PIECE_US + sum(map(len, kept.values())) * _PARTITION_US
        free = iter(self.free)
        for member_id, left in room.items():
            target = self.targets[member_id]
            for topic_id, index in islice(free, left):
                target.setdefault(topic_id, set()).add(index)
            yield PIECE_US + left * _PARTITION_US
        return self.targets

    def _find_free(self) -> Generator[float, None, int]:
        """Collect the partitions that no member has; return the number of all."""
        taken: dict[Uuid, set[int]] = {}
        for subscriber in self.group.subscribers.values():
            for topic_id, indexes in subscriber.target.items():
                taken.setdefault(topic_id, set()).update(indexes)
            yield PIECE_US
        total = 0
        for topic_id, count in self.group.partition_counts.items():
            has_owner = taken.get(topic_id, set())
            self.free += [(topic_id, index) for index in range(count) if index not in has_owner]
            total += count
            yield PIECE_US + count * _PARTITION_US
        return total

    def _keep(self, member_id: str, quota: int) -> tuple[dict[Uuid, set[int]], int]:
        """Return what a member may keep of its target, and how many partitions it still gets."""
        kept: dict[Uuid, set[int]] = {}
        target = self.group.subscribers[member_id].target
        for topic_id in sorted(target):
            count = self.group.partition_counts.get(topic_id, 0)
            here = [index for index in sorted(target[topic_id]) if index < count]
            mine, rest = here[:quota], here[quota:]
            quota -= len(mine)
            if mine:
                kept[topic_id] = set(mine)
            self.free += [(topic_id, index) for index in rest]
        return kept, quota


@dataclass(slots=True, eq=False)
class _Others:
    """Members that subscribe to different topics."""

    group: GroupSpec
    places: dict[str, int] = field(init=False)
    subscribers: dict[Uuid, list[str]] = field(default_factory=dict)
    owners: dict[Uuid, dict[int, str]] = field(default_factory=dict)
    loads: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.places = {member_id: place for place, member_id in enumerate(self.group.subscribers)}
        self.loads = dict.fromkeys(self.group.subscribers, 0)

    def assign(self) -> Computing:
        for member_id, subscriber in self.group.subscribers.items():
            for topic_id in subscriber.topics:
                self.subscribers.setdefault(topic_id, []).append(member_id)
            self._keep(member_id)
            yield PIECE_US + self.loads[member_id] * _PARTITION_US
        topics = sorted(self.subscribers, key=self._rank)
        for topic_id in topics:
            moved = self._give_free(topic_id)
            yield PIECE_US + moved * _PARTITION_US
        yield from self._even_out([each for each in topics if len(self.subscribers[each]) > 1])
        return self._targets()

    def _rank(self, topic_id: Uuid) -> tuple[float, int, Uuid]:
        """Topics with many partitions for each subscriber come first."""
        count = len(self.subscribers[topic_id])
        return -self.group.partition_counts[topic_id] / count, count, topic_id

    def _keep(self, member_id: str) -> None:
        subscriber = self.group.subscribers[member_id]
        for topic_id, indexes in subscriber.target.items():
            if topic_id in subscriber.topics:
                owned = self.owners.setdefault(topic_id, {})
                count = self.group.partition_counts[topic_id]
                for index in indexes:
                    if index < count and index not in owned:
                        owned[index] = member_id
                        self.loads[member_id] += 1

    def _give_free(self, topic_id: Uuid) -> int:
        """Give the partitions without owner to the members with the fewest."""
        owned = self.owners.setdefault(topic_id, {})
        free = [
            index for index in range(self.group.partition_counts[topic_id]) if index not in owned
        ]
        if free:
            lightest = self._by_load(topic_id)
            for index in free:
                load, rank, member_id = lightest[0]
                owned[index] = member_id
                self.loads[member_id] += 1
                heapreplace(lightest, (load + 1, rank, member_id))
        return len(free)

    def _by_load(self, topic_id: Uuid) -> _Loads:
        """Return the subscribers of a topic as a heap, those with the fewest partitions first.

        Among those with as many it keeps the order that they have now.
        """
        members = sorted(
            self.subscribers[topic_id], key=lambda each: (self.loads[each], self.places[each])
        )
        return [(self.loads[each], rank, each) for rank, each in enumerate(members)]

    def _even_out(self, topics: list[Uuid]) -> Generator[float, None, None]:
        """Move partitions as long as one makes the numbers more even, in a bounded time."""
        quiet = 0
        for _ in range(_MAX_ROUNDS):
            for topic_id in topics:
                moved = self._even_out_topic(topic_id)
                yield PIECE_US + (moved + self.group.partition_counts[topic_id]) * _PARTITION_US
                quiet = 0 if moved else quiet + 1
                if quiet >= len(topics):
                    return

    def _even_out_topic(self, topic_id: Uuid) -> int:
        """Move partitions of a topic from the members with the most to those with the fewest."""
        owned = self.owners[topic_id]
        by_owner: dict[str, list[int]] = {}
        for index in sorted(owned):
            by_owner.setdefault(owned[index], []).append(index)
        lightest = self._by_load(topic_id)
        heaviest = [(-load, -rank, each) for load, rank, each in lightest if each in by_owner]
        heapify(heaviest)
        moved = 0
        while heaviest and lightest:
            most, rank, giver = heaviest[0]
            fewest, taker_rank, taker = lightest[0]
            if fewest != self.loads[taker]:
                heapreplace(lightest, (self.loads[taker], taker_rank, taker))
                continue
            if -most - fewest <= 1:
                break
            indexes = by_owner[giver]
            owned[indexes.pop()] = taker
            self.loads[giver] -= 1
            self.loads[taker] += 1
            moved += 1
            heapreplace(lightest, (fewest + 1, taker_rank, taker))
            if indexes:
                heapreplace(heaviest, (most + 1, rank, giver))
            else:
                heaviest[0] = heaviest[-1]
                heaviest.pop()
                heapify(heaviest)
        return moved

    def _targets(self) -> Targets:
        targets: _Work = {member_id: {} for member_id in self.group.subscribers}
        for topic_id, owned in self.owners.items():
            for index, member_id in owned.items():
                targets[member_id].setdefault(topic_id, set()).add(index)
        return targets
