"""The worked examples of one partition: RF 3, replicas 1, 2, 3, leader 1, min ISR 2."""

from dataclasses import replace

import pytest

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.controller.election import Election
from minikafka.controller.partition_change import (
    ChangeContext,
    Target,
    known_leader,
    partition_change,
)
from minikafka.metadata.partition_registration import (
    LeaderRecoveryState,
    PartitionRegistration,
)

RECOVERED, RECOVERING = LeaderRecoveryState.RECOVERED, LeaderRecoveryState.RECOVERING
PARTITION = TopicIdPartition(Uuid.of(1, 1), 0)
EVERYBODY = (1, 2, 3, 4)


def directory(broker):
    return Uuid.of(77, broker)


def registration(isr=(1, 2, 3), leader=1, replicas=(1, 2, 3), **more):
    return PartitionRegistration(
        replicas=replicas,
        directories=tuple(directory(x) for x in replicas),
        isr=isr,
        leader=leader,
        leader_epoch=5,
        partition_epoch=9,
        **more,
    )


def context(
    *, alive=EVERYBODY, min_isr=2, elr=True, level=30, election=Election.ONLINE, manager=False
):
    return ChangeContext(
        min_insync_replicas=min_isr,
        elr_enabled=elr,
        metadata_version=level,
        election=election,
        acceptable=lambda replica: replica in alive,
        default_directory=directory,
        recovery_enabled=manager,
    )


def change(current, target, **named):
    return partition_change(PARTITION, current, target, context(**named))


def written(record):
    """The fields that a record sets."""
    empty = type(record)()
    return {
        name: getattr(record, name)
        for name in type(record).__slots__
        if name not in ("partition_id", "topic_id")
        and getattr(record, name) != getattr(empty, name)
    }


def step(current, target, **named):
    """(what the record sets, the partition after it)."""
    record = change(current, target, **named)
    assert record is not None
    return written(record), current.merge(record)


def test_nothing_to_change_needs_no_record():
    assert change(registration(), Target()) is None
    assert change(registration(), Target(isr=(1, 2, 3), recovery_state=RECOVERED)) is None


def test_the_life_of_a_partition_with_elr():
    """E1, E5, E6, E9: each record, from three members to none and back."""
    fields, now = step(registration(), Target(isr=(1, 2)), alive=(1, 2))
    assert fields == {"isr": [1, 2]}

    fields, now = step(now, Target(isr=(1,)), alive=(1,))
    assert fields == {"isr": [1], "eligible_leader_replicas": [2]}

    fields, now = step(now, Target(isr=()), alive=())
    assert fields == {
        "isr": [],
        "leader": -1,
        "eligible_leader_replicas": [1, 2],
        "last_known_elr": [1],
        "last_known_leader": 1,
    }
    assert (now.leader_epoch, now.partition_epoch) == (6, 12)

    assert change(now, Target(), alive=(3,)) is None

    fields, now = step(now, Target(), alive=(2, 3))
    assert fields == {
        "isr": [2], "leader": 2, "eligible_leader_replicas": [1], "last_known_elr": [],
    }  # fmt: skip
    assert now.last_known_leader == -1
    assert now.leader_recovery_state is RECOVERED

    fields, now = step(now, Target(isr=(2, 3)), alive=(2, 3))
    assert fields == {"isr": [2, 3], "eligible_leader_replicas": []}
    assert (now.leader_epoch, now.partition_epoch) == (7, 14)


def test_unclean_shutdowns_move_elr_members_to_the_last_known_elr():
    """E7, E8: no leader epoch is spent; min ISR empties the list."""
    now = registration(isr=(), leader=-1, elr=(1, 2), last_known_leader=1)

    fields, now = step(now, Target(unclean_shutdown=(2,)), alive=(), manager=True)
    assert fields == {"eligible_leader_replicas": [1], "last_known_elr": [2]}
    assert now.leader_epoch == 5

    fields, now = step(now, Target(unclean_shutdown=(1,)), alive=(), manager=True)
    assert fields == {"eligible_leader_replicas": [], "last_known_elr": [1, 2]}

    recovered = replace(context(alive=(1,), manager=True), designated=1)
    record = partition_change(PARTITION, now, Target(), recovered)
    assert written(record) == {"leader": 1, "isr": [1], "leader_recovery_state": 1}
    now = now.merge(record)
    assert now.last_known_elr == (1, 2)
    assert now.last_known_leader == -1

    target = Target(isr=(1, 3), recovery_state=RECOVERED)
    fields, now = step(now, target, alive=(1, 3), manager=True)
    assert fields == {"isr": [1, 3], "last_known_elr": [], "leader_recovery_state": 0}


