"""ListOffsets by time on whole nodes, within a step and away from it."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.compression import Codec
from minikafka.sim.world.machine_clock import EPOCH_MS
from tests.worlds.sim_world import (
    create_topic,
    produce_records,
    produce_request,
    replica,
    started_cluster,
)

LATEST_VERSION = 11
MAX_TIMESTAMP = -3


@pytest.fixture(params=[4096, 3, 0])
def cluster(request):
    """Steps that may search all of the batches, small ones, none."""
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=2)
    cluster.nodes[1].node.env.units_per_step = request.param
    return cluster


def fill(cluster, *batches, codec=Codec.NONE):
    client = cluster.client()
    for times in batches:
        rows = [NewRecord(EPOCH_MS + time, None, b"v") for time in times]
        produce_records(client, "t", build_batch(rows, BatchOptions(codec=codec)))


def request_for(*times, partition=0, **changes):
    rows = [
        ListOffsetsPartition(partition + place, timestamp=time, **changes)
        for place, time in enumerate(times)
    ]
    return ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic("t", rows)])


def ask(cluster, *times, partition=0, version=LATEST_VERSION, **changes):
    request = request_for(*times, partition=partition, **changes)
    response = cluster.client().ask(request, ListOffsetsResponse, version=version)
    return [
        (row.error_code, row.offset, row.timestamp - EPOCH_MS if row.timestamp >= 0 else -1)
        for row in response.topics[0].partitions
    ]


@pytest.mark.parametrize("codec", list(Codec))
def test_first_record_that_is_not_earlier_is_found(cluster, codec):
    fill(cluster, [0, 10, 20], [30, 40, 50, 60, 70], codec=codec)
    assert ask(cluster, EPOCH_MS + 15) == [(0, 2, 20)]
    assert ask(cluster, EPOCH_MS + 31) == [(0, 4, 40)]
    assert ask(cluster, EPOCH_MS + 71) == [(0, -1, -1)]


def test_record_of_the_greatest_timestamp_is_found(cluster):
    fill(cluster, [0, 90, 20], [30, 40, 50, 60, 70])
    assert ask(cluster, MAX_TIMESTAMP) == [(0, 1, 90)]
    assert ask(cluster, MAX_TIMESTAMP, partition=1) == [(0, -1, -1)]


def test_greatest_timestamp_of_records_without_one_is_that_of_the_first(cluster):
    fill(cluster, [-1 - EPOCH_MS, -1 - EPOCH_MS], [-1 - EPOCH_MS])
    assert ask(cluster, MAX_TIMESTAMP) == [(0, 0, -1)]


@pytest.mark.parametrize("version", range(1, LATEST_VERSION + 1))
def test_partition_that_is_named_twice_has_one_row(cluster, version):
    rows = [ListOffsetsPartition(index, timestamp=-1) for index in (0, 1, 0, 0)]
    request = ListOffsetsRequest(
        replica_id=-1,
        topics=[
            ListOffsetsTopic("t", rows[:2]), ListOffsetsTopic("u", rows[:1]),
            ListOffsetsTopic("t", rows[2:]),
        ],
    )  # fmt: skip
    response = cluster.client().ask(request, ListOffsetsResponse, version=version)
    found = [
        (topic.name, [(row.partition_index, row.error_code) for row in topic.partitions])
        for topic in response.topics
    ]
    assert found == [
        ("t", [(0, ErrorCode.INVALID_REQUEST), (1, ErrorCode.NONE)]),
        ("u", [(0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]),
    ]


def test_each_partition_of_a_request_has_its_own_answer(cluster):
    fill(cluster, [0, 10, 20, 30])
    produce_records(
        cluster.client(), "t", build_batch([NewRecord(EPOCH_MS, None, b"v")]), partition=1
    )
    assert ask(cluster, EPOCH_MS + 10, EPOCH_MS) == [(0, 1, 10), (0, 0, 0)]


@pytest.mark.parametrize("fault", [{"partition": 7}, {"current_leader_epoch": 9}])
def test_a_time_that_the_version_does_not_have_is_the_first_fault(cluster, fault):
    """As Kafka 4.3.1."""
    ((code, *_),) = ask(cluster, MAX_TIMESTAMP, version=6, **fault)
    assert code == ErrorCode.UNSUPPORTED_VERSION


def test_record_that_is_not_committed_is_not_found():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    fill(cluster, [0])
    cluster.nodes[1].node.env.units_per_step = 0
    cluster.nodes[2].pause()
    rows = [NewRecord(EPOCH_MS + 50, None, b"v")]
    produce_records(cluster.client(), "t", build_batch(rows), acks=1)
    assert ask(cluster, EPOCH_MS + 50) == [(0, -1, -1)]


def test_batch_without_readable_records_is_corrupt(cluster):
    fill(cluster, [0, 10])
    log = replica(cluster, 1, "t").log
    log.disk.flip(log.segments.active.path(".log"), 61, 7)
    assert ask(cluster, EPOCH_MS + 5) == [(ErrorCode.CORRUPT_MESSAGE, -1, -1)]


def test_leader_that_is_none_any_more_says_so():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    fill(cluster, [0, 10])
    node = cluster.nodes[1]
    node.node.env.units_per_step = 0
    node.work_us = (3_000_000, 3_000_000)
    answers = []
    cluster.client().send(request_for(EPOCH_MS), answers.append, version=LATEST_VERSION)
    cluster.world.run(50)
    leader = replica(cluster, 1, "t")
    leader.leader = 2
    cluster.world.run_until(lambda: answers, 10_000, "the answer")
    row = answers[0].topics[0].partitions[0]
    assert row.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_log_that_goes_while_another_partition_is_searched_is_not_read():
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=2)
    fill(cluster, [0, 10])
    rows = [NewRecord(EPOCH_MS, None, b"v")]
    produce_records(cluster.client(), "t", build_batch(rows), partition=1)
    node = cluster.nodes[1]
    node.node.env.units_per_step = 0
    node.work_us = (3_000_000, 3_000_000)
    answers = []
    cluster.client().send(request_for(EPOCH_MS, EPOCH_MS), answers.append, version=LATEST_VERSION)
    cluster.world.run(50)
    gone = replica(cluster, 1, "t", 1)
    gone.leader = -1
    gone.log.abandon()
    cluster.world.run_until(lambda: answers, 20_000, "the answer")
    first, second = answers[0].topics[0].partitions
    assert first.error_code == ErrorCode.NONE
    assert second.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_search_of_one_client_does_not_wait_for_all_searches_of_another():
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=1)
    fill(cluster, [0, 10])
    node = cluster.nodes[1]
    node.node.env.units_per_step = 0
    node.work_us = (1_000_000, 1_000_000)
    greedy, modest = cluster.client(), cluster.client()
    ends = []
    batches = [build_batch([NewRecord(EPOCH_MS, None, b"v")]) for _ in range(40)]
    for each in batches:
        request = produce_request("t", bytes(each))
        greedy.send(request, lambda _: ends.append("greedy"), version=9)
    cluster.world.run(100)
    modest.send(request_for(EPOCH_MS), lambda _: ends.append("modest"), version=LATEST_VERSION)
    cluster.world.run_until(lambda: len(ends) == 41, 60_000, "all answers")
    assert ends.index("modest") < 12
