"""Offsets that are committed within a transaction: who may write them, when they count."""

import pytest

from minikafka.common.budget import STEP_BUDGET_US
from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    ErrorCode,
    FencedInstanceIdError,
    IllegalGenerationError,
    InvalidGroupIdError,
    InvalidTxnStateError,
    KafkaError,
    NotCoordinatorError,
    UnknownMemberIdError,
)
from minikafka.log.producers.verification import NOT_VERIFIED


def test_offsets_count_when_the_transaction_commits(world):
    world.commit({0: 1})
    write, _ = world.commit_transactional({0: 5, 1: 6})
    assert write.code == ErrorCode.NONE
    assert world.committed() == {0: 1}
    assert world.unstable() == [0, 1]
    world.end_transaction()
    assert world.committed() == {0: 5, 1: 6}
    assert world.unstable() == []


def test_offsets_of_an_aborted_transaction_never_count(world):
    world.commit({0: 1})
    world.commit_transactional({0: 5, 1: 6})
    world.end_transaction(is_commit=False)
    assert world.committed() == {0: 1}
    assert world.unstable() == []


def test_partition_is_unstable_until_the_marker_is_committed(make_world):
    """Otherwise a consumer would continue at the offset before an acknowledged transaction."""
    world = make_world(replicas=(1, 2))
    world.commit_transactional({0: 5})
    world.replicate()
    write = world.end_transaction()
    assert not write.settled()
    assert (world.committed(), world.unstable()) == ({}, [0])
    world.replicate()
    assert write.settled()
    assert (world.committed(), world.unstable()) == ({0: 5}, [])


def test_two_transactions_of_a_group_are_decided_apart(world):
    world.commit_transactional({0: 5}, producer_id=7)
    world.commit_transactional({1: 6}, producer_id=8)
    world.end_transaction(8)
    assert world.committed() == {1: 6}
    assert world.unstable() == [0]
    world.end_transaction(7, is_commit=False)
    assert world.committed() == {1: 6}
    assert world.unstable() == []


def test_later_offset_of_the_same_transaction_replaces_the_earlier_one(world):
    world.commit_transactional({0: 5})
    world.commit_transactional({0: 9})
    world.end_transaction()
    assert world.committed() == {0: 9}
    assert world.unstable() == []


@pytest.mark.parametrize("restarts", [False, True])
def test_record_that_was_written_last_counts_whatever_commits_last(world, restarts):
    world.commit_transactional({0: 5, 1: 5}, producer_id=7)
    world.commit_transactional({0: 6}, producer_id=8)
    world.commit({1: 7})
    world.end_transaction(8)
    if restarts:
        world.restart()
    world.end_transaction(7)
    assert world.committed() == {0: 6, 1: 7}
    world.restart()
    assert world.committed() == {0: 6, 1: 7}


@pytest.mark.parametrize("is_commit", [False, True])
def test_next_coordinator_goes_on_with_open_transactions(world, is_commit):
    world.commit_transactional({0: 5})
    world.restart()
    assert (world.committed(), world.unstable()) == ({}, [0])
    world.end_transaction(is_commit=is_commit)
    assert (world.committed(), world.unstable()) == ({0: 5} if is_commit else {}, [])


@pytest.mark.parametrize("restarts", [False, True])
def test_group_that_is_deleted_does_not_return_with_its_transaction(world, restarts):
    world.commit_transactional({0: 5})
    world.groups.shard_of("g").delete_group("g")
    if restarts:
        world.restart()
    assert world.unstable() == [0]
    world.end_transaction()
    shard = world.groups.shard_of("g")
    assert (world.committed(), world.unstable()) == ({}, [])
    assert shard.store.offsets == {}
    world.restart()
    assert world.committed() == {}


@pytest.mark.parametrize("restarts", [False, True])
def test_offset_that_is_deleted_does_not_return_with_its_transaction(world, restarts):
    world.commit_transactional({0: 5, 1: 6})
    world.groups.shard_of("g").delete_offsets(world.group(), [("t", 0)])
    if restarts:
        world.restart()
    world.end_transaction()
    assert world.committed() == {1: 6}
    world.restart()
    assert world.committed() == {1: 6}


def test_offsets_of_a_deleted_topic_do_not_return_with_their_transaction(world):
    world.commit_transactional({0: 5})
    world.commit_transactional({0: 5}, topic="other")
    world.groups.forget_topics(frozenset(("t",)))
    world.run()
    world.end_transaction()
    assert (world.committed(), world.committed(topic="other")) == ({}, {0: 5})


def remove_offset(world):
    world.commit({0: 1})
    world.groups.shard_of("g").delete_offsets(world.group(), [("t", 0)])


def abort_offset(world):
    world.commit_transactional({0: 1})
    world.end_transaction(is_commit=False)


@pytest.mark.parametrize("before", [remove_offset, abort_offset])
def test_offset_stays_until_its_tombstone_is_committed(make_world, before):
    world = make_world(replicas=(1, 2))
    before(world)
    over = world.log.log_end_offset
    write, _ = world.commit({1: 5})
    world.groups.shard_of("g").delete_group("g")
    world.replicate(over)
    assert world.committed() == {}
    world.replicate(write.end_offset)
    assert (write.settled(), world.committed()) == (True, {1: 5})
    world.replicate()
    assert (world.committed(), world.groups.shards[0].store.offsets) == ({}, {})


