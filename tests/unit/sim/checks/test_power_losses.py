"""Which lost records are excused without ELR: unflushed ones, of machines that lost power (E13)."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.sim.checks.power_losses import PowerLosses

WHERE = TopicPartition("t", 0)
OTHER = TopicPartition("t", 1)


def look(
    losses, end_offset, *, recovery_point=0, start=0, node_id=1, where=WHERE, started=True, epoch=3
):
    node = SimpleNamespace(config=SimpleNamespace(node_id=node_id), started=started)
    log = SimpleNamespace(
        recovery_point=recovery_point, log_end_offset=end_offset, log_start_offset=start,
        epoch_at=lambda offset: epoch,
    )  # fmt: skip
    losses.record(node, SimpleNamespace(topic_partition=where, log=log))


@pytest.fixture
def losses():
    """Node 1 holds offsets 0 to 9 of two partitions; what is below 6 is flushed."""
    losses = PowerLosses()
    look(losses, 10, recovery_point=6)
    look(losses, 10, recovery_point=6, where=OTHER)
    look(losses, 10, recovery_point=6, node_id=2)
    return losses


def excused(losses, node_id=1, where=WHERE):
    return [offset for offset in range(12) if losses.excuses(node_id, where, offset)]


def test_without_elr_unflushed_records_may_be_missing(losses):
    assert losses.lost(1, everything=False, elr_is_on=False) == [WHERE, OTHER]
    assert excused(losses) == excused(losses, where=OTHER) == [6, 7, 8, 9]
    assert excused(losses, node_id=2) == []


def test_with_elr_nothing_may_be_missing(losses):
    losses.lost(1, everything=False, elr_is_on=True)
    assert excused(losses) == []


def test_a_gap_is_an_excuse_once_elr_is_switched_off(losses):
    losses.lost(1, everything=False, elr_is_on=True)
    losses.elr_is_off()
    assert excused(losses) == [6, 7, 8, 9]


def test_other_disks_may_hold_nothing(losses):
    losses.lost(1, everything=True, elr_is_on=False)
    assert excused(losses) == list(range(10))


@pytest.mark.parametrize("start", [6, 8, 10])
def test_a_log_that_may_be_empty_need_not_have_what_it_had_deleted(losses, start):
    look(losses, 10, recovery_point=6, start=start)
    losses.lost(1, everything=False, elr_is_on=False)
    assert excused(losses) == list(range(10))


def test_an_empty_log_may_come_back_at_offset_0(losses):
    """Seed 99701459: a follower had just deleted everything, and started where its leader did."""
    look(losses, 10, recovery_point=10, start=10)
    losses.lost(1, everything=False, elr_is_on=False)
    assert excused(losses) == list(range(10))
    look(losses, 10, start=10)
    assert excused(losses) == []


def test_flushed_records_above_the_log_start_are_not_excused_by_what_was_deleted(losses):
    look(losses, 10, recovery_point=6, start=3)
    losses.lost(1, everything=False, elr_is_on=False)
    assert excused(losses) == [6, 7, 8, 9]


def test_a_flushed_log_has_no_gap(losses):
    look(losses, 10, recovery_point=10)
    assert losses.lost(1, everything=False, elr_is_on=False) == [OTHER]
    assert excused(losses) == []


def test_a_gap_ends_when_the_replica_has_caught_up(losses):
    losses.lost(1, everything=False, elr_is_on=False)
    look(losses, 6, started=False)
    look(losses, 9)
    assert excused(losses) == [6, 7, 8, 9]
    look(losses, 10)
    assert excused(losses) == []


def test_an_older_copy_of_a_log_does_not_end_its_gap(losses):
    """Seed 81000011: its records had been lost since, and others have their offsets."""
    losses.lost(1, everything=True, elr_is_on=False)
    look(losses, 11, epoch=2)
    assert excused(losses) == list(range(10))
    look(losses, 10, epoch=4)
    assert excused(losses) == []


def test_a_machine_that_loses_power_again_has_lost_both_times(losses):
    losses.lost(1, everything=False, elr_is_on=False)
    look(losses, 8, recovery_point=7)
    losses.lost(1, everything=False, elr_is_on=True)
    assert excused(losses) == [6, 7, 8, 9]


@pytest.mark.parametrize("elr_is_on", [False, True])
def test_a_removed_folder_excuses_nothing_before_an_empty_log_is_accepted(losses, elr_is_on):
    """Seed 160002012: the other replicas had lost their disks."""
    losses.removed(1, WHERE, elr_is_on=elr_is_on)
    assert excused(losses) == []
    losses.accepted(1, WHERE)
    losses.accepted(1, OTHER)
    assert excused(losses) == ([] if elr_is_on else list(range(10)))
    assert excused(losses, where=OTHER) == []


def test_a_removed_log_that_was_copied_again_excuses_nothing(losses):
    losses.removed(1, WHERE, elr_is_on=False)
    look(losses, 10, recovery_point=6)
    losses.accepted(1, WHERE)
    assert excused(losses) == []


def test_an_accepted_log_lacks_also_what_the_removed_one_lacked(losses):
    losses.lost(1, everything=False, elr_is_on=False)
    look(losses, 6, recovery_point=6)
    losses.removed(1, WHERE, elr_is_on=False)
    losses.accepted(1, WHERE)
    assert excused(losses) == list(range(10))
