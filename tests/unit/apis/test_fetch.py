"""Fetch on whole nodes: what a reader may see, how long it waits, and what it is told (H2, H5)."""

import pytest

from minikafka.apis import _fetch_reading
from minikafka.apis._fetch_reading import Reading
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.log import checked_batches
from minikafka.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from minikafka.node.node import Node
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.worlds.sim_world import (
    BY_NAME,
    batch,
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


@pytest.fixture
def cluster():
    cluster = started_cluster(1)
    cluster.topic_ids = {}
    return cluster


@pytest.fixture
def client(one):
    return one.client()


@pytest.fixture
def one():
    """One node, and a topic with three batches of two records."""
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    client = cluster.client()
    for number in range(3):
        produce(client, "t", b"%da" % number, b"%db" % number)
    return cluster


def test_a_fetch_that_waits_is_answered_when_its_session_is_ended(one):
    """By another connection, or for want of room: no partition notifies it any more."""
    client, answers = one.client(), []
    request = fetch_request("t", 6, max_wait_ms=60_000)
    request.session_epoch = 0
    client.send(request, answers.append, version=BY_NAME)
    one.world.run(100)
    (session_id,) = one.nodes[1].node.broker.fetch_sessions._sessions
    ending = FetchRequest(session_id=session_id, session_epoch=-1)
    one.client("other").ask(ending, FetchResponse, version=BY_NAME)
    one.world.run(100)
    assert [answer.error_code for answer in answers] == [ErrorCode.NONE]
    following = FetchRequest(session_id=session_id, session_epoch=1)
    refused = client.ask(following, FetchResponse, version=BY_NAME)
    assert refused.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


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


class Sessions:
    """A client that keeps a fetch session on two partitions (KIP-227)."""

    def __init__(self):
        self.cluster = started_cluster(1)
        create_topic(self.cluster, "t", partitions=2)
        self.client = self.cluster.client()
        self.writer = self.cluster.client("writer")

    def ask(self, epoch, session_id=0, offsets=None, forgotten=()):
        partitions = [
            FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=1 << 20)
            for index, offset in (offsets or {}).items()
        ]
        request = FetchRequest(
            max_wait_ms=100, min_bytes=1, max_bytes=1 << 20, session_id=session_id,
            session_epoch=epoch, topics=[FetchTopic(topic="t", partitions=partitions)],
            forgotten_topics_data=[ForgottenTopic("t", partitions=list(forgotten))],
        )  # fmt: skip
        return self.client.ask(request, FetchResponse, version=BY_NAME)

    @staticmethod
    def told(response):
        return {
            found.partition_index: values_of(found)
            for topic in response.responses
            for found in topic.partitions
        }


def test_a_session_tells_only_what_changed():
    sessions = Sessions()
    first = sessions.ask(0, offsets={0: 0, 1: 0})
    assert first.session_id > 0
    assert sessions.told(first) == {0: [], 1: []}
    produce(sessions.writer, "t", b"x", partition=1)
    second = sessions.ask(1, first.session_id)
    assert sessions.told(second) == {1: [b"x"]}
    third = sessions.ask(2, first.session_id, offsets={1: 1})
    assert sessions.told(third) == {}
    produce(sessions.writer, "t", b"y", partition=0)
    produce(sessions.writer, "t", b"z", partition=1)
    fourth = sessions.ask(3, first.session_id, forgotten=[0])
    assert sessions.told(fourth) == {1: [b"z"]}


def test_of_two_sessions_of_a_follower_the_last_fetch_says_where_it_is():
    """H2: also where it waited when the other one, of before a reconnect, was read late."""
    cluster = started_cluster(2)
    topic_id = create_topic(cluster, "t", replicas=[[1, 2]])
    produce(cluster.client(), "t", b"x", b"y", acks=-1)
    cluster.nodes[2].pause()
    epoch = cluster.nodes[2].node.broker.lifecycle.broker_epoch
    present, former = (cluster.client(name, port=INTERNAL_PORT) for name in ("a", "b"))

    def request(session_id, session_epoch, offset=None, max_wait_ms=0):
        named = [] if offset is None else [
            FetchPartition(
                fetch_offset=offset, last_fetched_epoch=0, log_start_offset=0,
                partition_max_bytes=1000,
            )
        ]  # fmt: skip
        return FetchRequest(
            replica_state=ReplicaState(2, epoch), max_wait_ms=max_wait_ms, min_bytes=1,
            max_bytes=1000, session_id=session_id, session_epoch=session_epoch,
            topics=[FetchTopic(topic_id=topic_id, partitions=named)] if named else [],
        )  # fmt: skip

    session_id = present.ask(request(0, 0, 2), FetchResponse, version=BY_ID).session_id
    answers = []
    present.send(request(session_id, 1, max_wait_ms=500), answers.append, version=BY_ID)
    follower = replica(cluster, 1, "t").followers[2]
    assert follower.log_end_offset == 2
    former.ask(request(0, 0, 0), FetchResponse, version=BY_ID)
    assert follower.log_end_offset == 0
    cluster.world.run_until(lambda: answers, 1_000)
    present.ask(request(session_id, 2), FetchResponse, version=BY_ID)
    assert follower.log_end_offset == 2


