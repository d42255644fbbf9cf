import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file, write_file
from minikafka.log.leader_epoch_cache import EpochEnd
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.metadata_reads import read_metadata
from minikafka.raft.snapshots import SnapshotId
from minikafka.records.scan import split_batches
from tests.worlds.quorum_world import QuorumWorld


@pytest.fixture
def world():
    """Epoch 2 begins at offset 11, after a restart."""
    first = QuorumWorld.started()
    assert first.raft.end_offset == 11
    return QuorumWorld.started(first.disk)


def read(world, offset, last_epoch, epoch=2):
    return read_metadata(
        world.raft, current_leader_epoch=epoch, fetch_offset=offset, last_fetched_epoch=last_epoch
    )


def offsets(answer):
    return [header.base_offset for _, header in split_batches(answer.records.read())]


def test_a_follower_reads_on_from_where_it_is(world):
    answer = read(world, 11, 1)
    assert answer.error == ErrorCode.NONE
    assert offsets(answer) == [11, 12]
    assert answer.high_watermark == world.raft.end_offset == 13
    assert answer.log_start_offset == 0


def test_a_new_follower_reads_from_the_beginning(world):
    assert offsets(read(world, 0, 0)) == [0, 3, 10, 11, 12]


def test_at_the_end_there_is_nothing(world):
    answer = read(world, 13, 2)
    assert answer.is_empty
    assert answer.high_watermark == 13


def test_what_is_not_committed_is_read_too(world):
    world.raft.append([NoOpRecord()], metadata_version=30)
    answer = read(world, 13, 2)
    assert offsets(answer) == [13]
    assert answer.high_watermark == 13


@pytest.mark.parametrize(("offset", "last_epoch"), [(13, 2), (0, 0), (12, 1)])
def test_a_leader_tells_no_high_watermark_before_it_has_committed_in_its_epoch(
    world, offset, last_epoch
):
    """A replica may know a greater one from the former leader; Apache Kafka's replica ends then."""
    assert world.raft.epoch_start_offset == 11
    world.raft.high_watermark = 11
    assert read(world, offset, last_epoch).high_watermark == -1
    world.raft.high_watermark = 12
    assert read(world, offset, last_epoch).high_watermark == 12


@pytest.mark.parametrize(
    ("offset", "last_epoch", "epoch", "error"),
    [
        (-1, 0, 2, ErrorCode.INVALID_REQUEST),
        (0, -1, 2, ErrorCode.INVALID_REQUEST),
        (0, 3, 2, ErrorCode.INVALID_REQUEST),
        (0, 0, 1, ErrorCode.FENCED_LEADER_EPOCH),
        (0, 0, 3, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_a_read_is_refused(world, offset, last_epoch, epoch, error):
    assert read(world, offset, last_epoch, epoch).error == error


def test_only_the_leader_answers(world):
    world.raft.elections.resign()
    assert read(world, 0, 0).error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_follower_beyond_the_end_of_its_epoch_goes_back_to_it(world):
    assert read(world, 12, 1).diverging == EpochEnd(1, 11)
    assert read(world, 50, 2).diverging == EpochEnd(2, 13)


def test_a_new_follower_gets_the_snapshot_where_there_is_one(world):
    world.write_snapshot()
    assert read(world, 0, 0).snapshot == SnapshotId(14, 2)
    assert offsets(read(world, 12, 2)) == [12, 13]


def test_a_follower_of_an_epoch_before_every_snapshot_gets_one(world):
    """As Kafka: also where the log itself would reach back far enough."""
    world.write_snapshot()
    assert read(world, 11, 1).snapshot == SnapshotId(14, 2)


def test_a_fetch_reads_no_folder(world, monkeypatch):
    """A listing takes as long as the disk does, and every follower fetches all the time."""
    world.write_snapshot()
    read(world, 12, 2)
    monkeypatch.setattr(world.disk, "list", lambda path: pytest.fail(f"lists {path}"))
    assert read(world, 0, 0).snapshot == SnapshotId(14, 2)
    assert offsets(read(world, 12, 2)) == [12, 13]


def test_the_newest_snapshot_is_named_once_it_is_durable(world):
    world.write_snapshot()
    assert read(world, 0, 0).snapshot == SnapshotId(14, 2)
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.write_snapshot()
    newest = read(world, 0, 0).snapshot
    assert newest is not None
    assert newest.end_offset > 14


def test_a_snapshot_before_the_log_is_not_the_earliest_one(world):
    """Seed 71000202: a power loss brought back a removed snapshot, but not the epochs after it.

    With it the log seemed to have the whole epoch 1, up to its own start. A follower kept records
    of epoch 1 that other records had replaced.
    """
    world.write_snapshot()
    (former,) = (each for each in world.raft.log.snapshots if each.end_offset)
    path = f"{METADATA_FOLDER}/{former.file_name}"
    content = read_file(world.disk, path)
    world = QuorumWorld.started(world.disk)
    world.snapshotter.retention.max_bytes = 0
    world.write_snapshot()
    assert world.raft.log.start_offset > former.end_offset
    write_file(world.disk, path, content)
    world.raft.close()
    world = QuorumWorld.started(world.disk)
    (newest,) = world.raft.log.snapshots
    found = read(world, world.raft.end_offset + 5, former.epoch, epoch=world.raft.epoch)
    assert found.snapshot == newest
    assert found.diverging is None


def test_the_snapshot_at_offset_zero_is_never_named(world):
    assert read(world, 0, 0).snapshot is None


def test_a_follower_at_the_start_of_the_log_in_another_epoch_gets_the_snapshot(world):
    """Its records before the start are of an epoch that the snapshot does not end with."""
    world.snapshotter.retention.max_bytes = 0
    for _ in range(2):
        world.write_snapshot()
        world.advance(1000)
    log = world.raft.log
    (snapshot,) = (x for x in log.snapshots if x.end_offset)
    again = QuorumWorld.started(world.disk)
    assert again.raft.log.start_offset == snapshot.end_offset
    epoch = again.raft.epoch
    assert read(again, snapshot.end_offset, snapshot.epoch, epoch).snapshot is None
    assert read(again, snapshot.end_offset, snapshot.epoch + 1, epoch).snapshot == snapshot
