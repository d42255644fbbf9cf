"""Produce with a transactional id; the test plays the transaction coordinator."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from minikafka.records.builder import BatchOptions, NewRecord, TransactionEnd, build_batch
from minikafka.sim.world.machine_clock import EPOCH_MS
from tests.worlds.sim_world import batch, create_topic, fetch, replica, started_cluster, values_of

V11, V12 = 11, 12
LOST = "connection lost"


class Coordinator:
    """Keeps the questions of a broker until the test answers them."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.asked = []
        self.confirms = False
        cluster.nodes[1].node.broker.transactional_appends.verifier = self

    def ask(self, question, on_done):
        self.asked.append((question, on_done))
        if self.confirms:
            self.answer()

    def answer(self, code=ErrorCode.NONE):
        """Answer all questions, in a step of the node."""
        asked, self.asked = self.asked, []
        env = self.cluster.nodes[1].node.env
        for _, on_done in asked:
            env.later(lambda on_done=on_done: on_done(code))


@pytest.fixture
def cluster():
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=2)
    return cluster


@pytest.fixture
def coordinator(cluster):
    return Coordinator(cluster)


def transactional(value, *, pid=7, epoch=0, sequence=0):
    options = BatchOptions(
        producer_id=pid, producer_epoch=epoch, base_sequence=sequence, is_transactional=True
    )
    return bytes(build_batch([NewRecord(EPOCH_MS, None, value)], options))


def request_of(records, acks=-1, transactional_id="tx"):
    """A request for partition 0, or with a list for several."""
    parts = records if isinstance(records, list) else [records]
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=acks,
        timeout_ms=5000,
        topic_data=[
            TopicProduceData(
                "t", partition_data=[PartitionProduceData(i, each) for i, each in enumerate(parts)]
            )
        ],
    )


def results(response):
    return [
        (each.error_code, each.base_offset) for each in response.responses[0].partition_responses
    ]


class Pipeline:
    """Requests of one connection, several in flight, and what was answered."""

    def __init__(self, cluster, client=None):
        self.cluster = cluster
        self.client = client or cluster.client()
        self.answers = []

    def send(self, records, version=V11, **options):
        self.client.send(
            request_of(records, **options),
            lambda response: self.answers.append(results(response) if response else LOST),
            version=version,
        )

    def wait(self, count):
        self.cluster.world.run_until(lambda: len(self.answers) == count, 10_000, "the answers")
        return self.answers


def asked(cluster, coordinator, count=1):
    cluster.world.run_until(lambda: len(coordinator.asked) == count, 5000, "the questions")
    return [question for question, _ in coordinator.asked]


@pytest.mark.parametrize("acks", [-1, 1])
@pytest.mark.parametrize("version", [3, 7, V11, V12])
def test_first_batch_is_appended_when_the_coordinator_confirms(cluster, coordinator, version, acks):
    line = Pipeline(cluster)
    line.send(transactional(b"a"), version, acks=acks)
    (question,) = asked(cluster, coordinator)
    assert question == (
        "tx", 7, 0, version < V12, version >= V11, TopicPartition("t", 0),
    )  # fmt: skip
    cluster.world.run(1000)
    assert line.answers == []
    coordinator.answer()
    assert line.wait(1) == [[(0, 0)]]
    line.send(transactional(b"b", sequence=1), version, acks=acks)
    assert line.wait(2)[1] == [(0, 1)]
    assert coordinator.asked == []
    assert values_of(fetch(cluster.client(), "t", isolation_level=0)) == [b"a", b"b"]
    assert values_of(fetch(cluster.client(), "t", isolation_level=1)) == []


def test_several_requests_in_flight_keep_their_order(cluster, coordinator):
    line = Pipeline(cluster)
    for sequence in range(5):
        line.send(transactional(b"%d" % sequence, sequence=sequence))
    asked(cluster, coordinator)
    coordinator.answer()
    assert line.wait(5) == [[(0, sequence)] for sequence in range(5)]


