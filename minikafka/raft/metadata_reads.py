"""The leader's result for a fetch of the metadata log: one partition of one request.

Source: `KafkaRaftClient.tryCompleteFetchRequest`, `KafkaMetadataLog.validateOffsetAndEpoch`.
"""

from dataclasses import dataclass

from minikafka.common.errors import ErrorCode
from minikafka.common.file_slice import FileSlice
from minikafka.log.leader_epoch_cache import EpochEnd
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshots import SnapshotId

_MAX_BYTES = 1024 * 1024
_BASE_OFFSET_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataRead:
    """The result of a fetch. At most one of `diverging`, `snapshot` and `records` is set."""

    error: ErrorCode = ErrorCode.NONE
    high_watermark: int = -1
    log_start_offset: int = -1
    diverging: EpochEnd | None = None
    snapshot: SnapshotId | None = None
    records: FileSlice | None = None
    is_boundary: bool = True
    """True if a batch begins at the fetch offset, or the log ends there: a replica has no part of a
    batch, and what it has counts for the high watermark."""

    @property
    def is_empty(self) -> bool:
        """True if the response may wait: no error, no diverging epoch, snapshot or records."""
        return self.error == ErrorCode.NONE and not (
            self.diverging or self.snapshot or self.records
        )


def read_metadata(
    raft: RaftNode, *, current_leader_epoch: int, fetch_offset: int, last_fetched_epoch: int
) -> MetadataRead:
    """Serve a fetch at `fetch_offset`, after a record of `last_fetched_epoch`."""
    if fetch_offset < 0 or last_fetched_epoch < 0 or last_fetched_epoch > current_leader_epoch:
        return MetadataRead(error=ErrorCode.INVALID_REQUEST)
    if current_leader_epoch < raft.epoch:
        return MetadataRead(error=ErrorCode.FENCED_LEADER_EPOCH)
    if current_leader_epoch > raft.epoch:
        return MetadataRead(error=ErrorCode.UNKNOWN_LEADER_EPOCH)
    if not raft.is_leader:
        return MetadataRead(error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    log = raft.log
    start = log.start_offset
    reached = raft.announced_high_watermark
    found = _validate(raft, fetch_offset, last_fetched_epoch)
    if isinstance(found, SnapshotId):
        return MetadataRead(high_watermark=reached, log_start_offset=start, snapshot=found)
    if found is not None:
        return MetadataRead(high_watermark=reached, log_start_offset=start, diverging=found)
    read = log.read(fetch_offset, _MAX_BYTES)
    return MetadataRead(
        high_watermark=reached,
        log_start_offset=start,
        records=read.slice,
        is_boundary=read.slice is None or _base_offset(read.slice) == fetch_offset,
    )


def _base_offset(records: FileSlice) -> int:
    """The first offset of the first batch."""
    field = records._replace(length=_BASE_OFFSET_BYTES).read()
    return int.from_bytes(field, "big")


def _validate(
    raft: RaftNode, fetch_offset: int, last_fetched_epoch: int
) -> SnapshotId | EpochEnd | None:
    """None if this log has the position; else the snapshot to load or the epoch to truncate to."""
    log = raft.log
    # The snapshot at offset 0 is the initial state of a quorum; it is never sent.
    snapshots = [each for each in log.snapshots if each.end_offset > 0]
    if fetch_offset == 0 and snapshots:
        return snapshots[-1]
    if fetch_offset == 0 and log.start_offset == 0:
        return None
    if snapshots:
        earliest = snapshots[0]
        if fetch_offset < log.start_offset or last_fetched_epoch < earliest.epoch:
            return snapshots[-1]
        if fetch_offset == log.start_offset and last_fetched_epoch != earliest.epoch:
            return snapshots[-1]
    end = log.end_offset_for_epoch(last_fetched_epoch)
    if end.epoch < 0:
        end = EpochEnd(raft.log.last_epoch, raft.end_offset)
    if end.epoch != last_fetched_epoch or end.end_offset < fetch_offset:
        return end
    return None
