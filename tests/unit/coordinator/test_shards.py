"""The shards of the partitions that a broker leads."""

from types import SimpleNamespace

import pytest

from minikafka.common.errors import CoordinatorLoadInProgressError, NotCoordinatorError
from minikafka.common.ids import TopicPartition
from minikafka.coordinator.shards import Shards

TOPIC = "__t"
COUNT = 4


class FakeShard:
    def __init__(self, partition):
        self.partition = partition
        self.is_closed = False
        self.is_loading = True

    def close(self):
        self.is_closed = True

    def require_active(self):
        if self.is_loading:
            raise CoordinatorLoadInProgressError


class Content:
    def __init__(self, partition, owner):
        self.shard = FakeShard(partition)
        self.lose = lambda: owner.lost(self.shard)

    def load(self):
        self.shard.is_loading = False


class Replicas:
    def __init__(self, partitions):
        self.partitions = partitions
        self.listeners = []

    def led(self):
        return iter([each for each in self.partitions if each.is_leader])


def partition(index, topic=TOPIC, *, is_leader=True):
    return SimpleNamespace(topic_partition=TopicPartition(topic, index), is_leader=is_leader)


def shards_of(*partitions, keeps_epochs=False):
    image = SimpleNamespace(
        topic=lambda name: SimpleNamespace(partitions=range(COUNT)) if name == TOPIC else None
    )
    shards = Shards(
        topic=TOPIC,
        services=SimpleNamespace(replicas=Replicas(partitions), view=SimpleNamespace(image=image)),
        make=Content,
        keeps_epochs=keeps_epochs,
    )
    shards.start()
    return shards


def lead(shards, changed):
    for each in shards.services.replicas.listeners:
        each.leadership_changed(changed)


def test_only_partitions_of_the_topic_that_are_led_have_a_shard():
    shards = shards_of(partition(0), partition(1, is_leader=False), partition(2, "other"))
    assert list(shards.by_index) == [0]
    lead(shards, partition(3))
    lead(shards, partition(1, "other"))
    assert list(shards.by_index) == [0, 3]


@pytest.mark.parametrize("keeps_epochs", [False, True])
def test_a_later_epoch_keeps_the_shard_only_if_that_is_wanted(keeps_epochs):
    led = partition(0)
    shards = shards_of(led, keeps_epochs=keeps_epochs)
    before = shards.by_index[0]
    lead(shards, led)
    assert (shards.by_index[0] is before) is keeps_epochs
    assert before.shard.is_closed is not keeps_epochs


def test_another_replica_of_the_partition_gets_another_shard():
    shards = shards_of(partition(0), keeps_epochs=True)
    before = shards.by_index[0]
    lead(shards, partition(0))
    assert before.shard.is_closed
    assert shards.by_index[0] is not before


def test_a_partition_that_is_led_elsewhere_or_removed_has_no_shard():
    shards = shards_of(partition(0), partition(1))
    before = list(shards.by_index.values())
    lead(shards, partition(0, is_leader=False))
    for each in shards.services.replicas.listeners:
        each.replica_stopped(TopicPartition("other", 1))
        each.replica_stopped(TopicPartition(TOPIC, 1))
    assert shards.by_index == {}
    assert all(each.shard.is_closed for each in before)


def test_a_shard_that_is_lost_late_leaves_its_successor():
    shards = shards_of(partition(0))
    before = shards.by_index[0]
    lead(shards, partition(0))
    after = shards.by_index[0]
    before.lose()
    assert shards.by_index == {0: after}
    after.lose()
    assert shards.by_index == {}


def test_a_key_is_served_by_the_shard_of_its_partition():
    shards = shards_of(*map(partition, range(COUNT)))
    index = shards.partition_of("g")
    assert shards.of("g") is shards.at(index) is shards.find("g") is shards.by_index[index]
    shards.by_index[index].shard.is_loading = True
    with pytest.raises(CoordinatorLoadInProgressError):
        shards.of("g")
    del shards.by_index[index]
    assert shards.find("g") is None
    with pytest.raises(NotCoordinatorError):
        shards.of("g")
    with pytest.raises(NotCoordinatorError):
        shards.at(index)


def test_without_the_topic_no_key_has_a_partition():
    shards = shards_of()
    shards.topic = "missing"
    assert shards.partition_of("g") is None
    with pytest.raises(NotCoordinatorError):
        shards.of("g")


def test_all_active_skips_what_is_not_led_and_fails_for_what_still_loads():
    shards = shards_of(partition(0), partition(1), partition(2))
    shards.by_index[1].shard.partition.is_leader = False
    shards.by_index[2].shard.is_closed = True
    assert list(shards.all_active()) == [shards.by_index[0]]
    shards.by_index[0].shard.is_loading = True
    with pytest.raises(CoordinatorLoadInProgressError):
        list(shards.all_active())
