"""Replicas that do not agree once everything is idle are found (H2, LogMatching)."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.sim.checks.agreement_checks import pairs, unlike_batches, unlike_offsets
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster

WHERE = TopicPartition("t", 0)


@pytest.fixture
def cluster():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    for number in range(3):
        produce(cluster.client(), "t", b"%d" % number)
    cluster.world.run(2_000)
    return cluster


def problems(cluster, *, followers_trim_independently=False):
    found = [
        unlike_offsets(pair, followers_trim_independently=followers_trim_independently)
        or unlike_batches(pair)
        for pair in pairs(cluster.nodes, cluster.nodes[1].node.loader.image)
        if pair.where == WHERE
    ]
    assert len(found) == 2
    return [problem for problem in found if problem is not None]


def test_an_idle_cluster_agrees(cluster):
    assert problems(cluster) == []


def test_a_follower_that_ends_elsewhere_is_found(cluster):
    replica(cluster, 2, "t").log.truncate_to(2, cluster.nodes[2].now)
    assert problems(cluster) == ["t-0: n2 in the ISR of leader n1 ends at 2, the leader at 3"]


@pytest.mark.parametrize("node_id", [1, 3])
def test_a_high_watermark_that_stands_still_is_found(cluster, node_id):
    replica(cluster, node_id, "t").log.high_watermark = 2
    assert any("has high watermark 2 and ends at 3" in problem for problem in problems(cluster))


def test_a_follower_that_begins_before_its_leader_is_found(cluster):
    replica(cluster, 1, "t").log.increment_log_start_offset(2)
    (first, second) = problems(cluster, followers_trim_independently=True)
    assert first.endswith("n2 in the ISR of leader n1 starts at 0, the leader at 2")
    assert second.endswith("n3 in the ISR of leader n1 starts at 0, the leader at 2")


def test_only_retention_lets_a_follower_begin_later(cluster):
    replica(cluster, 2, "t").log.increment_log_start_offset(2)
    assert problems(cluster, followers_trim_independently=True) == []
    assert len(problems(cluster)) == 1


def test_other_batches_at_the_same_offsets_are_found(cluster):
    log, other = replica(cluster, 3, "t").log, started_cluster(1, seed=2)
    create_topic(other, "t", replicas=[[1]])
    for value in (b"0", b"other", b"2"):
        produce(other.client(), "t", value)
    other.world.run(2_000)
    log.segments = replica(other, 1, "t").log.segments
    (problem,) = problems(cluster)
    assert "t-0: n3 holds [BatchIdentity(base_offset=1" in problem


@pytest.mark.parametrize("node_id", [1, 2])
def test_an_epoch_that_no_batch_has_is_found(cluster, node_id):
    epochs = replica(cluster, node_id, "t").log.leader_epochs
    epoch, _ = epochs[-1]
    epochs.append((epoch + 1, 2))
    found = f"t-0: n{node_id} has epochs {epochs} and BatchIdentity(base_offset=2, "
    (first, *_) = problems(cluster)
    assert first.startswith(found)


def test_a_replica_that_is_missing_is_found(cluster):
    cluster.nodes[2].kill()
    assert problems(cluster) == ["t-0: n2 in the ISR of leader n1: one of them has no log"]
