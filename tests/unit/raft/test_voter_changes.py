"""Changes of the voters: what the leader of a quorum of three accepts, and when a change holds."""

import pytest

from minikafka.common.effects import CloseChannel
from minikafka.common.errors import (
    DuplicateVoterError,
    ErrorCode,
    InvalidRequestError,
    InvalidUpdateVersionError,
    NotLeaderOrFollowerError,
    RequestTimedOutError,
    UnsupportedVersionError,
    VoterNotFoundError,
)
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsResponse, SupportedFeatureKey
from minikafka.messages.end_quorum_epoch import EndQuorumEpochRequest
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.broker_registration import Endpoint, FeatureRange
from minikafka.raft.snapshots import read_snapshot, snapshot_ids
from minikafka.raft.voter_set import RaftVoter
from minikafka.records.batch import ControlType
from tests.worlds.quorum_world import CONTROLLER_ID, LISTENER
from tests.worlds.voter_world import VoterWorld, address_of, directory_of, voters_of

NEW = 103


def elected(**options):
    world = VoterWorld.started(**options).elect()
    world.fetched_by(101)
    world.fetched_by(101)
    assert world.raft.high_watermark == world.raft.end_offset
    return world


@pytest.fixture
def leader():
    return elected()


@pytest.fixture
def static_leader():
    return elected(static=True)


def voter(node_id, **changes):
    entry = RaftVoter(node_id, directory_of(node_id), (Endpoint(LISTENER, *address_of(node_id)),))
    return entry._replace(**changes)


def supports(world, low=0, high=1, error=0):
    """The new node answers ApiVersions."""
    request = world.wait_for(ApiKey.API_VERSIONS)[0]
    assert (request[0].host, request[0].port) == address_of(NEW)
    feature = SupportedFeatureKey("kraft.version", low, high)
    world.answer(request, ApiVersionsResponse(error_code=error, supported_features=[feature]))


def add(world, *, waits_for_commit=True):
    """Ask for NEW, which has caught up."""
    world.fetched_by(NEW)
    change = world.raft.changes.add(voter(NEW), waits_for_commit=waits_for_commit)
    supports(world)
    return change


def commit(world, *others):
    """Voters fetch what they had not, so that all is committed."""
    world.fetched_by(*others)
    assert world.raft.high_watermark == world.raft.end_offset


# Adding


def test_a_node_that_has_caught_up_is_added(leader):
    change = add(leader)
    assert leader.raft.voters.ids == [CONTROLLER_ID, 101, 102, NEW]
    assert leader.raft.voters.voters[NEW] == voter(NEW)
    assert not change.is_done
    leader.fetched_by(101)
    assert not change.is_done, "two of four voters are no majority"
    leader.fetched_by(NEW)
    assert (change.is_done, change.error) == (True, None)


def test_a_change_may_be_answered_before_its_commit(leader):
    change = add(leader, waits_for_commit=False)
    assert (change.is_done, change.error) == (True, None)
    with pytest.raises(RequestTimedOutError, match="another change"):
        leader.raft.changes.remove(101, directory_of(101))
    commit(leader, 101, NEW)
    leader.raft.changes.remove(101, directory_of(101))


def test_a_voter_is_not_added_twice(leader):
    with pytest.raises(DuplicateVoterError, match="101 is one of"):
        leader.raft.changes.add(voter(101, directory_id=Uuid.of(1, 1)), waits_for_commit=True)


@pytest.mark.parametrize(
    "wrong",
    [{"directory_id": ZERO_UUID}, {"directory_id": None}, {"endpoints": ()}],
)
def test_a_voter_needs_a_directory_and_the_listener_of_controllers(leader, wrong):
    with pytest.raises(InvalidRequestError, match="directory id and an endpoint"):
        leader.raft.changes.add(voter(NEW, **wrong), waits_for_commit=True)


def test_a_node_that_has_not_caught_up_is_not_added(leader):
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    supports(leader)
    assert isinstance(change.error, RequestTimedOutError)
    assert "has not caught up" in change.error.message
    leader.raft.fetched(NEW, directory_of(NEW), 0)
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    supports(leader)
    assert isinstance(change.error, RequestTimedOutError)
    assert NEW not in leader.raft.voters.ids


def test_a_node_that_has_not_fetched_for_an_hour_is_not_added(leader):
    leader.fetched_by(NEW)
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    request = leader.wait_for(ApiKey.API_VERSIONS)[0]
    wall_ms = leader.env.clock.now.wall_ms + 3_600_001
    leader.env.clock.set(leader.env.clock.now._replace(wall_ms=wall_ms))
    feature = SupportedFeatureKey("kraft.version", 0, 1)
    leader.answer(request, ApiVersionsResponse(supported_features=[feature]))
    assert isinstance(change.error, RequestTimedOutError)


