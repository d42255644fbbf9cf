"""The records that a leader commits and acknowledges, and the ISR that it proposes (H1-H6)."""

from dataclasses import replace
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.errors import (
    ErrorCode,
    NotEnoughReplicasError,
    NotLeaderOrFollowerError,
)
from minikafka.log.config import LogConfig
from minikafka.log.producers.producer_state import EndedTransaction
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.partition_registration import LeaderRecoveryState
from minikafka.records.builder import BatchOptions, NewRecord, TransactionEnd, build_batch
from minikafka.records.errors import RecordValidationError
from minikafka.replica.metrics import is_at_min_isr, is_under_min_isr, is_under_replicated
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.conftest import NAME, TOPIC_ID, registration


def catch_up(world, *brokers):
    for number in brokers:
        world.fetch(number, world.log.log_end_offset)


def test_high_watermark_follows_the_slowest_member_of_the_isr(world):
    """H2."""
    world.lead()
    world.append(10)
    world.fetch(2, 10)
    assert world.high_watermark == 0
    world.fetch(3, 4)
    assert world.high_watermark == 4
    world.fetch(3, 10)
    assert world.high_watermark == 10


def test_high_watermark_stands_still_while_the_isr_is_under_min_isr(world):
    """H1, H5: records of every acks wait, and are shown once the ISR is back."""
    world.lead(isr=(1,))
    world.append(5, acks=1)
    assert world.high_watermark == 0
    world.fetch(2, 5)
    assert world.high_watermark == 0
    world.partition.isr_committed(world.proposals[0], (1, 2), 1)
    assert world.high_watermark == 5


def test_a_proposed_isr_does_not_count_as_the_isr(world):
    """H3: leader with ISR=[1], min ISR 2; broker 3 catches up; the high watermark waits."""
    world.lead(isr=(1,))
    world.append(3)
    world.fetch(3, 3)
    assert world.partition.isr.proposed == (1, 3)
    assert world.high_watermark == 0
    world.partition.isr_committed(world.proposals[0], (1, 3), 1)
    assert world.high_watermark == 3


def test_a_proposed_member_holds_the_high_watermark_back(world):
    """H2: the maximal ISR counts, so each member that the controller accepts has every record."""
    world.lead(isr=(1, 2))
    world.append(5)
    catch_up(world, 2, 3)
    assert world.partition.isr.maximal == (1, 2, 3)
    world.append(5)
    world.fetch(2, 10)
    assert world.high_watermark == 5
    world.fetch(3, 10)
    assert world.high_watermark == 10


def test_a_proposal_to_shrink_leaves_the_high_watermark_where_it_is(world):
    """H2: the controller may refuse, and elect who would have been taken out."""
    world.lead()
    world.append(5)
    world.fetch(2, 5)
    world.at(31_000)
    world.fetch(2, 5)
    world.partition.check_lag()
    assert world.partition.isr.proposed == (1, 2)
    assert world.high_watermark == 0
    world.partition.isr_committed(world.proposals[0], (1, 2), 1)
    assert world.high_watermark == 5


def test_min_isr_over_the_replication_factor_acts_as_the_replication_factor(make_world):
    """H6."""
    world = make_world(min_isr=5)
    world.lead()
    assert world.partition.min_isr == 3
    world.append(1)
    catch_up(world, 2, 3)
    assert world.high_watermark == 1


def test_acks_all_is_refused_under_min_isr_and_writes_nothing(world):
    """H4."""
    world.lead(isr=(1,))
    with pytest.raises(NotEnoughReplicasError):
        world.append(1, acks=-1)
    assert world.log.log_end_offset == 0


def test_follower_takes_no_appends(world):
    world.partition.apply(registration((1, 2, 3), leader=2))
    with pytest.raises(NotLeaderOrFollowerError):
        world.append(1)


def test_older_registration_is_ignored(world):
    world.lead(leader_epoch=3, partition_epoch=7)
    assert not world.partition.apply(registration((1,), leader_epoch=2, partition_epoch=6))
    assert world.partition.leader_epoch == 3


def test_new_leader_knows_nothing_of_its_followers(world):
    """H7: the high watermark does not move before every member has fetched in the new epoch."""
    world.partition.apply(registration((1, 2, 3), leader=2))
    world.lead(leader_epoch=1, partition_epoch=1)
    world.append(4)
    world.fetch(2, 4)
    assert world.high_watermark == 0
    world.fetch(3, 4)
    assert world.high_watermark == 4


def test_a_leader_that_missed_the_one_in_between_knows_nothing_of_its_followers(world):
    """H2: broker 2 led epoch 1, and follower 3 cut off what it did not have."""
    world.lead()
    world.append(5)
    world.fetch(3, 5)
    world.lead(isr=(1, 3), leader_epoch=2, partition_epoch=2)
    assert world.partition.followers[3].log_end_offset == -1
    assert world.high_watermark == 0


@pytest.mark.parametrize("partition_epoch", [1, 2])
def test_a_leader_that_missed_a_change_knows_only_members_of_the_isr(world, partition_epoch):
    """Seed 75000316: follower 3 was dropped, which began the epoch, and added with an empty log."""
    world.lead(isr=(1, 2))
    world.append(5)
    world.fetch(2, 5)
    world.fetch(3, 5)
    world.lead(isr=(1, 2), leader_epoch=1, partition_epoch=partition_epoch)
    followers = world.partition.followers
    assert followers[2].log_end_offset == 5
    assert followers[3].log_end_offset == (5 if partition_epoch == 1 else -1)


