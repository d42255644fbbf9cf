"""The removal of old snapshots and segments of the metadata log.

Source: `KafkaRaftLog.maybeClean`, `deleteBeforeSnapshot`.
"""

import logging
from dataclasses import dataclass

from minikafka.common.clock import Now
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshots import SnapshotFile, snapshot_files

_log = logging.getLogger("minikafka.raft")


@dataclass(slots=True, eq=False, repr=False)
class SnapshotRetention:
    """Removes old snapshots, and the part of the metadata log that a later snapshot covers.

    `max_bytes` limits log and snapshots together, `max_ms` the time since the last record of a
    snapshot was written (-1: no limit). The newest snapshot and the log after it always stay.
    """

    raft: RaftNode
    max_bytes: int
    max_ms: int

    def clean(self, now: Now) -> None:
        """Remove snapshots and segments beyond the limits; segments: after the deletion delay."""
        log = self.raft.log
        log.tick(now)
        snapshots = [
            each
            for each in snapshot_files(self.raft.disk, METADATA_FOLDER)
            if 0 < each.snapshot_id.end_offset <= self.raft.high_watermark
        ]
        while len(snapshots) > 1 and (
            snapshots[0].snapshot_id.end_offset < log.start_offset or self._is_due(snapshots, now)
        ):
            gone, newer = snapshots[0], snapshots[1]
            count = log.delete_before(newer.snapshot_id.end_offset, now)
            self.raft.quorum.history.forget(newer.snapshot_id.end_offset)
            self.raft.disk.remove(f"{METADATA_FOLDER}/{gone.snapshot_id.file_name}")
            log.snapshots_changed()
            del snapshots[0]
            _log.info(
                "[raft %d] removed snapshot %s; the metadata log begins at offset %d, segments "
                "removed: %d",
                self.raft.node_id, gone.snapshot_id.file_name, log.start_offset, count,
            )  # fmt: skip

    def _is_due(self, snapshots: list[SnapshotFile], now: Now) -> bool:
        size = self.raft.log.size_bytes + sum(each.size for each in snapshots)
        age_ms = now.wall_ms - snapshots[0].last_contained_ms
        return 0 <= self.max_bytes < size or 0 <= self.max_ms < age_ms
