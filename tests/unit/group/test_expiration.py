"""What groups lose in time is looked for in slices; `test_shard.py` says what goes, and when."""

import pytest

from minikafka.common import environment
from tests.unit.group.test_memory import recount

GROUPS = [f"g{number}" for number in range(20)]
WEEK_MS = 7 * 24 * 60 * 60 * 1000


@pytest.fixture
def few(monkeypatch):
    """A step works on a group or two."""
    monkeypatch.setattr(environment, "STEP_BUDGET_US", 50)


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
    assert any("gone" in each.written for each in shard_of(world).store.offsets.values())
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
    left = len(shard.store.groups)
    assert 0 < left < len(GROUPS)
    shard.expiration.clean()
    assert len(shard.store.groups) == left
    world.commit({0: 2}, group="g19")
    assert slices_left(world) > 1
    assert list(shard.store.groups) == ["g19"]
    assert world.groups.memory.held_bytes == recount(world)
    assert world.committed(group="g19") == {0: 2}


def with_long_names(world):
    """A group with a thousand offsets, whose tombstones are larger than a batch may be."""
    group, topic = "g" * 1_000, "t" * 249
    for first in range(0, 1_000, 250):
        write, _ = world.commit(
            dict.fromkeys(range(first, first + 250), 5), group=group, topic=topic
        )
        assert write.code == 0
    return group


def test_a_group_is_deleted_whatever_the_size_of_its_names(world):
    group = with_long_names(world)
    write = world.groups.shard_of(group).delete_group(group)
    assert write.code == 0
    shard = world.groups.shards[0]
    assert not shard.store.groups
    assert not shard.store.offsets
    assert world.groups.memory.held_bytes == 0
    world.restart()
    assert not world.groups.shards[0].store.groups
    assert all(each.is_empty for each in world.groups.shards[0].store.offsets.values())


def test_a_group_expires_whatever_the_size_of_its_names(world):
    with_long_names(world)
    world.run(9 * 24 * 3_600_000)
    assert not world.groups.shards[0].store.groups
    assert world.groups.memory.held_bytes == 0
