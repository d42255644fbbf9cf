"""The states of a partition on a broker."""

import pytest

from minikafka.common.errors import KafkaStorageError, UnknownTopicOrPartitionError
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.common.ids import TopicIdPartition, TopicPartition
from minikafka.replica.hosted_partitions import HOSTED_STATES, HostedState
from tests.unit.replica.managed_world import ID, T


def test_lost_partition_stays_lost_whatever_the_metadata_says(spread):
    spread.manager.take_offline(StorageFault("/one", "broken"))
    spread.apply(spread.put(1, epoch=1))
    with pytest.raises(KafkaStorageError):
        spread.manager.get(T)


def test_lost_partition_whose_topic_is_deleted_is_forgotten(spread):
    spread.manager.take_offline(StorageFault("/one", "broken"))
    spread.apply(spread.no_topic())
    with pytest.raises(UnknownTopicOrPartitionError):
        spread.manager.get(T)


def test_partition_goes_online_and_offline_and_is_removed(spread):
    hosted, partition = spread.manager.hosted, spread.partition()
    assert hosted.state(T) is HostedState.ONLINE
    hosted.take_offline(T)
    assert (hosted.state(T), partition.is_gone, spread.removed) == (HostedState.OFFLINE, True, [T])
    hosted.take_offline(T)
    assert spread.removed == [T]
    assert not hosted.remove(T, TopicIdPartition(ID, 0))
    assert hosted.state(T) is HostedState.NONE
    assert hosted.remove(TopicPartition("t", 1), TopicIdPartition(ID, 1))
    assert spread.removed == [T, TopicPartition("t", 1)]
    assert (hosted.online, hosted.online_by_id) == ({}, {})


def test_offline_partition_does_not_come_online_before_its_loss_is_settled(spread):
    """E7: its log would be empty, and a member of ISR or ELR could lead with it."""
    hosted, partition = spread.manager.hosted, spread.partition()
    hosted.take_offline(T)
    with pytest.raises(InvariantViolation, match="^partition t-0: OFFLINE -> ONLINE is not legal$"):
        hosted.add(partition)
    hosted.end_offline(T)
    hosted.add(partition)
    assert list(hosted.online.values()) == [spread.partition(1), partition]


def test_partition_comes_online_once(spread):
    with pytest.raises(InvariantViolation, match="ONLINE -> ONLINE is not legal$"):
        spread.manager.hosted.add(spread.partition())


def test_every_state_has_a_row():
    for after in HostedState:
        if after is not HostedState.NONE:
            HOSTED_STATES.require(HostedState.NONE, after)
            HOSTED_STATES.require(after, HostedState.NONE)
