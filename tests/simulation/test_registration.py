"""The registration that holds a broker id when several processes ask for it (C3)."""

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.broker_registration import (
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.sim_cluster import CONTROLLER_PORT, host
from tests.worlds.sim_world import (
    create_topic,
    leader_client,
    produce,
    registration,
    started_cluster,
)


def ask_for_the_place_of(cluster, broker_id):
    """Register another incarnation, as a late request of a former life does; its answer."""
    node = cluster.nodes[broker_id]
    lifecycle = node.node.broker.lifecycle
    address = (host(cluster.controller_id), CONTROLLER_PORT)
    client = SimClient(cluster.world, cluster.network, "former life", address)
    request = BrokerRegistrationRequest(
        broker_id=broker_id,
        cluster_id=lifecycle.cluster_id,
        incarnation_id=Uuid.of(7, 7),
        log_dirs=list(lifecycle.log_dirs),
        features=lifecycle._registration().features,
    )
    return client.ask(request, BrokerRegistrationResponse, version=4)


def test_a_broker_that_lives_keeps_its_place():
    cluster = started_cluster(3)
    refused = ask_for_the_place_of(cluster, 2)
    assert refused.error_code == ErrorCode.DUPLICATE_BROKER_REGISTRATION


def test_a_running_broker_whose_place_was_taken_comes_back_with_its_records():
    """It had been away for a session, so that the controller let another registration in."""
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[2, 1, 3]], config={"min.insync.replicas": "3"})
    before = produce(cluster.client(node_id=2), "t", b"a", b"b")
    assert before.error_code == ErrorCode.NONE
    cluster.nodes[2].pause()
    controller = cluster.nodes[cluster.controller_id].node
    cluster.world.run_until(
        lambda: controller.loader.image.brokers[2].fenced, 60_000, "node 2 is fenced"
    )
    taken = ask_for_the_place_of(cluster, 2)
    assert taken.error_code == ErrorCode.NONE
    cluster.nodes[2].resume()
    cluster.world.run_until(
        lambda: sorted(registration(cluster, "t").isr) == [1, 2, 3], 60_000, "the ISR is full"
    )
    registered = controller.loader.image.brokers[2]
    broker = cluster.nodes[2].node.broker
    assert registered.epoch == broker.local.broker_epoch > taken.broker_epoch
    assert registered.incarnation_id == broker.lifecycle.incarnation_id
    after = produce(leader_client(cluster, "t"), "t", b"c")
    assert (after.error_code, after.base_offset) == (ErrorCode.NONE, 2)
    assert cluster.nodes[2].starts == 1
