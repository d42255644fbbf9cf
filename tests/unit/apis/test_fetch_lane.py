"""Fetch requests that repeat: their lane answers as the handler does (`serving/lanes`)."""

from types import GeneratorType

import pytest

from minikafka.apis import _fetch_lane
from minikafka.apis._fetch_lane import FetchLane
from minikafka.common.errors import ErrorCode
from minikafka.messages.fetch import FetchPartition, FetchResponse
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    fetch_request,
    produce,
    started_cluster,
    values_of,
)


@pytest.fixture
def cluster():
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=2)
    return cluster


@pytest.fixture
def taken(note_answers):
    return note_answers(FetchLane)


@pytest.fixture
def client(cluster):
    """A client that has fetched from the empty t-0 twice, so that the next fetch has a lane."""
    client = cluster.client()
    for _ in range(2):
        assert values_of(fetch(client, "t")) == []
    return client


def test_each_position_is_answered_encoded(cluster, client, taken):
    other = cluster.client()
    for number in range(4):
        produce(other, "t", b"%d" % number)
    for offset in (0, 3, 4):
        answer = fetch(client, "t", offset)
        assert (answer.error_code, answer.high_watermark, answer.log_start_offset) == (0, 4, 0)
        assert values_of(answer)[:1] == [b"%d" % number for number in range(4)][offset : offset + 1]
    assert [type(each) for each in taken] == [tuple] * 3


@pytest.mark.parametrize("size", [0, 1, 100, 200, 20_000, 3_000_000])
def test_records_of_any_size(cluster, client, taken, size):
    produce(cluster.client(), "t", b"v" * min(size, 1_000_000))
    answer = fetch(client, "t")
    assert [len(each) for each in values_of(answer)] == [min(size, 1_000_000)]
    assert [type(each) for each in taken] == [tuple]


def test_an_error_is_that_of_the_handler(client, taken):
    assert fetch(client, "t", 7).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    answer = fetch(client, "t", leader_epoch=9)
    assert answer.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    assert [type(each) for each in taken] == [FetchResponse] * 2


def test_another_partition_or_limit_takes_the_general_way(client, taken):
    assert fetch(client, "t", partition=1).partition_index == 1
    assert fetch(client, "t", max_wait_ms=1).partition_index == 0
    assert taken == [None]


def test_a_session_gets_the_partition_that_has_news(cluster, taken):
    client, other = cluster.client(), cluster.client()
    request = fetch_request("t", session_epoch=0)
    named = request.topics[0].partitions
    named.append(FetchPartition(1, -1, 0, partition_max_bytes=1 << 20))
    request.session_id = client.ask(request, FetchResponse, version=12).session_id
    del named[1]

    def news(offset):
        """The partitions in the response to a request that names the position in partition 0."""
        request.session_epoch += 1
        named[0].fetch_offset = offset
        answer = client.ask(request, FetchResponse, version=12)
        assert answer.error_code == ErrorCode.NONE
        return [
            (each.partition_index, values_of(each))
            for topic in answer.responses
            for each in topic.partitions
        ]

    assert news(0) == news(0) == []
    produce(other, "t", b"first", partition=0)
    assert news(0) == [(0, [b"first"])]
    produce(other, "t", b"second", partition=1)
    assert news(1) == [(1, [b"second"])]
    produce(other, "t", b"third", partition=0)
    assert sorted(news(1)) == [(0, [b"third"]), (1, [b"second"])]
    assert [type(each) for each in taken] == [FetchResponse, tuple, tuple, FetchResponse]
    request.session_epoch = 2
    answer = client.ask(request, FetchResponse, version=12)
    assert answer.error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH


def test_a_long_poll_is_answered_encoded(cluster, taken):
    client = cluster.client()
    request = fetch_request("t", max_wait_ms=5_000)
    answers = []
    for number in range(4):
        request.topics[0].partitions[0].fetch_offset = number
        client.send(request, answers.append, version=12)
        cluster.world.run(20)
        assert len(answers) == number
        produce(cluster.client(), "t", b"%d" % number)
        cluster.world.run_until(lambda n=number: len(answers) > n, 1_000, "the poll is answered")
        assert values_of(answers[-1].responses[0].partitions[0]) == [b"%d" % number]
    assert [type(each) for each in taken] == [GeneratorType] * 2


def made_lanes(cluster, *requests, version=12):
    """The number of lanes of a connection that sends each of these requests twice."""
    client = cluster.client()
    before = set(cluster.nodes[1].node.dispatcher.connections)
    for request in requests:
        for _ in range(2):
            client.ask(request, FetchResponse, version=version)
    connections = cluster.nodes[1].node.dispatcher.connections
    return sum(len(connections[each].lanes._by_prefix) for each in set(connections) - before)


def test_a_name_with_the_bytes_of_a_sample_has_no_lane(cluster):
    """The lane would find the position, or the epoch, in the name of another topic."""
    leader_epoch, offset, last_epoch, log_start = _fetch_lane._SAMPLE_POSITION
    for name, count in (("1234ABCDEFGHQRSTabcdefgh", 0), ("1234ABCDEFGHQRSTabcdefgx", 1)):
        request = fetch_request(name, offset, leader_epoch=leader_epoch)
        (wanted,) = request.topics[0].partitions
        wanted.last_fetched_epoch, wanted.log_start_offset = last_epoch, log_start
        assert made_lanes(cluster, request) == count
    for rack, count in (('!"#$', 0), ('!"#%', 1)):
        assert made_lanes(cluster, fetch_request("t", rack_id=rack)) == count


def test_a_long_name_is_not_kept(cluster):
    """A connection would keep several copies of it."""
    assert made_lanes(cluster, fetch_request("t", rack_id="r" * 900)) == 1
    assert made_lanes(cluster, fetch_request("t", rack_id="r" * 1100)) == 0
