"""Consumers with a rack read from a follower there (KIP-392), on whole nodes."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.config.broker import RACK_AWARE_SELECTOR
from minikafka.messages.fetch import FetchRequest, FetchResponse, ReplicaState
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.worlds.sim_world import (
    BY_NAME,
    create_topic,
    fetch,
    fetch_request,
    produce,
    replica,
    started_cluster,
    values_of,
)

BY_ID = 17


@pytest.fixture
def cluster():
    """Broker n is in rack r0, r1 or r2; broker 1 leads t-0, and broker 2 t-1."""
    found = started_cluster(3, given={"replica.selector.class": RACK_AWARE_SELECTOR}, racks=3)
    create_topic(found, "t", replicas=[[1, 2, 3], [2, 3, 1]])
    produce(found.client(), "t", b"x", b"y")
    found.world.run(2_000)
    return found


def test_the_leader_names_the_follower_in_the_rack_and_sends_no_records(cluster):
    for version in (11, 12):
        answer = fetch(cluster.client(), "t", rack_id="r2", version=version)
        assert (answer.preferred_read_replica, answer.error_code) == (2, ErrorCode.NONE)
        assert (values_of(answer), answer.aborted_transactions) == ([], None)
        assert (answer.high_watermark, answer.last_stable_offset, answer.log_start_offset) == (
            2, 2, 0,
        )  # fmt: skip


@pytest.mark.parametrize("rack", ["", "r1", "elsewhere"])
def test_the_leader_serves_consumers_of_its_own_rack_and_of_unknown_ones(cluster, rack):
    answer = fetch(cluster.client(), "t", rack_id=rack)
    assert (answer.preferred_read_replica, values_of(answer)) == (-1, [b"x", b"y"])


def test_the_follower_serves_and_names_no_other(cluster):
    for rack in ("r1", "r2", "r0"):
        answer = fetch(cluster.client(node_id=2), "t", rack_id=rack)
        assert (answer.preferred_read_replica, values_of(answer)) == (-1, [b"x", b"y"])


def test_the_answer_does_not_wait(cluster):
    began_ms = cluster.world.now_ms
    answer = fetch(cluster.client(), "t", 2, rack_id="r2", max_wait_ms=5_000)
    assert answer.preferred_read_replica == 2
    assert cluster.world.now_ms - began_ms < 100


def test_without_a_selector_racks_mean_nothing():
    cluster = started_cluster(2, racks=2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    produce(cluster.client(), "t", b"x")
    cluster.world.run(2_000)
    answer = fetch(cluster.client(), "t", rack_id="r0")
    assert (answer.preferred_read_replica, values_of(answer)) == (-1, [b"x"])


def test_a_wrong_leader_epoch_is_an_error_in_either_case(cluster):
    answer = fetch(cluster.client(), "t", rack_id="r2", leader_epoch=7)
    assert (answer.error_code, answer.preferred_read_replica) == (
        ErrorCode.UNKNOWN_LEADER_EPOCH, -1,
    )  # fmt: skip


def test_offsets_on_a_follower(cluster):
    """Beyond its log is an error; the rest of its log, above its high watermark, is not shown."""
    client = cluster.client(node_id=2)
    assert fetch(client, "t", 3).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    held = replica(cluster, 2, "t")
    cluster.nodes[3].pause()
    produce(cluster.client(), "t", b"z", acks=1)
    cluster.world.run(1_000)
    assert (held.log.log_end_offset, held.log.high_watermark) == (3, 2)
    for offset in (2, 3):
        answer = fetch(client, "t", offset)
        assert (answer.error_code, values_of(answer), answer.high_watermark) == (0, [], 2)
    assert fetch(client, "t", 4).error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_wait_on_a_follower_ends_when_its_high_watermark_moves(cluster):
    client, answers = cluster.client("reader", node_id=2), []
    request = fetch_request("t", 2, max_wait_ms=60_000, rack_id="r2")
    client.send(request, answers.append, version=BY_NAME)
    cluster.world.run(300)
    assert not answers
    produce(cluster.client(), "t", b"z")
    cluster.world.run(2_000)
    assert values_of(answers[0].responses[0].partitions[0]) == [b"z"]


def session_of(client, offset, rack):
    request = fetch_request("t", offset, rack_id=rack, session_epoch=0)
    answer = client.ask(request, FetchResponse, version=BY_NAME)
    return answer.session_id, answer.responses[0].partitions[0]


def test_a_session_is_sent_to_a_follower_with_each_fetch_until_it_goes(cluster):
    client = cluster.client()
    session_id, first = session_of(client, 2, "r2")
    assert first.preferred_read_replica == 2
    for epoch in (1, 2):
        request = FetchRequest(session_id=session_id, session_epoch=epoch, rack_id="r2")
        answer = client.ask(request, FetchResponse, version=BY_NAME)
        assert answer.responses[0].partitions[0].preferred_read_replica == 2


def test_a_session_is_sent_to_a_follower_that_becomes_eligible(cluster):
    """A new leader learns what the follower has: nothing else about the partition changes."""
    cluster.nodes[2].pause()
    state = replica(cluster, 1, "t").followers[2]
    state.log_end_offset = -1
    client = cluster.client()
    session_id, first = session_of(client, 2, "r2")
    assert first.preferred_read_replica == -1
    request = FetchRequest(session_id=session_id, session_epoch=1, rack_id="r2")
    assert client.ask(request, FetchResponse, version=BY_NAME).responses == []
    state.log_end_offset = 2
    request.session_epoch = 2
    answer = client.ask(request, FetchResponse, version=BY_NAME)
    assert answer.responses[0].partitions[0].preferred_read_replica == 2


def test_a_session_that_gets_a_rack_is_sent_to_a_follower(cluster):
    client = cluster.client()
    session_id, first = session_of(client, 2, "")
    assert first.preferred_read_replica == -1
    request = FetchRequest(session_id=session_id, session_epoch=1, rack_id="r2")
    (data,) = client.ask(request, FetchResponse, version=BY_NAME).responses[0].partitions
    assert data.preferred_read_replica == 2


@pytest.mark.parametrize("rack", ["r1", "elsewhere"])
def test_a_partition_that_stays_at_the_leader_becomes_quiet(cluster, rack):
    client = cluster.client()
    session_id, _ = session_of(client, 2, rack)
    session = cluster.nodes[1].node.broker.fetch_sessions.find(session_id)
    assert [row.is_quiet for row in session.partitions.values()] == [True]


def test_a_session_on_a_follower_is_woken_by_its_high_watermark(cluster):
    client = cluster.client("reader", node_id=2)
    session_id, _ = session_of(client, 2, "r2")
    answers = []
    request = FetchRequest(
        session_id=session_id, session_epoch=1, rack_id="r2", max_wait_ms=60_000, min_bytes=1
    )
    client.send(request, answers.append, version=BY_NAME)
    cluster.world.run(300)
    produce(cluster.client(), "t", b"z")
    cluster.world.run(2_000)
    assert values_of(answers[0].responses[0].partitions[0]) == [b"z"]


def test_brokers_are_not_sent_to_other_brokers(cluster):
    request = fetch_request("t", 0, rack_id="r2", replica_state=ReplicaState(3, -1))
    topic_id = cluster.nodes[1].node.loader.image.topic("t").topic_id
    request.topics[0].topic, request.topics[0].topic_id = "", topic_id
    broker = cluster.client(port=INTERNAL_PORT)
    (data,) = broker.ask(request, FetchResponse, version=BY_ID).responses[0].partitions
    assert (data.preferred_read_replica, values_of(data)) == (-1, [b"x", b"y"])


def test_a_fetch_at_the_log_end_waits_for_the_high_watermark(cluster):
    """Unlike Kafka, which answers at once (row G10)."""
    cluster.nodes[3].pause()
    produce(cluster.client(), "t", b"z", acks=1)
    cluster.world.run(1_000)
    for node_id in (1, 2):
        began_ms = cluster.world.now_ms
        answer = fetch(cluster.client(node_id=node_id), "t", 3, rack_id="r0", max_wait_ms=700)
        assert (answer.high_watermark, values_of(answer)) == (2, [])
        assert cluster.world.now_ms - began_ms >= 700


@pytest.mark.parametrize("version", [10, 11])
def test_list_offsets_is_for_the_leader_alone(cluster, version):
    wanted = ListOffsetsPartition(0, timestamp=-1)
    topics = [ListOffsetsTopic("t", [wanted])]
    request = ListOffsetsRequest(replica_id=-1, topics=topics)
    client = cluster.client(node_id=2)
    answer = client.ask(request, ListOffsetsResponse, version=version)
    assert answer.topics[0].partitions[0].error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
