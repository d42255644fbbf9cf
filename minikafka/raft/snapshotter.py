"""The decision to write a snapshot of the metadata, and the restore from one.

Every node writes its own snapshots from its committed image, one piece a step, so that no step
takes long even with a large image. A snapshot never ends within a metadata transaction, since the
image does not contain an open transaction.

The log rolls when a snapshot begins, so that old segments can be removed soon and a start reads few
records that the snapshot covers.

Source: `SnapshotGenerator`, `SnapshotEmitter`, KIP-630, KIP-876.
"""

import logging
from dataclasses import dataclass

from minikafka.common.environment import Environment
from minikafka.common.faults import StorageFault
from minikafka.config import broker as keys
from minikafka.config.values import Config
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.metadata.features import METADATA_VERSION
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.snapshot import snapshot_records
from minikafka.raft.metadata_storage import damaged
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshot_retention import SnapshotRetention
from minikafka.raft.snapshot_writer import SnapshotWriter
from minikafka.raft.snapshots import (
    PART_SUFFIX,
    Snapshot,
    SnapshotId,
    encode_snapshot,
    read_snapshot,
    snapshot_ids,
)

_log = logging.getLogger("minikafka.raft")
_PIECE_PAUSE_MS = 1
_CLEAN_INTERVAL_MS = 60_000
_SET_ASIDE_SUFFIX = ".damaged"


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Snapshotter:
    """Counts the committed bytes since the last snapshot, and writes a snapshot when it is due.

    A snapshot is due after `max_bytes` of the metadata log, or `max_interval_ms` (0 for never)
    after the last snapshot or the start of the node. `retention` removes old snapshots and segments
    after each snapshot, and once a minute.
    """

    env: Environment
    raft: RaftNode
    max_bytes: int
    max_interval_ms: int
    retention: SnapshotRetention
    _bytes: int = 0
    """Bytes that were committed since the last snapshot began."""
    _began_ms: int = -1
    """Time at which the last snapshot began, or the node started (monotonic)."""
    _clean_due_ms: int = 0
    _writer: SnapshotWriter | None = None

    @classmethod
    def of(cls, env: Environment, raft: RaftNode, values: Config) -> "Snapshotter":
        """Make the snapshotter of a node."""
        return cls(
            env=env,
            raft=raft,
            max_bytes=values[keys.METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS],
            max_interval_ms=values[keys.METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS],
            retention=SnapshotRetention(
                raft,
                max_bytes=values[keys.METADATA_MAX_RETENTION_BYTES],
                max_ms=values[keys.METADATA_MAX_RETENTION_MS],
            ),
        )

    @property
    def is_writing(self) -> bool:
        """True while a snapshot is not durable yet."""
        return self._writer is not None

    def committed(self, loader: MetadataLoader, size: int, append_ms: int) -> None:
        """Count `size` bytes that were committed; the last batch was written at `append_ms`."""
        self._bytes += size
        now_ms = self.env.clock.monotonic_ms
        if self._began_ms < 0:
            self._began_ms = now_ms
        if self._writer is None:
            why = self._why(loader, now_ms)
            if why is not None:
                self._begin(loader.image, append_ms, why)
            elif now_ms >= self._clean_due_ms:
                self._clean()

    def abort(self) -> None:
        """Abort a snapshot that is being written: a snapshot of the leader has replaced the log."""
        self._bytes = 0
        if self._writer is not None and not self._writer.is_whole:
            self._writer.abandon()
            self._writer = None

    def _why(self, loader: MetadataLoader, now_ms: int) -> str | None:
        if loader.in_transaction or not loader.image.feature(METADATA_VERSION):
            return None
        if self._bytes >= self.max_bytes:
            return f"{self._bytes} bytes of records since the last one"
        if 0 < self.max_interval_ms <= now_ms - self._began_ms:
            return f"{now_ms - self._began_ms} ms since the last one"
        return None

    def _begin(self, image: MetadataImage, append_ms: int, why: str) -> None:
        raft = self.raft
        snapshot_id = SnapshotId(image.offset + 1, image.epoch)
        voters, kraft_version = raft.quorum.history.at(snapshot_id.end_offset)
        pieces = encode_snapshot(
            snapshot_records(image),
            epoch=image.epoch,
            kraft_version=kraft_version,
            voters=voters if kraft_version > 0 else None,
            metadata_version=image.feature(METADATA_VERSION),
            last_contained_ms=append_ms,
            now_ms=self.env.clock.wall_ms,
        )
        _log.info("[raft %d] writes snapshot %s (%s)", raft.node_id, snapshot_id.file_name, why)
        raft.log.roll(self.env.clock.now)
        self._bytes, self._began_ms = 0, self.env.clock.monotonic_ms
        self._writer = SnapshotWriter(raft.disk, snapshot_id, pieces)
        self._write_piece(self._writer)

    def _write_piece(self, writer: SnapshotWriter) -> None:
        if writer is not self._writer:
            return
        if writer.write_piece():
            self.env.after(_PIECE_PAUSE_MS, lambda: self._write_piece(writer))
        else:
            self.raft.flush_with(writer, lambda fault: self._written(writer, fault))

    def _written(self, writer: SnapshotWriter, fault: StorageFault | None) -> None:
        if fault is not None:
            raise fault
        self.raft.log.snapshots_changed()
        name = writer.snapshot_id.file_name
        _log.info("[raft %d] wrote snapshot %s: %d bytes", self.raft.node_id, name, writer.size)
        self._writer = None
        self._clean()

    def _clean(self) -> None:
        self._clean_due_ms = self.env.clock.monotonic_ms + _CLEAN_INTERVAL_MS
        self.retention.clean(self.env.clock.now)


