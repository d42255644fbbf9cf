"""The transaction coordinator in a cluster: found, created, moved to another broker, upgraded."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.internal_topics import TRANSACTIONS_TOPIC
from minikafka.messages.add_partitions_to_txn import AddPartitionsToTxnResponse
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
)
from minikafka.messages.describe_producers import TopicRequest as DescribedTopic
from minikafka.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from minikafka.messages.end_txn import EndTxnRequest, EndTxnResponse
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from minikafka.messages.produce import ProduceResponse
from minikafka.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from minikafka.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from minikafka.records.batch import CONTROL
from minikafka.records.scan import split_batches
from minikafka.sim.world.sim_cluster import host
from tests.conformance.transaction_cases import Producer, add, codes_of
from tests.worlds.sim_world import (
    BY_NAME,
    batch,
    create_topic,
    fetch,
    leader_client,
    produce_request,
    registration,
    replica,
    started_cluster,
)

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


def transactional(producer, *values):
    return batch(
        *values, producer_id=producer.producer_id, producer_epoch=producer.epoch,
        base_sequence=0, is_transactional=True,
    )  # fmt: skip


def write(client, producer, *values):
    """The first batch of a transaction in t-0, which adds the partition."""
    request = produce_request("t", transactional(producer, *values))
    request.transactional_id = "x"
    response = client.ask(request, ProduceResponse, version=BY_NAME)
    assert response.responses[0].partition_responses[0].error_code == ErrorCode.NONE


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
    assert (finalized()["transaction.version"], services.version) == (2, 2)
    change(0, 2)
    assert "transaction.version" not in finalized()
    assert services.version == 0
    second = client.init()
    change(1, 1)
    assert services.version == 1
    assert client.init() == Producer(second.producer_id, second.epoch + 1)
    change(2, 1)
    assert finalized()["transaction.version"] == 2


ELECTIONS = {
    "unclean election": {"unclean.leader.election.enable": "true"},
    "longest log": {
        "unclean.recovery.manager.enabled": "true",
        "unclean.recovery.strategy": "Aggressive",
    },
}


class Hanging:
    """A transaction of t-0 that its coordinator completed, whose marker an election has lost.

    The leader is 2. It has both records.
    """

    def __init__(self, given, *, commit):
        self.cluster = cluster = started_cluster(
            3, separate_controller=True, given={"transaction.state.log.min.isr": "2", **given}
        )
        create_topic(cluster, "t", replicas=[[1, 2]])
        self.client = Client(cluster)
        self.producer = self.client.init()
        write(cluster.client(node_id=1), self.producer, b"a", b"b")
        cluster.world.run(1_000)
        cluster.nodes[2].kill()
        cluster.world.run_until(
            lambda: registration(cluster, "t").isr == (1,), 60_000, "2 is fenced"
        )
        self.following = self.end(self.producer, commit=commit)
        cluster.world.run_until(
            lambda: replica(cluster, 1, "t").log.log_end_offset == 3, 10_000, "the marker"
        )
        while self.client.described().transaction_state.startswith("Prepare"):
            cluster.world.run(100)
        cluster.nodes[1].kill()
        cluster.nodes[2].start()
        cluster.world.run_until(lambda: registration(cluster, "t").leader == 2, 120_000, "2 leads")
        cluster.world.run_until(lambda: cluster.nodes[2].started, 60_000, "2 serves")
        cluster.world.run_until(
            lambda: replica(cluster, 2, "t").log.high_watermark == 2, 60_000, "both records"
        )

    def end(self, producer, *, commit):
        """End the transaction; the producer that goes on."""
        response = self.client.ask(EndTxnRequest("x", *producer, commit), EndTxnResponse, 5)
        assert response.error_code == ErrorCode.NONE
        return Producer(response.producer_id, response.producer_epoch)

    def committed(self):
        """What a consumer of committed records gets."""
        return fetch(self.cluster.client(node_id=2), "t", isolation_level=1)


@pytest.mark.parametrize("given", ELECTIONS.values(), ids=ELECTIONS)
def test_a_transaction_whose_marker_an_unclean_election_lost_can_be_aborted(given):
    """KAFKA-20716, L3, L6: the coordinator has completed it, so an operator finds and ends it."""
    hanging = Hanging(given, commit=True)
    hanging.cluster.world.run(120_000)
    assert hanging.committed().last_stable_offset == 0
    leader = hanging.cluster.client(node_id=2)
    wanted = DescribeProducersRequest([DescribedTopic("t", [0])])
    topic = leader.ask(wanted, DescribeProducersResponse).topics[0]
    (found,) = topic.partitions[0].active_producers
    assert (found.producer_id, found.current_txn_start_offset) == (hanging.producer.producer_id, 0)
    marker = WritableTxnMarker(
        found.producer_id, found.producer_epoch, False, [WritableTxnMarkerTopic("t", [0])],
        max(found.coordinator_epoch, 0),
    )  # fmt: skip
    leader.ask(WriteTxnMarkersRequest([marker]), WriteTxnMarkersResponse, version=1)
    assert hanging.committed().last_stable_offset == 3


@pytest.mark.parametrize("given", ELECTIONS.values(), ids=ELECTIONS)
@pytest.mark.parametrize("was_committed", [True, False])
@pytest.mark.parametrize("commit", [True, False])
def test_the_next_transaction_decides_one_whose_marker_was_lost(given, was_committed, commit):
    """As Kafka: the log has one open transaction of a producer, and its next marker ends it."""
    hanging = Hanging(given, commit=was_committed)
    write(hanging.cluster.client(node_id=2), hanging.following, b"c")
    assert hanging.committed().last_stable_offset == 0
    hanging.end(hanging.following, commit=commit)
    hanging.cluster.world.run_until(
        lambda: hanging.committed().last_stable_offset == 4, 60_000, "the marker counts"
    )
    assert [it.first_offset for it in hanging.committed().aborted_transactions or ()] == (
        [] if commit else [0]
    )


def test_a_marker_that_only_the_former_leader_has_is_written_again(cluster):
    """It counts neither for the last stable offset nor for the coordinator."""
    client = Client(cluster)
    producer = client.init()
    coordinator = client.coordinator()
    kept = (coordinator, cluster.controller_id)
    leader = next(number for number in (3, 2, 1) if number not in kept)
    followers = [number for number in (1, 2, 3) if number != leader]
    create_topic(cluster, "u", replicas=[(leader, *followers)])
    client.add(producer, ("u", 0))
    options = {"producer_id": producer[0], "producer_epoch": producer[1], "base_sequence": 0}
    request = produce_request("u", batch(b"v", is_transactional=True, **options))
    request.transactional_id = "x"
    answer = leader_client(cluster, "u").ask(request, ProduceResponse, version=BY_NAME)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE
    former = replica(cluster, leader, "u").log
    ending = EndTxnRequest("x", *producer, True)
    cluster.client(node_id=coordinator).send(ending, lambda _: None, version=4)
    cluster.world.run_until(lambda: former.log_end_offset == 2, 5_000, "the marker is written")
    for number in followers:
        # The fetches that wait are answered in the step that writes the marker.
        cluster.network.clog(host(leader), host(number))
    assert former.last_stable_offset == 0
    assert client.described().transaction_state == "PrepareCommit"
    cluster.nodes[leader].kill()
    cluster.world.run_until(
        lambda: registration(cluster, "u").leader in followers, 60_000, "another broker leads"
    )
    now = replica(cluster, registration(cluster, "u").leader, "u").log
    assert (now.log_end_offset, now.last_stable_offset) == (1, 0)
    cluster.world.run_until(
        lambda: client.described().transaction_state == "CompleteCommit", 60_000, "it is complete"
    )
    assert now.last_stable_offset == now.log_end_offset == 2


def markers_of(cluster, node_id):
    """The control batches in a node's log of t-0."""
    log = replica(cluster, node_id, "t").log
    read = log.read(0, 1 << 20, upper_bound_offset=log.log_end_offset)
    return [it for _, it in split_batches(bytes(read.slice.read())) if it.attributes & CONTROL]


