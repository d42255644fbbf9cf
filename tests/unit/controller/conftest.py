"""A controller that is active, with three brokers that are unfenced."""

import pytest

from tests.worlds.quorum_world import QuorumWorld


@pytest.fixture
def world():
    return QuorumWorld.started(config={"auto.leader.rebalance.enable": "false"})


@pytest.fixture
def cluster(world):
    world.join(1, 2, 3)
    return world


@pytest.fixture
def elr_topic(cluster):
    """The cluster with topic t: one partition, replicas 1, 2, 3, min ISR 2."""
    assert cluster.create(configs={"min.insync.replicas": "2"}).error_code == 0
    return cluster
