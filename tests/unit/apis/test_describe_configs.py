"""DescribeConfigs on brokers and on controllers (KIP-919): who tells what."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.sim_cluster import BROKER_PORT, CONTROLLER_PORT, host
from tests.worlds.sim_world import create_topic, started_cluster

TOPIC, BROKER, LOGGER = 2, 4, 8
GIVEN = {"metrics.http.listen": "127.0.0.1:0"}


@pytest.fixture
def cluster():
    return started_cluster(1, given=GIVEN, separate_controller=True)


def ask(cluster, node_id, kind, name, *keys):
    """Error code, then values by key, as a node tells them."""
    port = CONTROLLER_PORT if node_id == cluster.controller_id else BROKER_PORT
    client = SimClient(cluster.world, cluster.network, "teller", (host(node_id), port))
    request = DescribeConfigsRequest(
        resources=[DescribeConfigsResource(kind, name, list(keys) or None)]
    )
    (result,) = client.ask(request, DescribeConfigsResponse).results
    assert (result.resource_type, result.resource_name) == (kind, name)
    return result.error_code, {entry.name: entry.value for entry in result.configs}


@pytest.mark.parametrize("node_id", [1, 100])
def test_a_node_tells_its_own_values(cluster, node_id):
    code, values = ask(cluster, node_id, BROKER, str(node_id), "metrics.http.listen", "node.id")
    assert code == ErrorCode.NONE
    assert values == {"metrics.http.listen": "127.0.0.1:0", "node.id": str(node_id)}


@pytest.mark.parametrize(("node_id", "other"), [(1, "100"), (100, "1"), (100, "x")])
def test_the_values_of_another_node_are_asked_of_that_node(cluster, node_id, other):
    assert ask(cluster, node_id, BROKER, other) == (ErrorCode.INVALID_REQUEST, {})


@pytest.mark.parametrize("node_id", [1, 100])
def test_both_know_topics_and_the_defaults_of_all_brokers(cluster, node_id):
    create_topic(cluster, "t", config={"min.insync.replicas": "2"})
    wanted = {"min.insync.replicas": "2"}
    assert ask(cluster, node_id, TOPIC, "t", "min.insync.replicas") == (ErrorCode.NONE, wanted)
    # Where the ELR is kept, the minimum is written down (KIP-966).
    assert ask(cluster, node_id, BROKER, "") == (ErrorCode.NONE, {"min.insync.replicas": "1"})
    code, _ = ask(cluster, node_id, TOPIC, "u")
    assert code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("node_id", [1, 100])
def test_a_resource_without_configuration_is_refused(cluster, node_id):
    assert ask(cluster, node_id, LOGGER, "1") == (ErrorCode.INVALID_REQUEST, {})


def test_a_resource_that_is_named_twice_with_the_same_keys_is_described_once(cluster):
    create_topic(cluster, "t")
    rows = [
        DescribeConfigsResource(TOPIC, "t", None),
        DescribeConfigsResource(TOPIC, "t", ["retention.ms"]),
    ]
    request = DescribeConfigsRequest(resources=rows * 3)
    results = cluster.client().ask(request, DescribeConfigsResponse).results
    every, one = (len(result.configs) for result in results)
    assert every > one == 1