def restore(raft: RaftNode, loader: MetadataLoader) -> None:
    """Load the newest readable snapshot; the log continues from it.

    Call it before `RaftNode.start`. A damaged snapshot is set aside if an older one, or the log
    alone, contains the same records.

    Raises:
        StorageFault: the log does not begin at offset 0, and no readable snapshot covers the part
            before its start.
    """
    _remove_parts(raft)
    refused: list[tuple[SnapshotId, StorageFault]] = []
    for snapshot_id in reversed(_usable_snapshots(raft)):
        try:
            snapshot = _read(raft, snapshot_id)
        except StorageFault as fault:
            refused.append((snapshot_id, fault))
            continue
        loader.load_snapshot(
            snapshot.records, last_offset=snapshot_id.end_offset - 1, epoch=snapshot_id.epoch
        )
        raft.quorum.adopt(snapshot_id, snapshot)
        break
    else:
        _require_whole_log(raft, refused)
    for snapshot_id, reason in refused:
        _set_aside(raft, snapshot_id, reason, loader.image.offset + 1)


def _read(raft: RaftNode, snapshot_id: SnapshotId) -> Snapshot:
    path = f"{METADATA_FOLDER}/{snapshot_id.file_name}"
    snapshot = read_snapshot(raft.disk, path)
    if snapshot is None:
        raise StorageFault(raft.disk.root, f"{path} vanished")
    return snapshot


def _require_whole_log(raft: RaftNode, refused: list[tuple[SnapshotId, StorageFault]]) -> None:
    start = raft.log.start_offset
    if start == 0:
        return
    reasons = "".join(f"; {fault.reason}" for _, fault in refused)
    raise damaged(raft.disk, f"no snapshot covers the metadata log below offset {start}{reasons}")


def _set_aside(
    raft: RaftNode, snapshot_id: SnapshotId, fault: StorageFault, restored_offset: int
) -> None:
    """Keep a damaged snapshot for inspection, but do not serve it."""
    path = f"{METADATA_FOLDER}/{snapshot_id.file_name}"
    raft.disk.rename(path, path + _SET_ASIDE_SUFFIX)
    raft.disk.sync_dir(METADATA_FOLDER)
    raft.log.snapshots_changed()
    _log.warning(
        "[raft %d] %s; renamed to %s%s, metadata is restored from the log at offset %d",
        raft.node_id, fault, snapshot_id.file_name, _SET_ASIDE_SUFFIX, restored_offset,
    )  # fmt: skip


def _remove_parts(raft: RaftNode) -> None:
    for name in raft.disk.list(METADATA_FOLDER):
        if name.endswith(PART_SUFFIX):
            raft.disk.remove(f"{METADATA_FOLDER}/{name}")


def _usable_snapshots(raft: RaftNode) -> list[SnapshotId]:
    """The snapshots that the log continues, oldest first: they end within the log."""
    return [
        snapshot_id
        for snapshot_id in snapshot_ids(raft.disk, METADATA_FOLDER)
        if max(raft.log.start_offset, 1) <= snapshot_id.end_offset <= raft.end_offset
    ]
