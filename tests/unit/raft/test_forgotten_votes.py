"""A voter whose disk was replaced neither votes nor counts before it is safe."""

import pytest

from minikafka.apis.vote import vote
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file, write_file
from minikafka.messages import fetch as fetch_messages
from minikafka.messages import fetch_snapshot as snapshot_messages
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.serde import encode_record
from minikafka.raft.election_state import QUORUM_STATE
from minikafka.raft.snapshots import snapshot_ids
from minikafka.records.batch import ControlType
from minikafka.records.builder import BatchOptions, NewRecord, build_batch, control_record
from minikafka.replica.fetch_session import replica_id_of
from tests.worlds.quorum_world import CONTROLLER_ID, formatted_disk
from tests.worlds.voter_world import METADATA, VoterWorld, vote_request, voters_of

FILE = f"{METADATA_FOLDER}/votes-forgotten"


@pytest.fixture
def world():
    """A voter of a static quorum: its first start looks like one with a replaced disk."""
    return VoterWorld.started(new=True, static=True)


def grants(world, *, end_offset, pre_vote=False, epoch=1):
    request = vote_request(
        epoch, end_offset=end_offset, last_epoch=0 if not end_offset else None, pre_vote=pre_vote
    )
    response = world.ask(vote, request, 2)
    return response.topics[0].partitions[0].vote_granted


def records(offset, count=1):
    value = encode_record(NoOpRecord(), 0)
    rows = [NewRecord(0, None, value)] * count
    return bytes(build_batch(rows, BatchOptions(base_offset=offset, leader_epoch=1)))


def fetch(world, **fields):
    """Answer the next fetch; the replica id and the offset that it had."""
    request = world.wait_for(ApiKey.FETCH)[-1]
    world.fetch_answer(request, **fields)
    wanted = request[2]
    return replica_id_of(wanted), wanted.topics[0].partitions[0].fetch_offset


def counts(world):
    """True if its fetches count for the high watermark."""
    return fetch(world)[0] == CONTROLLER_ID


# Votes


@pytest.mark.parametrize("pre_vote", [True, False])
def test_a_candidate_with_records_gets_no_vote(world, pre_vote):
    assert not grants(world, end_offset=5, pre_vote=pre_vote)
    assert world.raft.quorum.voted_key is None


def test_the_first_election_of_a_quorum_makes_a_full_voter(world):
    assert grants(world, end_offset=0, pre_vote=True)
    assert world.disk.exists(FILE)
    assert grants(world, end_offset=0)
    assert not world.disk.exists(FILE)
    assert grants(world, end_offset=5, epoch=2)


def test_a_candidate_of_the_first_election_is_a_full_voter(world):
    world.elect()
    assert not world.disk.exists(FILE)


def test_a_voter_with_part_of_the_log_does_not_stand(world):
    world.follow(101, 1)
    fetch(world, records=records(0))
    world.sent()
    world.advance(20_000)
    assert world.sent(ApiKey.VOTE) == []
    assert not grants(world, end_offset=0, epoch=3)


def test_a_voter_with_records_that_are_not_flushed_does_not_stand(world):
    world.follow(101, 1)
    request = world.wait_for(ApiKey.FETCH)[-1]
    settle, world.settle = world.settle, lambda: None
    world.fetch_answer(request, records=records(0))
    world.settle = settle
    assert world.raft.end_offset == 1 > world.raft.flushed_offset
    assert not world.raft.quorum.may_be_candidate


