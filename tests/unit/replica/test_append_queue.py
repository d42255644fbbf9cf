"""Produce with records that take longer to validate than a step may: order, leadership, faults."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
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
from minikafka.records.compression import Codec
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

LATE_US = (400_000, 400_000)
SOON_US = (50, 50)


@pytest.fixture
def cluster():
    """One broker whose steps may validate three records."""
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=2)
    cluster.nodes[1].node.env.units_per_step = 3
    return cluster


@pytest.fixture
def pair():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.nodes[1].node.env.units_per_step = 3
    return cluster


def send(client, request, answers, version=BY_NAME):
    client.send(request, answers.append, version=version)


def answers_of(cluster, answers, count):
    cluster.world.run_until(lambda: len(answers) == count, 10_000, "the answers")
    return [
        (answer.responses[0].partition_responses[0].error_code,
         answer.responses[0].partition_responses[0].base_offset)
        for answer in answers
    ]  # fmt: skip


@pytest.mark.parametrize("acks", [-1, 1])
@pytest.mark.parametrize("codec", list(Codec))
def test_large_batch_is_appended_and_acknowledged(cluster, codec, acks):
    values = [b"%d" % i for i in range(10)]
    answers = []
    send(cluster.client(), produce_request("t", batch(*values, codec=codec), acks=acks), answers)
    assert answers_of(cluster, answers, 1) == [(ErrorCode.NONE, 0)]
    assert values_of(fetch(cluster.client(), "t")) == values


def test_what_comes_behind_a_large_batch_is_appended_behind_it(cluster):
    cluster.nodes[1].work_us = LATE_US
    one, other = cluster.client(), cluster.client()
    answers = []
    send(one, produce_request("t", batch(*[b"large"] * 10)), answers)
    cluster.world.run(100)
    cluster.nodes[1].work_us = SOON_US
    send(one, produce_request("t", batch(b"small")), answers)
    send(other, produce_request("t", batch(b"other")), answers)
    assert sorted(answers_of(cluster, answers, 3)) == [(0, 0), (0, 10), (0, 11)]
    assert values_of(fetch(one, "t"))[10:] == [b"small", b"other"]


def test_another_partition_does_not_wait(cluster):
    cluster.nodes[1].work_us = LATE_US
    answers = []
    send(cluster.client(), produce_request("t", batch(*[b"large"] * 10)), answers)
    assert produce(cluster.client(), "t", b"x", partition=1).base_offset == 0
    assert not answers


def test_one_request_may_have_partitions_of_both_kinds(cluster):
    data = [
        PartitionProduceData(0, batch(*[b"large"] * 10)),
        PartitionProduceData(1, batch(b"small")),
    ]
    request = ProduceRequest(
        acks=-1, timeout_ms=1000, topic_data=[TopicProduceData("t", partition_data=data)]
    )
    response = cluster.client().ask(request, ProduceResponse, version=BY_NAME)
    assert [
        (each.error_code, each.base_offset) for each in response.responses[0].partition_responses
    ] == [(0, 0), (0, 0)]


def test_what_is_committed_before_the_rest_is_appended_is_acknowledged():
    """H4: its leadership moves while another partition of the request is still validated."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2], [1, 3]])
    node = cluster.nodes[1]
    node.node.env.units_per_step = 3
    node.work_us = (5_000_000, 5_000_000)
    large = batch(*[b"large"] * 10)
    first, answers = [], []
    send(cluster.client(), produce_request("t", large, partition=1), first)
    cluster.world.run(50)
    node.work_us = SOON_US
    request = ProduceRequest(
        acks=-1,
        timeout_ms=20_000,
        topic_data=[
            TopicProduceData("t", partition_data=[PartitionProduceData(x, large) for x in (0, 1)])
        ],
    )
    send(cluster.client(), request, answers)
    cluster.world.run_until(lambda: replica(cluster, 1, "t").log.high_watermark == 10, 2_000)
    move = AlterPartitionReassignmentsRequest(
        timeout_ms=5000, topics=[ReassignableTopic("t", [ReassignablePartition(0, [2])])]
    )
    cluster.client("admin", node_id=2).ask(move, AlterPartitionReassignmentsResponse)
    cluster.world.run_until(lambda: registration(cluster, "t").leader == 2, 3_000)
    assert not answers
    cluster.world.run_until(lambda: bool(answers), 15_000)
    found = [(x.error_code, x.base_offset) for x in answers[0].responses[0].partition_responses]
    assert found == [(ErrorCode.NONE, 0), (ErrorCode.NONE, 10)]


