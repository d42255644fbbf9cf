"""Partition states, read from simulated brokers by public APIs (D1, D2)."""

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.partition_states import read_cluster
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from tests.worlds.admin_world import SimAdmin
from tests.worlds.fake_cluster import FakeCluster, FakePartition
from tests.worlds.sim_world import create_topic, produce, registration, replica, started_cluster

T0 = TopicPartition("t", 0)


@pytest.fixture
def cluster():
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    cluster.world.run_until(
        lambda: len(registration(cluster, "t").isr) == 3, 30_000, "all are in sync"
    )
    return cluster


def test_a_healthy_partition(cluster):
    produce(cluster.client(), "t", b"a", b"b")
    cluster.world.run(2_000)
    seen = read_cluster(SimAdmin(cluster), [])
    assert seen.brokers == (1, 2, 3)
    assert seen.silent == {}
    state = seen.partitions[T0]
    assert (state.leader, state.leader_epoch, state.is_recovering) == (1, 0, False)
    assert (state.replicas, state.isr, state.elr) == ((1, 2, 3), (1, 2, 3), ())
    assert (state.high_watermark, state.log_ends) == (2, {1: 2, 2: 2, 3: 2})


def test_records_under_min_isr_are_beyond_the_high_watermark(cluster):
    """H5: the end of the leader's log is reported although consumers do not see it."""
    produce(cluster.client(), "t", b"a")
    for node_id in (3, 2):
        cluster.nodes[node_id].kill()
        cluster.world.run_until(
            lambda node_id=node_id: node_id not in registration(cluster, "t").isr, 60_000, "out"
        )
    cluster.world.run(3_000)
    produce(cluster.client(), "t", b"b", b"c", acks=1)
    seen = read_cluster(SimAdmin(cluster), ["t"])
    state = seen.partitions[T0]
    assert seen.brokers == (1,)
    assert (state.isr, state.elr) == ((1,), (2,))
    assert (state.high_watermark, state.log_ends) == (1, {1: 3})


def test_a_broker_that_does_not_answer_leaves_a_gap(cluster):
    produce(cluster.client(), "t", b"a")
    cluster.world.run(2_000)
    cluster.nodes[3].kill()
    seen = read_cluster(SimAdmin(cluster), ["t"])
    assert list(seen.silent) == [3]
    assert seen.partitions[T0].log_ends == {1: 1, 2: 1}


def test_an_unclean_leader_is_reported(cluster):
    """L8."""
    fake = FakeCluster().add("t", FakePartition(1, [1], [1], is_recovering=True, leader_epoch=7))
    state = read_cluster(fake, ["t"]).partitions[T0]
    assert (state.is_recovering, state.leader_epoch) == (True, 7)
    assert state.high_watermark is None
    assert replica(cluster, 1, "t").recovery_state == 0


def test_a_topic_that_is_named_must_be_there(cluster):
    with pytest.raises(AdminError, match="topic u cannot be described: UNKNOWN_TOPIC") as caught:
        read_cluster(SimAdmin(cluster), ["t", "u"])
    assert caught.value.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_internal_topics_are_shown_when_they_are_named():
    cluster = started_cluster(1)
    create_topic(cluster, "__consumer_offsets")
    admin = SimAdmin(cluster)
    assert read_cluster(admin, []).partitions == {}
    assert list(read_cluster(admin, ["__consumer_offsets"]).partitions) == [
        TopicPartition("__consumer_offsets", 0)
    ]


def test_pages_are_followed():
    """D1."""
    given = {"max.request.partition.size.limit": "2"}
    cluster = started_cluster(1, given=given)
    for name in ("a", "b"):
        create_topic(cluster, name, partitions=3)
    names = [TopicPartition(name, index) for name in ("a", "b") for index in range(3)]
    assert list(read_cluster(SimAdmin(cluster), []).partitions) == names