def test_a_voter_with_a_snapshot_does_not_stand(world):
    """It may lack what was committed after the snapshot."""
    source = VoterWorld.started(seed=5).elect()
    source.fetched_by(101)
    source.fetched_by(101)
    source.snapshotter.max_bytes = 1
    source.raft.append([NoOpRecord()], metadata_version=30)
    source.fetched_by(101)
    source.finish_snapshot()
    (*_, snapshot_id) = snapshot_ids(source.disk, METADATA_FOLDER)
    content = bytes(read_file(source.disk, f"{METADATA_FOLDER}/{snapshot_id.file_name}"))
    world.follow(101, 1)
    fetch(world, snapshot_id=fetch_messages.SnapshotId(*snapshot_id))
    part = snapshot_messages.FetchSnapshotResponsePartitionSnapshot(
        index=0,
        snapshot_id=snapshot_messages.FetchSnapshotResponseSnapshotId(*snapshot_id),
        size=len(content),
        position=0,
        unaligned_records=content,
    )
    topic = snapshot_messages.FetchSnapshotResponseTopicSnapshot(METADATA, [part])
    world.answer(
        world.wait_for(ApiKey.FETCH_SNAPSHOT)[0],
        snapshot_messages.FetchSnapshotResponse(topics=[topic]),
    )
    assert world.raft.end_offset == snapshot_id.end_offset
    world.advance(20_000)
    assert world.sent(ApiKey.VOTE) == []


# What its fetches count


def test_it_counts_when_the_others_have_committed_a_newer_record(world):
    world.follow(101, 1)
    assert fetch(world, records=records(0, 3)) == (-1, 0)
    # The leader may have committed these three with what this voter had acknowledged before.
    assert fetch(world, high_watermark=3) == (-1, 3)
    assert fetch(world, high_watermark=3) == (-1, 3)
    assert fetch(world, records=records(3), high_watermark=3) == (-1, 3)
    assert world.disk.exists(FILE)
    assert fetch(world, high_watermark=4) == (-1, 4)
    assert counts(world)
    assert not world.disk.exists(FILE)
    assert grants(world, end_offset=5, epoch=3)


def test_it_stands_if_the_leader_is_gone_at_once(world):
    world.follow(101, 1)
    fetch(world, records=records(0))
    fetch(world)
    fetch(world, records=records(1))
    fetch(world, high_watermark=2)
    assert not world.disk.exists(FILE)
    assert len(world.wait_for(ApiKey.VOTE)) == 2


def test_what_it_lacks_must_be_fetched_first(world):
    world.follow(101, 1)
    fetch(world, records=records(0, 3))
    fetch(world, high_watermark=3)
    fetch(world, records=records(3), high_watermark=9)
    assert fetch(world, records=records(4, 5), high_watermark=9) == (-1, 4)
    assert counts(world)


def test_another_leader_begins_again(world):
    world.follow(101, 1)
    fetch(world, records=records(0, 3))
    fetch(world)
    world.follow(102, 2)
    assert fetch(world, high_watermark=4) == (-1, 3)
    assert not counts(world)


def test_what_a_former_leader_had_is_no_measure_of_the_next_one(world):
    """Its log may have more that was committed with what this voter had acknowledged."""
    world.follow(101, 1)
    fetch(world, records=records(0, 3))
    fetch(world)
    fetch(world, records=records(3))
    world.follow(102, 2)
    assert fetch(world, high_watermark=4) == (-1, 4)
    assert not counts(world)
    assert world.disk.exists(FILE)


def test_a_restart_does_not_end_it(world):
    world.follow(101, 1)
    fetch(world, records=records(0))
    again = VoterWorld.started(world.disk, static=True)
    again.follow(101, 2)
    assert not counts(again)
    assert not grants(again, end_offset=5, epoch=3)


def test_a_lost_file_is_a_warning(world, caplog):
    world.follow(101, 1)
    fetch(world, records=records(0))
    world.disk.remove(FILE)
    world.disk.remove(f"{METADATA_FOLDER}/{QUORUM_STATE}")
    VoterWorld.started(world.disk, static=True)
    assert "quorum-state or the log was lost" in caplog.text
    assert read_file(world.disk, FILE) == b""


def test_an_operator_can_make_it_vote_at_once(world):
    """In a quorum of two no other majority exists: see docs/operations.md."""
    assert not grants(world, end_offset=5)
    world.disk.remove(FILE)
    again = VoterWorld.started(world.disk, static=True)
    assert grants(again, end_offset=5, epoch=2)


def test_the_only_voter_has_no_other_to_ask():
    world = VoterWorld.started(others=(), new=True)
    assert world.raft.is_leader
    assert not world.disk.exists(FILE)


