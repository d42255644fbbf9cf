"""Produce on whole nodes: what each acks promises (H4-H6), and what is refused."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataResponse
from minikafka.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.sim_client import NoResponseError
from tests.worlds.sim_world import (
    BY_NAME,
    batch,
    create_topic,
    fetch,
    produce,
    produce_request,
    registration,
    replica,
    started_cluster,
    values_of,
)

PAIR = [[1, 2]]


@pytest.fixture
def cluster():
    return started_cluster(1)


@pytest.fixture
def pair():
    """Two replicas, led by node 1, both of them needed."""
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=PAIR, config={"min.insync.replicas": "2"})
    return cluster


def lose_the_follower(pair):
    pair.nodes[2].kill()
    pair.world.run_until(
        lambda: replica(pair, 1, "t").isr.committed == (1,), 60_000, "the ISR shrinks"
    )


@pytest.mark.parametrize("version", range(3, 13))
@pytest.mark.parametrize("acks", [-1, 1])
def test_every_version_appends_and_answers_with_the_offset(cluster, version, acks):
    create_topic(cluster, "t")
    client = cluster.client()
    first = produce(client, "t", b"a", b"b", acks=acks, version=version)
    second = produce(client, "t", b"c", acks=acks, version=version)
    assert [(x.error_code, x.base_offset) for x in (first, second)] == [(0, 0), (0, 2)]
    assert values_of(fetch(client, "t")) == [b"a", b"b", b"c"]


def test_version_13_names_topics_by_their_ids(cluster):
    topic_id = create_topic(cluster, "t")

    def ask(given):
        data = TopicProduceData(
            "", topic_id=given, partition_data=[PartitionProduceData(0, batch(b"x"))]
        )
        request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[data])
        response = cluster.client().ask(request, ProduceResponse, version=13)
        return response.responses[0].partition_responses[0].error_code

    assert ask(topic_id) == ErrorCode.NONE
    assert ask(Uuid.of(1, 2)) == ErrorCode.UNKNOWN_TOPIC_ID
    assert ask(ZERO_UUID) == ErrorCode.UNKNOWN_TOPIC_ID


def test_acks_0_is_not_answered_and_is_in_the_log(cluster):
    create_topic(cluster, "t")
    client, answers = cluster.client(), []
    client.send(
        produce_request("t", batch(b"x"), acks=0), answers.append, version=BY_NAME,
        expects_response=False,
    )  # fmt: skip
    assert values_of(fetch(client, "t", max_wait_ms=1000)) == [b"x"]
    assert not answers


def test_acks_0_that_fails_closes_the_connection(cluster):
    client = cluster.client()
    client.send(
        produce_request("nowhere", batch(b"x"), acks=0), lambda _: None, version=BY_NAME,
        expects_response=False,
    )  # fmt: skip
    with pytest.raises(NoResponseError, match="the connection was lost"):
        client.ask(MetadataRequest(topics=None), MetadataResponse)


@pytest.mark.parametrize(
    ("topic", "partition", "acks", "error"),
    [
        ("t", 0, 2, ErrorCode.INVALID_REQUIRED_ACKS),
        ("t", 0, -2, ErrorCode.INVALID_REQUIRED_ACKS),
        ("t", 1, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", -1, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("u", 0, 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("__consumer_offsets", 0, 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_what_cannot_be_appended_is_refused_by_name(cluster, topic, partition, acks, error):
    create_topic(cluster, "t")
    answer = produce(cluster.client(), topic, b"x", acks=acks, partition=partition)
    assert (answer.error_code, answer.base_offset) == (error, -1)
    assert replica(cluster, 1, "t").log.log_end_offset == 0


def test_a_bad_batch_spoils_its_partition_alone(cluster):
    create_topic(cluster, "t", partitions=2)
    damaged = bytearray(batch(b"x"))
    damaged[-1] ^= 1
    request = produce_request("t", bytes(damaged))
    request.topic_data[0].partition_data.append(PartitionProduceData(1, batch(b"y")))
    answer = cluster.client().ask(request, ProduceResponse, version=BY_NAME)
    errors = [x.error_code for x in answer.responses[0].partition_responses]
    assert errors == [ErrorCode.CORRUPT_MESSAGE, ErrorCode.NONE]
    assert replica(cluster, 1, "t", 1).log.log_end_offset == 1


def test_rejected_batch_is_answered_with_the_log_start_offset_unless_it_is_damaged(cluster):
    create_topic(cluster, "t")
    records = bytearray(batch(b"x", producer_id=7, producer_epoch=0, base_sequence=0))
    damaged = records[:-1] + bytes([records[-1] ^ 1])
    gap = batch(b"x", producer_id=7, producer_epoch=0, base_sequence=5)
    found = []
    for each in (records, gap, damaged, records + records, records[:9], b""):
        request = produce_request("t", bytes(each))
        answer = cluster.client().ask(request, ProduceResponse, version=BY_NAME)
        (row,) = answer.responses[0].partition_responses
        found.append((row.error_code, row.log_start_offset))
    assert found == [
        (ErrorCode.NONE, 0),
        (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, 0),
        (ErrorCode.CORRUPT_MESSAGE, -1),
        (ErrorCode.INVALID_RECORD, -1),
        (ErrorCode.INVALID_RECORD, -1),
        (ErrorCode.INVALID_RECORD, -1),
    ]


@pytest.mark.parametrize("records", [None, b"", b"\0" * 5])
def test_no_records_are_no_batch(cluster, records):
    create_topic(cluster, "t")
    request = produce_request("t", records)
    answer = cluster.client().ask(request, ProduceResponse, version=BY_NAME)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.INVALID_RECORD


def test_answers_come_in_the_order_of_their_requests(pair):
    client, order = pair.client(), []
    for number in range(6):
        acks = 1 if number % 2 else -1
        client.send(
            produce_request("t", batch(b"%d" % number), acks=acks),
            lambda response, number=number: order.append(
                (number, response.responses[0].partition_responses[0].base_offset)
            ),
            version=BY_NAME,
        )
    pair.world.run_until(lambda: len(order) == 6, 5_000, "six answers")
    assert order == [(number, number) for number in range(6)]


def test_acks_all_waits_for_the_whole_isr(pair):
    """H2, H4: with the follower paused nothing is acknowledged; then it is."""
    pair.nodes[2].pause()
    client, answers = pair.client(), []
    client.send(produce_request("t", batch(b"x")), answers.append, version=BY_NAME)
    pair.world.run(1_000)
    assert not answers
    assert values_of(fetch(pair.client("reader"), "t")) == []
    pair.nodes[2].resume()
    pair.world.run_until(lambda: bool(answers), 3_000, "the acknowledgement")
    assert answers[0].responses[0].partition_responses[0].error_code == ErrorCode.NONE
    assert values_of(fetch(pair.client("reader"), "t")) == [b"x"]


def test_a_wait_that_is_too_long_ends_with_an_error(pair):
    """H4: REQUEST_TIMED_OUT after the request's own time; the record may still be committed."""
    pair.nodes[2].pause()
    begin_ms = pair.world.now_ms
    answer = produce(pair.client(), "t", b"x", timeout_ms=700)
    assert (answer.error_code, answer.base_offset) == (ErrorCode.REQUEST_TIMED_OUT, -1)
    assert 700 <= pair.world.now_ms - begin_ms < 1_000


