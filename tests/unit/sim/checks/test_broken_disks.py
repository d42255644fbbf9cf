"""The checks read broken disks: a broker may go on until it meets the error."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.history import History
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster

WHERE = TopicPartition("t", 0)


@pytest.fixture
def cluster():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    produce(cluster.client(), "t", b"0")
    cluster.world.run(2_000)
    return cluster


def check_with_a_broken_disk(cluster, checkers):
    node = cluster.nodes[1]
    (disk,) = node.disks.values()
    disk.broken = IO_ERROR
    try:
        checkers.check(node)
    finally:
        assert disk.broken == IO_ERROR
        assert not disk.has_refused


def test_what_a_leader_commits_is_noted(cluster):
    """Seed 93000026: the records that it had acknowledged could not be excused later."""
    checkers = Checkers(History(), 2, elr_enabled=True)
    check_with_a_broken_disk(cluster, checkers)
    assert checkers.committed[WHERE].end_offset == 1


def test_a_broken_rule_is_found(cluster):
    checkers = Checkers(History(), 2, elr_enabled=True)
    checkers.check(cluster.nodes[1])
    replica(cluster, 1, "t").log.high_watermark -= 1
    with pytest.raises(Violation, match="H7"):
        check_with_a_broken_disk(cluster, checkers)