def test_group_stays_while_a_transaction_has_offsets_of_it(make_world):
    world = make_world(offsets_retention_minutes=1, offsets_retention_check_interval_ms=1000)
    world.commit_transactional({0: 5})
    world.run(120_000)
    world.end_transaction()
    assert world.committed() == {0: 5}
    world.run(120_000)
    assert world.committed() == {}
    assert list(world.groups.all_groups()) == []


def test_memory_is_counted_until_the_transaction_is_over(world):
    memory = world.groups.memory
    world.commit({0: 1})
    before = memory.held_bytes
    world.commit_transactional({0: 5, 1: 5}, metadata="x" * 100)
    world.commit_transactional({0: 6}, metadata="x" * 50)
    assert memory.held_bytes > before
    world.commit({0: 7})
    world.end_transaction(is_commit=False)
    assert memory.held_bytes == before


def test_offsets_beyond_the_memory_bound_are_refused(make_world):
    world = make_world(group_coordinator_memory_bytes=1048576)
    for number in range(500):
        world.commit_transactional({number: 1})
    with pytest.raises(CoordinatorNotAvailableError):
        world.commit_transactional(dict.fromkeys(range(500, 2_000), 1))


def test_member_and_generation_fence(world):
    (member,) = world.stable()
    with pytest.raises(IllegalGenerationError):
        world.commit_transactional({0: 5}, member_id=member, generation=0)
    with pytest.raises(UnknownMemberIdError):
        world.commit_transactional({0: 5}, member_id="other", generation=1)
    world.commit_transactional({0: 5}, member_id=member, generation=1)
    world.end_transaction()
    assert world.committed() == {0: 5}


def test_fenced_static_member_does_not_commit(world):
    world.join(instance="one")
    world.run()
    with pytest.raises(FencedInstanceIdError):
        world.commit_transactional({0: 5}, member_id="other", generation=1, instance="one")


def test_producer_that_names_no_member_commits_for_a_group_with_members(world):
    world.stable()
    world.commit_transactional({0: 5})
    world.end_transaction()
    assert world.committed() == {0: 5}


def test_member_of_an_unknown_group_does_not_commit(world):
    with pytest.raises(IllegalGenerationError):
        world.commit_transactional({0: 5}, member_id="m", generation=1)


def test_transaction_that_was_not_verified_writes_nothing(world):
    with pytest.raises(InvalidTxnStateError):
        world.commit_transactional({0: 5}, guard=NOT_VERIFIED)
    assert world.records() == []
    world.commit_transactional({0: 5})
    world.commit_transactional({0: 6}, guard=NOT_VERIFIED)
    world.end_transaction()
    assert world.committed() == {0: 6}


def test_a_group_needs_a_name(world):
    with pytest.raises(InvalidGroupIdError):
        world.commit_transactional({0: 5}, group="")


def test_too_long_metadata_fails_its_partition_alone(world):
    write, codes = world.commit_transactional({0: 5}, metadata="x" * 5000)
    assert (write, codes) == (None, [ErrorCode.OFFSET_METADATA_TOO_LARGE])


def test_marker_of_a_fenced_producer_or_coordinator_changes_nothing(world):
    world.commit_transactional({0: 5})
    world.end_transaction(epoch=3, coordinator_epoch=4)
    world.commit_transactional({1: 5}, producer_id=8)
    with pytest.raises(KafkaError) as producer:
        world.end_transaction(epoch=2, coordinator_epoch=4)
    with pytest.raises(KafkaError) as coordinator:
        world.end_transaction(epoch=3, coordinator_epoch=3)
    assert producer.value.code == ErrorCode.INVALID_PRODUCER_EPOCH
    assert coordinator.value.code == ErrorCode.TRANSACTION_COORDINATOR_FENCED
    assert world.unstable() == [1]


def test_marker_without_a_transaction_is_written(world):
    world.commit({0: 1})
    assert world.end_transaction().code == ErrorCode.NONE
    assert world.committed() == {0: 1}


def test_marker_waits_for_a_coordinator(make_world):
    world = make_world(lead=False)
    with pytest.raises(NotCoordinatorError):
        world.end_transaction()
    world.lead()
    with pytest.raises(CoordinatorLoadInProgressError):
        world.end_transaction()
    world.run()
    assert world.end_transaction().code == ErrorCode.NONE


def test_an_offset_for_a_topic_that_is_created_again_outlives_the_removal_of_the_old_ones(world):
    world.commit({0: 1, 1: 1}, topic="t")
    # Other slices have done the work of this step: the offsets are removed in a later one.
    world.env.spent_us = STEP_BUDGET_US
    world.groups.forget_topics(frozenset("t"))
    world.commit_transactional({0: 5}, topic="t")
    world.run()
    world.end_transaction()
    assert world.committed() == {0: 5}