# A voter of a dynamic quorum: its directory id is in the first snapshot


@pytest.mark.parametrize("pre_vote", [True, False])
def test_a_voter_of_a_dynamic_quorum_votes_at_its_first_start(pre_vote):
    world = VoterWorld.started(new=True)
    assert not world.disk.exists(FILE)
    assert grants(world, end_offset=5, pre_vote=pre_vote)


def test_a_voter_of_a_dynamic_quorum_counts_at_its_first_start():
    world = VoterWorld.started(new=True)
    world.follow(101, 1)
    assert counts(world)


def test_a_first_start_that_was_cut_short_is_one_again():
    """The process ended while it replaced the file."""
    disk = formatted_disk(voters=voters_of(CONTROLLER_ID, 101, 102))
    write_file(disk, f"{METADATA_FOLDER}/{QUORUM_STATE}.tmp", b"{")
    assert grants(VoterWorld.started(disk), end_offset=5)


def test_a_voter_of_a_dynamic_quorum_that_lost_only_its_vote_has_forgotten(caplog):
    """It has no records yet, but may have voted."""
    world = VoterWorld.started(new=True)
    assert grants(world, end_offset=0)
    world.disk.remove(f"{METADATA_FOLDER}/{QUORUM_STATE}")
    again = VoterWorld.started(world.disk)
    assert not grants(again, end_offset=5)
    assert again.disk.exists(FILE)


# A node that does not know the voters, as after its metadata folder was removed


def without_folder():
    """A disk of a dynamic quorum with its directory id, but without any metadata."""
    return VoterWorld.started(formatted_disk(dynamic=False))


def voters_batch(offset, *voter_ids):
    record = control_record(ControlType.KRAFT_VOTERS, voters_of(*voter_ids).to_record(), 0)
    options = BatchOptions(base_offset=offset, leader_epoch=1, is_control=True)
    return bytes(build_batch([record], options))


@pytest.mark.parametrize("pre_vote", [True, False])
def test_a_node_that_does_not_know_the_voters_grants_no_vote(pre_vote):
    world = without_folder()
    assert world.raft.voters is None
    assert not grants(world, end_offset=5, pre_vote=pre_vote)
    assert not grants(world, end_offset=0, pre_vote=pre_vote)
    again = VoterWorld.started(world.disk)
    assert not grants(again, end_offset=5, pre_vote=pre_vote)


def test_it_does_not_count_if_it_was_a_voter():
    world = without_folder()
    world.follow(101, 1)
    assert fetch(world, records=voters_batch(0, 101, 102, CONTROLLER_ID)) == (-1, 0)
    assert fetch(world, high_watermark=1)[1] == 1
    assert fetch(world, high_watermark=1) == (-1, 1)
    assert not grants(world, end_offset=5, epoch=1)
    world.advance(20_000)
    assert world.sent(ApiKey.VOTE) == []
    again = VoterWorld.started(world.disk)
    again.follow(101, 2)
    assert fetch(again, high_watermark=1) == (-1, 1)
    assert fetch(again, records=records(1), high_watermark=1) == (-1, 1)
    assert fetch(again, high_watermark=2) == (-1, 2)
    assert counts(again)
    assert not again.disk.exists(FILE)


def test_a_new_node_is_made_a_voter_without_the_others():
    """A single voter needs it for the commit of the change."""
    world = without_folder()
    world.follow(101, 1)
    fetch(world, records=voters_batch(0, 101))
    fetch(world, high_watermark=1)
    assert not world.disk.exists(FILE)
    fetch(world, records=voters_batch(1, 101, CONTROLLER_ID), high_watermark=1)
    assert counts(world)
    assert grants(world, end_offset=5, epoch=3)


def test_a_new_node_that_hears_of_the_commit_and_of_its_addition_at_once():
    world = without_folder()
    world.follow(101, 1)
    fetch(world, records=voters_batch(0, 101))
    fetch(world, records=voters_batch(1, 101, CONTROLLER_ID), high_watermark=1)
    assert counts(world)
    assert not world.disk.exists(FILE)
    assert world.wait_for(ApiKey.VOTE)
