from minikafka.common.ids import Uuid
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from tests.worlds.quorum_world import DIRECTORY_ID, QuorumWorld


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
