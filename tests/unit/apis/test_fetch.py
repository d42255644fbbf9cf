"""Fetch on whole nodes: what a reader may see, how long it waits, and what it is told (H2, H5)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
)
from minikafka.messages.elect_leaders import TopicPartitions as ElectTopic
from minikafka.messages.fetch import FetchPartition, FetchResponse, ReplicaState
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.worlds.sim_world import (
    BY_NAME,
    create_topic,
    fetch,
    fetch_request,
    produce,
    registration,
    replica,
    started_cluster,
    values_of,
)

BY_ID = 17


@pytest.mark.parametrize("version", range(4, 13))
def test_every_version_reads_from_the_batch_that_has_the_offset(client, version):
    found = fetch(client, "t", 3, version=version)
    assert values_of(found) == [b"1a", b"1b", b"2a", b"2b"]
    assert (found.high_watermark, found.error_code) == (6, 0)
    assert found.last_stable_offset == 6


@pytest.mark.parametrize("version", range(13, 19))
def test_later_versions_name_topics_by_id(version):
    cluster = started_cluster(1)
    topic_id = create_topic(cluster, "t")
    produce(cluster.client(), "t", b"x")

    def ask(given):
        request = fetch_request("", 0)
        request.topics[0].topic_id = given
        response = cluster.client().ask(request, FetchResponse, version=version)
        return response.responses[0].partitions[0]

    assert values_of(ask(topic_id)) == [b"x"]
    assert ask(Uuid.of(1, 1)).error_code == ErrorCode.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize(
    ("topic", "partition", "offset", "epoch", "error"),
    [
        ("t", 0, 7, -1, ErrorCode.OFFSET_OUT_OF_RANGE),
        ("t", 0, -1, -1, ErrorCode.OFFSET_OUT_OF_RANGE),
        ("t", 1, 0, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("u", 0, 0, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 0, 0, 1, ErrorCode.UNKNOWN_LEADER_EPOCH),
        ("t", 0, 0, 0, ErrorCode.NONE),
    ],
)
def test_what_cannot_be_read_is_said_by_partition(client, topic, partition, offset, epoch, error):
    found = fetch(client, topic, offset, partition=partition, leader_epoch=epoch)
    assert found.error_code == error


def test_an_old_leader_epoch_is_fenced():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.nodes[2].kill()
    cluster.world.run(20_000)
    cluster.nodes[2].start()
    cluster.world.run(10_000)
    cluster.nodes[1].shut_down()
    cluster.world.run_until(lambda: not cluster.nodes[1].alive, 30_000)
    cluster.nodes[1].start()
    cluster.world.run(10_000)
    now = registration(cluster, "t")
    assert now.leader_epoch > 0
    client = cluster.client(node_id=now.leader)
    assert fetch(client, "t", leader_epoch=0).error_code == ErrorCode.FENCED_LEADER_EPOCH


def test_the_end_of_the_log_is_no_error_and_waits_for_records(one):
    client, answers = one.client(), []
    begin_ms = one.world.now_ms
    client.send(fetch_request("t", 6, max_wait_ms=5_000), answers.append, version=BY_NAME)
    one.world.run(1_000)
    assert not answers
    produce(one.client("writer"), "t", b"new")
    one.world.run(50)
    assert values_of(answers[0].responses[0].partitions[0]) == [b"new"]
    assert one.world.now_ms - begin_ms < 1_200


def test_a_wait_ends_without_records_when_its_time_is_over(one):
    begin_ms = one.world.now_ms
    assert values_of(fetch(one.client(), "t", 6, max_wait_ms=700)) == []
    assert 700 <= one.world.now_ms - begin_ms < 800


def test_few_bytes_wait_for_more(one):
    client, answers = one.client(), []
    request = fetch_request("t", 6, max_wait_ms=5_000, min_bytes=150)
    client.send(request, answers.append, version=BY_NAME)
    produce(one.client("writer"), "t", b"small")
    one.world.run(500)
    assert not answers
    produce(one.client("writer"), "t", b"y" * 100)
    one.world.run(50)
    assert len(values_of(answers[0].responses[0].partitions[0])) == 2


def test_one_batch_comes_however_small_the_limit(client):
    assert values_of(fetch(client, "t", 0, max_bytes=1)) == [b"0a", b"0b"]


def test_nothing_is_answered_where_nothing_was_waited_for(client):
    request = fetch_request("t", 6, max_wait_ms=60_000, min_bytes=0)
    found = client.ask(request, FetchResponse, version=BY_NAME, within_ms=100)
    assert values_of(found.responses[0].partitions[0]) == []


def test_readers_see_what_is_committed_and_followers_see_all():
    """H2: what only the leader has is not shown to consumers."""
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]], config={"min.insync.replicas": "2"})
    produce(cluster.client(), "t", b"committed")
    cluster.nodes[2].pause()
    assert produce(cluster.client(), "t", b"not yet", acks=1).error_code == ErrorCode.NONE
    found = fetch(cluster.client(), "t")
    assert (values_of(found), found.high_watermark) == ([b"committed"], 1)
    assert replica(cluster, 1, "t").log.log_end_offset == 2
    # A replica that names itself is no consumer: it reads to the end.
    epoch = cluster.nodes[1].node.loader.image.brokers[2].epoch
    request = fetch_request("t")
    request.replica_state = ReplicaState(2, epoch)
    request.topics[0].topic_id = cluster.nodes[1].node.loader.image.topic("t").topic_id
    request.topics[0].topic = ""
    broker = cluster.client(port=INTERNAL_PORT)
    response = broker.ask(request, FetchResponse, version=BY_ID)
    assert values_of(response.responses[0].partitions[0]) == [b"committed", b"not yet"]


def test_a_consumer_may_read_from_a_follower_and_sees_no_more_than_it_knows():
    """KIP-392, from version 11 on."""
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    produce(cluster.client(), "t", b"x")
    cluster.world.run(2_000)
    client = cluster.client(node_id=2)
    assert values_of(fetch(client, "t")) == [b"x"]
    assert fetch(client, "t", version=10).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("version", [4, 10])
def test_a_fetch_from_the_leader_only_ends_with_its_leadership(version):
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.nodes[1].shut_down()
    cluster.world.run_until(lambda: not cluster.nodes[1].alive, 30_000)
    cluster.nodes[1].start()
    cluster.world.run(10_000)
    client, answers = cluster.client(node_id=2), []
    client.send(fetch_request("t", 0, max_wait_ms=60_000), answers.append, version=version)
    cluster.world.run(500)
    assert not answers
    preferred = ElectLeadersRequest(0, [ElectTopic("t", [0])], timeout_ms=10_000)
    cluster.client(node_id=1).ask(preferred, ElectLeadersResponse, version=2)
    cluster.world.run(1_000)
    assert registration(cluster, "t").leader == 1
    (partition,) = answers[0].responses[0].partitions
    assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_fetch_that_waits_ends_when_the_topic_is_deleted():
    from minikafka.messages.delete_topics import (
        DeleteTopicsRequest,
        DeleteTopicsResponse,
    )

    cluster = started_cluster(1)
    create_topic(cluster, "t")
    client, answers = cluster.client(), []
    client.send(fetch_request("t", max_wait_ms=10_000), answers.append, version=BY_NAME)
    cluster.world.run(100)
    request = DeleteTopicsRequest(topic_names=["t"], timeout_ms=5_000)
    cluster.client("admin").ask(request, DeleteTopicsResponse, version=5)
    cluster.world.run(1_000)
    assert answers, "the wait ends with the topic"
    error = answers[0].responses[0].partitions[0].error_code
    assert error in (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_a_partition_named_twice_is_read_once_as_it_was_named_last(one):
    """As Kafka; also where both entries would wait."""
    client = one.client()
    request = fetch_request("t", 6, max_wait_ms=200)
    (topic,) = request.topics
    topic.partitions.append(FetchPartition(partition=0, fetch_offset=6, partition_max_bytes=1000))
    answer = client.ask(request, FetchResponse, version=11)
    assert [x.partition_index for x in answer.responses[0].partitions] == [0]
    topic.partitions[1].fetch_offset = 4
    answer = client.ask(request, FetchResponse, version=11)
    assert values_of(answer.responses[0].partitions[0]) == [b"2a", b"2b"]
    assert one.nodes[1].alive
