"""What groups lose in time is looked for in slices; `test_shard.py` says what goes, and when."""

import pytest

from minikafka.coordinator import slices
from tests.unit.group.test_memory import recount

GROUPS = [f"g{number}" for number in range(20)]
WEEK_MS = 7 * 24 * 60 * 60 * 1000


@pytest.fixture
def few(monkeypatch):
    """A step works on a group or two."""
    monkeypatch.setattr(slices, "MOST_UNITS", 5)


def shard_of(world):
    (shard,) = world.groups.shards.values()
    return shard


def slices_left(world):
    count = 0
    while (work := world.env.take_later()) is not None:
        work()
        count += 1
    return count


def test_offsets_of_deleted_topics_are_forgotten_in_slices(world, few):
    for group in GROUPS:
        world.commit({0: 1}, group=group, topic="gone")
        world.commit({0: 1}, group=group, topic="kept")
    world.groups.forget_topics(frozenset(("gone",)))
    assert any("gone" in each.written for each in shard_of(world).offsets.values())
    # No client sees the difference; a commit for a topic that is created again stays.
    world.commit({1: 9}, group="g0", topic="gone")
    assert world.committed(group="g0", topic="gone") == {1: 9}
    assert world.committed(group="g1", topic="gone") == {}
    world.groups.forget_topics(frozenset(("kept",)))
    assert slices_left(world) > 1
    assert world.committed(group="g0", topic="gone") == {1: 9}
    for group in GROUPS[1:]:
        assert world.committed(group=group, topic="gone") == {}
        assert world.committed(group=group, topic="kept") == {}
    assert world.groups.memory.held_bytes == recount(world)


def test_groups_are_cleaned_in_slices(world, few):
    for group in GROUPS:
        world.commit({0: 1}, group=group)
    world.at(world.env.clock.monotonic_ms + 2 * WEEK_MS)
    shard = shard_of(world)
    shard.expiration.clean()
    left = len(shard.groups)
    assert 0 < left < len(GROUPS)
    shard.expiration.clean()
    assert len(shard.groups) == left
    world.commit({0: 2}, group="g19")
    assert slices_left(world) > 1
    assert list(shard.groups) == ["g19"]
    assert world.groups.memory.held_bytes == recount(world)
    assert world.committed(group="g19") == {0: 2}
