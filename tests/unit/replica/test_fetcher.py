"""A follower's fetches from one leader: appends, truncation, refusals."""

from dataclasses import replace

import pytest

from minikafka.common.effects import CloseChannel
from minikafka.common.errors import ErrorCode
from minikafka.messages.fetch import (
    EpochEndOffset,
    FetchRequest,
)
from minikafka.messages.list_offsets import (
    ListOffsetsRequest,
)
from tests.unit.replica.fetcher_world import (
    BACKOFF_MS,
    LEADER,
    FetcherWorld,
    data_of,
    named,
    records_of,
    session,
)


@pytest.fixture
def world():
    return FetcherWorld()


def test_one_fetch_is_under_way_at_a_time(world):
    world.follow(0)
    world.one()
    world.follow(1)
    assert world.sent(100) == []


def test_other_refusals_of_a_whole_fetch_are_waited_out(world):
    world.follow(0)
    world.respond(world.one(), error=ErrorCode.UNKNOWN_SERVER_ERROR)
    assert world.sent(BACKOFF_MS - 1) == []
    assert session(world.one(1)) == (0, 0)


def test_leader_that_is_gone_is_asked_again_after_a_pause(world):
    world.follow(0)
    world.respond(world.one())
    world.one()
    world.calls.channel_down(LEADER, "reset")
    assert world.sent(BACKOFF_MS - 1) == []
    sent = world.one(1)
    assert session(sent) == (0, 0)
    assert named(sent) == [(0, 0, 0, -1)]


def test_records_are_appended_as_they_are(world):
    log = world.follow()
    sent = world.exchange(data_of(records=records_of(3, 0, 5)))
    # Epoch 5 is above the one that is followed: nothing of it may be taken.
    assert log.log_end_offset == 0
    world.respond(sent, data_of(records=records_of(3)))
    assert log.log_end_offset == 3
    assert log.latest_epoch == 0
    assert world.partitions[0].appended in world.env.notified


@pytest.mark.parametrize(
    ("leader_says", "own"), [(0, 0), (2, 2), (3, 3), (9, 3)], ids=["none", "less", "all", "more"]
)
def test_high_watermark_is_the_lesser_of_the_leader_s_and_the_own_end(world, leader_says, own):
    log = world.follow()
    sent = world.one()
    world.env.notified.clear()
    world.respond(sent, data_of(records=records_of(3), high_watermark=leader_says))
    assert log.high_watermark == own
    assert (world.partitions[0].committed in world.env.notified) == (own > 0)


def test_log_start_follows_the_leader_s(world):
    log = world.follow(log=[(5, 0)])
    world.respond(world.one(), data_of(high_watermark=5, log_start_offset=3))
    assert log.log_start_offset == 3


@pytest.mark.parametrize(
    ("own", "leader_epoch", "leader_end", "kept"),
    [
        ([(3, 0), (4, 2)], 0, 3, 3),
        ([(3, 0), (4, 2)], 0, 2, 2),
        ([(3, 0), (4, 2)], 1, 5, 3),
        ([(5, 0)], 0, 4, 4),
        ([(5, 2)], 1, 0, 0),
    ],
    ids=[
        "own epoch is unknown to the leader",
        "the leader's part of the epoch is shorter",
        "the leader's epoch is unknown here",
        "last epoch, shorter there",
        "no epoch in common",
    ],
)
def test_diverging_epoch_truncates(world, own, leader_epoch, leader_end, kept):
    log = world.follow(leader_epoch=3, log=own)
    diverging = EpochEndOffset(leader_epoch, leader_end)
    sent = world.exchange(data_of(diverging_epoch=diverging, records=b""))
    assert log.log_end_offset == kept
    assert named(sent)[0][2] == kept


def test_truncation_of_committed_records_is_a_warning(world, caplog):
    log = world.follow(log=[(5, 0)])
    log.update_high_watermark(5)
    world.exchange(data_of(diverging_epoch=EpochEndOffset(0, 2), records=b""))
    assert log.log_end_offset == 2
    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert "truncates committed records: offsets 2 to 4" in warning.getMessage()
    assert "the log of leader 2 in epoch 0" in warning.getMessage()


def test_log_that_knows_no_epoch_takes_the_leader_s_word(world):
    log = world.follow(log=[(5, 0)])
    log.leader_epochs.clear()
    # The position says that nothing is known.
    world.respond(world.one(), data_of(diverging_epoch=EpochEndOffset(0, 2)))
    assert log.log_end_offset == 2


def test_end_beyond_the_leader_s_is_cut_to_it(world):
    log = world.follow(log=[(5, 0)])
    asked = world.out_of_range()
    assert isinstance(asked.body, ListOffsetsRequest)
    ((row,),) = (topic.partitions for topic in asked.body.topics)
    assert (row.timestamp, row.current_leader_epoch, asked.body.replica_id) == (-1, 0, 1)
    world.offset_answer(asked, 2)
    assert log.log_end_offset == 2
    sent = world.one(BACKOFF_MS)
    assert named(sent) == [(0, 0, 2, 0)]


