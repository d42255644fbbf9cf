"""The groups and offsets of a partition, and who may look them up."""

import pytest

from minikafka.common.errors import GroupIdNotFoundError, UnknownMemberIdError
from minikafka.group.offsets import GroupOffsets


def store_of(world):
    return world.groups.shards[0].store


def test_a_group_that_does_not_exist_is_unknown_to_members_and_to_others(world):
    store = store_of(world)
    with pytest.raises(GroupIdNotFoundError):
        store.group("g")
    with pytest.raises(GroupIdNotFoundError):
        store.classic_group("g")
    with pytest.raises(UnknownMemberIdError):
        store.group_of_member("g")
    world.commit({0: 1})
    assert store.group("g") is store.classic_group("g") is store.group_of_member("g")


def test_a_member_with_an_id_does_not_create_a_group(world):
    store = store_of(world)
    with pytest.raises(UnknownMemberIdError):
        store.group_to_join("g", "m")
    assert store.group_to_join("g", "") is store.groups["g"]
    assert world.log.log_end_offset == 1


def test_offsets_are_dropped_once_they_are_empty_and_committed(make_world):
    world = make_world(replicas=(1, 2))
    store = store_of(world)
    world.commit({0: 1})
    offsets = store.offsets["g"]
    store.drop_if_empty("g", offsets)
    assert store.offsets == {"g": offsets}
    empty = store.offsets["g"] = GroupOffsets(end_offset=world.log.log_end_offset)
    store.drop_if_empty("g", empty)
    assert store.offsets == {"g": empty}
    world.replicate()
    store.drop_if_empty("g", offsets)
    assert store.offsets == {"g": empty}
    store.drop_if_empty("g", empty)
    assert store.offsets == {}