def test_without_the_manager_last_known_elr_holds_the_last_leader_only():
    """E9: as in released Kafka, whose controllers elect it when ISR and ELR are empty."""
    fields, now = step(registration(isr=(1,), elr=(2,)), Target(isr=()), alive=())
    assert fields["last_known_elr"] == [1]

    fields, now = step(now, Target(unclean_shutdown=(2,)), alive=())
    assert fields == {"eligible_leader_replicas": [1]}
    fields, now = step(now, Target(unclean_shutdown=(1,)), alive=())
    assert fields == {"eligible_leader_replicas": []}
    assert (now.isr, now.elr, now.last_known_elr, now.last_known_leader) == ((), (), (1,), 1)

    fields, now = step(now, Target(), alive=(1,))
    assert fields == {"leader": 1, "isr": [1], "last_known_elr": [], "leader_recovery_state": 1}


def test_with_the_manager_the_last_leader_is_no_member_of_last_known_elr():
    """E9, also if it was recorded there before the manager was enabled."""
    fields, _ = step(registration(isr=(1,), elr=(2,)), Target(isr=()), alive=(), manager=True)
    assert "last_known_elr" not in fields
    listed = registration(isr=(), leader=-1, elr=(1, 2), last_known_elr=(1,), last_known_leader=1)
    fields, _ = step(listed, Target(unclean_shutdown=(2,)), alive=(), manager=True)
    assert fields == {"eligible_leader_replicas": [1], "last_known_elr": [2]}


def test_a_last_leader_that_ended_uncleanly_stays_known_when_the_manager_is_enabled():
    """E7."""
    listed = registration(isr=(), leader=-1, elr=(2,), last_known_elr=(1,), last_known_leader=1)
    fields, _ = step(listed, Target(unclean_shutdown=(2,)), alive=(), manager=True)
    assert fields == {"eligible_leader_replicas": [], "last_known_elr": [1, 2]}


def test_the_last_known_leader_leads_in_the_change_that_empties_the_elr():
    now = registration(isr=(), leader=-1, elr=(2,), last_known_elr=(1,), last_known_leader=1)
    fields, _ = step(now, Target(unclean_shutdown=(2,)), alive=(1,))
    assert fields["leader"] == 1
    assert fields["leader_recovery_state"] == 1


def test_an_isr_member_that_ended_uncleanly_does_not_become_eligible():
    """E7."""
    target = Target(isr=(2,), unclean_shutdown=(1,))
    fields, now = step(registration(isr=(1, 2)), target, alive=(2,))
    assert fields == {"leader": 2, "isr": [2]}
    assert now.elr == ()
    fields, _ = step(registration(isr=(1, 2)), target, alive=(2,), manager=True)
    assert fields == {"leader": 2, "isr": [2], "last_known_elr": [1]}


def test_a_replica_that_returns_to_the_isr_leaves_the_elr():
    """E5b."""
    now = registration(isr=(1,), elr=(2, 3))
    fields, _ = step(now, Target(isr=(1, 2)), min_isr=3)
    assert fields == {"isr": [1, 2], "eligible_leader_replicas": [3]}


def test_the_example_of_the_specification_with_four_replicas_and_min_isr_three():
    """E5, E13: the arithmetic of the worked example."""
    now = registration(isr=(1, 2, 3, 4), replicas=(1, 2, 3, 4))
    fields, now = step(now, Target(isr=(1, 2, 3)), min_isr=3)
    assert fields == {"isr": [1, 2, 3]}
    fields, now = step(now, Target(isr=(1, 2)), min_isr=3)
    assert fields == {"isr": [1, 2], "eligible_leader_replicas": [3]}
    fields, now = step(now, Target(isr=(1,)), min_isr=3)
    assert fields == {"isr": [1], "eligible_leader_replicas": [2, 3]}
    fields, now = step(now, Target(isr=(1, 4)), min_isr=3)
    assert fields == {"isr": [1, 4]}
    fields, now = step(now, Target(isr=(1, 4, 2)), min_isr=3)
    assert fields == {"isr": [1, 4, 2], "eligible_leader_replicas": []}


def test_an_elr_that_an_election_makes_superfluous_is_cleared():
    now = registration(isr=(), leader=-1, elr=(1, 2), last_known_leader=1)
    fields, _ = step(now, Target(), alive=(2,), min_isr=1)
    assert fields == {"leader": 2, "isr": [2], "eligible_leader_replicas": []}


# Without ELR


def test_without_elr_the_last_member_stays_in_the_isr():
    """E1, E12."""
    now = registration(isr=(1,))
    fields, now = step(now, Target(isr=()), alive=(), elr=False)
    assert fields == {"leader": -1}
    assert now.isr == (1,)
    assert change(now, Target(), alive=(2, 3), elr=False) is None
    fields, now = step(now, Target(), alive=(1,), elr=False)
    assert fields == {"leader": 1}
    assert now.leader_recovery_state is RECOVERED