def test_end_before_the_leader_s_start_begins_over_there(world):
    log = world.follow(log=[(5, 0)])
    world.offset_answer(world.out_of_range(), 90)
    asked = world.one()
    ((row,),) = (topic.partitions for topic in asked.body.topics)
    assert row.timestamp == -2
    world.offset_answer(asked, 40)
    assert (log.log_start_offset, log.log_end_offset) == (40, 40)
    assert named(world.one(BACKOFF_MS))[0][2] == 40


def test_end_within_the_leader_s_log_is_kept(world):
    log = world.follow(log=[(5, 0)])
    world.offset_answer(world.out_of_range(), 90)
    world.offset_answer(world.one(), 5)
    assert (log.log_start_offset, log.log_end_offset) == (0, 5)


def test_refused_question_changes_nothing_and_is_asked_again_later(world):
    log = world.follow(log=[(5, 0)])
    world.offset_answer(world.out_of_range(), -1, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert log.log_end_offset == 5
    assert isinstance(world.one(BACKOFF_MS).body, FetchRequest)


def test_answer_about_the_end_is_stale_in_a_new_epoch(world):
    log = world.follow(log=[(5, 0)])
    asked = world.out_of_range()
    world.new_epoch(1)
    world.offset_answer(asked, 2)
    assert log.log_end_offset == 5


def test_disk_that_fails_while_it_is_cut_takes_only_itself_away(world):
    world.follow(log=[(5, 0)])
    asked = world.out_of_range()
    world.disks[0].broken = "read-only"
    world.offset_answer(asked, 2)
    assert [fault.log_dir for fault in world.faults] == ["/d0"]


def test_disk_that_fails_holds_up_no_other_partition(world):
    world.follow(0)
    other = world.follow(1)
    sent = world.one()
    world.disks[0].broken = "read-only"
    world.respond(sent, data_of(0, records_of(2)), data_of(1, records_of(2), 2))
    assert [fault.log_dir for fault in world.faults] == ["/d0"]
    assert (other.log_end_offset, other.high_watermark) == (2, 2)


def test_answer_to_an_older_position_is_ignored(world):
    log = world.follow()
    sent = world.one()
    world.new_epoch(1)
    world.respond(sent, data_of(records=records_of(3), high_watermark=3))
    assert (log.log_end_offset, log.high_watermark) == (0, 0)
    assert named(world.one()) == [(0, 1, 0, -1)]


def test_answer_about_a_partition_that_was_not_asked_for_is_ignored(world):
    log = world.follow()
    sent = world.one()
    other = world.follow(1)
    world.fetcher.unfollow(world.key(0))
    world.respond(sent, data_of(0, records_of(3)), data_of(1, records_of(3)))
    assert (log.log_end_offset, other.log_end_offset) == (0, 0)


def test_closed_fetcher_asks_no_more(world):
    log = world.follow()
    world.one()
    world.fetcher.close()
    assert world.sent(100 * BACKOFF_MS) == []
    assert world.others == [CloseChannel(LEADER)]
    world.fetcher.follow(world.partitions[0])
    assert world.sent(BACKOFF_MS) == []
    assert log.log_end_offset == 0


def test_nothing_is_fetched_while_a_flush_is_awaited(world):
    """`flush.messages`: the next fetch would tell the leader of records that are not on disk."""
    log = world.follow()
    log.renew_config(replace(log.config, flush_messages=1))
    world.respond(world.one(), data_of(records=records_of(1)))
    assert world.flushes == [log]
    assert world.sent() == []
    request = log.take_flush()
    request.run()
    log.flushed(request)
    world.fetcher.flushed(world.key())
    assert named(world.one()) == [(0, 0, 1, 0)]


def test_a_partition_that_is_not_followed_any_more_delays_no_other(world):
    log = world.follow()
    world.follow(1)
    log.renew_config(replace(log.config, flush_messages=1))
    world.respond(world.one(), data_of(records=records_of(1)))
    assert world.sent() == []
    world.fetcher.unfollow(world.key())
    assert world.one().body.forgotten_topics_data[0].partitions == [0]


def test_what_an_answer_says_counts_where_only_the_log_start_moved_meanwhile(world):
    """The leader's session has told it, and does not tell it again."""
    log = world.follow(0)
    idle = world.exchange(data_of(0, records_of(3), 0))
    log.update_high_watermark(2)
    log.increment_log_start_offset(1)
    world.fetcher.moved(world.key(0))
    world.respond(idle, data_of(0, high_watermark=3))
    assert log.high_watermark == 3
