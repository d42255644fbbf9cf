"""A simulated client's cache of leaders."""

from random import Random

from minikafka.common.ids import TopicPartition
from minikafka.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.network import SimNetwork
from minikafka.sim.world.world import US_PER_MS, World

WHERE = TopicPartition("t", 0)


def connections():
    world = World(1)
    return ClientConnections(world, SimNetwork(world), "c", [("n1", 9092)], Random(1))


def metadata_response(leader, epoch):
    """A broker's answer about the leader."""
    partition = MetadataResponsePartition(
        partition_index=0, leader_id=leader, leader_epoch=epoch, replica_nodes=[], isr_nodes=[]
    )
    return MetadataResponse(
        brokers=[MetadataResponseBroker(n, f"n{n}", 9092) for n in (1, 2)],
        topics=[MetadataResponseTopic(name="t", partitions=[partition])],
    )


def test_a_broker_that_is_behind_changes_nothing():
    known = connections()
    known._learn(metadata_response(2, 5))
    known._learn(metadata_response(1, 4))
    assert known.leaders[WHERE] == ("n2", 9092)
    known._learn(metadata_response(1, 6))
    assert known.leaders[WHERE] == ("n1", 9092)


def test_learned_leaders_expire():
    known = connections()
    known._learn(metadata_response(2, 5))
    assert not known.must_refresh
    known.world.now_us += 31_000 * US_PER_MS
    assert known.must_refresh