def test_without_elr_an_unclean_election_makes_the_leader_the_whole_isr():
    fields, _ = step(
        registration(isr=(1,)), Target(isr=()), alive=(2,), elr=False, election=Election.UNCLEAN
    )
    assert fields == {"leader": 2, "isr": [2], "leader_recovery_state": 1}


def test_elr_fields_vanish_with_the_feature_at_the_next_change():
    """E12."""
    now = registration(isr=(1,), elr=(2,), last_known_elr=(3,))
    fields, _ = step(now, Target(isr=(1, 3)), elr=False, min_isr=3)
    assert fields == {"isr": [1, 3], "eligible_leader_replicas": [], "last_known_elr": []}


def test_without_elr_no_last_known_leader_is_elected():
    now = registration(isr=(1,), leader=-1, last_known_leader=2)
    assert change(now, Target(), alive=(2,), elr=False) is None


# Unclean elections


def test_an_unclean_election_forgets_the_elr():
    now = registration(isr=(), leader=-1, elr=(1, 2), last_known_leader=1)
    fields, _ = step(now, Target(), alive=(3,), election=Election.UNCLEAN)
    assert fields == {
        "leader": 3,
        "isr": [3],
        "eligible_leader_replicas": [],
        "leader_recovery_state": 1,
    }


def test_a_second_unclean_election_keeps_the_mark():
    now = registration(isr=(3,), leader=3, leader_recovery_state=RECOVERING)
    fields, now = step(now, Target(isr=()), alive=(2,), election=Election.UNCLEAN)
    assert "leader_recovery_state" not in fields
    assert now.leader_recovery_state is RECOVERING


def test_a_clean_election_clears_the_mark():
    """L8."""
    now = registration(isr=(), leader=-1, elr=(3,), leader_recovery_state=RECOVERING)
    fields, _ = step(now, Target(), alive=(3,))
    assert fields["leader_recovery_state"] == 0


def test_other_changes_keep_the_mark():
    """L8."""
    now = registration(isr=(1,), leader_recovery_state=RECOVERING)
    _, now = step(now, Target(isr=()), alive=())
    assert now.leader_recovery_state is RECOVERING


def test_the_leader_reports_that_it_has_recovered():
    now = registration(isr=(1,), leader_recovery_state=RECOVERING)
    fields, _ = step(now, Target(isr=(1,), recovery_state=RECOVERED))
    assert fields == {"leader_recovery_state": 0}


# What released Kafka wrote


def test_the_last_leader_that_kafka_keeps_in_last_known_elr_is_understood():
    now = registration(isr=(), leader=-1, last_known_elr=(2,))
    fields, now = step(now, Target(), alive=(1, 2))
    assert fields == {"leader": 2, "isr": [2], "last_known_elr": [], "leader_recovery_state": 1}


def test_the_last_leader_of_kafka_survives_an_unclean_shutdown_of_another():
    now = registration(isr=(), leader=-1, elr=(3,), last_known_elr=(1,))
    fields, now = step(now, Target(unclean_shutdown=(3,)), alive=(), manager=True)
    assert fields == {
        "eligible_leader_replicas": [],
        "last_known_elr": [3],
        "last_known_leader": 1,
    }
    fields, now = step(now, Target(), alive=(1,))
    assert fields["leader"] == 1
    assert now.last_known_leader == -1


# Reassignments


def test_a_reassignment_completes_when_every_new_replica_is_in_sync():
    now = registration(
        isr=(1, 2, 3),
        replicas=(1, 2, 4, 3),
        removing_replicas=(3,),
        adding_replicas=(4,),
    )
    fields, now = step(now, Target(isr=(1, 2, 3, 4)))
    assert fields == {
        "isr": [1, 2, 4],
        "leader": 1,
        "replicas": [1, 2, 4],
        "removing_replicas": [],
        "adding_replicas": [],
        "directories": [directory(1), directory(2), directory(4)],
    }
    assert (now.leader_epoch, now.partition_epoch) == (6, 10)


def test_a_reassignment_of_equal_size_needs_the_added_replicas_alone():
    now = registration(
        isr=(1, 3), replicas=(1, 2, 4, 3), removing_replicas=(3,), adding_replicas=(4,)
    )
    fields, _ = step(now, Target(isr=(1, 3, 4)))
    assert (fields["isr"], fields["replicas"]) == ([1, 4], [1, 2, 4])


def test_an_assignment_that_gets_smaller_needs_all_that_stay():
    now = registration(isr=(1, 3), removing_replicas=(3,))
    assert change(now, Target()) is None
    fields, _ = step(now, Target(isr=(1, 2, 3)))
    assert (fields["isr"], fields["replicas"]) == ([1, 2], [1, 2])


