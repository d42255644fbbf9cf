"""One node for tests that send bad requests."""

import pytest

from minikafka.testing import Cluster


@pytest.fixture(scope="module")
def node():
    """A single node with a small request limit."""
    with Cluster(nodes=1, config={"socket.request.max.bytes": "1000000"}) as running:
        yield running