def test_bad_records_are_refused_when_they_have_been_read(cluster):
    keyless = build_batch([NewRecord(EPOCH_MS, None, b"v")] * 10)
    keyless[100] ^= 1
    future = build_batch([NewRecord(EPOCH_MS * 2, b"k", b"v")] * 10)
    answers = []
    client = cluster.client()
    for records in (keyless, future, batch(*[b"good"] * 10)):
        send(client, produce_request("t", records), answers)
    assert answers_of(cluster, answers, 3) == [
        (ErrorCode.CORRUPT_MESSAGE, -1),
        (ErrorCode.INVALID_TIMESTAMP, -1),
        (ErrorCode.NONE, 0),
    ]


def test_retry_of_a_queued_batch_is_a_duplicate(cluster):
    records = build_batch(
        [NewRecord(EPOCH_MS, b"k", b"v")] * 10,
        BatchOptions(producer_id=7, producer_epoch=0, base_sequence=0),
    )
    answers = []
    client = cluster.client()
    for _ in range(2):
        send(client, produce_request("t", records), answers)
    assert answers_of(cluster, answers, 2) == [(0, 0), (0, 0)]
    assert len(values_of(fetch(client, "t"))) == 10


def test_acks_0_is_appended_and_its_failure_closes_the_connection(cluster):
    client = cluster.client()
    bad = build_batch([NewRecord(EPOCH_MS * 2, b"k", b"v")] * 10)
    for records in (batch(*[b"good"] * 10), bad):
        client.send(
            produce_request("t", records, acks=0), lambda _: None, version=BY_NAME,
            expects_response=False,
        )  # fmt: skip
    with pytest.raises(NoResponseError, match="the connection was lost"):
        client.ask(MetadataRequest(topics=None), MetadataResponse)
    assert len(values_of(fetch(cluster.client(), "t"))) == 10


def test_leader_that_is_none_any_more_appends_nothing(pair):
    pair.nodes[1].work_us = (20_000_000, 20_000_000)
    answers = []
    client = pair.client()
    send(client, produce_request("t", batch(*[b"large"] * 10), timeout_ms=60_000), answers)
    pair.world.run(50)
    end = replica(pair, 1, "t").log.log_end_offset
    pair.nodes[1].shut_down()
    pair.world.run_until(lambda: replica(pair, 2, "t").is_leader, 30_000, "2 leads")
    assert end == 0
    assert values_of(fetch(pair.client(node_id=2), "t")) == []


def test_disk_that_fails_is_the_request_s_error(cluster, monkeypatch):
    partition = replica(cluster, 1, "t")

    def fail(*_, **__):
        raise StorageFault(partition.log.disk.root, "no space left")

    monkeypatch.setattr(type(partition.log), "append_validated", fail)
    taken = []
    monkeypatch.setattr(cluster.nodes[1].node.env, "on_storage_fault", taken.append)
    answers = []
    send(cluster.client(), produce_request("t", batch(*[b"large"] * 10)), answers)
    assert answers_of(cluster, answers, 1) == [(ErrorCode.KAFKA_STORAGE_ERROR, -1)]
    assert len(taken) == 1


def test_connection_that_queues_too_much_is_muted(cluster, monkeypatch):
    monkeypatch.setattr("minikafka.node.dispatcher._MAX_QUEUED_BYTES", 500)
    cluster.nodes[1].work_us = LATE_US
    answers = []
    client = cluster.client()
    for _ in range(5):
        send(client, produce_request("t", batch(*[b"x" * 30] * 10)), answers)
    cluster.world.run(100)
    assert len(replica(cluster, 1, "t").queued) == 2
    assert answers_of(cluster, answers, 5) == [(0, 10 * i) for i in range(5)]
    assert cluster.nodes[1].node.env.queued_bytes == 0