def test_under_min_isr_acks_all_is_refused_and_acks_1_is_taken_unseen(pair):
    """H4, H5: acks=1 records stay invisible until the ISR is back."""
    lose_the_follower(pair)
    refused = produce(pair.client(), "t", b"refused")
    taken = produce(pair.client(), "t", b"taken", acks=1)
    assert refused.error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert (taken.error_code, taken.base_offset) == (ErrorCode.NONE, 0)
    assert values_of(fetch(pair.client("reader"), "t")) == []
    pair.nodes[2].start()
    pair.world.run_until(lambda: replica(pair, 1, "t").log.high_watermark == 1, 60_000, "H5")
    assert values_of(fetch(pair.client("reader"), "t")) == [b"taken"]


def test_a_minimum_above_the_replication_factor_acts_as_the_factor():
    """H6."""
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=PAIR, config={"min.insync.replicas": "5"})
    assert produce(cluster.client(), "t", b"x").error_code == ErrorCode.NONE


def test_a_follower_says_who_leads(pair):
    client = pair.client(node_id=2)
    request = produce_request("t", batch(b"x"))
    response = client.ask(request, ProduceResponse, version=BY_NAME)
    answer = response.responses[0].partition_responses[0]
    assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert (answer.current_leader.leader_id, answer.current_leader.leader_epoch) == (1, 0)
    assert [(x.node_id, x.host, x.port) for x in response.node_endpoints] == [(1, "n1", 9092)]


