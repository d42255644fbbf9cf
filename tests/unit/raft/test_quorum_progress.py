from minikafka.common.clock import Now
from minikafka.common.ids import Uuid
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.quorum_progress import QuorumProgress
from tests.worlds.quorum_world import DIRECTORY_ID, QuorumWorld
from tests.worlds.voter_world import directory_of, voters_of

NOW = Now(1_000, 1_000)


def test_progress_of_others_is_noted_and_commits_nothing():
    world = QuorumWorld.started()
    world.raft.append([NoOpRecord()], metadata_version=30)
    committed = world.raft.high_watermark
    observer = Uuid.of(6, 6)
    world.raft.fetched(5, observer, world.raft.end_offset)
    assert world.raft.high_watermark == committed
    progress = next(iter(world.raft.progress))
    assert progress.log_end_offset == world.raft.end_offset
    assert progress.last_caught_up_ms == progress.last_fetch_ms == world.env.clock.wall_ms


def test_progress_behind_the_end_does_not_count_as_caught_up():
    world = QuorumWorld.started()
    world.raft.fetched(5, DIRECTORY_ID, world.raft.end_offset - 1)
    assert next(iter(world.raft.progress)).last_caught_up_ms == -1


def fetched(progress, node_id, directory_id, offset, *, voters, now=NOW):
    progress.fetched(node_id, directory_id, offset, voters=voters, end_offset=100, now=now)


def test_a_static_voter_with_a_new_directory_is_the_same_voter():
    """Its disk was replaced: what the old one had does not count any more."""
    voters, progress = voters_of(101, 102, static=True), QuorumProgress()
    fetched(progress, 101, Uuid.of(1, 1), 90, voters=voters)
    fetched(progress, 101, Uuid.of(2, 2), 5, voters=voters)
    assert progress.ends_of(voters) == {101: 5, 102: -1}
    assert [each.directory_id for each in progress] == [Uuid.of(2, 2)]


def test_another_directory_of_a_dynamic_voter_is_an_observer():
    voters, progress = voters_of(101, 102), QuorumProgress()
    fetched(progress, 101, directory_of(101), 5, voters=voters)
    fetched(progress, 101, Uuid.of(2, 2), 90, voters=voters)
    assert progress.ends_of(voters) == {101: 5, 102: -1}
    assert progress.voter_ends(voters, 102, 70) == [5, 70]
    assert len(list(progress)) == 2


def test_observers_that_are_gone_are_dropped():
    voters, progress = voters_of(101), QuorumProgress()
    fetched(progress, 101, directory_of(101), 5, voters=voters)
    fetched(progress, 7, Uuid.of(1, 7), 5, voters=voters)
    fetched(progress, 8, Uuid.of(1, 8), 5, voters=voters)
    fetched(progress, 8, Uuid.of(1, 8), 6, voters=voters, now=Now(301_000, 301_000))
    assert [each.node_id for each in progress] == [101, 7, 8]
    fetched(progress, 8, Uuid.of(1, 8), 6, voters=voters, now=Now(301_001, 301_001))
    assert [each.node_id for each in progress] == [101, 8]


def test_observers_are_limited_and_the_voters_stay():
    """Any client may fetch with any directory id."""
    voters, progress = voters_of(101), QuorumProgress()
    fetched(progress, 101, directory_of(101), 5, voters=voters)
    for number in range(5_000):
        fetched(progress, 101, Uuid.of(3, number), 5, voters=voters)
    known = list(progress)
    assert len(known) == 1_001
    assert known[0].directory_id == directory_of(101)
    assert known[-1].directory_id == Uuid.of(3, 4_999)
