"""Fetch sessions hold what a client asked for and say only what is news (KIP-227)."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.common.errors import (
    FetchSessionIdNotFoundError,
    FetchSessionTopicIdError,
    InvalidFetchSessionEpochError,
)
from minikafka.common.ids import Uuid
from minikafka.messages.fetch import (
    EpochEndOffset,
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
    ReplicaState,
)
from minikafka.replica.fetch_session import FetchSessions, Session, SessionKey, replica_id_of
from tests.worlds.wire_world import take_turn

TOPIC = Uuid.of(1, 1)


def request(partitions=(0,), session_id=0, epoch=0, forgotten=(), replica=-1):
    return FetchRequest(
        session_id=session_id,
        session_epoch=epoch,
        replica_state=ReplicaState(replica, -1),
        topics=[FetchTopic("", TOPIC, [FetchPartition(p, fetch_offset=p) for p in partitions])]
        if partitions
        else [],
        forgotten_topics_data=[ForgottenTopic("", TOPIC, list(forgotten))] if forgotten else [],
    )


def key(partition):
    return SessionKey(TOPIC, "", partition)


@pytest.fixture
def env():
    return Environment(Random(4))


@pytest.fixture
def sessions(env):
    return FetchSessions(env, slots=2)


def test_fetch_without_a_session(sessions):
    assert sessions.resolve(request(epoch=-1), 17) is None
    assert len(sessions) == 0


def test_session_remembers_what_was_asked(sessions):
    session = sessions.resolve(request((0, 1)), 17)
    again = sessions.resolve(request((), session.session_id, 1), 17)
    assert again is session
    assert list(session.partitions) == [key(0), key(1)]


def test_incremental_request_changes_and_forgets(sessions):
    session = sessions.resolve(request((0, 1)), 17)
    sessions.resolve(request((2,), session.session_id, 1, forgotten=(0,)), 17)
    assert list(session.partitions) == [key(1), key(2)]


def test_epochs_follow_one_another(sessions):
    session = sessions.resolve(request(), 17)
    for epoch in (1, 2, 3):
        sessions.resolve(request((), session.session_id, epoch), 17)
    with pytest.raises(InvalidFetchSessionEpochError):
        sessions.resolve(request((), session.session_id, 3), 17)


def test_last_epoch_is_followed_by_the_first(sessions):
    session = sessions.resolve(request(), 17)
    session.epoch = 2**31 - 1
    sessions.resolve(request((), session.session_id, 2**31 - 1), 17)
    assert session.epoch == 1


def test_unknown_session(sessions):
    with pytest.raises(FetchSessionIdNotFoundError):
        sessions.resolve(request((), 99, 1), 17)


def test_session_of_topic_ids_is_not_continued_by_names(sessions):
    session = sessions.resolve(request(), 17)
    with pytest.raises(FetchSessionTopicIdError):
        sessions.resolve(request((), session.session_id, 1), 12)


def test_closing_a_session(sessions):
    session = sessions.resolve(request(), 17)
    assert sessions.resolve(request((), session.session_id, -1), 17) is None
    assert len(sessions) == 0


def test_full_cache_refuses_new_sessions(sessions):
    assert sessions.resolve(request(), 17)
    assert sessions.resolve(request(), 17)
    assert sessions.resolve(request(), 17) is None


def test_full_cache_drops_what_was_not_used_for_two_minutes(env, sessions):
    sessions.resolve(request(), 17)
    sessions.resolve(request(), 17)
    env.clock.set(Now(120_001, 0))
    assert sessions.resolve(request(), 17) is not None
    assert len(sessions) == 2


def test_idle_sessions_go_in_the_order_of_their_last_use(env):
    sessions = FetchSessions(env, slots=3)
    first, second, third = (sessions.resolve(request(), 17) for _ in range(3))
    env.clock.set(Now(60_000, 0))
    sessions.resolve(request((), first.session_id, 1), 17)
    env.clock.set(Now(120_001, 0))
    sessions.resolve(request(), 17)
    assert (first.is_closed, second.is_closed, third.is_closed) == (False, True, False)


def test_a_full_cache_of_busy_sessions_is_not_searched(env):
    """With 100,000 slots, each fetch that asked for one more looked at all of them."""
    looked_at = []

    class Watched(Session):
        def __getattribute__(self, name):
            looked_at.append(name)
            return super().__getattribute__(name)

    sessions = FetchSessions(env, slots=1_000, kind=Watched)
    for _ in range(1_000):
        sessions.resolve(request(), 17)
    looked_at.clear()
    assert sessions.resolve(request(), 17) is None
    assert len(looked_at) < 10


def test_followers_go_before_consumers(sessions):
    sessions.resolve(request(), 17)
    sessions.resolve(request(), 17)
    assert sessions.resolve(request(replica=3), 17) is not None


def test_partitions_of_all_sessions_have_a_bound(env):
    sessions = FetchSessions(env, slots=10, most_partitions=10)
    known = sessions.resolve(request(range(6)), 17)
    assert sessions.resolve(request(range(5)), 17) is None
    assert sessions.resolve(request(range(4)), 17) is not None
    with pytest.raises(FetchSessionIdNotFoundError):
        sessions.resolve(request([7], known.session_id, 1), 17)
    assert sessions.partition_count == 4
    assert len(sessions.resolve(request(range(9), replica=3), 17).partitions) == 9
    assert len(sessions) == 1


def test_idle_sessions_give_their_memory_back(env):
    sessions = FetchSessions(env, slots=10)
    sessions.sweep()
    idle, busy = (sessions.resolve(request(), 17) for _ in range(2))
    for epoch in range(1, 5):
        env.clock.set(Now(epoch * 60_000, 0))
        assert sessions.resolve(request((), busy.session_id, epoch), 17) is busy
        for _ in range(2):
            take_turn(env, env.clock.monotonic_ms)
    assert (len(sessions), sessions.partition_count) == (1, 1)
    with pytest.raises(FetchSessionIdNotFoundError):
        sessions.resolve(request((), idle.session_id, 1), 17)


def test_partitions_that_are_gone_make_room(sessions):
    session = sessions.resolve(request(range(6)), 17)
    sessions.resolve(request((), session.session_id, 1, forgotten=[1, 2]), 17)
    assert sessions.partition_count == 4
    sessions.resolve(request((), session.session_id, 2, forgotten=[0, 3, 4, 5]), 17)
    assert (sessions.partition_count, len(sessions)) == (0, 0)


def test_replica_id_in_either_place():
    assert replica_id_of(FetchRequest(replica_id=5)) == 5
    assert replica_id_of(FetchRequest(replica_state=ReplicaState(6, 1))) == 6
    assert replica_id_of(FetchRequest()) == -1


def data(**changes):
    fields = {"partition_index": 0, "high_watermark": 5, "log_start_offset": 0, "records": b""}
    return PartitionData(**{**fields, **changes})


@pytest.mark.parametrize(
    ("second", "news"),
    [
        (data(), False),
        (data(last_stable_offset=4), False),
        (data(records=b"x"), True),
        (data(high_watermark=6), True),
        (data(log_start_offset=1), True),
        (data(error_code=6), True),
        (data(preferred_read_replica=2), True),
        (data(diverging_epoch=EpochEndOffset(1, 2)), True),
    ],
)
def test_only_news_is_told_again(second, news, sessions):
    (asked,) = sessions.resolve(request(), 17).partitions.values()
    assert asked.must_send(data())
    assert asked.must_send(second) == news


def test_error_is_told_until_it_is_over(sessions):
    (asked,) = sessions.resolve(request(), 17).partitions.values()
    assert asked.must_send(data(error_code=6))
    assert asked.must_send(data(error_code=6))
    assert asked.must_send(data())
    assert not asked.must_send(data())


def test_everything_is_told_again_after_a_truncation(sessions):
    """A follower that truncates takes nothing else from the answer that makes it truncate."""
    (asked,) = sessions.resolve(request(), 17).partitions.values()
    assert asked.must_send(data(diverging_epoch=EpochEndOffset(1, 2)))
    assert asked.must_send(data())
    assert not asked.must_send(data())


def test_everything_is_told_again_in_another_leader_epoch(sessions):
    """A follower ignores answers of an older epoch: what they told it does not know."""
    session = sessions.resolve(request(), 17)
    asked = session.partitions[key(0)]
    answer = PartitionData(0, high_watermark=5)
    assert asked.must_send(answer)
    assert not asked.must_send(answer)
    again = request((0,), session.session_id, 1)
    again.topics[0].partitions[0].current_leader_epoch = 3
    sessions.resolve(again, 17)
    assert asked.must_send(answer)