def test_a_reassignment_that_removes_the_leader_elects_another():
    now = registration(
        leader=3, isr=(1, 2, 3), replicas=(1, 2, 4, 3), removing_replicas=(3,), adding_replicas=(4,)
    )
    fields, _ = step(now, Target(isr=(1, 2, 3, 4)))
    assert fields["leader"] == 1


def test_a_reassignment_waits_for_its_last_new_replica():
    now = registration(replicas=(1, 2, 4, 3), removing_replicas=(3,), adding_replicas=(4,))
    fields, _ = step(now, Target(isr=(1, 3)))
    assert fields == {"isr": [1, 3]}


def test_a_reassignment_that_begins_names_directories_of_new_replicas():
    fields, _ = step(
        registration(),
        Target(replicas=(1, 2, 4, 3), removing_replicas=(3,), adding_replicas=(4,)),
    )
    assert fields == {
        "replicas": [1, 2, 4, 3],
        "removing_replicas": [3],
        "adding_replicas": [4],
        "directories": [directory(1), directory(2), directory(4), directory(3)],
    }


def test_a_dropped_replica_is_not_kept_eligible():
    now = registration(
        isr=(1,), elr=(3,), replicas=(1, 3), removing_replicas=(3,), adding_replicas=()
    )
    fields, _ = step(now, Target(isr=(1,)))
    assert fields["eligible_leader_replicas"] == []
    assert fields["replicas"] == [1]


# Old metadata versions


def test_before_3_6_a_shrinking_isr_bumps_the_leader_epoch():
    fields, _ = step(registration(), Target(isr=(1, 2)), elr=False, level=11)
    assert fields == {"isr": [1, 2], "leader": 1}


def test_before_3_7_no_directories_are_written():
    fields, _ = step(
        registration(), Target(replicas=(1, 2, 4)), elr=False, level=16, alive=(1, 2, 4)
    )
    assert "directories" not in fields


def test_a_directory_that_moved_is_written():
    fields, now = step(registration(), Target(directories={2: Uuid.of(5, 5)}))
    assert list(fields) == ["directories"]
    assert now.directory(2) == Uuid.of(5, 5)


@pytest.mark.parametrize("order", [(3, 2, 1), (2, 1, 3)])
def test_the_order_of_the_isr_is_part_of_it(order):
    fields, _ = step(registration(), Target(isr=order))
    assert fields == {"isr": list(order)}


def test_a_preferred_election_writes_the_leader_alone():
    fields, now = step(registration(leader=2), Target(), election=Election.PREFERRED)
    assert fields == {"leader": 1}
    assert (now.leader_epoch, now.partition_epoch) == (6, 10)


def test_partition_epoch_moves_by_one_with_every_record():
    now = replace(registration(), partition_epoch=0)
    for epoch, isr in enumerate([(1, 2), (1,), (1, 3), (1, 2, 3)], 1):
        _, now = step(now, Target(isr=isr))
        assert now.partition_epoch == epoch


LOST = {"isr": (), "leader": -1}


def test_with_the_recovery_manager_the_last_known_leader_is_not_elected():
    """L4."""
    current = registration(**LOST, last_known_leader=1)
    assert change(current, Target()).leader == 1
    held = replace(context(), recovery_enabled=True)
    assert partition_change(PARTITION, current, Target(), held) is None


def test_a_recovery_elects_the_one_that_it_found():
    """L8: it is the whole ISR, and RECOVERING; LastKnownELR stays until min ISR is reached."""
    current = registration(**LOST, elr=(1,), last_known_elr=(2,), last_known_leader=1)
    designated = replace(context(alive=(2, 3), manager=True), designated=3)
    record = partition_change(PARTITION, current, Target(), designated)
    assert written(record) == {
        "isr": [3], "leader": 3, "leader_recovery_state": 1, "eligible_leader_replicas": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("leader", "last_known_leader", "last_known_elr", "found"),
    [
        (1, -1, (2,), -1),
        (1, 2, (), -1),
        (-1, 2, (), 2),
        (-1, 2, (3,), 2),
        (-1, -1, (3,), 3),
        (-1, -1, (2, 3), -1),
        (-1, -1, (), -1),
    ],
)
def test_the_last_leader_is_the_one_that_was_noted_or_the_only_one_of_kafka(
    leader, last_known_leader, last_known_elr, found
):
    """E9: a controller of Apache Kafka notes it in LastKnownELR, alone."""
    now = registration(
        isr=() if leader < 0 else (1,), leader=leader, last_known_elr=last_known_elr,
        last_known_leader=last_known_leader,
    )  # fmt: skip
    assert known_leader(now) == found
