"""The loaded state of groups, while the high watermark moves, against that of who wrote the log."""

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minikafka.common.errors import CoordinatorLoadInProgressError
from minikafka.coordinator import loading
from tests.worlds.group_world import World
from tests.worlds.wire_world import take_turn

GROUPS = ("g", "h")
COMMIT, IN_TRANSACTION, MARKER, DELETION = range(4)


def written(actions, seed):
    """A coordinator that has written as many batches, and ends of the batches in its log."""
    world, rng = World(), Random(seed)
    ends = [0]
    for offset, action in enumerate(actions):
        group, producer_id = rng.choice(GROUPS), rng.choice((7, 8))
        offsets = dict.fromkeys(rng.sample(range(3), rng.randint(1, 2)), offset)
        if action == COMMIT:
            world.commit(offsets, group=group)
        elif action == IN_TRANSACTION:
            world.commit_transactional(offsets, producer_id, group=group)
        elif action == MARKER:
            world.end_transaction(producer_id, is_commit=rng.random() < 0.5)
        else:
            shard = world.groups.shard_of(group)
            if group in shard.store.groups:
                shard.delete_group(group)
        if world.log.log_end_offset > ends[-1]:
            ends.append(world.log.log_end_offset)
    return world, ends


def state(world):
    """What clients see: committed offsets, and the partitions that wait for a transaction."""
    return [(world.committed(group), world.unstable(group)) for group in GROUPS]


def listed(world):
    return {group.group_id for group in world.groups.all_groups()}


def load(world, high_watermarks):
    """What another coordinator loads; each turn has the next high watermark, the last one the rest.

    Offsets are served once the high watermark has reached the end.
    """
    world.start()
    world.lead()
    now_ms = world.env.clock.monotonic_ms
    for high_watermark in high_watermarks[:-1]:
        world.log.high_watermark = high_watermark
        take_turn(world.env, now_ms)
    world.log.high_watermark = high_watermarks[-1]
    world.run()
    return state(world)


@given(
    actions=st.lists(st.integers(COMMIT, DELETION), min_size=1, max_size=25),
    seed=st.integers(0, 1_000),
    slice_bytes=st.sampled_from([1, 300, 1_000]),
    moves=st.lists(st.integers(0, 25), min_size=1, max_size=30),
)
@example(actions=[COMMIT] * 9, seed=1, slice_bytes=1, moves=[0, 0, 0, 0, 25])
def test_a_load_does_not_depend_on_when_the_high_watermark_moves(actions, seed, slice_bytes, moves):
    world, ends = written(actions, seed)
    expected, groups = state(world), listed(world)
    high_watermarks = sorted(ends[min(move, len(ends) - 1)] for move in moves)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "_SLICE_BYTES", slice_bytes)
        assert load(world, [*high_watermarks, ends[-1]]) == expected
    assert listed(world) == groups


def test_a_load_that_is_under_way_serves_no_client():
    world, ends = written([COMMIT] * 5, seed=1)
    world.start()
    world.lead()
    with pytest.raises(CoordinatorLoadInProgressError):
        state(world)
    assert load(world, ends[-1:])[0][0]
