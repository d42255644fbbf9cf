"""Which groups are served here, and what is refused before any group is looked at."""

import pytest

from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    InvalidGroupIdError,
    InvalidSessionTimeoutError,
    NotCoordinatorError,
    UnknownMemberIdError,
)


def test_group_without_a_name_is_refused(world):
    with pytest.raises(InvalidGroupIdError):
        world.join(group="")
    with pytest.raises(InvalidGroupIdError):
        world.sync("m", 1, group="")
    with pytest.raises(InvalidGroupIdError):
        world.heartbeat("m", 1, group="")
    with pytest.raises(InvalidGroupIdError):
        world.leave(("m",), group="")


def test_offsets_may_be_committed_for_the_group_without_a_name(world):
    world.commit({0: 1}, group="")
    assert world.committed(group="") == {0: 1}


@pytest.mark.parametrize("timeout_ms", [-1, 0, 5_999, 1_800_001])
def test_session_timeout_has_bounds(world, timeout_ms):
    with pytest.raises(InvalidSessionTimeoutError):
        world.join(session_timeout_ms=timeout_ms)


def test_bounds_of_the_session_timeout_are_allowed(world):
    for timeout_ms in (6_000, 1_800_000):
        assert world.join(session_timeout_ms=timeout_ms).settled()


def test_no_member_leaves_a_group_that_does_not_exist(world):
    with pytest.raises(UnknownMemberIdError):
        world.leave(("m",))


def test_every_group_is_listed_by_its_state(world):
    world.stable()
    world.commit({0: 1}, group="h")
    found = {group.group_id: group.state.value for group in world.groups.all_groups()}
    assert found == {"g": "Stable", "h": "Empty"}


def test_nothing_is_listed_where_not_everything_is_known(make_world):
    world = make_world(lead=False)
    assert list(world.groups.all_groups()) == []
    world.lead()
    with pytest.raises(CoordinatorLoadInProgressError):
        list(world.groups.all_groups())


def test_partition_that_is_led_before_the_start_is_taken_on(world):
    world.commit({0: 1})
    world.partition.leader = 1
    world.groups.shards.clear()
    world.groups.start()
    world.run()
    assert world.committed() == {0: 1}


def test_partition_that_is_removed_is_served_no_more(world):
    world.stable()
    world.replicas.stop(world.partition.topic_partition)
    with pytest.raises(NotCoordinatorError):
        world.group()


def test_partitions_of_other_topics_mean_nothing(world):
    world.commit({0: 1})
    other = world.partition.topic_partition._replace(topic="t")
    world.replicas.stop(other)
    assert world.committed() == {0: 1}
