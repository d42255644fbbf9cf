"""Fetches of much: a part is read or checked in each step of a node."""

import pytest

from minikafka.apis import fetch as fetch_api
from minikafka.log.segment import checked_batches
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchResponse
from minikafka.node.node import Node
from minikafka.replica import fetch_read
from minikafka.replica.fetch_read import FetchRead
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.worlds.sim_world import (
    BY_NAME,
    batch,
    create_topic,
    fetch_request,
    produce,
    replica,
    started_cluster,
    values_of,
)

BY_ID = 17


_read = FetchRead._read_one
_step = Node.step


def test_a_fetch_of_much_that_a_disk_holds_has_a_part_checked_a_step(monkeypatch):
    """55 MB of small batches were checked in one step of 2 s."""
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=4)
    for partition in range(4):
        for value in (b"a", b"b", b"c"):
            produce(cluster.client(), "t", value, partition=partition)
    node = cluster.nodes[1]
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 60_000, "it stops")
    node.start()
    cluster.world.run_until(cluster.all_started, 60_000, "it serves")
    for module in (checked_batches, fetch_read):
        monkeypatch.setattr(module, "MAX_CHECK_US", 6)
    offsets, rounds = [0] * 4, 0
    while offsets != [3] * 4:
        request = fetch_request("t")
        request.topics[0].partitions = [
            FetchPartition(index, fetch_offset=offset, partition_max_bytes=1 << 20)
            for index, offset in enumerate(offsets)
            if offset < 3
        ]
        answer = cluster.client().ask(request, FetchResponse, version=BY_NAME)
        counts = [len(values_of(found)) for found in answer.responses[0].partitions]
        assert 1 <= sum(counts) <= 3
        for found, count in zip(answer.responses[0].partitions, counts, strict=True):
            offsets[found.partition_index] += count
        rounds += 1
    assert rounds == 5


@pytest.fixture
def reads_by_step(monkeypatch):
    """How many partitions each step of a node reads, where 3 are many."""
    reads = [0]

    def step(*args):
        reads.append(0)
        return _step(*args)

    def read(*args, **more):
        reads[-1] += 1
        return _read(*args, **more)

    monkeypatch.setattr(fetch_api, "_MAX_PARTITIONS_PER_STEP", 2)
    monkeypatch.setattr(Node, "step", step)
    monkeypatch.setattr(FetchRead, "_read_one", read)
    return reads


@pytest.mark.parametrize("epoch", [-1, 0], ids=["no session", "a session"])
def test_a_consumer_of_many_partitions_has_a_few_read_a_step(client, epoch, reads_by_step):
    """A session of 20,000 partitions was one step of 0.15 s."""
    request = fetch_request("t", 0)
    request.session_epoch = epoch
    request.topics[0].partitions += [FetchPartition(index) for index in range(1, 7)]
    answer = client.ask(request, FetchResponse, version=BY_NAME)
    (topic,) = answer.responses
    assert [each.partition_index for each in topic.partitions] == list(range(7))
    assert values_of(topic.partitions[0]) == [b"0a", b"0b", b"1a", b"1b", b"2a", b"2b"]
    assert [each for each in reads_by_step if each] == [2, 2, 2, 1]


def test_a_long_poll_of_many_partitions_reads_a_few_a_step(one, reads_by_step):
    create_topic(one, "many", partitions=5)
    client, answers = one.client(), []
    request = fetch_request("many", 0, max_wait_ms=60_000)
    request.topics[0].partitions = [
        FetchPartition(index, partition_max_bytes=1_000) for index in range(5)
    ]
    client.send(request, answers.append, version=BY_NAME)
    one.world.run(100)
    assert answers == []
    produce(one.client("other"), "many", b"x", partition=3)
    one.world.run(100)
    (answer,) = answers
    assert values_of(answer.responses[0].partitions[3]) == [b"x"]
    assert [each for each in reads_by_step if each] == [2, 2, 1] * 2


def test_what_a_follower_reads_is_read_in_one_step(one, reads_by_step):
    """Its leader's log may be truncated between two steps."""
    client = one.client(port=INTERNAL_PORT)
    request = fetch_request("t", 0)
    request.replica_id = 2
    request.topics[0].partitions += [FetchPartition(index) for index in range(1, 7)]
    client.ask(request, FetchResponse, version=BY_NAME)
    assert [each for each in reads_by_step if each] == [7]


@pytest.mark.parametrize("epoch", [-1, 0], ids=["no session", "a session"])
def test_nothing_waits_for_a_consumer_that_leaves_between_slices(one, epoch, monkeypatch):
    """Each such request stayed for as long as it had asked to wait: 24 days, and 1.3 MB."""
    create_topic(one, "many", partitions=6)
    node = one.nodes[1].node
    monkeypatch.setattr(fetch_api, "_MAX_PARTITIONS_PER_STEP", 2)
    client = one.client("leaves")
    request = fetch_request("many", 0, max_wait_ms=2**31 - 1)
    request.min_bytes = 2**31 - 1
    request.session_epoch = epoch
    request.topics[0].partitions = [FetchPartition(index) for index in range(6)]

    def read(reading, wanted, **more):
        _read_slice(reading, wanted, **more)
        node.env.later(client.close)

    monkeypatch.setattr(FetchRead, "read", read)
    client.send(request, lambda _: None, version=BY_NAME)
    one.world.run(1_000)
    assert len(node.dispatcher.purgatory) == 0
    sessions = node.broker.fetch_sessions._sessions.values()
    assert [session.waiting for session in sessions] == [0] * (epoch == 0)


_read_slice = FetchRead.read


def test_what_is_written_between_two_slices_ends_the_wait_of_a_session(one, monkeypatch):
    create_topic(one, "many", partitions=6)
    client, answers = one.client(), []
    request = fetch_request("many", 0)
    request.session_epoch = 0
    request.topics[0].partitions = [FetchPartition(index) for index in range(6)]
    session_id = client.ask(request, FetchResponse, version=BY_NAME).session_id
    again = FetchRequest(session_id=session_id, session_epoch=1, max_wait_ms=0, min_bytes=1)
    client.ask(again, FetchResponse, version=BY_NAME)
    # Three are named, and read one by one. The quiet one changes after the first of them.
    monkeypatch.setattr(fetch_api, "_MAX_PARTITIONS_PER_STEP", 1)
    quiet = replica(one, 1, "many", 5)
    written = []

    def read(reading, wanted, **more):
        _read_slice(reading, wanted, **more)
        if not written:
            written.append(wanted)
            one.nodes[1].node.env.later(
                lambda: quiet.append_as_leader(memoryview(bytearray(batch(b"x"))), required_acks=1)
            )

    monkeypatch.setattr(FetchRead, "read", read)
    request = fetch_request("many", 0, max_wait_ms=60_000)
    request.session_id, request.session_epoch = session_id, 2
    request.topics[0].partitions = [FetchPartition(index) for index in range(3)]
    client.send(request, answers.append, version=BY_NAME)
    one.world.run(5_000)
    (answer,) = answers
    assert [x.partition_index for x in answer.responses[0].partitions if x.records] == [5]
