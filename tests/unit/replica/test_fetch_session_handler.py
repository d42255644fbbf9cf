"""The follower's half of a fetch session: what a request names and forgets."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.replica.fetch_session_handler import FetchSessionHandler
from tests.unit.replica.conftest import TOPIC_ID
from tests.unit.replica.fetcher_world import (
    BACKOFF_MS,
    LEADER,
    SETTINGS,
    FetcherWorld,
    data_of,
    named,
    records_of,
    session,
)
from tests.worlds.broker_view import local_broker


@pytest.fixture
def world():
    return FetcherWorld()


def test_first_fetch_names_everything_and_asks_for_a_session(world):
    world.follow(0, log=[(3, 0)])
    world.follow(1, leader_epoch=4)
    sent = world.one()
    assert sent.channel == LEADER
    assert session(sent) == (0, 0)
    assert named(sent) == [(0, 0, 3, 0), (1, 4, 0, -1)]
    body = sent.body
    assert (body.replica_state.replica_id, body.replica_state.replica_epoch) == (1, 10)
    assert (body.max_wait_ms, body.min_bytes, body.max_bytes) == (500, 1, 1 << 20)
    assert sent.header.client_id == "broker-1-fetcher-0"


def test_incremental_fetch_names_only_what_moved(world):
    world.follow(0)
    world.follow(1)
    sent = world.exchange(data_of(0, records_of(2), 0), data_of(1))
    assert session(sent) == (77, 1)
    assert named(sent) == [(0, 0, 2, 0)]
    world.respond(sent)
    sent = world.one()
    assert session(sent) == (77, 2)
    assert named(sent) == []


def test_partition_that_is_followed_no_more_is_forgotten(world):
    world.follow(0)
    world.follow(1)
    world.respond(world.one())
    world.fetcher.unfollow(world.key(1))
    sent = world.one()
    (forgotten,) = sent.body.forgotten_topics_data
    assert (forgotten.topic_id, forgotten.partitions) == (TOPIC_ID, [1])


def test_partition_that_is_new_joins_the_session(world):
    world.follow(0)
    world.respond(world.one())
    world.follow(1)
    sent = world.one()
    assert session(sent) == (77, 1)
    assert named(sent) == [(1, 0, 0, -1)]


def test_leader_without_room_for_a_session_is_told_everything_each_time(world):
    world.follow(0)
    sent = world.exchange(session_id=0)
    assert session(sent) == (0, 0)
    assert named(sent) == [(0, 0, 0, -1)]


def test_session_epoch_wraps_to_one():
    handler = FetchSessionHandler(local_broker(None, epoch=10), SETTINGS)
    handler.accepted(77)
    assert handler.request().session_epoch == 1
    handler._epoch = 2**31 - 1
    handler.accepted(77)
    request = handler.request()
    assert (request.session_id, request.session_epoch) == (77, 1)


@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    ],
)
def test_lost_session_is_replaced_at_once(world, error):
    world.follow(0)
    world.respond(world.one())
    sent = world.exchange(error=error)
    assert session(sent) == (0, 0)
    assert named(sent) == [(0, 0, 0, -1)]


def test_a_partition_that_is_forgotten_while_nothing_is_fetched_is_forgotten_later(world):
    """The leader would send its records for good otherwise."""
    world.follow(0)
    world.respond(world.one(), data_of(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER))
    assert world.sent() == []
    world.fetcher.unfollow(world.key(0))
    assert world.sent() == []
    world.follow(1)
    sent = world.one(BACKOFF_MS)
    assert named(sent) == [(1, 0, 0, -1)]
    assert [each.partitions for each in sent.body.forgotten_topics_data] == [[0]]


def test_a_log_that_something_else_moved_is_named(world):
    """Retention raises the start of a follower's log; the leader waits for that to delete."""
    world.follow(0)
    world.respond(world.exchange(data_of(0, records_of(3), 3)))
    idle = world.one()
    assert named(idle) == []
    world.partitions[0].log.increment_log_start_offset(2)
    world.fetcher.moved(world.key(0))
    world.respond(idle)
    (wanted,) = world.one().body.topics[0].partitions
    assert wanted.log_start_offset == 2
