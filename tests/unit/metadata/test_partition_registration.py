import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.common.ids import DIRECTORY_MIGRATING, Uuid
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.messages.metadata_records.partition_record import PartitionRecord
from minikafka.metadata.partition_registration import (
    LeaderRecoveryState,
    PartitionRegistration,
    effective_min_isr,
)
from minikafka.metadata.serde import decode_record, encode_record

TOPIC = Uuid.of(5, 5)
HOMES = tuple(Uuid.of(7, x) for x in (1, 2, 3))


def registration(**changes):
    values = {
        "replicas": (1, 2, 3),
        "directories": HOMES,
        "isr": (1, 2),
        "leader": 1,
        "leader_epoch": 4,
        "partition_epoch": 9,
        **changes,
    }
    return PartitionRegistration(**values)


@given(st.integers(1, 9), st.integers(1, 9))
def test_minimum_is_never_more_than_there_are_replicas(configured, replica_count):
    """H6."""
    found = effective_min_isr(configured, replica_count)
    assert found <= replica_count
    assert found == configured or configured > replica_count


FULL = registration(
    elr=(3,),
    last_known_elr=(2,),
    last_known_leader=2,
    removing_replicas=(3,),
    adding_replicas=(2,),
    leader_recovery_state=LeaderRecoveryState.RECOVERING,
)


@pytest.mark.parametrize("before", [registration(), FULL])
def test_a_registration_survives_its_record(before):
    record = before.to_record(TOPIC, 8)
    assert (record.topic_id, record.partition_id) == (TOPIC, 8)
    assert PartitionRegistration.from_record(decode_record(encode_record(record, 2))) == before


def test_a_record_without_directories_has_replicas_that_migrate():
    record = PartitionRecord(partition_id=0, topic_id=TOPIC, replicas=[1, 2], isr=[1], leader=1)
    assert PartitionRegistration.from_record(record).directories == (DIRECTORY_MIGRATING,) * 2


def test_a_change_keeps_fields_that_it_does_not_name():
    after = FULL.merge(PartitionChangeRecord(isr=[1]))
    assert after.isr == (1,)
    assert after.partition_epoch == 10
    assert after.leader_epoch == 4
    assert (after.elr, after.last_known_elr, after.last_known_leader) == ((3,), (2,), 2)
    assert after.leader_recovery_state is LeaderRecoveryState.RECOVERING


@pytest.mark.parametrize("leader", [1, 2, -1])
def test_naming_a_leader_bumps_the_leader_epoch_even_for_the_same_one(leader):
    after = registration().merge(PartitionChangeRecord(leader=leader))
    assert (after.leader, after.leader_epoch, after.partition_epoch) == (leader, 5, 10)


def test_a_leader_ends_the_wait_for_the_last_known_one():
    waiting = registration(leader=-1, isr=()).merge(PartitionChangeRecord(last_known_leader=1))
    assert waiting.last_known_leader == 1
    assert waiting.merge(PartitionChangeRecord(leader=2)).last_known_leader == -1
    assert waiting.merge(PartitionChangeRecord(leader=-1)).last_known_leader == 1


def test_elr_fields_are_replaced_and_emptied():
    after = FULL.merge(PartitionChangeRecord(eligible_leader_replicas=[], last_known_elr=[1]))
    assert (after.elr, after.last_known_elr) == ((), (1,))


def test_new_replicas_without_directories_migrate_and_old_ones_stay():
    after = registration().merge(PartitionChangeRecord(replicas=[3, 4, 1]))
    assert after.directories == (HOMES[2], DIRECTORY_MIGRATING, HOMES[0])
    assert after.directory(3) == HOMES[2]


def test_directories_and_reassignment_lists_are_taken_over():
    homes = [Uuid.of(8, x) for x in (1, 2)]
    change = PartitionChangeRecord(
        replicas=[1, 2],
        directories=homes,
        removing_replicas=[],
        adding_replicas=[],
        leader_recovery_state=0,
    )
    after = FULL.merge(change)
    assert after.directories == tuple(homes)
    assert not after.is_reassigning
    assert FULL.is_reassigning
    assert after.leader_recovery_state is LeaderRecoveryState.RECOVERED


def test_clearing_the_elr_moves_the_partition_epoch_alone():
    after = FULL.without_elr()
    assert (after.elr, after.last_known_elr) == ((), ())
    assert (after.partition_epoch, after.leader_epoch) == (10, 4)


def test_a_broker_without_replica_has_no_directory():
    with pytest.raises(ValueError, match="not in tuple"):
        registration().directory(9)


@pytest.mark.parametrize(
    ("leader", "recovery_state", "is_unclean"),
    [(1, 1, False), (2, 0, False), (2, 1, True), (-1, 1, False)],
)
def test_the_mark_decides_whether_a_new_leader_was_elected_uncleanly_l8(
    leader, recovery_state, is_unclean
):
    before = registration()
    after = registration(leader=leader, leader_recovery_state=LeaderRecoveryState(recovery_state))
    assert after.was_elected_uncleanly(before) is is_unclean
