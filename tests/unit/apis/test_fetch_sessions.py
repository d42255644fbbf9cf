"""Fetch sessions on whole nodes: what is answered, and when (H2, KIP-227)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from minikafka.replica.fetch_read import FetchRead
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.unit.apis.conftest import in_session
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
_read = FetchRead._read_one


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
    epoch = cluster.nodes[2].node.broker.local.broker_epoch
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
        FetchRead, "_read_one", lambda *args, **more: looked_at.append(args) or _read(*args, **more)
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
