"""Whole nodes in virtual time: they start, die, come back, and one seed is one history."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.sim.world.sim_client import NoResponseError
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import World
from tests.worlds.sim_world import (
    batch,
    create_topic,
    fetch,
    leader_client,
    produce,
    produce_request,
    started_cluster,
    values_of,
)

THREE = [[1, 2, 3]]


def history(seed):
    lines = []
    cluster = SimCluster(world=World(seed, on_line=lines.append), brokers=3)
    cluster.start()
    create_topic(cluster, "t", replicas=THREE)
    produce(cluster.client(), "t", b"a", b"b")
    cluster.nodes[2].kill()
    cluster.world.run(15_000)
    cluster.nodes[2].start()
    cluster.world.run(15_000)
    cluster.nodes[3].shut_down()
    cluster.world.run(15_000)
    return lines, cluster.world.steps, cluster.network.messages


def test_one_seed_is_one_history():
    assert history(3) == history(3)
    assert history(3)[1:] != history(4)[1:]


def test_records_reach_every_replica_and_outlive_a_killed_leader():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=THREE)
    assert produce(cluster.client(), "t", b"kept").error_code == ErrorCode.NONE
    cluster.nodes[1].pause()
    cluster.nodes[1].resume()
    cluster.world.run(2_000)
    cluster.nodes[2].kill()
    cluster.world.run(20_000)
    assert values_of(fetch(cluster.client(), "t")) == [b"kept"]
    assert cluster.nodes[2].exit_code is None


@pytest.mark.parametrize("seed", range(4))
def test_all_machines_lose_power_at_once_and_come_back(seed):
    cluster = started_cluster(3, seed=seed)
    create_topic(cluster, "t", replicas=THREE, config={"flush.messages": "1"})
    for node in cluster.nodes.values():
        node.lose_power()
    cluster.start(120_000)
    cluster.world.run(30_000)
    assert produce(leader_client(cluster, "t"), "t", b"after").error_code == ErrorCode.NONE


def test_a_controlled_shutdown_ends_with_code_zero_and_is_clean():
    cluster = started_cluster(3)
    cluster.nodes[3].shut_down()
    cluster.world.run_until(lambda: not cluster.nodes[3].alive, 10_000, "node 3 stops")
    assert cluster.nodes[3].exit_code == 0
    (disk,) = cluster.nodes[3].disks.values()
    assert disk.exists(".kafka_cleanshutdown")


def test_a_paused_node_answers_when_it_goes_on():
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    client, answers = cluster.client(), []
    cluster.nodes[1].pause()
    client.send(produce_request("t", batch(b"x")), answers.append, version=12)
    cluster.world.run(1_000)
    assert not answers
    cluster.nodes[1].resume()
    cluster.world.run(100)
    assert answers[0].responses[0].partition_responses[0].error_code == ErrorCode.NONE


def test_a_disk_that_breaks_ends_a_node_that_has_no_other():
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    (disk,) = cluster.nodes[1].disks.values()
    disk.broken = "input/output error"
    with pytest.raises(NoResponseError):
        produce(cluster.client(), "t", b"x")
    assert cluster.nodes[1].exit_code == 1
