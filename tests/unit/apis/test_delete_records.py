"""DeleteRecords on whole nodes."""

from dataclasses import replace

from minikafka.common.errors import ErrorCode
from minikafka.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)
from tests.worlds.sim_world import create_topic, produce, registration, replica, started_cluster


def request(*offsets, timeout_ms=3000):
    return DeleteRecordsRequest(
        topics=[DeleteRecordsTopic("t", [DeleteRecordsPartition(0, each) for each in offsets])],
        timeout_ms=timeout_ms,
    )


def test_a_partition_named_twice_is_cut_once_where_it_was_named_last():
    """As Kafka: neither the greater nor the first offset counts."""
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    client = cluster.client()
    produce(client, "t", b"a", b"b", b"c")
    (topic,) = client.ask(request(3, 1), DeleteRecordsResponse).topics
    (answer,) = topic.partitions
    assert (answer.error_code, answer.low_watermark) == (ErrorCode.NONE, 1)
    assert replica(cluster, 1, "t").log.log_start_offset == 1


def test_a_wait_for_a_partition_named_twice_ends_in_time():
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2]])
    client = cluster.client()
    produce(client, "t", b"a", b"b", b"c")
    cluster.nodes[2].pause()
    (topic,) = client.ask(request(3, 3, timeout_ms=500), DeleteRecordsResponse).topics
    (answer,) = topic.partitions
    assert answer.error_code == ErrorCode.REQUEST_TIMED_OUT
    assert cluster.nodes[1].alive


def test_a_wait_ends_with_an_error_when_another_broker_leads():
    """As Kafka: the log of the new leader may still have the records."""
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2]])
    client = cluster.client(node_id=1)
    produce(client, "t", b"a", b"b", b"c")
    cluster.nodes[2].pause()
    answers = []
    client.send(request(3, timeout_ms=5000), answers.append)
    cluster.world.run(100)
    assert not answers
    known = registration(cluster, "t")
    moved = replace(known, leader=2, leader_epoch=known.leader_epoch + 1, partition_epoch=99)
    replica(cluster, 1, "t").apply(moved)
    cluster.world.run(5000)
    (answer,) = answers[0].topics[0].partitions
    assert (answer.error_code, answer.low_watermark) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)
