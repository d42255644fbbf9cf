"""What the next coordinator makes of the log."""

import pytest

from minikafka.common.errors import (
    GroupIdNotFoundError,
    UnknownMemberIdError,
)
from minikafka.group.group import GroupState
from minikafka.log.producers.verification import UNCHECKED
from minikafka.records.batch import ControlType
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
    control_record,
    end_marker_value,
)
from minikafka.records.validation import AppendOrigin


def append(world, records, **options):
    world.partition.append_as_leader(
        memoryview(build_batch(records, BatchOptions(**options))),
        required_acks=-1,
        origin=AppendOrigin.COORDINATOR,
        guard=UNCHECKED,
    )


def test_next_coordinator_goes_on_with_members_generation_and_assignments(world):
    leader, follower = world.stable(2)
    world.commit({0: 5}, member_id=leader, generation=1)
    world.restart()
    group = world.group()
    assert (group.state, group.generation, group.leader_id) == (GroupState.STABLE, 1, leader)
    world.heartbeat(follower, 1)
    assert world.sync(follower, 1).answer.assignment == follower.encode()
    assert world.committed() == {0: 5}
    assert world.join(follower).answer.generation_id == 1


def test_sessions_restart_with_the_next_coordinator(world):
    leader, follower = world.stable(2)
    world.run(9_000)
    world.restart()
    world.run(9_000)
    world.heartbeat(leader, 1)
    world.run(1_000)
    assert list(world.group().members) == [leader]


def test_static_members_keep_their_instances(world):
    joining = world.join(instance="a")
    world.run()
    world.sync(joining.answer.member_id, 1, {}, instance="a")
    world.restart()
    world.heartbeat(joining.answer.member_id, 1, instance="a")


def test_deleted_group_stays_deleted(world):
    world.commit({0: 1})
    world.commit({0: 2}, group="kept")
    world.groups.shard_of("g").delete_group("g")
    world.restart()
    with pytest.raises(GroupIdNotFoundError):
        world.group()
    assert world.group("kept").state is GroupState.EMPTY
    assert world.committed() == {}


def abort_offset(world):
    world.commit_transactional({0: 1})
    world.end_transaction(is_commit=False)


def remove_offset(world):
    world.commit({0: 1})
    world.groups.shard_of("g").delete_offsets(world.group(), [("t", 0)])


def remove_topic(world):
    world.commit({0: 1})
    world.groups.forget_topics(frozenset("t"))
    world.run()


@pytest.mark.parametrize("left_without_offsets", [abort_offset, remove_offset, remove_topic])
def test_a_group_that_had_offsets_stays_until_it_is_deleted(world, left_without_offsets):
    left_without_offsets(world)
    assert (world.group().state, world.committed()) == (GroupState.EMPTY, {})
    world.restart()
    assert (world.group().state, world.committed()) == (GroupState.EMPTY, {})
    world.groups.shard_of("g").delete_group("g")
    world.restart()
    assert list(world.groups.all_groups()) == []


def test_a_deleted_group_stays_deleted_while_a_transaction_has_its_offsets(world):
    world.commit({0: 1})
    world.commit_transactional({0: 2})
    world.groups.shard_of("g").delete_group("g")
    world.restart()
    assert list(world.groups.all_groups()) == []
    world.end_transaction()
    assert (list(world.groups.all_groups()), world.committed()) == ([], {})


def test_members_of_a_rebalance_that_was_not_stored_join_again(world):
    member = world.enter()[0].member_id
    world.restart()
    with pytest.raises(UnknownMemberIdError):
        world.heartbeat(member, 1)


def test_offsets_of_a_transaction_count_when_it_commits(world):
    world.commit({0: 1})
    parsed = world.log.read(0, 1 << 20, upper_bound_offset=world.log.log_end_offset)
    from minikafka.records.reader import read_records

    old = list(read_records(parsed.slice.read()))[-1]
    for producer, kind in ((7, ControlType.COMMIT), (8, ControlType.ABORT), (9, None)):
        ids = {"producer_id": producer, "producer_epoch": 0, "is_transactional": True}
        key = old.key[:-4] + producer.to_bytes(4, "big")
        append(world, [NewRecord(0, key, old.value)], base_sequence=0, **ids)
        if kind is not None:
            append(world, [control_record(kind, end_marker_value(0), 0)], is_control=True, **ids)
    world.restart()
    assert world.committed() == {0: 1, 7: 1}
    offsets = world.groups.shard_of("g").committed_offsets("g")
    assert offsets.is_unstable("t", 9)
    assert not offsets.is_unstable("t", 8)


def test_records_of_other_kinds_of_groups_are_left_out(world):
    world.commit({0: 1})
    append(world, [NewRecord(0, b"\x00\x0b\x00\x01x", b"\x00\x00\x00\x00\x00\x01\x00")])
    world.restart()
    assert [group.group_id for group in world.groups.all_groups()] == ["g"]


@pytest.mark.parametrize("is_committed", [True, False])
@pytest.mark.parametrize("is_deleted", [True, False])
def test_offsets_whose_tombstones_were_loaded_leave_no_memory(make_world, is_deleted, is_committed):
    world = make_world(replicas=(1, 2))
    world.commit({0: 1}, group="kept")
    for group in ("a", "b"):
        world.commit({0: 1, 1: 2}, group=group)
        shard = world.groups.shard_of(group)
        if is_deleted:
            shard.delete_group(group)
        else:
            shard.delete_offsets(world.group(group), [("t", 0), ("t", 1)])
    world.replicate(world.log.log_end_offset - (not is_committed))
    world.fail_over()
    world.run()
    shard = world.groups.shard_of("a")
    if not is_committed:
        assert set(shard.store.offsets) == {"kept", "a", "b"}
        world.replicate()
    assert world.committed("kept") == {0: 1}
    assert set(shard.store.offsets) == {"kept"}
    assert [group in shard.store.groups for group in ("a", "b")] == [not is_deleted] * 2
    shard.shard.close()
    assert world.groups.memory.held_bytes == 0
