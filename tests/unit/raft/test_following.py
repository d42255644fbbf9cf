"""A voter that follows: what it reports, what it truncates, and which snapshots it loads."""

from random import Random

import pytest

from minikafka.apis.vote import vote
from minikafka.common.effects import Flush
from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file
from minikafka.messages import fetch as fetch_messages
from minikafka.messages import fetch_snapshot as snapshot_messages
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.data.voters_record import VotersRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.serde import encode_record
from minikafka.protocol.message import encode_message
from minikafka.raft.snapshots import SnapshotId, snapshot_ids
from minikafka.records.batch import ControlType
from minikafka.records.builder import BatchOptions, NewRecord, build_batch, control_record
from tests.worlds.quorum_world import CONTROLLER_ID, SETTINGS, formatted_disk
from tests.worlds.voter_world import METADATA, VoterWorld, vote_request, voters_of


class Source(VoterWorld):
    """The leader whose log the other one gets."""

    @classmethod
    def elected(cls):
        source = cls.started(seed=5).elect()
        source.fetched_by(101)
        source.fetched_by(101)
        return source

    def bytes_from(self, offset):
        return bytes(self.raft.log.read(offset, 1 << 20).slice.read())

    def append(self, count=1):
        for _ in range(count):
            self.raft.append([NoOpRecord()], metadata_version=30)
        self.settle()
        self.fetched_by(101)

    def write_snapshot_of_all(self):
        self.snapshotter.max_bytes = 1
        self.append()
        self.finish_snapshot()
        self.snapshotter.max_bytes = 1 << 30
        (*_, latest) = snapshot_ids(self.disk, METADATA_FOLDER)
        return latest


@pytest.fixture
def source():
    return Source.elected()


@pytest.fixture
def world():
    return VoterWorld.started(seed=6).follow(101, 1)


def position(request):
    """Offset and last epoch of a fetch."""
    wanted = request[2].topics[0].partitions[0]
    return wanted.fetch_offset, wanted.last_fetched_epoch


def catch_up(world, source, high_watermark=None):
    """Fetch everything that the source has, and by default its high watermark."""
    if high_watermark is None:
        high_watermark = source.raft.high_watermark
    while world.raft.end_offset < source.raft.end_offset:
        request = world.wait_for(ApiKey.FETCH)[-1]
        world.fetch_answer(
            request,
            records=source.bytes_from(world.raft.end_offset),
            high_watermark=high_watermark,
        )


def answered_without_flush(world, **fields):
    """Answer a fetch, and leave the flushes undone; the flushes."""
    request = world.wait_for(ApiKey.FETCH)[-1]
    settle, world.settle = world.settle, lambda: None
    world.fetch_answer(request, **fields)
    world.settle = settle
    return [each for each in world.env.effects if isinstance(each, Flush)]


# What a voter reports


def test_a_voter_fetches_on_when_what_it_has_is_on_its_disk(world, source):
    (flush,) = answered_without_flush(world, records=source.bytes_from(0))
    assert world.raft.end_offset == source.raft.end_offset
    world.env.effects.clear()
    now_ms = world.env.clock.monotonic_ms
    world.env.timers.fire_due(now_ms + 100)
    assert world.env.effects == []
    for target in flush.targets:
        target.run()
    world.env.flush_done(flush.token, None)
    assert world.raft.flushed_offset == world.raft.end_offset
    assert position(world.wait_for(ApiKey.FETCH)[0]) == (source.raft.end_offset, 1)


def test_a_controller_that_may_be_made_a_voter_fetches_on_when_it_has_flushed():
    """It may be a voter already, by a record that it has not fetched."""
    disk = formatted_disk(voters=voters_of(101, 102))
    world = VoterWorld.started(disk, seed=6).follow(101, 1)
    assert not world.raft.quorum.is_voter
    value = encode_record(NoOpRecord(), 0)
    batch = build_batch([NewRecord(0, None, value)], BatchOptions(leader_epoch=1))
    (flush,) = answered_without_flush(world, records=bytes(batch))
    assert not world.raft.quorum.is_voter
    world.env.effects.clear()
    world.env.timers.fire_due(world.env.clock.monotonic_ms + 100)
    assert world.env.effects == []
    for target in flush.targets:
        target.run()
    world.env.flush_done(flush.token, None)
    assert position(world.wait_for(ApiKey.FETCH)[0])[0] == world.raft.end_offset == 1


