"""MetadataLogMatching objects where a node has other committed metadata than the others."""

import pytest

from minikafka.sim.checks.quorum_checks import QuorumChecks
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import create_topic, started_cluster


@pytest.fixture
def cluster():
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t")
    return cluster


def test_equal_metadata_is_accepted(cluster):
    checks = QuorumChecks()
    for _ in range(2):
        for node in cluster.nodes.values():
            checks.check(node)
        cluster.world.run(1_000)
    cluster.nodes[1].kill()
    cluster.nodes[1].start()
    cluster.world.run(5_000)
    checks.check(cluster.nodes[1])
    assert checks.coverage.checks >= 6


def test_a_node_with_other_metadata_is_found(cluster):
    checks = QuorumChecks()
    checks.check(cluster.nodes[100])
    other = started_cluster(2, seed=2, separate_controller=True)
    with pytest.raises(Violation, match="MetadataLogMatching: n1 has"):
        checks.check(other.nodes[1])
