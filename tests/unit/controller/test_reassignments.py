"""Reassignments of one topic, replicas 1, 2, 3 and min ISR 2, on a real controller (E11)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.controller import reassignments
from minikafka.messages import alter_partition_reassignments as messages
from minikafka.metadata.partition_registration import LeaderRecoveryState


@pytest.fixture
def moving(elr_topic):
    """Topic t on 1, 2, 3 with min ISR 2; brokers 4 and 5 are there too."""
    elr_topic.join(4, 5)
    return elr_topic


def reassign(world, replicas, name="t", index=0, **changes):
    """(records, the partition's answer)."""
    return reassign_all(world, [(name, [(index, replicas)])], **changes)


def reassign_all(world, topics, **changes):
    request = messages.AlterPartitionReassignmentsRequest(
        topics=[
            messages.ReassignableTopic(
                name, [messages.ReassignablePartition(index, to) for index, to in rows]
            )
            for name, rows in topics
        ],
        **changes,
    )
    records, response = world.apply(
        world.controller.decide(reassignments.alter_partition_reassignments, request)
    )
    assert response.error_code == ErrorCode.NONE
    answers = [row for topic in response.responses for row in topic.partitions]
    return records, answers[0] if len(answers) == 1 else answers


def shape(world):
    """(replicas, adding, removing, ISR) of the partition."""
    now = world.partition()
    return now.replicas, now.adding_replicas, now.removing_replicas, now.isr


def test_a_reassignment_adds_first_and_names_the_directory_of_the_new_replica(moving):
    (record,), answer = reassign(moving, [1, 2, 4])
    assert answer.error_code == ErrorCode.NONE
    assert shape(moving) == ((1, 2, 4, 3), (4,), (3,), (1, 2, 3))
    assert moving.partition().directory(4) == Uuid.of(50, 5)
    # No new leader epoch: the leader goes on, and lets one more fetch.
    assert record.leader == -2


def test_it_completes_with_the_proposal_that_has_every_added_replica(moving):
    reassign(moving, [1, 2, 4])
    _, answer = moving.propose(1, [1, 2, 3, 4])
    assert answer.error_code == ErrorCode.NONE
    assert shape(moving) == ((1, 2, 4), (), (), (1, 2, 4))


def test_the_leader_that_is_removed_learns_that_another_leads(moving):
    reassign(moving, [4, 2, 3])
    _, answer = moving.propose(1, [1, 2, 3, 4])
    assert answer.error_code == ErrorCode.NEW_LEADER_ELECTED
    assert moving.partition().leader == 4
    assert shape(moving) == ((4, 2, 3), (), (), (2, 3, 4))


def test_it_completes_only_with_min_isr_members_e11(moving):
    """E11: 3, which is to be removed, holds the ISR at two until 2 is back."""
    reassign(moving, [1, 2, 4])
    moving.propose(1, [1, 3])
    reassign(moving, [2, 4, 5])
    assert shape(moving) == ((2, 4, 5, 1, 3), (4, 5), (1, 3), (1, 3))
    moving.propose(1, [1, 3, 4])
    assert moving.partition().adding_replicas == (4, 5)
    moving.propose(1, [1, 3, 4, 5])
    assert shape(moving) == ((2, 4, 5), (), (), (4, 5))


def test_one_in_sync_replica_of_two_needed_ones_does_not_complete_it_e11(moving):
    moving.propose(1, [1])
    reassign(moving, [2, 3, 4])
    moving.propose(1, [1, 4])
    assert shape(moving) == ((2, 3, 4, 1), (4,), (1,), (1, 4))
    moving.propose(1, [1, 4, 2])
    assert shape(moving) == ((2, 3, 4), (), (), (4, 2))


def test_the_minimum_is_no_more_than_the_replicas_that_stay_h6(moving):
    """H6, E11: one replica can be all that is left."""
    reassign(moving, [1])
    assert shape(moving) == ((1,), (), (), (1,))


def test_no_replica_outside_the_final_set_stays_eligible_e11(moving):
    """E11: 3 is in the ELR when it is dropped; nothing of it is left."""
    moving.fence(2)
    moving.fence(3)
    assert moving.partition().elr == (3,)
    reassign(moving, [1, 2, 4])
    assert moving.partition().elr == (3,)
    moving.propose(1, [1, 4])
    now = moving.partition()
    assert (now.replicas, now.isr) == ((1, 2, 4), (1, 4))
    assert (now.elr, now.last_known_elr) == ((), ())


def test_a_smaller_assignment_waits_for_all_that_stay(moving):
    moving.propose(1, [1, 3])
    reassign(moving, [1, 2])
    assert shape(moving) == ((1, 2, 3), (), (3,), (1, 3))
    moving.propose(1, [1, 2, 3])
    assert shape(moving) == ((1, 2), (), (), (1, 2))


def test_another_order_completes_at_once(moving):
    reassign(moving, [3, 2, 1])
    assert shape(moving) == ((3, 2, 1), (), (), (1, 2, 3))


def test_asking_for_what_is_there_changes_nothing(moving):
    records, answer = reassign(moving, [1, 2, 3])
    assert (records, answer.error_code) == ([], ErrorCode.NONE)


def test_asking_again_changes_nothing(moving):
    reassign(moving, [1, 2, 4])
    records, answer = reassign(moving, [1, 2, 4])
    assert (records, answer.error_code) == ([], ErrorCode.NONE)


def test_another_target_replaces_one_that_is_not_reached(moving):
    reassign(moving, [1, 2, 4])
    reassign(moving, [1, 2, 5])
    assert shape(moving) == ((1, 2, 5, 3, 4), (5,), (3, 4), (1, 2, 3))
    moving.propose(1, [1, 2, 3, 5])
    assert shape(moving) == ((1, 2, 5), (), (), (1, 2, 5))


def test_the_way_back_is_a_target_like_any_other(moving):
    reassign(moving, [1, 2, 4])
    reassign(moving, [1, 2, 3])
    assert shape(moving) == ((1, 2, 3), (), (), (1, 2, 3))


# Cancelling


def test_cancelling_restores_what_was(moving):
    before = moving.partition()
    reassign(moving, [4, 5])
    moving.propose(1, [1, 2, 3, 4])
    _, answer = reassign(moving, None)
    assert answer.error_code == ErrorCode.NONE
    now = moving.partition()
    assert sorted(now.replicas) == sorted(before.replicas)
    assert (now.adding_replicas, now.removing_replicas) == ((), ())
    assert now.isr == (1, 2, 3)
    # The replica that is dropped learns of it by a new leader epoch.
    assert now.leader_epoch == before.leader_epoch + 1


def test_cancelling_elects_where_a_new_replica_led(moving):
    reassign(moving, [4, 2, 3])
    moving.propose(1, [2, 3])
    moving.fence(1)
    moving.propose(2, [2, 3])
    assert moving.partition().leader in (2, 3)
    _, answer = reassign(moving, None)
    assert answer.error_code == ErrorCode.NONE
    assert shape(moving) == ((2, 3, 1), (), (), (2, 3))


def test_cancelling_waits_for_min_isr_e11(moving):
    """E11: without 4, which is being added, one member would be left of the two that are needed."""
    reassign(moving, [4, 5, 2])
    moving.propose(1, [1, 4])
    records, answer = reassign(moving, None)
    assert (records, answer.error_code) == ([], ErrorCode.INVALID_REPLICA_ASSIGNMENT)
    moving.propose(1, [1, 4, 3])
    _, answer = reassign(moving, None)
    assert answer.error_code == ErrorCode.NONE
    assert moving.partition().isr == (1, 3)


def test_there_must_be_something_to_cancel(moving):
    _, answer = reassign(moving, None)
    assert answer.error_code == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


# What is refused


@pytest.mark.parametrize("replicas", [[], [1, 1, 2], [1, 9], [-1, 2]])
def test_lists_that_no_partition_can_have_are_refused(moving, replicas):
    records, answer = reassign(moving, replicas)
    assert (records, answer.error_code) == ([], ErrorCode.INVALID_REPLICA_ASSIGNMENT)
    assert answer.error_message


def test_a_fenced_broker_may_be_waited_for(moving):
    moving.fence(4)
    _, answer = reassign(moving, [1, 2, 4])
    assert answer.error_code == ErrorCode.NONE


def test_a_replica_that_is_not_there_yet_does_not_lead_by_an_unclean_election(moving):
    """L6: no replica is left that may lead, and the request itself adds one that has no log."""
    for broker in (1, 2, 3):
        moving.fence(broker)
        moving.register(broker)
    assert moving.partition().leader == -1
    moving.set_config("t", "unclean.leader.election.enable", "true")
    _, answer = reassign(moving, [4, 5])
    assert answer.error_code == ErrorCode.NONE
    assert moving.partition().leader == -1
    assert shape(moving)[:3] == ((4, 5, 1, 2, 3), (4, 5), (1, 2, 3))


@pytest.mark.parametrize(("name", "index"), [("other", 0), ("t", 7)])
def test_unknown_partitions_are_named(moving, name, index):
    _, answer = reassign(moving, [1, 2], name, index)
    assert answer.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_partitions_fail_one_by_one(moving):
    moving.create("u", [(1, 2), (2, 3)])
    records, answers = reassign_all(moving, [("t", [(0, [])]), ("u", [(0, [4, 5]), (1, None)])])
    assert [row.error_code for row in answers] == [
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        ErrorCode.NONE,
        ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
    ]
    assert len(records) == 1


def test_a_partition_that_is_named_twice_is_refused(moving):
    records, answers = reassign_all(moving, [("t", [(0, [1, 2, 4]), (0, [1, 2, 5])])])
    assert records == []
    assert [row.error_code for row in answers] == [ErrorCode.INVALID_REQUEST] * 2


@pytest.mark.parametrize("replicas", [[1, 2], [1, 2, 3, 4]])
def test_the_number_of_replicas_can_be_insisted_on(moving, replicas):
    insisting = {"allow_replication_factor_change": False}
    records, answer = reassign(moving, replicas, **insisting)
    assert (records, answer.error_code) == ([], ErrorCode.INVALID_REPLICATION_FACTOR)
    assert reassign(moving, [1, 2, 4], **insisting)[1].error_code == ErrorCode.NONE
    # What counts while a partition moves is where it goes.
    assert reassign(moving, [1, 2, 5], **insisting)[1].error_code == ErrorCode.NONE


def test_a_new_first_replica_that_joins_last_is_a_clean_leader_l8(world, caplog):
    """KAFKA-19212: one record completes the reassignment and elects the replica that joins."""
    world.join(0, 1, 2)
    world.create(assignment=((0, 1),))
    reassign(world, [2, 1])
    assert shape(world) == ((2, 1, 0), (2,), (0,), (0, 1))
    (record,), answer = world.propose(0, [0, 1, 2])
    assert answer.error_code == ErrorCode.NEW_LEADER_ELECTED
    assert (record.leader, record.leader_recovery_state) == (2, -1)
    assert world.partition().leader_recovery_state is LeaderRecoveryState.RECOVERED
    assert world.controller.election_counts == (0, 0)
    assert "acknowledged records may be lost" not in caplog.text