def test_a_voter_that_lost_its_tail_reports_what_is_left(world, source):
    answered_without_flush(world, records=source.bytes_from(0))
    world.disk.lose_power(Random(2))
    again = VoterWorld.started(world.disk)
    assert again.position == ("follower", 1, 101)
    assert again.raft.end_offset < source.raft.end_offset
    assert position(again.wait_for(ApiKey.FETCH)[0])[0] == again.raft.end_offset
    catch_up(again, source)
    assert again.raft.high_watermark == source.raft.high_watermark


def test_a_voter_that_restarts_flushes_before_its_first_fetch(world, source):
    """The process before was killed: what it had written is in the log, but not on the disk."""
    answered_without_flush(world, records=source.bytes_from(0))
    again = VoterWorld(world.disk)
    again.raft.start(again)
    again.env.timers.fire_due(again.env.clock.monotonic_ms + 100)
    assert all(isinstance(each, Flush) for each in again.env.effects)
    assert again.raft.flushed_offset < again.raft.end_offset
    assert position(again.wait_for(ApiKey.FETCH)[0]) == (again.raft.end_offset, 1)
    assert again.raft.flushed_offset == again.raft.end_offset


def test_the_fetch_has_the_high_watermark_that_is_known(world, source):
    request = world.wait_for(ApiKey.FETCH)[0]
    assert request[2].topics[0].partitions[0].high_watermark == -1
    world.fetch_answer(request, records=source.bytes_from(0), high_watermark=3)
    assert world.raft.high_watermark == 3
    request = world.wait_for(ApiKey.FETCH)[0]
    assert request[2].topics[0].partitions[0].high_watermark == 3


def test_the_high_watermark_does_not_go_back(world, source):
    catch_up(world, source)
    before = world.raft.high_watermark
    for lower in (-1, 0, before - 1):
        world.fetch_answer(world.wait_for(ApiKey.FETCH)[-1], high_watermark=lower)
    assert world.raft.high_watermark == before


# Voters


def add_voters(source, *voter_ids):
    append_voters(source, voters_of(*voter_ids))


def append_voters(source, voters):
    record = control_record(ControlType.KRAFT_VOTERS, voters.to_record(), 0)
    source.raft.log.append_control([record], epoch=1, now=source.env.clock.now)


def test_voters_hold_when_they_are_appended_and_no_longer_when_they_are_truncated(world, source):
    catch_up(world, source)
    before, end = world.raft.voters.ids, world.raft.end_offset
    add_voters(source, CONTROLLER_ID, 101, 102, 103)
    source.settle()
    request = world.wait_for(ApiKey.FETCH)[-1]
    world.fetch_answer(request, records=source.bytes_from(end))
    assert world.raft.high_watermark < world.raft.end_offset
    assert world.raft.voters.ids == [*before, 103]
    world.elections.answer_begin_epoch(2, 102, ("n102", 9093))
    diverging = fetch_messages.EpochEndOffset(1, end)
    world.fetch_answer(world.wait_for(ApiKey.FETCH)[-1], diverging_epoch=diverging)
    assert world.raft.end_offset == end
    assert world.raft.voters.ids == before


@pytest.fixture
def removed(world, source):
    """A follower that is no voter as far as it knows."""
    catch_up(world, source)
    add_voters(source, 101, 102, 103)
    source.settle()
    end = world.raft.end_offset
    world.fetch_answer(
        world.wait_for(ApiKey.FETCH)[-1],
        records=source.bytes_from(end),
        high_watermark=source.raft.end_offset,
    )
    assert not world.raft.quorum.is_voter
    return world


def test_a_node_that_was_removed_asks_for_no_votes(removed):
    removed.sent()
    removed.advance(20_000)
    assert removed.sent(ApiKey.VOTE) == []
    assert removed.position == ("follower", 1, 101)


def granted(world, epoch, **fields):
    response = world.ask(vote, vote_request(epoch, 102, **{"last_epoch": 1, **fields}), 2)
    return response.topics[0].partitions[0].vote_granted


