"""ApiVersions on whole nodes: APIs between nodes are not for clients."""

import pytest

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.rpc.client_connection import NODE_SOFTWARE_NAME
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.worlds.sim_world import started_cluster

LAST_KEY = 94
"""The greatest key of released Apache Kafka."""


@pytest.fixture(scope="module")
def cluster():
    return started_cluster(1)


def keys(client, name, version=4):
    request = ApiVersionsRequest(client_software_name=name, client_software_version="1.0")
    response = client.ask(request, ApiVersionsResponse, version=version)
    assert response.error_code == 0
    return [row.api_key for row in response.api_keys]


@pytest.mark.parametrize("version", range(5))
def test_clients_see_keys_of_apache_kafka_only(cluster, version):
    """Also on the listener of brokers, which may be that of clients."""
    for client in (cluster.client(), cluster.client(port=INTERNAL_PORT)):
        assert max(keys(client, "apache-kafka-java", version)) <= LAST_KEY


def test_nodes_see_the_apis_between_nodes(cluster):
    assert ApiKey.GET_REPLICA_LOG_INFO in keys(
        cluster.client(port=INTERNAL_PORT), NODE_SOFTWARE_NAME
    )
    assert max(keys(cluster.client(), NODE_SOFTWARE_NAME)) <= LAST_KEY


def ranges(client):
    request = ApiVersionsRequest(client_software_name="a", client_software_version="1")
    response = client.ask(request, ApiVersionsResponse, version=4)
    return {row.api_key: (row.min_version, row.max_version) for row in response.api_keys}


def test_a_forwarded_api_is_listed_in_the_versions_of_the_active_controller(monkeypatch):
    """As with Apache Kafka as the controller, which knows ElectLeaders 0-2."""
    cluster = started_cluster(1, separate_controller=True)
    client = cluster.client()
    assert ranges(client)[ApiKey.ELECT_LEADERS] == (0, 3)
    served = cluster.nodes[1].node.broker.forwarding.controller.served
    served._ranges = {**served.known, ApiKey.ELECT_LEADERS: (0, 2), ApiKey.CREATE_TOPICS: (8, 9)}
    del served._ranges[ApiKey.ADD_RAFT_VOTER]
    found = ranges(client)
    assert found[ApiKey.ELECT_LEADERS] == (0, 2)
    assert ApiKey.CREATE_TOPICS not in found
    assert ApiKey.ADD_RAFT_VOTER not in found
    assert found[ApiKey.FETCH] == (4, 18)


def test_a_controller_that_is_gone_delays_the_answer_a_little():
    cluster = started_cluster(1, separate_controller=True)
    cluster.nodes[cluster.controller_id].pause()
    began_ms = cluster.world.now_ms
    assert ranges(cluster.client())[ApiKey.ELECT_LEADERS] == (0, 3)
    assert cluster.world.now_ms - began_ms < 600
