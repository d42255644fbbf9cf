"""Metadata that names a former leader."""

import pytest

from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.unit.faults.conftest import FaultyNode
from tests.worlds.sim_world import create_topic, registration, started_cluster


@pytest.fixture
def three():
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[2, 1, 3]])
    return FaultyNode(1, cluster)


def described(faulty, api="Metadata", version=12):
    if api == "Metadata":
        topics = [MetadataRequestTopic(name="t")]
        answer = faulty.answer(MetadataRequest(topics=topics), version)
        brokers = [each.node_id for each in answer.brokers]
    else:
        request = DescribeTopicPartitionsRequest(topics=[TopicRequest("t")])
        answer = faulty.answer(request, 0)
        brokers = None
    (partition,) = answer.topics[0].partitions
    return partition.leader_id, partition.leader_epoch, partition.error_code, brokers


@pytest.mark.parametrize("api", ["Metadata", "DescribeTopicPartitions"])
def test_the_leader_from_when_the_fault_was_set_is_named(three, api):
    before = registration(three.cluster, "t")
    three.fault(api, "stale_leader", topic="t")
    three.cluster.nodes[2].kill()
    three.cluster.world.run_until(
        lambda: registration(three.cluster, "t").leader == 1, 60_000, "another leader"
    )
    # Long enough for Metadata to leave out the broker that is gone.
    three.run(30_000)
    leader, epoch, error, brokers = described(three, api)
    assert (leader, epoch, error) == (before.leader, before.leader_epoch, 0)
    assert brokers is None or 2 in brokers
    assert three.hits == 1
    three.set()
    now = registration(three.cluster, "t")
    assert described(three, api)[:2] == (now.leader, now.leader_epoch)


@pytest.mark.parametrize("version", [0, 6, 7, 12])
def test_without_a_change_another_replica_and_epoch_are_named(three, version):
    now = registration(three.cluster, "t")
    assert (now.leader, now.leader_epoch) == (2, 0)
    three.fault("Metadata", "stale_leader", topic="t", partition=0)
    assert described(three, version=version)[0] == 1
    assert three.hits == 1


def test_an_answer_without_the_partition_is_no_hit(three):
    create_topic(three.cluster, "u", replicas=[[1]])
    three.fault("Metadata", "stale_leader", topic="t", partition=5)
    assert described(three)[0] == 2
    three.fault("Metadata", "stale_leader", topic="u")
    assert described(three)[0] == 2
    assert three.hits == 0
