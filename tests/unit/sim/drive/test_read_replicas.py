"""A simulated consumer with a rack reads where the Java client would (KIP-392)."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.messages.fetch import PartitionData
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.plan import Plan, rack_of
from minikafka.sim.drive.read_replicas import ReadReplicas

WHERE = TopicPartition("t", 0)
LEADER, FOLLOWER = ("n1", 9092), ("n2", 9092)
NAMES_2 = PartitionData(0, preferred_read_replica=2)


@pytest.fixture
def connections():
    return SimpleNamespace(
        leaders={WHERE: LEADER}, brokers={1: LEADER, 2: FOLLOWER}, world=SimpleNamespace(now_ms=0)
    )


@pytest.fixture
def replicas(connections):
    found = ReadReplicas(connections, "r2")
    assert found.address(WHERE) == LEADER
    assert found.learn(WHERE, NAMES_2)
    assert found.address(WHERE) == FOLLOWER
    return found


def test_an_answer_that_names_no_replica_changes_nothing(replicas):
    assert not replicas.learn(WHERE, PartitionData(0))
    assert (replicas.address(WHERE), replicas.named) == (FOLLOWER, 1)


def test_the_consumer_returns_to_the_leader_after_an_error(replicas):
    assert replicas.forget(WHERE)
    assert replicas.address(WHERE) == LEADER
    assert not replicas.forget(WHERE)


def test_the_consumer_returns_to_the_leader_after_some_time(replicas, connections):
    connections.world.now_ms = 5_001
    assert replicas.address(WHERE) == LEADER
    connections.world.now_ms = 0
    assert replicas.address(WHERE) == LEADER


def test_the_consumer_returns_to_a_new_leader(replicas, connections):
    connections.leaders[WHERE] = ("n3", 9092)
    assert replicas.address(WHERE) == ("n3", 9092)


def test_a_broker_that_is_not_in_the_metadata_is_not_asked(replicas, connections):
    del connections.brokers[2]
    assert replicas.address(WHERE) == LEADER


def test_a_share_of_the_plans_has_racks():
    racks = [draw(seed, 20_000).cluster.racks for seed in range(1, 101)]
    assert set(racks) == {0, 2, 3}
    assert 20 <= sum(map(bool, racks)) <= 50


def test_consumers_have_a_rack_if_brokers_have():
    plan = next(found for seed in range(1, 101) if (found := draw(seed, 20_000)).cluster.racks == 3)
    assert isinstance(plan, Plan)
    assert rack_of(plan, "c") in ("r0", "r1", "r2")
    assert rack_of(plan, "c") == rack_of(plan, "c")
    assert rack_of(plan.changed(racks=0), "c") == ""
    assert plan.given["replica.selector.class"].endswith("RackAwareReplicaSelector")
    assert "replica.selector.class" not in plan.changed(racks=0).given
