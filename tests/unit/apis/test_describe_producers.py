"""DescribeProducers."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.producers.verification import UNCHECKED
from minikafka.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    TopicRequest,
)
from minikafka.records.builder import BatchOptions, NewRecord, TransactionEnd, build_batch
from minikafka.sim.world.machine_clock import EPOCH_MS
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster


@pytest.fixture
def cluster():
    cluster = started_cluster(3)
    create_topic(cluster, "t", replicas=[[1, 2], [1, 3]])
    return cluster


def write(cluster, pid, epoch=0, sequence=0, timestamp=EPOCH_MS, *, is_transactional=True):
    options = BatchOptions(
        producer_id=pid, producer_epoch=epoch, base_sequence=sequence,
        is_transactional=is_transactional,
    )  # fmt: skip
    replica(cluster, 1, "t").append_as_leader(
        memoryview(build_batch([NewRecord(timestamp, None, b"v")], options)),
        required_acks=1,
        guard=UNCHECKED,
    )


def describe(cluster, node_id, *topics):
    request = DescribeProducersRequest(topics=[TopicRequest(*each) for each in topics])
    response = cluster.client(node_id=node_id).ask(request, DescribeProducersResponse)
    return {
        (topic.name, row.partition_index): (
            row.error_code,
            [
                (each.producer_id, each.producer_epoch, each.last_sequence, each.last_timestamp,
                 each.coordinator_epoch, each.current_txn_start_offset)
                for each in row.active_producers
            ],
        )
        for topic in response.topics
        for row in topic.partitions
    }  # fmt: skip


def test_producers_with_and_without_an_open_transaction(cluster):
    write(cluster, 7, sequence=4, timestamp=EPOCH_MS + 1)
    write(cluster, 8, epoch=2, is_transactional=False)
    write(cluster, 9)
    replica(cluster, 1, "t").append_end_marker(TransactionEnd(9, 1, True, 5, 2))
    end_ms = replica(cluster, 1, "t").log.latest_timestamp
    expected = [
        (7, 0, 4, EPOCH_MS + 1, -1, 0),
        (8, 2, 0, EPOCH_MS, -1, -1),
        (9, 1, -1, end_ms, 5, -1),
    ]
    assert describe(cluster, 1, ("t", [0])) == {("t", 0): (ErrorCode.NONE, expected)}


def test_follower_answers_too(cluster):
    write(cluster, 7)
    produce(cluster.client(), "t", b"a step of the leader")
    cluster.world.run_until(lambda: replica(cluster, 2, "t").log.log_end_offset == 2, 5000)
    rows = describe(cluster, 2, ("t", [0, 1]))
    assert [row[0] for row in rows["t", 0][1]] == [7]
    assert rows["t", 1] == (ErrorCode.NOT_LEADER_OR_FOLLOWER, [])


def test_what_does_not_exist(cluster):
    rows = describe(cluster, 1, ("t", [5]), ("none", [0]))
    unknown = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, [])
    assert rows == {("t", 5): unknown, ("none", 0): unknown}


def test_repeated_partition_is_answered_once(cluster):
    request = DescribeProducersRequest(
        topics=[TopicRequest("t", [0, 0, 1]), TopicRequest("t", [1, 0])]
    )
    response = cluster.client().ask(request, DescribeProducersResponse)
    (topic,) = response.topics
    assert [row.partition_index for row in topic.partitions] == [0, 1]


def test_producers_of_several_steps_are_all_listed(cluster):
    for partition in (0, 1):
        log = replica(cluster, 1, "t", partition).log
        for pid in range(2_500):
            options = BatchOptions(producer_id=pid, producer_epoch=0, base_sequence=0)
            batch = build_batch([NewRecord(EPOCH_MS, None, b"v")], options)
            log.append_as_leader(
                memoryview(batch), leader_epoch=0, now=cluster.nodes[1].node.env.clock.now
            )
    rows = describe(cluster, 1, ("t", [0, 1]))
    assert [len(row[1]) for row in rows.values()] == [2_500, 2_500]
