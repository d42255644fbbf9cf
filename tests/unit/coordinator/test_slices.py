"""Work on all groups of a partition: bounded in each step, with the same result."""

import pytest

from minikafka.common import environment
from minikafka.common.errors import CoordinatorLoadInProgressError, NotCoordinatorError
from minikafka.coordinator.shard import ShardState
from minikafka.group.group import GroupState
from tests.unit.group.test_memory import recount

GROUPS = [f"g{number}" for number in range(20)]


@pytest.fixture
def few(monkeypatch):
    """A step works on a group or two."""
    monkeypatch.setattr(environment, "STEP_BUDGET_US", 50)


def shard_of(world):
    (shard,) = world.groups.shards.values()
    return shard


def next_slice(world):
    world.env.spent_us = 0
    world.env.take_later()()


def slices_left(world):
    count = 0
    while (work := world.env.take_later()) is not None:
        world.env.spent_us = 0
        work()
        count += 1
    return count


def test_pieces_run_until_a_step_has_done_enough(world, few):
    done = []

    def pieces():
        for cost in (20, 20, 20, 50, 10):
            done.append(cost)
            yield cost

    world.env.spread(pieces())
    assert done == [20, 20, 20]
    next_slice(world)
    assert done == [20, 20, 20, 50]
    next_slice(world)
    assert done == [20, 20, 20, 50, 10]
    assert world.env.take_later() is None


def test_all_slices_share_the_work_of_a_step(world, few):
    """A node has a shard for each partition, and the periodic cleaning begins with all of them."""
    done = []

    def pieces(name):
        for _ in range(3):
            done.append(name)
            yield 20

    world.env.spent_us = 0
    for name in "abc":
        world.env.spread(pieces(name))
    assert done == ["a", "a", "a"]
    steps = []
    while (work := world.env.take_later()) is not None:
        world.env.spent_us = 0
        before = len(done)
        work()
        steps.append(len(done) - before)
    assert max(steps) == 3
    assert sorted(done) == ["a"] * 3 + ["b"] * 3 + ["c"] * 3


def test_groups_are_loaded_in_slices_and_served_together(world, few):
    for group in GROUPS:
        world.stable(group=group)
        world.commit(
            {0: 7}, group=group, topic="t", member_id=world.group(group).leader_id, generation=1
        )
    held_bytes = world.groups.memory.held_bytes
    world.start()
    world.lead()
    shard = shard_of(world)
    steps = 0
    while shard.shard.state is ShardState.LOADING:
        with pytest.raises(CoordinatorLoadInProgressError):
            world.groups.shard_of("g0")
        next_slice(world)
        steps += 1
    assert steps > len(GROUPS) // 2
    assert world.groups.memory.held_bytes == recount(world) == held_bytes
    # A group is served before its sessions are started.
    member = world.group("g19").leader_id
    world.heartbeat(member, 1, group="g19")
    assert world.committed(group="g19") == {0: 7}
    assert slices_left(world) > 0
    assert all(world.group(group).members[world.group(group).leader_id].timer for group in GROUPS)
    world.run(60 * 60 * 1000)
    assert {world.group(group).state for group in GROUPS} == {GroupState.EMPTY}


def test_loading_ends_where_leadership_does(world, few):
    for group in GROUPS:
        world.stable(group=group)
    world.start()
    world.lead()
    shard = shard_of(world)
    while not shard.store.groups:
        next_slice(world)
    world.lead(2)
    assert shard.shard.state is ShardState.CLOSED
    slices_left(world)
    assert world.groups.memory.held_bytes == 0
    with pytest.raises(NotCoordinatorError):
        world.groups.shard_of("g0")


def test_a_closed_shard_ends_its_groups_in_slices_and_writes_nothing_more(world, few):
    """Not even where this broker leads the partition again before all of them have ended."""
    for group in GROUPS:
        world.stable(group=group)
    former = [world.group(group) for group in GROUPS]
    shard = shard_of(world)
    world.lead(2)
    living = [group for group in former if group.state is not GroupState.DEAD]
    assert 0 < len(living) < len(former)
    world.lead()
    end_offset = world.log.log_end_offset
    world.at(world.env.clock.monotonic_ms + 60_000)
    world.env.timers.fire_due(world.env.clock.monotonic_ms)
    assert world.log.log_end_offset == end_offset
    assert all(group.members for group in living)
    with pytest.raises(NotCoordinatorError):
        shard.store.journal.append([])
    world.run()
    assert {group.state for group in former} == {GroupState.DEAD}
    assert world.groups.memory.held_bytes == recount(world)
    world.lead(2)
    world.run()
    assert world.groups.memory.held_bytes == 0


def test_an_assignment_that_waits_for_its_commit_fails_when_the_shard_closes(make_world, few):
    world = make_world(replicas=(1, 2))
    joining = [world.join(world.member_id(group=group), group=group) for group in GROUPS]
    world.replicate()
    world.run()
    members = [each.answer.member_id for each in joining]
    waiting = [
        world.sync(member, 1, {member: b"a"}, group=group)
        for group, member in zip(GROUPS, members, strict=True)
    ]
    assert not any(each.answer for each in waiting)
    groups = [world.group(group) for group in GROUPS]
    world.lead(2)
    assert all(each.answer.error_code == NotCoordinatorError.code for each in waiting)
    assert {group.state for group in groups} == {GroupState.DEAD, GroupState.COMPLETING_REBALANCE}
    world.run()
    assert world.groups.memory.held_bytes == 0
