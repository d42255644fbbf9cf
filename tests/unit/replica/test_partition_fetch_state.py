"""A followed partition fetches, backs off or has failed."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import InvariantViolation
from minikafka.replica.partition_fetch_state import FETCH_STATES, FetchState
from tests.unit.replica.fetcher_world import (
    BACKOFF_MS,
    FetcherWorld,
    data_of,
    named,
    records_of,
    session,
)


@pytest.fixture
def world():
    return FetcherWorld()


def test_refused_partition_rests_while_the_others_go_on(world):
    world.follow(0)
    world.follow(1)
    sent = world.exchange(data_of(0, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER), data_of(1))
    assert sent.body.forgotten_topics_data[0].partitions == [0]
    world.at(BACKOFF_MS)
    world.respond(sent)
    assert named(world.one()) == [(0, 0, 0, -1)]


def test_lone_refused_partition_is_fetched_again_after_the_pause(world):
    world.follow()
    world.respond(world.one(), data_of(error_code=ErrorCode.UNKNOWN_LEADER_EPOCH))
    assert world.sent(BACKOFF_MS - 1) == []
    # The session still holds it, where it was.
    assert session(world.one(1)) == (77, 1)


def test_error_that_this_version_does_not_know_is_a_refusal(world):
    world.follow()
    world.respond(world.one(), data_of(error_code=3000))
    assert world.sent(BACKOFF_MS - 1) == []
    assert len(world.sent(1)) == 1


def test_corrupt_records_are_not_taken_and_fetched_again(world):
    log = world.follow()
    records = bytearray(records_of(2))
    records[-1] ^= 1
    world.respond(world.one(), data_of(records=bytes(records)))
    assert log.log_end_offset == 0
    assert world.sent(BACKOFF_MS - 1) == []
    assert len(world.sent(1)) == 1


def test_records_before_the_own_end_fail_the_partition_until_a_new_epoch(world):
    log = world.follow(log=[(5, 0)])
    world.respond(world.one(), data_of(records=records_of(2, 3)))
    assert log.log_end_offset == 5
    assert world.sent(100 * BACKOFF_MS) == []
    world.new_epoch(1)
    assert named(world.one()) == [(0, 1, 5, 0)]


def test_partition_that_failed_stays_failed_when_a_late_answer_cannot_be_written(world):
    """Its log could not be truncated; the response about the leader's end was on its way."""
    world.follow(log=[(5, 0)])
    asked = world.out_of_range()
    sent = world.one(BACKOFF_MS)
    world.respond(sent, data_of(records=records_of(2, 3)))
    assert world.state() is FetchState.FAILED
    world.disks[0].broken = "read-only"
    world.offset_answer(asked, 2)
    assert [fault.log_dir for fault in world.faults] == ["/d0"]
    assert world.state() is FetchState.FAILED
    assert world.sent(100 * BACKOFF_MS) == []


def test_partition_backs_off_again_when_a_late_answer_cannot_be_written(world):
    world.follow(log=[(5, 0)])
    asked = world.out_of_range()
    world.run(BACKOFF_MS // 2)
    world.disks[0].broken = "read-only"
    world.offset_answer(asked, 2)
    assert world.state() is FetchState.BACKING_OFF
    assert world.sent(BACKOFF_MS - 1) == []
    assert len(world.sent(1)) == 1
    assert world.state() is FetchState.FETCHING


@pytest.mark.parametrize("after", list(FetchState))
def test_no_state_follows_a_failure_in_the_same_leader_epoch(world, after):
    world.follow()
    followed = world.fetcher.followed[world.key()]
    followed.enter(FetchState.FAILED)
    with pytest.raises(InvariantViolation, match=f"t-0: FAILED -> {after.name} is not legal$"):
        followed.enter(after)
    world.new_epoch(1)
    assert world.state() is FetchState.FETCHING


def test_a_partition_that_fetches_does_not_begin_to_fetch():
    with pytest.raises(InvariantViolation):
        FETCH_STATES.require(FetchState.FETCHING, FetchState.FETCHING)
