"""Operators' requests change the metadata."""

import re
from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.incidents import Incident, OperatorAction
from minikafka.sim.drive.operators import Operators
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.sim_cluster import BROKER_PORT, host
from tests.worlds.sim_world import create_topic, registration, started_cluster

ANSWERS = SimpleNamespace(position=0, answered=lambda *_: None)
"""No node is followed here that would commit."""


@pytest.fixture
def cluster():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    return cluster


@pytest.fixture
def operators(cluster):
    return operators_of(cluster)


def operators_of(cluster):
    (plan, *_) = [
        plan
        for plan in (draw(seed, 1_000) for seed in range(400))
        if (
            plan.cluster.brokers,
            plan.cluster.replication_factor,
            plan.cluster.partitions,
            plan.cluster.elr,
        )
        == (3, 2, 1, True)
    ]

    def connections(name):
        bootstrap = [(host(1), BROKER_PORT)]
        return ClientConnections(cluster.world, cluster.network, name, bootstrap, Random(1))

    return Operators(plan, "t", Faults(cluster, (), lambda _: None), connections, ANSWERS)


def carry_out(cluster, operators, what, times=1, for_ms=2_000):
    for number in range(times):
        operators.carry_out(Incident(at_ms=cluster.world.now_ms + number, what=what))
        cluster.world.run(for_ms)
    return cluster.nodes[1].node.loader.image


def test_settings_of_the_topic_change(cluster, operators):
    image = carry_out(cluster, operators, OperatorAction.MIN_ISR)
    assert image.config(2, "t")["min.insync.replicas"] in ("1", "2")
    image = carry_out(cluster, operators, OperatorAction.STRATEGY, times=12)
    names = ("unclean.recovery.strategy", "unclean.leader.election.enable")
    assert all(name in image.config(2, "t") for name in names)


def test_the_feature_is_disabled_and_enabled(cluster, operators):
    assert (
        carry_out(cluster, operators, OperatorAction.FEATURE).feature(
            ELIGIBLE_LEADER_REPLICAS_VERSION
        )
        == 0
    )
    assert (
        carry_out(cluster, operators, OperatorAction.FEATURE).feature(
            ELIGIBLE_LEADER_REPLICAS_VERSION
        )
        == 1
    )


def test_topics_are_created_and_deleted(cluster, operators):
    assert "x0" in carry_out(cluster, operators, OperatorAction.TOPIC).topic_ids
    image = carry_out(cluster, operators, OperatorAction.TOPIC, times=2)
    assert "x0" not in image.topic_ids
    assert "x1" in image.topic_ids


def test_a_partition_moves(cluster, operators):
    carry_out(cluster, operators, OperatorAction.REASSIGN, times=3, for_ms=8_000)
    assert len(registration(cluster, "t").replicas) == 2


def test_leaders_move_where_they_are_preferred_and_are_elected_by_force(cluster, operators):
    cluster.nodes[1].shut_down()
    cluster.world.run(10_000)
    cluster.nodes[1].start()
    cluster.world.run(10_000)
    carry_out(cluster, operators, OperatorAction.ELECT)
    assert registration(cluster, "t").leader == 1
    carry_out(cluster, operators, OperatorAction.ELECT_NOW, times=6)
    assert registration(cluster, "t").leader == 1, "no election is needed where a leader is"


def test_leadership_goes_from_replica_to_replica(cluster, operators):
    epoch = registration(cluster, "t").leader_epoch
    carry_out(cluster, operators, OperatorAction.SWAP, times=3)
    now = registration(cluster, "t")
    assert now.leader_epoch > epoch
    assert sorted(now.replicas) == [1, 2, 3]


def test_leadership_moves_while_messages_are_delayed():
    """CHECK 3, 7, 8: delayed responses and requests of a leader arrive when it leads again."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2]])
    notes = []
    cluster.world.on_line = notes.append
    epoch = registration(cluster, "t").leader_epoch
    carry_out(cluster, operators_of(cluster), OperatorAction.SWAP, times=12, for_ms=5_000)
    for what in (
        r"some connections from n\d to other brokers",
        r"connections from the controller to n\d and from n\d to n\d",
    ):
        assert any(re.search(f"{what} are stuck for", note) for note in notes)
    assert registration(cluster, "t").leader_epoch > epoch + 12


def test_coordinators_and_leaders_of_transactions_move():
    cluster = started_cluster(3, separate_controller=True)
    topics = ("__transaction_state", "txn", "in", "out")
    for name in topics:
        create_topic(cluster, name, replicas=[[1, 2], [2, 3]])
    notes = []
    cluster.world.on_line = notes.append
    carry_out(cluster, operators_of(cluster), OperatorAction.SWAP_TRANSACTIONS, times=30)
    for name in topics:
        epochs = [registration(cluster, name, index).leader_epoch for index in range(2)]
        assert max(epochs) > 0, name
    for what in (
        r"some connections from n\d to other brokers",
        r"connections from the controller to n\d and from n\d to n\d",
        "connections from the controller to coordinators",
    ):
        assert any(re.search(f"{what} are stuck for", note) for note in notes), what


def test_brokers_are_restarted_one_after_the_other():
    cluster = started_cluster(3, separate_controller=True)
    operators = Operators(
        draw(1, 1_000),
        "t",
        Faults(cluster, (), lambda _: None),
        lambda _: pytest.fail("asked"),
        ANSWERS,
    )
    operators.carry_out(Incident(at_ms=1, what=OperatorAction.ROLL))
    down_at_once = []

    def done():
        down_at_once.append(sum(not cluster.nodes[number].started for number in (1, 2, 3)))
        return all(cluster.nodes[number].starts == 2 for number in (1, 2, 3))

    cluster.world.run_until(done, 60_000, "all are restarted")
    assert max(down_at_once) == 1


def test_replicas_move_between_the_directories_of_a_broker():
    cluster = started_cluster(3, log_dirs=3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])

    def homes():
        found = {}
        for node_id, node in cluster.nodes.items():
            logs = node.node.broker.logs
            found[node_id] = logs.directory_of(TopicPartition("t", 0)).disk.root
        return found

    before = homes()
    carry_out(cluster, operators_of(cluster), OperatorAction.ALTER_DIRS, times=6)
    assert homes() != before
    assert not any(list(node.node.broker.logs.futures) for node in cluster.nodes.values())


def test_a_broker_with_one_directory_moves_nothing(cluster, operators):
    messages = cluster.network.messages
    operators.carry_out(Incident(at_ms=1, what=OperatorAction.ALTER_DIRS))
    assert cluster.network.messages == messages
