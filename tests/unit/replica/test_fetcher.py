"""A follower's fetches from one leader: sessions, appends, truncation, refusals."""

from dataclasses import replace
from random import Random

import pytest

from minikafka.common.effects import Channel, CloseChannel
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicIdPartition, TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.recovery import Remembered
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from minikafka.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.replica.fetcher import Fetcher, FetchSettings
from minikafka.replica.partition import Partition
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.conftest import TOPIC_ID, registration
from tests.worlds.wire_world import Wire

LEADER = Channel("leader", 9092, "replica")
BACKOFF_MS = 1000
SETTINGS = FetchSettings(17, 500, 1, 1 << 20, 1 << 18, BACKOFF_MS, 30_000)


def records_of(count, offset=0, epoch=0):
    options = BatchOptions(base_offset=offset, leader_epoch=epoch)
    return bytes(build_batch([NewRecord(1000, None, b"v")] * count, options))


def data_of(index=0, records=b"", high_watermark=0, **more):
    return PartitionData(index, high_watermark=high_watermark, records=records, **more)


class World(Wire):
    """Broker 1, which follows broker 2."""

    def __init__(self):
        super().__init__()
        self.faults = []
        self.flushes = []
        self.partitions = {}
        self.disks = {}
        self.epoch = 10
        self.fetcher = Fetcher(
            self.env,
            self.calls,
            LEADER,
            2,
            1,
            lambda: self.epoch,
            SETTINGS,
            self.faults.append,
            self.flushes.append,
        )

    def follow(self, index=0, leader_epoch=0, log=()):
        """Follow a partition whose log holds `log`: batches of one record by (count, epoch)."""
        disk = self.disks[index] = SimDisk(f"/d{index}")
        name = TopicPartition("t", index)
        opened = UnifiedLog.open(
            disk, f"t-{index}", name, config=LogConfig(), remembered=Remembered(clean=True),
            now=self.env.clock.now, rng=Random(2), topic_id=TOPIC_ID,
        )  # fmt: skip
        for count, epoch in log:
            for _ in range(count):
                self.append(opened, epoch)
        partition = Partition(
            self.env, 1, name, TOPIC_ID, opened, 1, 30_000, dict, lambda _: None, lambda: self.epoch
        )
        self.partitions[index] = partition
        partition.apply(registration((1, 2), leader=2, leader_epoch=leader_epoch))
        self.fetcher.follow(partition)
        return opened

    def append(self, log, epoch):
        records = records_of(1, log.log_end_offset, epoch)
        log.append_as_follower(
            memoryview(bytearray(records)), leader_epoch=epoch, now=self.env.clock.now
        )

    def new_epoch(self, leader_epoch, index=0):
        partition = self.partitions[index]
        partition.apply(
            registration((1, 2), leader=2, leader_epoch=leader_epoch, partition_epoch=leader_epoch)
        )
        self.fetcher.follow(partition)

    def key(self, index=0):
        return TopicIdPartition(TOPIC_ID, index)

    def respond(self, sent, *partitions, session_id=77, error=0):
        topics = [FetchableTopicResponse(topic_id=TOPIC_ID, partitions=list(partitions))]
        self.answer(
            sent,
            FetchResponse(
                error_code=error, session_id=session_id, responses=topics if partitions else []
            ),
        )

    def exchange(self, *partitions, **more):
        """Answer the fetch that is due, and take the next one."""
        self.respond(self.one(), *partitions, **more)
        return self.one()

    def offset_answer(self, sent, offset, error=0):
        row = ListOffsetsPartitionResponse(partition_index=0, offset=offset, error_code=error)
        topic = ListOffsetsTopicResponse(name="t", partitions=[row])
        self.answer(sent, ListOffsetsResponse(topics=[topic]))

    def out_of_range(self):
        """The leader says so; the question that follows."""
        self.respond(self.one(), data_of(error_code=ErrorCode.OFFSET_OUT_OF_RANGE))
        return self.one()


def named(sent):
    """(index, epoch, offset, last epoch) of the partitions that a fetch names."""
    return [
        (p.partition, p.current_leader_epoch, p.fetch_offset, p.last_fetched_epoch)
        for topic in sent.body.topics
        for p in topic.partitions
    ]


def session(sent):
    return sent.body.session_id, sent.body.session_epoch


@pytest.fixture
def world():
    return World()


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


def test_one_fetch_is_under_way_at_a_time(world):
    world.follow(0)
    world.one()
    world.follow(1)
    assert world.sent(100) == []


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


def test_session_epoch_wraps_to_one(world):
    world.follow(0)
    world.respond(world.one())
    world.fetcher._session_epoch = 2**31 - 1
    assert session(world.exchange()) == (77, 1)


@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    ],
)
def test_lost_session_is_begun_anew_at_once(world, error):
    world.follow(0)
    world.respond(world.one())
    sent = world.exchange(error=error)
    assert session(sent) == (0, 0)
    assert named(sent) == [(0, 0, 0, -1)]


def test_other_refusals_of_a_whole_fetch_are_waited_out(world):
    world.follow(0)
    world.respond(world.one(), error=ErrorCode.UNKNOWN_SERVER_ERROR)
    assert world.sent(BACKOFF_MS - 1) == []
    assert session(world.one(1)) == (0, 0)


def test_leader_that_is_gone_is_asked_anew_after_a_pause(world):
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
    log.epochs.entries.clear()
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


def test_a_partition_that_is_not_followed_any_more_holds_nobody_up(world):
    log = world.follow()
    world.follow(1)
    log.renew_config(replace(log.config, flush_messages=1))
    world.respond(world.one(), data_of(records=records_of(1)))
    assert world.sent() == []
    world.fetcher.unfollow(world.key())
    assert world.one().body.forgotten_topics_data[0].partitions == [0]


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


def test_what_an_answer_says_counts_where_only_the_log_start_moved_meanwhile(world):
    """The leader's session has told it, and does not tell it again."""
    log = world.follow(0)
    idle = world.exchange(data_of(0, records_of(3), 0))
    log.update_high_watermark(2)
    log.increment_log_start_offset(1)
    world.fetcher.moved(world.key(0))
    world.respond(idle, data_of(0, high_watermark=3))
    assert log.high_watermark == 3
