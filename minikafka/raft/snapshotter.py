"""When a node writes a snapshot of its metadata: after so many bytes, or so long with changes.

Only committed metadata is written, at the end of a batch, and never in the middle of a metadata
transaction. Source: `SnapshotGenerator`, KIP-630.
"""

import logging
from dataclasses import dataclass

from minikafka.common.environment import Environment
from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.metadata.image import METADATA_VERSION
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshots import SnapshotId, write_snapshot

_log = logging.getLogger("minikafka.raft")


@dataclass(slots=True)
class Snapshotter:
    """Writes snapshots of the image as it grows. An interval of 0 means never by time."""

    env: Environment
    raft: RaftNode
    max_bytes: int
    max_interval_ms: int
    _last_offset: int = -1
    _last_size_bytes: int = 0
    _last_ms: int | None = None

    def committed(self, loader: MetadataLoader) -> None:
        """The image moved on: write a snapshot if it is time for one."""
        now_ms = self.env.clock.monotonic_ms
        if self._last_ms is None:
            self._last_ms = now_ms
        if loader.in_transaction or METADATA_VERSION not in loader.image.features:
            return
        grown = self.raft.log.log.size_bytes - self._last_size_bytes >= self.max_bytes
        old = 0 < self.max_interval_ms <= now_ms - self._last_ms
        if (grown or old) and loader.image.offset > self._last_offset:
            self.write(loader)

    def write(self, loader: MetadataLoader) -> SnapshotId:
        """Write a snapshot of the image now."""
        image = loader.image
        snapshot_id = SnapshotId(image.offset + 1, image.epoch)
        raft = self.raft
        write_snapshot(
            raft.disk,
            f"{METADATA_FOLDER}/{snapshot_id.file_name}",
            snapshot_records(image),
            epoch=image.epoch,
            kraft_version=raft.kraft_version,
            voters=raft.voters if raft.kraft_version > 0 else None,
            metadata_version=image.feature(METADATA_VERSION),
            last_contained_ms=self.env.clock.wall_ms,
            now_ms=self.env.clock.wall_ms,
        )
        _log.info("[raft %d] wrote snapshot %s", raft.node_id, snapshot_id.file_name)
        self._last_offset = image.offset
        self._last_size_bytes = raft.log.log.size_bytes
        self._last_ms = self.env.clock.monotonic_ms
        return snapshot_id
