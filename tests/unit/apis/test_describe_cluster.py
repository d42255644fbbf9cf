"""DescribeCluster on the listeners of brokers and of controllers."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from minikafka.sim.world.sim_cluster import BROKER_PORT, CONTROLLER_PORT
from tests.worlds.sim_world import started_cluster

BROKERS, CONTROLLERS, UNKNOWN = 1, 2, 3
OF_BROKERS, OF_CONTROLLERS = BROKER_PORT, CONTROLLER_PORT


@pytest.fixture(scope="module")
def cluster():
    return started_cluster(2)


def ask(cluster, port, endpoint_type, version):
    request = DescribeClusterRequest(endpoint_type=endpoint_type)
    client = cluster.client(f"{port}", node_id=1, port=port)
    return client.ask(request, DescribeClusterResponse, version=version)


@pytest.mark.parametrize(
    ("port", "endpoint_type", "versions", "expected"),
    [
        (OF_BROKERS, BROKERS, (0, 1, 2), [1, 2]),
        (OF_CONTROLLERS, CONTROLLERS, (1, 2), [1]),
    ],
)
def test_a_listener_names_the_nodes_of_its_kind(cluster, port, endpoint_type, versions, expected):
    for version in versions:
        answer = ask(cluster, port, endpoint_type, version)
        assert answer.error_code == ErrorCode.NONE
        assert [each.broker_id for each in answer.brokers] == expected
        assert answer.endpoint_type == endpoint_type


@pytest.mark.parametrize(
    ("port", "endpoint_type", "version", "expected"),
    [
        (OF_BROKERS, CONTROLLERS, 1, ErrorCode.MISMATCHED_ENDPOINT_TYPE),
        (OF_BROKERS, UNKNOWN, 2, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE),
        (OF_CONTROLLERS, BROKERS, 2, ErrorCode.MISMATCHED_ENDPOINT_TYPE),
        (OF_CONTROLLERS, UNKNOWN, 1, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE),
        (OF_CONTROLLERS, BROKERS, 0, ErrorCode.INVALID_REQUEST),
    ],
)
def test_another_kind_is_refused(cluster, port, endpoint_type, version, expected):
    """As Kafka: version 0 has no endpoint types, and none of their errors."""
    answer = ask(cluster, port, endpoint_type, version)
    assert (answer.error_code, answer.endpoint_type) == (expected, BROKERS)
    assert answer.error_message
    assert not answer.brokers
