"""Faults of the requests of nodes, and of those to controllers."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.faults.answers import INJECT
from minikafka.faults.vocabulary import KINDS
from minikafka.messages.heartbeat import HeartbeatRequest
from tests.unit.faults.conftest import FaultyNode
from tests.worlds.sim_world import create_topic, produce, registration, started_cluster


@pytest.fixture
def two():
    given = {"replica.lag.time.max.ms": "2000", "broker.session.timeout.ms": "9000"}
    cluster = started_cluster(2, separate_controller=True, given=given)
    create_topic(cluster, "t", replicas=[[1, 2], [1, 2]], config={"min.insync.replicas": "1"})
    cluster.world.run(2_000)
    return FaultyNode(1, cluster)


def isr(node, partition):
    return registration(node.cluster, "t", partition).isr


def test_each_kind_is_injected():
    assert list(INJECT) == list(KINDS)


def test_a_follower_is_hit_only_by_its_number(two):
    two.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", topic="t")
    two.run(3_000)
    assert two.hits == 0
    two.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", topic="t", broker_id=2)
    two.run(1_000)
    assert two.hits > 0


def test_a_follower_that_gets_errors_for_one_partition_leaves_its_isr_only(two):
    two.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", topic="t", partition=1, broker_id=2)
    for partition in (0, 1):
        produce(two.client, "t", b"x", acks=1, partition=partition)
    two.run(8_000)
    assert isr(two, 0) == (1, 2)
    assert isr(two, 1) == (1,)
    two.set()
    two.cluster.world.run_until(lambda: len(isr(two, 1)) == 2, 20_000, "the follower is back")


def test_a_heartbeat_that_is_dropped_fences_a_broker():
    cluster = started_cluster(2, separate_controller=True)
    controller = FaultyNode(cluster.controller_id, cluster)
    controller.fault("BrokerHeartbeat", "drop", broker_id=2)
    cluster.world.run_until(
        lambda: controller.node.loader.image.brokers[2].fenced, 60_000, "broker 2 is fenced"
    )
    assert not controller.node.loader.image.brokers[1].fenced
    assert controller.hits > 0
    controller.set()
    cluster.world.run_until(
        lambda: not controller.node.loader.image.brokers[2].fenced, 60_000, "it is back"
    )


def test_a_coordinator_that_loads(faulty):
    faulty.fault("Heartbeat", "COORDINATOR_LOAD_IN_PROGRESS", times=2)
    codes = [faulty.answer(HeartbeatRequest("g")).error_code for _ in range(3)]
    assert codes[:2] == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS] * 2
    assert codes[2] != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert faulty.hits == 2


def test_the_nth_call_is_hit(faulty):
    faulty.fault("Heartbeat", "COORDINATOR_NOT_AVAILABLE", nth=3)
    codes = [faulty.answer(HeartbeatRequest("g")).error_code == 15 for _ in range(5)]
    assert codes == [False, False, True, False, False]