def test_a_node_that_lacks_the_kraft_version_is_not_added(leader):
    leader.fetched_by(NEW)
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    supports(leader, 0, 0)
    assert isinstance(change.error, InvalidRequestError)
    assert NEW not in leader.raft.voters.ids
    # Nothing is pending any more.
    add(leader)


def test_a_node_that_does_not_answer_is_not_added(leader):
    leader.fetched_by(NEW)
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    leader.lose(leader.wait_for(ApiKey.API_VERSIONS)[0])
    assert isinstance(change.error, RequestTimedOutError)
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    supports(leader, error=ErrorCode.INVALID_REQUEST)
    assert isinstance(change.error, RequestTimedOutError)
    assert NEW not in leader.raft.voters.ids


def test_a_change_that_was_given_up_is_not_appended(leader):
    leader.fetched_by(NEW)
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    leader.raft.changes.give_up(change)
    end = leader.raft.end_offset
    supports(leader)
    assert leader.raft.end_offset == end
    add(leader)


def test_a_record_that_was_given_up_still_bars_the_next_change(leader):
    leader.raft.changes.give_up(add(leader))
    with pytest.raises(RequestTimedOutError):
        leader.raft.changes.remove(101, directory_of(101))
    commit(leader, 101, NEW)
    leader.raft.changes.remove(101, directory_of(101))


def test_the_connection_to_a_new_node_is_closed_after_its_answer(leader):
    """A request may name any address: the connections would stay open."""
    leader.fetched_by(NEW)
    leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    request = leader.wait_for(ApiKey.API_VERSIONS)[0]
    closed, flush = [], leader.flush

    def noting_closed():
        closed.extend(each for each in leader.env.effects if isinstance(each, CloseChannel))
        return flush()

    leader.flush = noting_closed
    leader.answer(request, ApiVersionsResponse(supported_features=[]))
    assert closed == [CloseChannel(request[0])]


# Removing


def test_a_voter_is_removed(leader):
    change = leader.raft.changes.remove(102, directory_of(102))
    assert leader.raft.voters.ids == [CONTROLLER_ID, 101]
    leader.fetched_by(102)
    assert not change.is_done, "it counts no more"
    leader.fetched_by(101)
    assert (change.is_done, change.error) == (True, None)
    assert leader.raft.is_leader


@pytest.mark.parametrize("key", [(NEW, directory_of(NEW)), (101, directory_of(102))])
def test_only_a_voter_with_its_directory_is_removed(leader, key):
    with pytest.raises(VoterNotFoundError, match="none of the voters"):
        leader.raft.changes.remove(*key)


def test_the_only_voter_is_not_removed():
    world = VoterWorld.started(others=())
    with pytest.raises(InvalidRequestError, match="only voter"):
        world.raft.changes.remove(CONTROLLER_ID, directory_of(CONTROLLER_ID))


def test_a_leader_that_removes_itself_leads_until_the_commit(leader):
    change = leader.raft.changes.remove(CONTROLLER_ID, directory_of(CONTROLLER_ID))
    assert leader.raft.is_leader
    leader.fetched_by(101)
    assert not change.is_done, "its own log counts no more"
    assert leader.raft.is_leader
    leader.fetched_by(102)
    assert (change.is_done, change.error) == (True, None)
    assert leader.role == "resigned"
    told = [each for _, _, each in leader.sent() if isinstance(each, EndQuorumEpochRequest)]
    assert len(told) == 2
    leader.advance(20_000)
    assert leader.sent(ApiKey.VOTE) == []
    assert leader.role == "unattached"


# One change at a time


def test_a_change_waits_for_the_one_before(leader):
    leader.raft.changes.remove(102, directory_of(102))
    for ask in (
        lambda: leader.raft.changes.remove(101, directory_of(101)),
        lambda: leader.raft.changes.add(voter(NEW), waits_for_commit=True),
        lambda: leader.raft.changes.update(voter(101, endpoints=())),
        lambda: leader.raft.changes.check_upgrade(1),
    ):
        with pytest.raises((RequestTimedOutError, InvalidRequestError)):
            ask()
    assert leader.raft.voters.ids == [CONTROLLER_ID, 101]


def test_a_new_leader_commits_a_record_of_its_epoch_first():
    world = VoterWorld.started().elect()
    with pytest.raises(RequestTimedOutError, match="of its epoch"):
        world.raft.changes.remove(101, directory_of(101))
    world.fetched_by(101)
    world.fetched_by(101)
    world.raft.changes.remove(101, directory_of(101))