@pytest.mark.parametrize("commit", [True, False])
def test_a_coordinator_that_lost_the_answer_to_a_marker_writes_it_again(commit):
    """KAFKA-19999: the next coordinator loads the prepared transaction; its marker is not new."""
    cluster = started_cluster(3, separate_controller=True)
    client = Client(cluster)
    producer = client.init()
    coordinator = client.coordinator()
    leader = next(number for number in (1, 2, 3) if number != coordinator)
    create_topic(cluster, "t", replicas=[(leader, *({1, 2, 3} - {leader}))])
    write(leader_client(cluster, "t"), producer, b"a")
    ending = EndTxnRequest("x", *producer, commit)
    cluster.client(node_id=coordinator).send(ending, lambda _: None, version=5)
    log = replica(cluster, leader, "t").log
    cluster.world.run_until(lambda: log.log_end_offset == 2, 5_000, "the marker is written")
    cluster.nodes[coordinator].kill()
    while client.described().transaction_state.startswith("Prepare"):
        cluster.world.run(100)
    first, second = markers_of(cluster, leader)
    assert first.producer_epoch == second.producer_epoch == producer.epoch + 1
    cluster.world.run_until(lambda: log.last_stable_offset == 3, 10_000, "both markers count")
    response = client.ask(ending, EndTxnResponse, 5)
    assert (response.error_code, response.producer_epoch) == (ErrorCode.NONE, producer.epoch + 1)
    following = Producer(response.producer_id, response.producer_epoch)
    write(leader_client(cluster, "t"), following, b"b")
    assert client.ask(EndTxnRequest("x", *following, True), EndTxnResponse, 5).error_code == 0