@pytest.mark.parametrize(
    ("epoch", "known", "error"),
    [
        (2, True, ErrorCode.INVALID_FETCH_SESSION_EPOCH),
        (1, False, ErrorCode.FETCH_SESSION_ID_NOT_FOUND),
    ],
)
def test_a_session_that_is_out_of_step_is_refused(epoch, known, error):
    sessions = Sessions()
    first = sessions.ask(0, offsets={0: 0})
    answer = sessions.ask(epoch, first.session_id if known else first.session_id + 1)
    assert (answer.error_code, answer.responses) == (error, [])


def test_a_topic_that_goes_while_somebody_waits_is_said():
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


def in_session(client, session_id, epoch, offset=None, replica_id=-1):
    """What a session is told that names one partition, or none."""
    request = fetch_request("t", offset or 0, session_id=session_id, session_epoch=epoch)
    request.replica_id = replica_id
    if offset is None:
        request.topics = []
    answer = client.ask(request, FetchResponse, version=BY_NAME)
    assert answer.error_code == ErrorCode.NONE
    return answer.session_id, [each for topic in answer.responses for each in topic.partitions]


def test_a_log_start_that_retention_moved_is_told_to_sessions(one, client):
    """Nothing but the periodic look at logs says so."""
    session_id, _ = in_session(client, 0, 0, offset=6)
    assert in_session(client, session_id, 1) == (session_id, [])
    replica(one, 1, "t").log.increment_log_start_offset(2)
    one.world.run(2_000)
    _, (told,) = in_session(client, session_id, 2)
    assert told.log_start_offset == 2
    assert in_session(client, session_id, 3) == (session_id, [])


def test_a_session_looks_at_nothing_while_nothing_happens(one, client, monkeypatch):
    looked_at = []
    monkeypatch.setattr(
        Reading, "_read_one", lambda *args, **more: looked_at.append(args) or _read(*args, **more)
    )
    session_id, _ = in_session(client, 0, 0, offset=6)
    assert len(looked_at) == 1
    for epoch in range(1, 4):
        assert in_session(client, session_id, epoch) == (session_id, [])
    assert len(looked_at) == 1
    produce(client, "t", b"x")
    _, (told,) = in_session(client, session_id, 4)
    assert values_of(told) == [b"x"]
    assert len(looked_at) == 2


_read = Reading._read_one
_step = Node.step


def test_a_session_that_its_client_has_left_costs_appends_nothing():
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    client = cluster.client()
    for _ in range(3):
        fetch(client, "t", session_epoch=0)
    watchers = replica(cluster, 1, "t").watchers
    assert len(watchers) == 3
    produce(client, "t", b"a")
    assert not watchers


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
    for module in (checked_batches, _fetch_reading):
        monkeypatch.setattr(module, "MOST_UNITS", 2)
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

    monkeypatch.setattr(_fetch_reading, "_PARTITIONS_A_STEP", 2)
    monkeypatch.setattr(Node, "step", step)
    monkeypatch.setattr(Reading, "_read_one", read)
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
    monkeypatch.setattr(_fetch_reading, "_PARTITIONS_A_STEP", 2)
    client = one.client("leaves")
    request = fetch_request("many", 0, max_wait_ms=2**31 - 1)
    request.min_bytes = 2**31 - 1
    request.session_epoch = epoch
    request.topics[0].partitions = [FetchPartition(index) for index in range(6)]

    def read(reading, wanted, **more):
        _read_slice(reading, wanted, **more)
        node.env.later(client.close)

    monkeypatch.setattr(Reading, "read", read)
    client.send(request, lambda _: None, version=BY_NAME)
    one.world.run(1_000)
    assert len(node.dispatcher.purgatory) == 0
    sessions = node.broker.fetch_sessions._sessions.values()
    assert [session.waiting for session in sessions] == [0] * (epoch == 0)


_read_slice = Reading.read


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
    monkeypatch.setattr(_fetch_reading, "_PARTITIONS_A_STEP", 1)
    quiet = replica(one, 1, "many", 5)
    written = []

    def read(reading, wanted, **more):
        _read_slice(reading, wanted, **more)
        if not written:
            written.append(wanted)
            one.nodes[1].node.env.later(
                lambda: quiet.append_as_leader(memoryview(bytearray(batch(b"x"))), required_acks=1)
            )

    monkeypatch.setattr(Reading, "read", read)
    request = fetch_request("many", 0, max_wait_ms=60_000)
    request.session_id, request.session_epoch = session_id, 2
    request.topics[0].partitions = [FetchPartition(index) for index in range(3)]
    client.send(request, answers.append, version=BY_NAME)
    one.world.run(5_000)
    (answer,) = answers
    assert [x.partition_index for x in answer.responses[0].partitions if x.records] == [5]
