"""What a request to a leader must have, and the results of its appends."""

import pytest

from minikafka.common.errors import ErrorCode, FencedLeaderEpochError, UnknownLeaderEpochError
from minikafka.replica.request_rules import (
    append_outcome,
    check_any_leader_epoch,
    check_leader_epoch,
)
from tests.unit.replica.conftest import registration


def catch_up(world, *brokers):
    for number in brokers:
        world.fetch(number, world.log.log_end_offset)


def test_acks_all_is_decided_when_the_high_watermark_passed_it(world):
    """H4."""
    world.lead()
    info = world.append(2, acks=-1)
    end = info.last_offset + 1
    assert append_outcome(world.partition, 0, end) is None
    catch_up(world, 2)
    assert append_outcome(world.partition, 0, end) is None
    catch_up(world, 3)
    assert append_outcome(world.partition, 0, end) == ErrorCode.NONE


def test_acks_all_fails_after_the_append_if_the_maximal_isr_is_under_min_isr(world):
    """H4: the records are below the high watermark, but the ISR has shrunk since."""
    world.lead()
    end = world.append(2, acks=-1).last_offset + 1
    catch_up(world, 2, 3)
    world.partition.apply(registration((1,), leader=1, partition_epoch=1))
    assert append_outcome(world.partition, 0, end) == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    world.append(1, acks=1)
    catch_up(world, 2)
    assert world.partition.isr.proposed == (1, 2)
    assert append_outcome(world.partition, 0, end) == ErrorCode.NONE


def test_append_that_outlives_its_leader_epoch_is_not_acknowledged(world):
    world.lead()
    end = world.append(2, acks=-1).last_offset + 1
    world.partition.apply(registration((2, 3), leader=2, leader_epoch=1, partition_epoch=1))
    assert append_outcome(world.partition, 0, end) == ErrorCode.NOT_LEADER_OR_FOLLOWER
    world.partition.apply(registration((1,), leader=1, leader_epoch=2, partition_epoch=2))
    assert append_outcome(world.partition, 0, end) == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_leader_epochs_of_requests_are_compared(world):
    world.lead(leader_epoch=5)
    check_leader_epoch(world.partition, -1)
    check_leader_epoch(world.partition, 5)
    with pytest.raises(FencedLeaderEpochError):
        check_leader_epoch(world.partition, 4)
    with pytest.raises(UnknownLeaderEpochError):
        check_leader_epoch(world.partition, 6)


def test_an_epoch_below_none_is_an_old_one_but_in_a_fetch(world):
    """As Kafka 4.3.1."""
    world.lead(leader_epoch=5)
    check_leader_epoch(world.partition, -2)
    check_any_leader_epoch(world.partition, -1)
    with pytest.raises(FencedLeaderEpochError):
        check_any_leader_epoch(world.partition, -2)
