"""When a node writes a snapshot of its metadata, and the way back from one.

Every node writes its own snapshots, from its committed image. The log that a snapshot covers is
kept: nothing is deleted here. A snapshot never stands inside a metadata transaction, of which its
image knows nothing.

Source: `SnapshotGenerator`, `SnapshotEmitter`, KIP-630, KIP-876.
"""

import logging
from dataclasses import dataclass

from minikafka.common.environment import Environment
from minikafka.common.faults import StorageFault
from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.metadata.image import METADATA_VERSION, MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshots import SnapshotId, read_snapshot, snapshot_ids, write_snapshot

_log = logging.getLogger("minikafka.raft")


@dataclass(slots=True, kw_only=True)
class Snapshotter:
    """Counts what was committed since the last snapshot, and writes one when that is enough.

    `max_bytes` of the metadata log, or `max_interval_ms` (0 for never) since the last one, make a
    new snapshot. The interval begins when the node starts.
    """

    env: Environment
    raft: RaftNode
    max_bytes: int
    max_interval_ms: int
    _counted_from_bytes: int = -1
    _last_ms: int = -1

    def committed(self, loader: MetadataLoader) -> None:
        """The committed image moved on."""
        log_bytes = self.raft.log.log.size_bytes
        now_ms = self.env.clock.monotonic_ms
        if self._last_ms < 0 or log_bytes < self._counted_from_bytes:
            self._counted_from_bytes, self._last_ms = self._covered_bytes(), now_ms
        if loader.in_transaction or not loader.image.feature(METADATA_VERSION):
            return
        is_large = log_bytes - self._counted_from_bytes >= self.max_bytes
        is_late = 0 < self.max_interval_ms <= now_ms - self._last_ms
        if is_large or is_late:
            self._write(loader.image, "size" if is_large else "age")
            self._counted_from_bytes, self._last_ms = log_bytes, now_ms

    def _covered_bytes(self) -> int:
        """How much of the log the newest snapshot stands for, where there is one."""
        log = self.raft.log.log
        covered = _usable_snapshots(self.raft)
        if not covered:
            return 0
        end_offset = covered[-1].end_offset
        return log.size_bytes - log.readable_bytes(end_offset, self.raft.end_offset)

    def _write(self, image: MetadataImage, why: str) -> None:
        raft = self.raft
        snapshot_id = SnapshotId(image.offset + 1, image.epoch)
        last = list(raft.log.batches(image.offset, image.offset + 1))[-1]
        write_snapshot(
            raft.disk,
            f"{METADATA_FOLDER}/{snapshot_id.file_name}",
            snapshot_records(image),
            epoch=image.epoch,
            kraft_version=raft.kraft_version,
            voters=raft.voters if raft.kraft_version > 0 else None,
            metadata_version=image.feature(METADATA_VERSION),
            last_contained_ms=last.append_ms,
            now_ms=self.env.clock.wall_ms,
        )
        _log.info("[raft %d] wrote snapshot %s (%s)", raft.node_id, snapshot_id.file_name, why)


def restore(raft: RaftNode, loader: MetadataLoader) -> None:
    """Load what the log does not have any more: the snapshot that it begins after.

    To be called before the first committed record is loaded. A log that is whole needs none.

    Raises:
        StorageFault: the log does not begin at 0, and no snapshot says what came before.
    """
    start = raft.log.log.log_start_offset
    if start == 0:
        return
    usable = [x for x in _usable_snapshots(raft) if x.end_offset >= start]
    if not usable:
        raise StorageFault(raft.disk.root, f"no snapshot covers the metadata log below {start}")
    newest = usable[-1]
    path = f"{METADATA_FOLDER}/{newest.file_name}"
    snapshot = read_snapshot(raft.disk, path)
    if snapshot is None:
        raise StorageFault(raft.disk.root, f"{path} vanished")
    loader.load_snapshot(snapshot.records, last_offset=newest.end_offset - 1, epoch=newest.epoch)


def _usable_snapshots(raft: RaftNode) -> list[SnapshotId]:
    """Snapshots that the log goes on from, oldest first; those beyond its end are not."""
    log = raft.log.log
    return [
        snapshot_id
        for snapshot_id in snapshot_ids(raft.disk, METADATA_FOLDER)
        if max(log.log_start_offset, 1) <= snapshot_id.end_offset <= raft.end_offset
    ]
