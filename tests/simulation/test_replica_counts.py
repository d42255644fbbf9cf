"""Partitions of one topic with different numbers of replicas: each has its own min ISR (H6)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    leader_client,
    produce,
    registration,
    started_cluster,
    values_of,
)

MIN_ISR = {"min.insync.replicas": "2"}


def reassign(cluster, replicas, index=0):
    request = AlterPartitionReassignmentsRequest(
        timeout_ms=5_000,
        topics=[ReassignableTopic("t", [ReassignablePartition(index, replicas)])],
    )
    response = cluster.client("admin", 4).ask(request, AlterPartitionReassignmentsResponse)
    assert response.responses[0].partitions[0].error_code == ErrorCode.NONE
    settle(cluster, lambda: registration(cluster, "t", index).replicas == tuple(replicas))


def settle(cluster, condition):
    cluster.world.run_until(condition, 60_000, "the cluster settles")


@pytest.fixture
def cluster():
    """Partition 0 is on broker 4 alone, partition 1 on brokers 1, 2, 3 with one record."""
    cluster = started_cluster(4, seed=3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[4, 1, 2], [1, 2, 3]], config=MIN_ISR)
    reassign(cluster, [4])
    assert produce(cluster.client(), "t", b"acked", partition=1).error_code == ErrorCode.NONE
    return cluster


def test_one_data_losing_shutdown_loses_nothing_beside_a_smaller_partition(cluster):
    """E2, H6, H7: the ELR of partition 1 does not depend on partition 0."""

    def now():
        return registration(cluster, "t", 1)

    cluster.nodes[3].kill()
    settle(cluster, lambda: now().isr == (1, 2))
    cluster.nodes[2].shut_down()
    settle(cluster, lambda: now().isr == (1,))
    assert now().elr == (2,)
    cluster.nodes[1].lose_power()
    settle(cluster, lambda: now().leader == -1)
    cluster.nodes[2].start()
    settle(cluster, lambda: now().leader == 2)
    cluster.nodes[1].start()
    settle(cluster, lambda: sorted(now().isr) == [1, 2])
    read = fetch(leader_client(cluster, "t", 1), "t", partition=1)
    assert values_of(read) == [b"acked"]


def test_a_partition_with_one_replica_commits_beside_a_larger_one(cluster):
    """H1, H6: one replica is all that min.insync.replicas=2 can ask for."""
    client = cluster.client(node_id=4)
    assert produce(client, "t", b"alone").error_code == ErrorCode.NONE
    assert values_of(fetch(client, "t")) == [b"alone"]
