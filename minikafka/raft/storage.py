"""Formatting: the files of a directory before its node starts for the first time.

Source: `Formatter`, `StorageTool`, KIP-853; the records are those that Apache Kafka 4.3.1 writes.
"""

from collections.abc import Sequence

from minikafka.common.ids import Uuid
from minikafka.log.checkpoints import MetaProperties, write_meta_properties
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import Disk
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.metadata.features import METADATA_VERSION
from minikafka.metadata.serde import MetadataRecord
from minikafka.raft.snapshots import BOOTSTRAP, SnapshotId, write_snapshot
from minikafka.raft.voter_set import VoterSet


def format_directory(disk: Disk, *, cluster_id: str, node_id: int, directory_id: Uuid) -> None:
    """Write the identity of a directory."""
    write_meta_properties(disk, MetaProperties(cluster_id, node_id, directory_id))


def format_metadata_directory(
    disk: Disk,
    *,
    levels: dict[str, int],
    voters: VoterSet | None,
    now_ms: int,
    others: Sequence[MetadataRecord] = (),
) -> None:
    """Write the snapshots from which the first controller of a cluster starts.

    `levels` are the feature levels to finalize, `others` further records of the cluster. `voters`
    are the first voters of a dynamic quorum, for its snapshot at offset 0, or None for a static
    quorum, which has them in its configuration.
    """
    metadata_version = levels[METADATA_VERSION]
    write_snapshot(
        disk,
        BOOTSTRAP,
        [*bootstrap_records(levels), *others],
        epoch=0,
        kraft_version=0,
        voters=None,
        metadata_version=metadata_version,
        last_contained_ms=0,
        now_ms=now_ms,
    )
    if voters is not None:
        disk.make_dir(METADATA_FOLDER)
        write_snapshot(
            disk,
            f"{METADATA_FOLDER}/{SnapshotId(0, 0).file_name}",
            (),
            epoch=0,
            kraft_version=1,
            voters=voters,
            metadata_version=metadata_version,
            last_contained_ms=0,
            now_ms=now_ms,
        )


def bootstrap_records(levels: dict[str, int]) -> list[MetadataRecord]:
    """One FeatureLevelRecord for each feature, `metadata.version` first, the others by name."""
    others = sorted(name for name in levels if name != METADATA_VERSION)
    return [
        FeatureLevelRecord(name=name, feature_level=levels[name])
        for name in (METADATA_VERSION, *others)
        if levels[name] > 0
    ]
