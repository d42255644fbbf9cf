"""A killed node is replaced immediately; one that does not answer keeps its session."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.sim.world.sim_cluster import INTERNAL_PORT, host
from tests.worlds.sim_world import (
    create_topic,
    leader_client,
    produce,
    registration,
    started_cluster,
)

SESSION_MS = 9000
BROKER_MS = 200
"""How long the partitions of a killed broker have no leader: its listener closes with it."""
CONTROLLER_MS = 1500
"""The same, if the broker was the active controller: the voters elect another one first."""
RESTART_MS = 2000


def cluster_with_topic(**options):
    """Three nodes and the leader of a partition, which is not the active controller."""
    cluster = started_cluster(3, **options)
    leader = next(each for each in cluster.broker_ids if each != cluster.controller_id)
    others = [each for each in cluster.broker_ids if each != leader]
    create_topic(cluster, "t", replicas=[[leader, *others]], config={"min.insync.replicas": "2"})
    cluster.world.run_until(
        lambda: len(registration(cluster, "t").isr) == 3, 10_000, "the ISR is full"
    )
    return cluster, leader


def has_other_leader(cluster, leader):
    """True if a broker that runs knows another leader of the partition."""
    (other, *_) = (each for each in cluster.broker_ids if each != leader)
    loader = cluster.nodes[other].node.loader
    return lambda: loader.image.partition("t", 0).leader not in (leader, -1)


def test_partition_of_a_killed_broker_is_led_again_immediately():
    cluster, leader = cluster_with_topic(voters=3)
    cluster.nodes[leader].kill()
    cluster.world.run_until(has_other_leader(cluster, leader), BROKER_MS, "another leader")
    assert produce(leader_client(cluster, "t"), "t", b"a").error_code == ErrorCode.NONE


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_killed_node_that_was_leader_and_active_controller_is_replaced(is_dynamic):
    cluster = started_cluster(3, voters=3, is_dynamic=is_dynamic)
    leader = cluster.controller_id
    others = [each for each in cluster.broker_ids if each != leader]
    create_topic(
        cluster, "t", replicas=[[leader, *others]], client=cluster.client(node_id=others[0])
    )
    cluster.nodes[leader].kill()
    cluster.world.run_until(has_other_leader(cluster, leader), CONTROLLER_MS, "another leader")


@pytest.mark.parametrize("away_ms", [0, 100, 1000])
def test_killed_broker_that_starts_again_is_in_sync_soon(away_ms):
    cluster, leader = cluster_with_topic(voters=3)
    cluster.nodes[leader].kill()
    cluster.world.run(away_ms)
    cluster.nodes[leader].start()
    cluster.world.run_until(
        lambda: leader in registration(cluster, "t").isr and cluster.nodes[leader].started,
        RESTART_MS,
        "the ISR is full",
    )


def pause(cluster, node_id):
    cluster.nodes[node_id].pause()


def lose_power(cluster, node_id):
    cluster.nodes[node_id].lose_power()


def cut(cluster, node_id):
    for each in cluster.broker_ids:
        if each != node_id:
            cluster.network.cut(host(each), host(node_id))


def close_connections(cluster, node_id, peer_id):
    """Close the connections of a node to another one, which learns of it at once."""
    cluster.network.unclog(cluster.network.abort(host(node_id), host(peer_id)))


def abort_connections_of_paused(cluster, node_id):
    """The system of a paused process accepts connections for it."""
    cluster.nodes[node_id].pause()
    close_connections(cluster, node_id, cluster.controller_id)


def kill_and_take_port(cluster, node_id):
    """Another process listens at the port of the killed one, and never answers."""

    class Silent:
        def arrived(self, data):
            pass

        def ended(self, reason):
            pass

    cluster.nodes[node_id].kill()
    cluster.network.listen((host(node_id), INTERNAL_PORT), lambda _: Silent())


@pytest.mark.parametrize(
    "fault", [pause, lose_power, cut, abort_connections_of_paused, kill_and_take_port]
)
def test_session_of_a_broker_that_does_not_answer_ends_by_time(fault):
    cluster, leader = cluster_with_topic(voters=3)
    before = cluster.nodes[cluster.controller_id].node.loader.image.brokers[leader]
    fault(cluster, leader)
    cluster.world.run(SESSION_MS // 2)
    controller = cluster.nodes[cluster.controller_id].node
    assert controller.loader.image.brokers[leader] == before
    cluster.world.run_until(has_other_leader(cluster, leader), SESSION_MS, "another leader")


def test_aborted_connections_of_a_live_broker_fence_nothing():
    cluster, leader = cluster_with_topic(voters=3)
    epoch = registration(cluster, "t").partition_epoch
    for each in cluster.broker_ids:
        close_connections(cluster, leader, each)
    cluster.world.run(3 * SESSION_MS)
    assert registration(cluster, "t").partition_epoch == epoch


@pytest.mark.parametrize("late_ms", [100, 2_500, 5_000])
def test_broker_that_accepts_late_is_not_fenced(late_ms):
    """Its connections are closed, and what connects to it waits."""
    cluster, leader = cluster_with_topic(voters=3)
    before = registration(cluster, "t")
    abort_connections_of_paused(cluster, leader)
    cluster.world.run(late_ms)
    cluster.nodes[leader].resume()
    cluster.world.run(3 * SESSION_MS)
    assert registration(cluster, "t") == before
    assert cluster.nodes[cluster.controller_id].node.loader.image.brokers[leader].active


def refuse_controllers(cluster):
    """Let the addresses of brokers refuse controllers, as those behind a NAT."""
    controllers = {host(each) for each in cluster.controller_ids}
    brokers = {host(each) for each in cluster.broker_ids}
    for address, accept in list(cluster.network._listening.items()):
        if address[0] in brokers:
            cluster.network.listen(
                address,
                lambda stream, accept=accept: (
                    None if stream.hosts[0] in controllers else accept(stream)
                ),
            )


@pytest.mark.parametrize("later_ms", [100, 900, 1700])
def test_new_controller_fences_no_broker_whose_address_it_cannot_reach(later_ms):
    """The brokers do not wait for their next heartbeat to connect to it."""
    cluster = started_cluster(3, voters=3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    refuse_controllers(cluster)
    cluster.world.run(later_ms)
    epoch = registration(cluster, "t").partition_epoch
    cluster.nodes[cluster.controller_id].kill()
    cluster.world.run(SESSION_MS)
    assert registration(cluster, "t").partition_epoch == epoch


def test_detection_can_be_switched_off():
    cluster, leader = cluster_with_topic(voters=3, given={"stopped.node.detection.enable": "false"})
    cluster.nodes[leader].kill()
    cluster.world.run(SESSION_MS // 2)
    assert registration(cluster, "t").leader == leader