def test_retry_over_a_new_connection_is_a_duplicate(cluster, coordinator):
    first, second = Pipeline(cluster), Pipeline(cluster, cluster.client("again"))
    first.send(transactional(b"a"))
    asked(cluster, coordinator)
    second.send(transactional(b"a"))
    second.send(transactional(b"b", sequence=1))
    cluster.world.run(500)
    coordinator.answer()
    assert second.wait(2) == [[(0, 0)], [(0, 1)]]
    assert first.wait(1) == [[(0, 0)]]
    assert replica(cluster, 1, "t").log.log_end_offset == 2


def test_batch_is_appended_although_its_connection_was_closed(cluster, coordinator):
    line = Pipeline(cluster)
    line.send(transactional(b"a"))
    asked(cluster, coordinator)
    line.client.close()
    cluster.world.run(100)
    coordinator.answer()
    fetch(cluster.client("other"), "t")
    assert replica(cluster, 1, "t").log.log_end_offset == 1
    assert cluster.nodes[1].node.env.queued_bytes == 0


def test_each_partition_is_verified_and_answered(cluster, coordinator):
    line = Pipeline(cluster)
    line.send([transactional(b"a"), transactional(b"b"), transactional(b"c")])
    questions = asked(cluster, coordinator, 2)
    assert [question.partition.partition for question in questions] == [0, 1]
    coordinator.answer()
    assert line.wait(1) == [[(0, 0), (0, 0), (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)]]


@pytest.mark.parametrize("code", [13, 14, 15, 16])
@pytest.mark.parametrize("version", [V11, V12])
def test_coordinator_that_cannot_be_asked_is_not_enough_replicas(
    cluster, coordinator, code, version
):
    line = Pipeline(cluster)
    line.send(transactional(b"a"), version)
    asked(cluster, coordinator)
    coordinator.answer(ErrorCode(code))
    assert line.wait(1) == [[(ErrorCode.NOT_ENOUGH_REPLICAS, -1)]]


