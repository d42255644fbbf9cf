"""The bound of what groups hold in memory."""

from collections import deque
from random import Random

import pytest

from minikafka.common.errors import CoordinatorNotAvailableError, ErrorCode, KafkaError
from minikafka.group.memory import GROUP_BYTES, OFFSET_BYTES, PENDING_MEMBER_BYTES
from tests.worlds.group_world import SESSION_MS

MIB = 1024 * 1024


def recount(world):
    """What the groups hold, counted from their members and offsets."""
    held = 0
    for shard in world.groups.shards.values():
        for group in shard.store.groups.values():
            held += GROUP_BYTES + sum(member.size_bytes for member in group.members.values())
            held += sum(PENDING_MEMBER_BYTES + len(each) for each in group.pending_members)
        for offsets in shard.store.offsets.values():
            held += sum(OFFSET_BYTES + len(at[2].metadata) for at in offsets.all_written())
    return held


def rebalance(world, group, ids):
    """Let members join, and the leader assign something to each."""
    waiting = [world.join(each, group=group) for each in ids]
    world.run(SESSION_MS // 2)
    answers = [each.answer for each in waiting if each.answer and not each.answer.error_code]
    for answer in answers:
        everyone = {each.member_id: b"part" * 7 for each in answer.members}
        world.sync(answer.member_id, answer.generation_id, everyone, group=group)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_held_is_counted_through_everything_that_groups_go_through(make_world, seed):
    world = make_world(offsets_retention_minutes=1, offsets_retention_check_interval_ms=30_000)
    rng = Random(seed)
    ids = {}
    for _ in range(150):
        group = rng.choice("abc")
        known = ids.setdefault(group, [])
        try:
            match rng.randrange(9):
                case 0:
                    ids[group] = [world.member_id(group=group) for _ in range(2)]
                    rebalance(world, group, ids[group])
                case 1:
                    known.append(world.member_id(group=group))
                case 2:
                    world.join(rng.choice(known or [""]), group=group, protocols=["range", "xy"])
                case 3:
                    world.join(instance=rng.choice("ij"), group=group)
                case 4:
                    world.leave((rng.choice(known or [""]), None), group=group)
                case 5:
                    world.run(rng.choice([10, SESSION_MS, 20 * SESSION_MS]))
                case 6:
                    offsets = dict.fromkeys(rng.sample(range(5), 2), rng.randrange(100))
                    world.commit(offsets, group=group, metadata="m" * rng.randrange(30))
                case 7:
                    world.groups.shard_of(group).delete_group(group)
                case 8:
                    world.restart()
        except KafkaError:
            pass  # What does not fit the group's state is refused.
        assert world.groups.memory.held_bytes == recount(world)
    world.lead(2)
    assert world.groups.memory.held_bytes == 0


def test_members_beyond_the_bound_come_again_later(make_world):
    world = make_world(group_coordinator_memory_bytes=MIB)
    (member,) = world.stable()
    large = ["p" * 30_000 + str(number) for number in range(20)]
    for number in range(20):
        group = f"large{number}"
        try:
            world.join(world.member_id(group=group), group=group, protocols=[*large, "range"])
        except CoordinatorNotAvailableError:
            break
    else:
        pytest.fail("no member was refused")
    assert world.groups.memory.held_bytes <= MIB
    world.heartbeat(member, 1)
    world.join(member)
    world.run(5 * 60 * 1000)
    assert world.join(group="h").answer.error_code == ErrorCode.MEMBER_ID_REQUIRED


def test_a_member_cannot_grow_beyond_the_bound(make_world):
    world = make_world(group_coordinator_memory_bytes=MIB)
    (member,) = world.stable()
    with pytest.raises(CoordinatorNotAvailableError):
        world.join(member, protocols=["range", "p" * MIB])
    with pytest.raises(CoordinatorNotAvailableError):
        world.sync(member, 1, {member: b"a" * MIB})


def test_offsets_beyond_the_bound_are_refused_and_known_ones_go_on(make_world):
    world = make_world(group_coordinator_memory_bytes=MIB)
    world.commit({0: 5})
    groups = [f"g{number}" for number in range(1000)]
    with pytest.raises(CoordinatorNotAvailableError):
        deque((world.commit({1: 1}, group=each, metadata="m" * 4096) for each in groups), 0)
    world.commit({0: 6})
    assert world.committed() == {0: 6}


def test_protocol_names_of_members_that_left_are_forgotten(world):
    for number in range(5):
        (member,) = world.stable(protocols=[f"p{number}"])
        world.leave((member, None))
        world.run()
    assert world.group().votes == {}