def test_what_former_leaders_committed_is_no_record_of_the_new_epoch():
    """The high watermark is the start of the epoch: all before it is committed, and no more."""
    disk = elected().disk
    world = VoterWorld.started(disk)
    world.raft.on_high_watermark(world.raft.end_offset)
    world.elect()
    assert world.raft.high_watermark == world.raft.epoch_start_offset
    with pytest.raises(RequestTimedOutError, match="of its epoch"):
        world.raft.changes.remove(101, directory_of(101))


def test_only_the_leader_changes_voters():
    world = VoterWorld.started().follow(101, 1)
    for ask in (
        lambda: world.raft.changes.remove(101, directory_of(101)),
        lambda: world.raft.changes.add(voter(NEW), waits_for_commit=True),
        lambda: world.raft.changes.update(voter(101)),
        lambda: world.raft.changes.check_upgrade(1),
    ):
        with pytest.raises(NotLeaderOrFollowerError):
            ask()


def test_a_change_of_a_leader_that_resigns_has_no_known_end(leader):
    change = add(leader)
    leader.elections.resign()
    assert isinstance(change.error, NotLeaderOrFollowerError)


def test_what_a_new_voter_had_fetched_counts_at_once(leader):
    """The high watermark of four voters needs three: the third is the new one."""
    leader.fetched_by(NEW)
    end = leader.raft.end_offset
    change = leader.raft.changes.add(voter(NEW), waits_for_commit=True)
    supports(leader)
    assert leader.raft.progress.of(voter(NEW)).log_end_offset == end
    commit(leader, 101, NEW)
    assert change.is_done
    leader.raft.changes.remove(NEW, directory_of(NEW))
    assert leader.raft.progress.of(voter(NEW)) is None
    assert leader.raft.progress.observer(NEW, directory_of(NEW)).log_end_offset > end


# Updates


def test_the_endpoints_of_a_voter_are_updated(leader):
    moved = voter(101, endpoints=(Endpoint(LISTENER, "elsewhere", 7),))
    leader.raft.changes.update(moved)
    assert leader.raft.voters.voters[101] == moved
    commit(leader, 101)
    end = leader.raft.end_offset
    leader.raft.changes.update(moved)
    assert leader.raft.end_offset == end, "nothing is written if nothing changed"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"node_id": NEW}, VoterNotFoundError),
        ({"directory_id": directory_of(102)}, VoterNotFoundError),
        ({"directory_id": ZERO_UUID}, InvalidRequestError),
        ({"node_id": CONTROLLER_ID}, InvalidRequestError),
        ({"endpoints": ()}, InvalidRequestError),
        ({"kraft_versions": FeatureRange(0, 0)}, InvalidRequestError),
        ({"kraft_versions": FeatureRange(1, 0)}, InvalidRequestError),
        ({"kraft_versions": FeatureRange(-1, 1)}, InvalidRequestError),
    ],
)
def test_an_update_is_refused(leader, changes, error):
    end = leader.raft.end_offset
    with pytest.raises(error):
        leader.raft.changes.update(voter(101)._replace(**changes))
    assert leader.raft.end_offset == end


def test_a_leader_writes_its_own_endpoints_with_its_first_batch():
    """Its entry in the snapshot at offset 0 has others."""
    world = elected()
    assert world.raft.voters.voters[CONTROLLER_ID] == world.raft.changes.own_voter
    again = VoterWorld.started(world.disk).elect()
    first = next(again.raft.log.batches(again.raft.epoch_start_offset, again.raft.end_offset))
    assert [kind for kind, _ in first.control] == [ControlType.LEADER_CHANGE]


# kraft.version


def describe(world, *voter_ids, **changes):
    for each in voter_ids:
        world.raft.changes.update(voter(each, **changes))


def test_a_static_quorum_has_no_changes(static_leader):
    changes = static_leader.raft.changes
    with pytest.raises(UnsupportedVersionError, match="kraft.version is 0"):
        changes.remove(101, directory_of(101))
    with pytest.raises(UnsupportedVersionError, match="kraft.version is 0"):
        changes.add(voter(NEW), waits_for_commit=True)


def test_a_static_quorum_becomes_dynamic(static_leader):
    raft = static_leader.raft
    with pytest.raises(InvalidUpdateVersionError, match=r"\[101, 102\]"):
        raft.changes.check_upgrade(1)
    describe(static_leader, 101, 102)
    raft.changes.check_upgrade(1)
    assert raft.kraft_version == 0
    raft.changes.upgrade(1)
    assert raft.kraft_version == 1
    assert raft.voters == voters_of(CONTROLLER_ID, 101, 102).with_voter(raft.changes.own_voter)
    commit(static_leader, 101)
    raft.changes.remove(102, directory_of(102))
    assert raft.voters.ids == [CONTROLLER_ID, 101]


