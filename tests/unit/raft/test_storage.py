from minikafka.common.ids import Uuid
from minikafka.log.checkpoints import read_meta_properties
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.snapshots import BOOTSTRAP, SnapshotId, read_snapshot
from minikafka.raft.storage import (
    bootstrap_records,
    format_directory,
    format_metadata_directory,
)
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.quorum_world import one_voter

FIRST = f"{METADATA_FOLDER}/{SnapshotId(0, 0).file_name}"
LEVELS = {"x.version": 2, "metadata.version": 30, "a.version": 1, "off.version": 0}


def test_bootstrap_records_name_metadata_version_first_and_nothing_at_level_zero():
    records = bootstrap_records(LEVELS)
    assert [(x.name, x.feature_level) for x in records] == [
        ("metadata.version", 30),
        ("a.version", 1),
        ("x.version", 2),
    ]


def test_a_directory_gets_its_identity():
    disk = SimDisk()
    format_directory(disk, cluster_id="c", node_id=3, directory_id=Uuid.of(1, 1))
    properties = read_meta_properties(disk)
    assert (properties.cluster_id, properties.node_id) == ("c", 3)
    assert properties.directory_id == Uuid.of(1, 1)


def test_a_dynamic_quorum_begins_with_its_voters():
    disk = SimDisk()
    format_metadata_directory(disk, levels=LEVELS, voters=one_voter(), now_ms=5)
    first = read_snapshot(disk, FIRST)
    assert (first.kraft_version, first.voters, first.records) == (1, one_voter(), [])
    assert read_snapshot(disk, BOOTSTRAP).records == bootstrap_records(LEVELS)


def test_a_static_quorum_begins_without_a_snapshot_of_the_log():
    disk = SimDisk()
    format_metadata_directory(disk, levels=LEVELS, voters=None, now_ms=5)
    assert read_snapshot(disk, FIRST) is None
    assert read_snapshot(disk, BOOTSTRAP).kraft_version == 0