def test_a_node_that_may_have_been_made_a_voter_grants_pre_votes_if_its_leader_is_silent(removed):
    """The others need its vote if the leader that added it has lost its disk."""
    removed.advance(SETTINGS.fetch_timeout_ms - 1)
    assert not granted(removed, 1, pre_vote=True)
    removed.advance(1)
    assert not granted(removed, 1, pre_vote=True, end_offset=removed.raft.end_offset - 1)
    assert not granted(removed, 1)
    assert granted(removed, 1, pre_vote=True)
    assert removed.position == ("follower", 1, 101)
    assert granted(removed, 2)


def test_a_leader_that_is_heard_needs_no_successor(removed):
    for _ in range(5):
        removed.fetch_answer(removed.wait_for(ApiKey.FETCH)[-1])
        removed.advance(SETTINGS.fetch_timeout_ms // 2)
        assert not granted(removed, 1, pre_vote=True)


def test_a_former_directory_does_not_stand_when_its_node_is_a_voter_again(world, source):
    """The next change proves that its removal was committed, though it has not heard so."""
    catch_up(world, source)
    end = world.raft.end_offset
    add_voters(source, 101, 102)
    replaced = voters_of(CONTROLLER_ID).voters[CONTROLLER_ID]._replace(directory_id=Uuid.of(4, 4))
    append_voters(source, voters_of(101, 102).with_voter(replaced))
    source.settle()
    world.fetch_answer(world.wait_for(ApiKey.FETCH)[-1], records=source.bytes_from(end))
    assert world.raft.high_watermark < end + 2
    assert not world.raft.quorum.is_voter
    world.sent()
    world.advance(20_000)
    assert world.sent(ApiKey.VOTE) == [], "its own vote would count as that of its successor"


@pytest.mark.parametrize("value", [VotersRecord(voters=[]), b"\0\0\xff\xff\xff\xff\x0f"])
def test_voters_that_cannot_be_used_are_not_appended(world, source, caplog, value):
    catch_up(world, source)
    before, end = world.raft.voters, world.raft.end_offset
    value = value if isinstance(value, bytes) else encode_message(value, 0)
    record = control_record(ControlType.KRAFT_VOTERS, value, 0)
    options = BatchOptions(base_offset=end, leader_epoch=1, is_control=True)
    request = world.wait_for(ApiKey.FETCH)[-1]
    world.fetch_answer(request, records=bytes(build_batch([record], options)))
    assert (world.raft.voters, world.raft.end_offset) == (before, end)
    assert "sent damaged batches" in caplog.text
    # It asks again, and not in a busy loop.
    world.advance(400)
    assert world.sent(ApiKey.FETCH) == []
    assert position(world.wait_for(ApiKey.FETCH)[0])[0] == end


# Truncation


def test_committed_records_are_not_truncated(world, source):
    catch_up(world, source)
    diverging = fetch_messages.EpochEndOffset(1, 1)
    with pytest.raises(StorageFault, match="had been committed"):
        world.fetch_answer(world.wait_for(ApiKey.FETCH)[-1], diverging_epoch=diverging)
    assert world.raft.end_offset == source.raft.end_offset


def test_records_that_a_truncation_leaves_are_not_committed_by_the_same_answer(world, source):
    """The next fetch may find that they diverge, too (seed 79000456)."""
    catch_up(world, source)
    end, high_watermark = world.raft.end_offset, world.raft.high_watermark
    assert high_watermark == end
    source.append(2)
    request = world.wait_for(ApiKey.FETCH)[-1]
    world.fetch_answer(request, records=source.bytes_from(end))
    # Leader 102 has the first of the two records from another epoch.
    world.elections.answer_begin_epoch(3, 102, ("n102", 9093))
    diverging = fetch_messages.EpochEndOffset(2, end + 1)
    request = world.wait_for(ApiKey.FETCH)[-1]
    world.fetch_answer(request, diverging_epoch=diverging, high_watermark=end + 2)
    assert position(world.wait_for(ApiKey.FETCH)[-1]) == (end + 1, 1)
    assert world.raft.high_watermark == high_watermark


# Snapshots


def offer(world, snapshot_id, **fields):
    request = world.wait_for(ApiKey.FETCH)[-1]
    world.fetch_answer(request, snapshot_id=fetch_messages.SnapshotId(*snapshot_id), **fields)


def piece_of(source, request, most=1 << 20):
    """The part of a snapshot that a FetchSnapshot wants."""
    wanted = request[2].topics[0].partitions[0]
    snapshot_id = SnapshotId(wanted.snapshot_id.end_offset, wanted.snapshot_id.epoch)
    content = bytes(read_file(source.disk, f"{METADATA_FOLDER}/{snapshot_id.file_name}"))
    part = snapshot_messages.FetchSnapshotResponsePartitionSnapshot(
        index=0,
        snapshot_id=snapshot_messages.FetchSnapshotResponseSnapshotId(*snapshot_id),
        size=len(content),
        position=wanted.position,
        unaligned_records=content[wanted.position :][:most],
    )
    topic = snapshot_messages.FetchSnapshotResponseTopicSnapshot(METADATA, [part])
    return snapshot_messages.FetchSnapshotResponse(topics=[topic])


def files(world, suffix):
    return [each for each in world.disk.list(METADATA_FOLDER) if each.endswith(suffix)]


def test_a_follower_that_is_behind_loads_the_leaders_snapshot(world, source):
    snapshot_id = source.write_snapshot_of_all()
    assert snapshot_id not in world.raft.log.snapshots
    offer(world, snapshot_id)
    request = world.wait_for(ApiKey.FETCH_SNAPSHOT)[0]
    world.answer(request, piece_of(source, request))
    assert world.snapshots == [snapshot_id]
    assert snapshot_id in world.raft.log.snapshots
    assert (world.raft.log.start_offset, world.raft.end_offset) == (snapshot_id.end_offset,) * 2
    assert world.raft.high_watermark == snapshot_id.end_offset
    assert world.raft.voters == source.raft.voters
    assert position(world.wait_for(ApiKey.FETCH)[0]) == snapshot_id
    again = VoterWorld.started(world.disk)
    assert again.raft.end_offset == snapshot_id.end_offset
    assert again.raft.voters == source.raft.voters


def test_a_snapshot_is_not_loaded_over_a_longer_log(world, source, caplog):
    snapshot_id = source.write_snapshot_of_all()
    source.append(3)
    catch_up(world, source, high_watermark=-1)
    end = world.raft.end_offset
    assert end > snapshot_id.end_offset > world.raft.high_watermark
    offer(world, snapshot_id)
    assert world.sent(ApiKey.FETCH_SNAPSHOT) == []
    assert (world.raft.log.start_offset, world.raft.end_offset) == (0, end)
    assert "but the metadata log here ends at offset" in caplog.text


def test_a_snapshot_before_what_is_committed_stops_the_node(world, source):
    snapshot_id = source.write_snapshot_of_all()
    source.append(3)
    catch_up(world, source)
    with pytest.raises(StorageFault, match="had been committed"):
        offer(world, snapshot_id)


def test_a_download_ends_with_the_epoch_and_begins_again(world, source):
    """Two downloads of one snapshot would write to one file."""
    snapshot_id = source.write_snapshot_of_all()
    offer(world, snapshot_id)
    first = world.wait_for(ApiKey.FETCH_SNAPSHOT)[0]
    world.answer(first, piece_of(source, first, 100))
    late = world.wait_for(ApiKey.FETCH_SNAPSHOT)[0]
    assert files(world, ".part") == [f"{snapshot_id.file_name}.part"]
    world.elections.answer_begin_epoch(2, 102, ("n102", 9093))
    assert files(world, ".part") == []
    offer(world, snapshot_id)
    second = world.wait_for(ApiKey.FETCH_SNAPSHOT)[0]
    world.answer(late, piece_of(source, late))
    assert world.snapshots == []
    assert second[2].topics[0].partitions[0].position == 0
    world.answer(second, piece_of(source, second))
    assert world.snapshots == [snapshot_id]
    assert files(world, ".part") == []
    assert world.position == ("follower", 2, 102)


@pytest.mark.parametrize("wrong", ["no topics", "no partitions"])
def test_an_answer_without_a_partition_is_an_error(world, wrong):
    request = world.wait_for(ApiKey.FETCH)[0]
    topics = [] if wrong == "no topics" else [fetch_messages.FetchableTopicResponse(partitions=[])]
    world.answer(request, fetch_messages.FetchResponse(responses=topics))
    assert world.wait_for(ApiKey.FETCH)
