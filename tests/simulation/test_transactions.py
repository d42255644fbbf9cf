"""The transaction coordinator in a cluster: found, created, moved to another broker, upgraded."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.internal_topics import TRANSACTIONS_TOPIC
from minikafka.messages.add_partitions_to_txn import AddPartitionsToTxnResponse
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from minikafka.messages.end_txn import EndTxnRequest, EndTxnResponse
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from minikafka.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from tests.conformance.transaction_cases import Producer, add, codes_of
from tests.worlds.sim_world import create_topic, registration, started_cluster

RETRIED = (
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.CONCURRENT_TRANSACTIONS,
)


class Client:
    """A client of one transactional id that retries as real ones do."""

    def __init__(self, cluster):
        self.cluster = cluster

    def coordinator(self):
        while True:
            self.cluster.world.run(100)
            alive = [node for node in self.cluster.nodes.values() if node.node is not None]
            brokers = [node for node in alive if node.config.is_broker]
            client = self.cluster.client(node_id=brokers[0].config.node_id)
            found = client.ask(FindCoordinatorRequest("x", 1), FindCoordinatorResponse, version=3)
            if not found.error_code:
                return found.node_id
            assert found.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE

    def ask(self, request, kind, version):
        while True:
            client = self.cluster.client(node_id=self.coordinator())
            response = client.ask(request, kind, version=version)
            if response.error_code not in RETRIED:
                return response

    def init(self):
        response = self.ask(InitProducerIdRequest("x", 60_000), InitProducerIdResponse, 4)
        assert response.error_code == 0
        return Producer(response.producer_id, response.producer_epoch)

    def add(self, producer, partition):
        client = self.cluster.client(node_id=self.coordinator())
        request = add("x", producer, [partition], 3)
        rows, _ = codes_of(client.ask(request, AddPartitionsToTxnResponse, version=3))
        assert [row[2] for row in rows] == [0]

    def described(self):
        while True:
            client = self.cluster.client(node_id=self.coordinator())
            response = client.ask(
                DescribeTransactionsRequest(["x"]), DescribeTransactionsResponse, version=0
            )
            (row,) = response.transaction_states
            if row.error_code not in RETRIED:
                return row


@pytest.fixture
def cluster():
    made = started_cluster(3)
    create_topic(made, "t", replicas=[(1, 2, 3)])
    return made


def test_the_first_request_creates_the_topic_as_kafka_does(cluster):
    Client(cluster).init()
    image = cluster.nodes[cluster.controller_id].node.loader.image
    assert dict(image.config(2, TRANSACTIONS_TOPIC)) == {
        "cleanup.policy": "compact",
        "compression.type": "uncompressed",
        "min.insync.replicas": "2",
        "segment.bytes": "104857600",
        "unclean.leader.election.enable": "false",
    }
    assert len(registration(cluster, TRANSACTIONS_TOPIC).replicas) == 3


def test_another_broker_goes_on_after_a_crash(cluster):
    client = Client(cluster)
    first = client.init()
    client.add(first, ("t", 0))
    crashed = client.coordinator()
    cluster.nodes[crashed].kill()
    cluster.world.run_until(
        lambda: registration(cluster, TRANSACTIONS_TOPIC).leader not in (crashed, -1),
        60_000,
        "another broker leads",
    )
    state = client.described()
    assert (state.transaction_state, state.producer_id, state.producer_epoch) == (
        "Ongoing", *first
    )  # fmt: skip
    response = client.ask(EndTxnRequest("x", *first, True), EndTxnResponse, 5)
    assert (response.error_code, response.producer_epoch) == (0, first.epoch + 1)
    assert client.described().transaction_state in ("PrepareCommit", "CompleteCommit")


def test_the_transaction_version_changes_on_line(cluster):
    def change(level, kind):
        update = FeatureUpdateKey("transaction.version", level, upgrade_type=kind)
        request = UpdateFeaturesRequest(feature_updates=[update])
        response = cluster.client().ask(request, UpdateFeaturesResponse, version=2)
        assert response.error_code == 0, response
        cluster.world.run(1_000)

    def finalized():
        request = ApiVersionsRequest("test", "1")
        response = cluster.client().ask(request, ApiVersionsResponse, version=4)
        return {row.name: row.max_version_level for row in response.finalized_features}

    client = Client(cluster)
    client.init()
    leader = registration(cluster, TRANSACTIONS_TOPIC).leader
    services = cluster.nodes[leader].node.broker.transactions.services
    assert (finalized()["transaction.version"], services.version()) == (2, 2)
    change(0, 2)
    assert "transaction.version" not in finalized()
    assert services.version() == 0
    second = client.init()
    change(1, 1)
    assert services.version() == 1
    assert client.init() == Producer(second.producer_id, second.epoch + 1)
    change(2, 1)
    assert finalized()["transaction.version"] == 2