def test_what_voters_support_is_asked_before_an_upgrade(static_leader):
    describe(static_leader, 101)
    describe(static_leader, 102, kraft_versions=FeatureRange(0, 0))
    with pytest.raises(InvalidUpdateVersionError, match="voter 102 does not support"):
        static_leader.raft.changes.upgrade(1)
    assert static_leader.raft.kraft_version == 0


def test_what_voters_told_a_former_leader_is_not_known(static_leader):
    describe(static_leader, 101, 102)
    static_leader.elections.resign()
    static_leader.elect()
    static_leader.fetched_by(101)
    static_leader.fetched_by(101)
    with pytest.raises(InvalidUpdateVersionError, match="have not described themselves"):
        static_leader.raft.changes.upgrade(1)


def test_an_upgrade_to_the_same_level_writes_nothing(leader):
    end = leader.raft.end_offset
    leader.raft.changes.upgrade(1)
    assert leader.raft.end_offset == end


# A removal that may not be committed


def test_a_voter_stands_until_its_removal_is_committed():
    """Its leader may lose the record: then this voter's log is the longest."""
    leader = elected(others=(101,))
    world = VoterWorld.started(seed=7, others=(101,)).follow(101, leader.raft.epoch)
    first = world.wait_for(ApiKey.FETCH)[-1]
    world.fetch_answer(
        first,
        records=bytes(leader.raft.log.read(0, 1 << 20).slice.read()),
        high_watermark=leader.raft.high_watermark,
    )
    end = world.raft.end_offset
    leader.raft.append([NoOpRecord()], metadata_version=30)
    leader.fetched_by(101)
    leader.raft.changes.remove(CONTROLLER_ID, directory_of(CONTROLLER_ID))
    world.fetch_answer(
        world.wait_for(ApiKey.FETCH)[-1],
        records=bytes(leader.raft.log.read(end, 1 << 20).slice.read()),
    )
    assert not world.raft.quorum.is_voter
    assert world.raft.quorum.may_be_candidate
    world.vote_answer(world.wait_for(ApiKey.VOTE)[0], granted=True)
    world.vote_answer(world.wait_for(ApiKey.VOTE)[0], granted=True)
    assert world.raft.is_leader
    # It commits its own removal, with the log of the only voter that is left, and resigns.
    world.fetched_by(101)
    assert world.role == "resigned"
    assert not world.raft.quorum.may_be_candidate


# Snapshots beside a change that is not committed


def snapshot_before_a_change(world):
    """Append a record and the removal of 102, and commit only the record, with a snapshot."""
    world.raft.append([NoOpRecord()], metadata_version=30)
    end_offset = world.raft.end_offset
    before = world.raft.voters
    world.raft.changes.remove(102, directory_of(102))
    assert world.raft.voters != before
    world.snapshotter.max_bytes = 1
    world.settle()
    world.raft.fetched(101, directory_of(101), end_offset)
    world.settle()
    world.finish_snapshot()
    assert world.raft.high_watermark == end_offset < world.raft.end_offset
    return before


def snapshots(world):
    return [each for each in snapshot_ids(world.disk, METADATA_FOLDER) if each.end_offset]


def test_a_snapshot_has_the_voters_of_its_end(leader):
    """Not those of a change that may be truncated."""
    before = snapshot_before_a_change(leader)
    (snapshot_id,) = snapshots(leader)
    assert snapshot_id.end_offset == leader.raft.high_watermark
    snapshot = read_snapshot(leader.disk, f"{METADATA_FOLDER}/{snapshot_id.file_name}")
    assert snapshot.voters == before


def test_the_removal_of_snapshots_keeps_the_voters_before_a_change(leader):
    """The change may be truncated: then the voters before it hold again."""
    leader.snapshotter.max_bytes = 1
    leader.raft.append([NoOpRecord()], metadata_version=30)
    commit(leader, 101)
    leader.finish_snapshot()
    assert len(snapshots(leader)) == 1
    leader.snapshotter.retention.max_bytes = 0
    before = snapshot_before_a_change(leader)
    (snapshot_id,) = snapshots(leader)
    assert snapshot_id.end_offset == leader.raft.high_watermark
    assert leader.raft.quorum.history.truncate(leader.raft.high_watermark)
    assert leader.raft.voters == before