@pytest.mark.parametrize(
    ("code", "version", "answer"),
    [
        (ErrorCode.CONCURRENT_TRANSACTIONS, V11, ErrorCode.NOT_ENOUGH_REPLICAS),
        (ErrorCode.CONCURRENT_TRANSACTIONS, V12, ErrorCode.CONCURRENT_TRANSACTIONS),
        (ErrorCode.INVALID_TXN_STATE, V12, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.TRANSACTION_ABORTABLE, V11, ErrorCode.TRANSACTION_ABORTABLE),
        (ErrorCode.INVALID_PRODUCER_ID_MAPPING, V11, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        (ErrorCode.INVALID_PRODUCER_EPOCH, V12, ErrorCode.INVALID_PRODUCER_EPOCH),
    ],
)
def test_rejected_batch_is_not_written(cluster, coordinator, code, version, answer):
    line = Pipeline(cluster)
    line.send(transactional(b"a"), version)
    asked(cluster, coordinator)
    coordinator.answer(code)
    assert line.wait(1) == [[(answer, -1)]]
    assert replica(cluster, 1, "t").log.log_end_offset == 0


def test_unacknowledged_batch_that_is_rejected_closes_the_connection(cluster, coordinator):
    line = Pipeline(cluster)
    line.send(transactional(b"a"), acks=0)
    asked(cluster, coordinator)
    coordinator.answer(ErrorCode.INVALID_TXN_STATE)
    assert line.wait(1) == [LOST]


def test_batch_without_a_transaction_needs_no_coordinator(cluster, coordinator):
    """As Kafka 4.3.1: the transactional id of the request alone does not matter."""
    line = Pipeline(cluster)
    line.send(batch(b"plain"))
    line.send(batch(b"idempotent", producer_id=7, producer_epoch=0, base_sequence=0))
    assert line.wait(2) == [[(0, 0)], [(0, 1)]]
    assert coordinator.asked == []


def test_request_has_one_producer(cluster, coordinator):
    line = Pipeline(cluster)
    line.send([transactional(b"a", pid=7), transactional(b"b", pid=8)])
    rejected = (ErrorCode.INVALID_PRODUCER_ID_MAPPING, -1)
    assert line.wait(1) == [[rejected, rejected]]
    assert coordinator.asked == []


def test_batches_for_partitions_that_do_not_exist_are_not_compared(cluster, coordinator):
    """As Kafka 4.3.1."""
    line = Pipeline(cluster)
    line.send([transactional(b"a"), b"", transactional(b"b", epoch=5)])
    asked(cluster, coordinator)
    coordinator.answer()
    assert [code for code, _ in line.wait(1)[0]] == [
        ErrorCode.NONE, ErrorCode.INVALID_RECORD, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]  # fmt: skip


def test_transactional_batch_without_a_producer_is_a_plain_one(cluster, coordinator):
    """As Kafka 4.3.1."""
    line = Pipeline(cluster)
    options = BatchOptions(is_transactional=True)
    line.send(bytes(build_batch([NewRecord(EPOCH_MS, None, b"x")], options)))
    assert line.wait(1) == [[(0, 0)]]
    assert coordinator.asked == []


def test_batch_that_is_too_large_does_not_wait(cluster, coordinator):
    line = Pipeline(cluster)
    line.send(transactional(b"v" * 1_100_000))
    assert line.wait(1) == [[(ErrorCode.MESSAGE_TOO_LARGE, -1)]]
    assert coordinator.asked == []


def test_damaged_batch_is_rejected_after_its_verification(cluster, coordinator):
    records = bytearray(transactional(b"a"))
    records[-1] ^= 1
    line = Pipeline(cluster)
    line.send(bytes(records))
    asked(cluster, coordinator)
    coordinator.answer()
    assert line.wait(1) == [[(ErrorCode.CORRUPT_MESSAGE, -1)]]
    line.send(transactional(b"a"))
    asked(cluster, coordinator)
    coordinator.answer()
    assert line.wait(2)[1] == [(0, 0)]


def test_batch_that_overtakes_a_rejected_one_is_out_of_order(cluster, coordinator):
    line = Pipeline(cluster)
    line.send(transactional(b"a"), V12)
    line.send(transactional(b"b", sequence=1), V12)
    asked(cluster, coordinator)
    coordinator.answer(ErrorCode.CONCURRENT_TRANSACTIONS)
    asked(cluster, coordinator)
    coordinator.answer()
    assert line.wait(2) == [
        [(ErrorCode.CONCURRENT_TRANSACTIONS, -1)],
        [(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)],
    ]


def test_batch_after_the_marker_needs_a_new_verification(cluster, coordinator):
    line = Pipeline(cluster)
    line.send(transactional(b"a"))
    asked(cluster, coordinator)
    coordinator.answer()
    line.wait(1)
    replica(cluster, 1, "t").append_end_marker(TransactionEnd(7, 0, True, 0, 0))
    line.send(transactional(b"b", sequence=1))
    asked(cluster, coordinator)
    coordinator.answer()
    assert line.wait(2)[1] == [(0, 2)]


def test_large_batches_keep_their_order(cluster, coordinator):
    """Batches whose validation takes longer than a step go through both queues."""
    cluster.nodes[1].node.env.units_per_step = 3
    line = Pipeline(cluster)
    options = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    for number in range(4):
        records = [NewRecord(EPOCH_MS, None, b"%d" % number)] * (1 if number % 2 else 10)
        sequence = [0, 10, 11, 21][number]
        line.send(bytes(build_batch(records, BatchOptions(base_sequence=sequence, **options))))
    asked(cluster, coordinator)
    coordinator.confirms = True
    coordinator.answer()
    assert line.wait(4) == [[(0, 0)], [(0, 10)], [(0, 11)], [(0, 21)]]
    assert cluster.nodes[1].node.env.queued_bytes == 0