def test_leader_keeps_its_high_watermark_across_epochs(world):
    """H7."""
    world.lead()
    world.append(4)
    catch_up(world, 2, 3)
    world.lead(leader_epoch=1, partition_epoch=1)
    assert world.high_watermark == 4


def test_new_epoch_starts_at_the_log_end(world):
    world.lead()
    world.append(4)
    world.lead(leader_epoch=1, partition_epoch=1)
    assert world.partition.leader_epoch_start_offset == 4
    assert world.log.end_offset_for_epoch(0) == (0, 4)
    assert world.partition.high_watermark_is_behind_epoch


@pytest.mark.parametrize(
    ("isr", "under_min", "at_min", "under_replicated"),
    [
        ((1, 2, 3), False, False, False),
        ((1, 2), False, True, True),
        ((1,), True, False, True),
    ],
)
def test_isr_gauges(world, isr, under_min, at_min, under_replicated):
    """M1."""
    world.lead(isr=isr)
    partition = world.partition
    assert is_under_min_isr(partition) == under_min
    assert is_at_min_isr(partition) == at_min
    assert is_under_replicated(partition) == under_replicated


def test_replicas_that_a_reassignment_adds_are_not_missed_yet(world):
    """M1: as Kafka counts them, by the replication factor without what is being added."""
    now = replace(registration((1, 2), replicas=(1, 2, 3)), adding_replicas=(3,))
    world.partition.apply(now)
    assert not is_under_replicated(world.partition)
    world.partition.apply(replace(now, isr=(1,), partition_epoch=1))
    assert is_under_replicated(world.partition)


def test_gauges_of_a_follower_are_zero(world):
    """M2."""
    world.partition.apply(registration((1,), leader=2))
    partition = world.partition
    assert not (is_under_min_isr(partition) or is_at_min_isr(partition))
    assert not is_under_replicated(partition)


def recovering(**changes):
    return replace(
        registration((1,), **changes), leader_recovery_state=LeaderRecoveryState.RECOVERING
    )


def test_recovering_leader_says_that_it_recovered(world):
    """L8."""
    world.partition.apply(recovering())
    (proposal,) = world.proposals
    assert proposal.isr == (1,)
    assert proposal.recovery_state is LeaderRecoveryState.RECOVERED


def test_recovering_leader_says_so_until_it_is_heard(world):
    """L8: over a controller that fails, and over other changes of the partition."""
    partition = world.partition
    partition.apply(recovering())
    partition.isr_refused(world.proposals[-1], ErrorCode.NOT_CONTROLLER)
    assert len(world.proposals) == 2
    partition.isr_refused(world.proposals[-1], ErrorCode.INVALID_UPDATE_VERSION)
    assert len(world.proposals) == 2
    partition.apply(recovering(partition_epoch=1))
    assert [x.partition_epoch for x in world.proposals] == [0, 0, 1]
    partition.isr_committed(world.proposals[-1], (1,), 2)
    assert partition.recovery_state is LeaderRecoveryState.RECOVERED
    partition.apply(registration((1,), partition_epoch=2))
    assert len(world.proposals) == 3


def test_an_unclean_leader_says_so_in_a_warning(world, caplog):
    """L8."""
    world.lead()
    assert caplog.records == []
    world.partition.apply(recovering(leader_epoch=3, partition_epoch=5))
    world.partition.lines.flush()
    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert "unclean leadership: broker 1 leads epoch 3 from offset 0" in warning.getMessage()
    assert "acknowledged records that are not in this log are lost" in warning.getMessage()


def transactional(sequence=0):
    options = BatchOptions(
        producer_id=7, producer_epoch=0, base_sequence=sequence, is_transactional=True
    )
    return memoryview(build_batch([NewRecord(1000, None, b"v")], options))


def moved_log():
    return UnifiedLog.open(
        SimDisk("/other"), "t-0", NAME, config=LogConfig(), checkpointed=CheckpointedOffsets(clean=True),
        now=Now(0, 0), rng=Random(2), topic_id=TOPIC_ID,
    )  # fmt: skip


def test_guard_is_valid_after_the_move_to_another_log(world):
    """A move between log directories must not fail a transaction that is being verified."""
    partition = world.partition
    partition.apply(registration((1,), replicas=(1,)))
    guard = partition.log.producers.begin_verification(7, 0, 0, bumps_epochs=False)
    moved = moved_log()
    partition.replace_log(moved)
    partition.append_as_leader(transactional(), required_acks=1, guard=guard)
    assert moved.log_end_offset == 1
    assert moved.producers.ongoing == {7: 0}


def test_a_move_keeps_transactions_whose_markers_are_not_committed(world):
    """The last stable offset must not pass them."""
    producers = world.partition.log.producers
    producers.unreplicated.append(EndedTransaction(3, 5))
    moved = moved_log()
    world.partition.replace_log(moved)
    assert moved.producers.first_unstable_offset == 3


@pytest.mark.parametrize(("version", "accepted"), [(1, True), (2, False)])
def test_marker_is_checked_by_its_transaction_version(world, version, accepted):
    partition = world.partition
    partition.set_min_isr(1)
    partition.apply(registration((1,), replicas=(1,)))
    partition.append_as_leader(transactional(), required_acks=1, guard=UNCHECKED)
    end = TransactionEnd(7, 0, True, 0, version)
    if accepted:
        assert partition.append_end_marker(end).first_offset == 1
        assert partition.log.last_stable_offset == 2
        return
    with pytest.raises(RecordValidationError) as caught:
        partition.append_end_marker(end)
    assert caught.value.code == ErrorCode.INVALID_PRODUCER_EPOCH
    assert partition.append_end_marker(end._replace(producer_epoch=1)).first_offset == 1
