"""Clusters of real processes, one a module, for real clients."""

import pytest

from minikafka.testing import Cluster


@pytest.fixture(scope="module")
def cluster():
    """Three nodes."""
    with Cluster(nodes=3, config={"num.partitions": "2"}) as running:
        yield running


@pytest.fixture(scope="module")
def node():
    """One node, the same process serving as broker and controller."""
    with Cluster(nodes=1) as running:
        yield running