def test_a_full_disk_acknowledges_nothing_and_takes_only_itself_away():
    cluster = started_cluster(1, log_dirs=2)
    create_topic(cluster, "t", partitions=2)
    home, other = cluster.nodes[1].disks.values()
    (full,) = [x for x in (0, 1) if replica(cluster, 1, "t", x).log.disk is other]
    assert replica(cluster, 1, "t", 1 - full).log.disk is home
    other.fill()
    client = cluster.client()
    answer = produce(client, "t", b"x" * 1000, partition=full)
    assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert produce(client, "t", b"y", partition=1 - full).error_code == ErrorCode.NONE
    home.fill()
    with pytest.raises(NoResponseError):
        produce(client, "t", b"y" * 1000, partition=1 - full)
    assert cluster.nodes[1].exit_code == 1


def test_a_partition_named_twice_is_written_once_with_what_was_named_last(pair):
    """As Kafka: the last entry counts; both waits of one partition are one."""
    client = pair.client()
    twice = [PartitionProduceData(0, batch(b"first")), PartitionProduceData(0, batch(b"x", b"y"))]
    topics = [TopicProduceData("t", partition_data=twice), TopicProduceData("t", partition_data=[])]
    request = ProduceRequest(acks=-1, timeout_ms=3000, topic_data=topics)
    (topic,) = client.ask(request, ProduceResponse, version=BY_NAME).responses
    (answer,) = topic.partition_responses
    assert (answer.error_code, answer.base_offset) == (ErrorCode.NONE, 0)
    assert values_of(fetch(client, "t")) == [b"x", b"y"]


@pytest.mark.parametrize("producer_id", [7, -1])
def test_a_transactional_batch_without_a_transactional_id_refuses_its_whole_request(
    pair, producer_id
):
    """As Kafka 4.3.1. Nothing is written that readers of committed records would wait for."""
    options = BatchOptions(producer_id=producer_id, producer_epoch=0, base_sequence=0,
                           is_transactional=True)  # fmt: skip
    transactional = bytes(build_batch([NewRecord(EPOCH_MS, None, b"x")], options))
    data = [PartitionProduceData(0, transactional), PartitionProduceData(9, batch(b"y"))]
    request = ProduceRequest(
        acks=-1, timeout_ms=1000, topic_data=[TopicProduceData("t", partition_data=data)]
    )
    client = pair.client()
    (topic,) = client.ask(request, ProduceResponse, version=BY_NAME).responses
    refused = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert [(x.index, x.error_code) for x in topic.partition_responses] == [
        (0, refused), (9, refused),
    ]  # fmt: skip
    assert produce(client, "t", b"after").base_offset == 0
    assert values_of(fetch(client, "t", isolation_level=1)) == [b"after"]


@pytest.mark.parametrize("records", [b"r" * 100, None])
def test_bytes_that_are_no_batch_are_in_no_transaction(pair, records):
    """As Kafka 4.3.1: only whole batches of magic 2 can say that they are."""
    if records is None:
        options = BatchOptions(producer_id=7, producer_epoch=0, base_sequence=0,
                               is_transactional=True)  # fmt: skip
        records = bytes(build_batch([NewRecord(EPOCH_MS, None, b"x")], options))[:-1]
    response = pair.client().ask(produce_request("t", records), ProduceResponse, version=BY_NAME)
    (answer,) = response.responses[0].partition_responses
    assert answer.error_code == ErrorCode.INVALID_RECORD


def test_what_was_committed_is_acknowledged_whatever_becomes_of_the_partition_later():
    """H4: each partition of a request is decided once, when it is decided."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2], [1, 3]], config={"min.insync.replicas": "2"})
    cluster.world.run(500)
    cluster.nodes[3].pause()
    data = [PartitionProduceData(index, batch(b"x")) for index in (0, 1)]
    request = ProduceRequest(
        acks=-1, timeout_ms=8000, topic_data=[TopicProduceData("t", partition_data=data)]
    )
    answers = []
    cluster.client().send(request, answers.append, version=BY_NAME)
    cluster.world.run_until(lambda: replica(cluster, 1, "t", 0).log.high_watermark == 1, 5000)
    move = AlterPartitionReassignmentsRequest(
        timeout_ms=5000, topics=[ReassignableTopic("t", [ReassignablePartition(0, [2])])]
    )
    admin = cluster.client("admin", node_id=2)
    admin.ask(move, AlterPartitionReassignmentsResponse)
    cluster.world.run_until(lambda: registration(cluster, "t", 0).leader == 2, 5000)
    cluster.world.run_until(lambda: bool(answers), 15_000)
    committed, other = answers[0].responses[0].partition_responses
    assert (committed.error_code, committed.base_offset) == (ErrorCode.NONE, 0)
    assert other.error_code == ErrorCode.REQUEST_TIMED_OUT
