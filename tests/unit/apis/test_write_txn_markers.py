"""WriteTxnMarkers on whole nodes: where a marker is written, and when it is answered."""

import pytest

from minikafka.apis import write_txn_markers
from minikafka.common.errors import ErrorCode
from minikafka.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from minikafka.records.reader import EndMarker, end_marker, read_records
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    registration,
    replica,
    started_cluster,
)

P = 77


def marker(topics, producer_id=P, epoch=0, is_commit=True, coordinator_epoch=0):
    return WritableTxnMarker(
        producer_id,
        epoch,
        is_commit,
        [WritableTxnMarkerTopic(name, list(indexes)) for name, indexes in topics.items()],
        coordinator_epoch,
    )


def write(client, *markers, version=1):
    response = client.ask(
        WriteTxnMarkersRequest(list(markers)), WriteTxnMarkersResponse, version=version
    )
    return [
        [
            (topic.name, each.partition_index, each.error_code)
            for topic in result.topics
            for each in topic.partitions
        ]
        for result in response.markers
    ]


def markers_in(client, topic, partition=0):
    records = read_records(fetch(client, topic, partition=partition).records)
    return [end_marker(record) for record in records]


@pytest.fixture
def cluster():
    return started_cluster(1)


@pytest.mark.parametrize("version", [1, 2])
def test_markers_are_written_to_each_partition(cluster, version):
    create_topic(cluster, "t", partitions=2)
    client = cluster.client()
    answers = write(
        client,
        marker({"t": [0, 1]}, is_commit=False, coordinator_epoch=4),
        marker({"t": [1]}, producer_id=78),
        version=version,
    )
    assert answers == [[("t", 0, 0), ("t", 1, 0)], [("t", 1, 0)]]
    assert markers_in(client, "t", 0) == [EndMarker(False, 4)]
    assert markers_in(client, "t", 1) == [EndMarker(False, 4), EndMarker(True, 0)]


@pytest.mark.parametrize(("producer_id", "epoch"), [(-1, 0), (P, -1)])
def test_negative_producer_is_refused(cluster, producer_id, epoch):
    create_topic(cluster, "t", partitions=1)
    client = cluster.client()
    answers = write(client, marker({"t": [0]}, producer_id=producer_id, epoch=epoch))
    assert answers == [[("t", 0, ErrorCode.INVALID_REQUEST)]]
    assert markers_in(client, "t") == []


def test_each_partition_has_its_own_error(cluster):
    create_topic(cluster, "t", partitions=1)
    client = cluster.client()
    write(client, marker({"t": [0]}, epoch=5, coordinator_epoch=5))
    assert write(
        client,
        marker({"t": [0, 1], "u": [0]}, epoch=4, coordinator_epoch=5),
        marker({"t": [0]}, epoch=5, coordinator_epoch=4),
        marker({"__consumer_offsets": [0]}),
    ) == [
        [
            ("t", 0, ErrorCode.INVALID_PRODUCER_EPOCH),
            ("t", 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ("u", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ],
        [("t", 0, ErrorCode.TRANSACTION_COORDINATOR_FENCED)],
        [("__consumer_offsets", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER)],
    ]


def test_a_partition_that_is_named_twice_gets_one_marker(cluster):
    create_topic(cluster, "t")
    client = cluster.client()
    assert write(client, marker({"t": [0, 0]})) == [[("t", 0, 0)]]
    assert len(markers_in(client, "t")) == 1


def test_many_markers_are_written_in_several_steps(cluster, monkeypatch):
    monkeypatch.setattr(write_txn_markers, "_MARKER_US", 1_000)
    create_topic(cluster, "t", partitions=10)
    client = cluster.client()
    (answers,) = write(client, marker({"t": range(10)}))
    assert answers == [("t", index, 0) for index in range(10)]
    assert all(len(markers_in(client, "t", index)) == 1 for index in range(10))


def test_marker_is_answered_when_it_is_committed():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    client = cluster.client(node_id=1)
    assert write(client, marker({"t": [0]})) == [[("t", 0, 0)]]
    log = replica(cluster, 1, "t").log
    assert log.high_watermark == log.log_end_offset == 1


def test_follower_writes_no_marker():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    assert registration(cluster, "t").leader == 1
    client = cluster.client(node_id=2)
    assert write(client, marker({"t": [0]})) == [[("t", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER)]]


def test_too_small_isr_writes_no_marker():
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2]], config={"min.insync.replicas": "2"})
    cluster.nodes[2].kill()
    cluster.world.run_until(
        lambda: replica(cluster, 1, "t").isr.committed == (1,), 60_000, "the ISR shrinks"
    )
    client = cluster.client(node_id=1)
    assert write(client, marker({"t": [0]})) == [[("t", 0, ErrorCode.NOT_ENOUGH_REPLICAS)]]
    assert replica(cluster, 1, "t").log.log_end_offset == 0


@pytest.mark.parametrize(
    ("timeout_ms", "code"), [(60_000, ErrorCode.NONE), (500, ErrorCode.REQUEST_TIMED_OUT)]
)
def test_marker_waits_until_a_silent_follower_has_left_the_isr(timeout_ms, code):
    cluster = started_cluster(
        2, separate_controller=True, given={"request.timeout.ms": str(timeout_ms)}
    )
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.nodes[2].pause()
    assert write(cluster.client(node_id=1), marker({"t": [0]})) == [[("t", 0, code)]]
