"""FetchSnapshot: the parts of a snapshot, and every error."""

import pytest

from minikafka.apis import fetch_snapshot as api
from minikafka.apis.fetch_snapshot import fetch_snapshot
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file
from minikafka.messages.fetch_snapshot import (
    FetchSnapshotRequest,
    FetchSnapshotRequestPartitionSnapshot,
    FetchSnapshotRequestSnapshotId,
    FetchSnapshotRequestTopicSnapshot,
)
from minikafka.raft.snapshots import SnapshotId, snapshot_ids
from tests.worlds.quorum_world import CLUSTER_ID, CONTROLLER_ID
from tests.worlds.voter_world import METADATA, VoterWorld, directory_of


@pytest.fixture
def world():
    """A leader with a snapshot, which 101 follows."""
    world = VoterWorld.started().elect()
    world.snapshotter.max_bytes = 1
    for _ in range(2):
        world.fetched_by(101)
    world.finish_snapshot()
    return world


def latest(world):
    return snapshot_ids(world.disk, METADATA_FOLDER)[-1]


def content(world):
    return bytes(read_file(world.disk, f"{METADATA_FOLDER}/{latest(world).file_name}"))


def ask(
    world,
    *,
    snapshot_id=None,
    position=0,
    max_bytes=1 << 20,
    epoch=None,
    topic=METADATA,
    partition=0,
    version=1,
    replica_id=101,
    directory_id=None,
    cluster_id=CLUSTER_ID,
):
    wanted = FetchSnapshotRequestPartitionSnapshot(
        partition=partition,
        current_leader_epoch=world.raft.epoch if epoch is None else epoch,
        snapshot_id=FetchSnapshotRequestSnapshotId(*(snapshot_id or latest(world))),
        position=position,
        replica_directory_id=directory_id or directory_of(101),
    )
    topics = [FetchSnapshotRequestTopicSnapshot(topic, [wanted])]
    request = FetchSnapshotRequest(cluster_id, replica_id, max_bytes, topics)
    return world.ask(fetch_snapshot, request, version)


def part(world, **options):
    response = ask(world, **options)
    assert response.error_code == ErrorCode.NONE
    return response.topics[0].partitions[0]


def test_the_parts_make_up_the_file(world):
    whole, found = content(world), b""
    while len(found) < len(whole):
        piece = part(world, position=len(found), max_bytes=100)
        assert (piece.size, piece.position) == (len(whole), len(found))
        found += bytes(piece.unaligned_records)
    assert found == whole


def test_a_part_has_a_limit_that_the_request_does_not_raise(world, monkeypatch):
    monkeypatch.setattr(api, "_MAX_BYTES", 50)
    assert len(part(world, max_bytes=(1 << 31) - 1).unaligned_records) == 50
    assert len(part(world, max_bytes=-1).unaligned_records) == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"epoch": 0}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"epoch": 2}, ErrorCode.UNKNOWN_LEADER_EPOCH),
        ({"topic": "t"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"partition": 1}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"snapshot_id": SnapshotId(0, 0)}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"snapshot_id": SnapshotId(-1, -1)}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"snapshot_id": SnapshotId(1, -(1 << 31))}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"snapshot_id": SnapshotId((1 << 63) - 1, 1)}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"position": -1}, ErrorCode.POSITION_OUT_OF_RANGE),
        ({"position": (1 << 63) - 1}, ErrorCode.POSITION_OUT_OF_RANGE),
    ],
)
def test_what_cannot_be_read_is_an_error(world, options, error):
    found = part(world, **options)
    assert found.error_code == error
    assert (found.current_leader.leader_id, found.current_leader.leader_epoch) == (
        CONTROLLER_ID,
        world.raft.epoch,
    )


def test_only_the_leader_has_snapshots_for_others(world):
    world.elections.resign()
    assert part(world).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_another_cluster_is_refused(world):
    assert ask(world, cluster_id="another").error_code == ErrorCode.INCONSISTENT_CLUSTER_ID


@pytest.mark.parametrize("version", [0, 1])
def test_the_leaders_address_is_named_from_version_1(world, version):
    endpoints = ask(world, version=version).node_endpoints
    assert [each.node_id for each in endpoints] == ([CONTROLLER_ID] if version else [])


@pytest.mark.parametrize("directory_id", [directory_of(101), Uuid.of(1, 1)])
def test_a_voter_that_fetches_a_snapshot_keeps_the_leader(world, directory_id):
    for _ in range(10):
        part(world, directory_id=directory_id)
        world.advance(world.raft.settings.fetch_timeout_ms)
    assert world.raft.is_leader == (directory_id == directory_of(101))
