"""The metadata log on disk: open it, recover it, and check its committed part.

The clean shutdown file does not cover this log: it is recovered at every start. Records below its
recovery point were flushed and committed. Damage there is never cut off: the node stops. Above the
recovery point the log ends at the first bad batch, as after a power failure.

The recovery point has its own file in the folder of the log, since the log directory's checkpoint
is for the logs of partitions and is rewritten without this log.

Source: `KafkaRaftLog.createLog`, which recovers the log from its start.
"""

import logging
from random import Random
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import RECOVERY_POINTS, read_offsets, write_offsets
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import Disk
from minikafka.log.file_names import LOG_SUFFIX, file_name
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.segment.scan import scan_batches
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.features import DEFAULT_LEVELS
from minikafka.metadata.serde import MetadataRecord
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.raft.election_state import (
    QUORUM_STATE,
    ElectionState,
    read_election_state,
    write_election_state,
)
from minikafka.raft.snapshots import BOOTSTRAP, SnapshotId, read_snapshot, snapshot_ids
from minikafka.raft.storage import bootstrap_records
from minikafka.records.batch import BatchHeader, Buffer
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc

_log = logging.getLogger("minikafka.raft")

METADATA_PARTITION: Final = TopicPartition(METADATA_TOPIC, 0)
RECOVERY_POINT: Final = f"{METADATA_FOLDER}/{RECOVERY_POINTS}"
"""The file of the recovery point."""
REMEDY: Final = (
    f"to fetch it again from the quorum, stop the node and remove {METADATA_FOLDER}; the only "
    f"controller of a cluster needs the {METADATA_FOLDER} of a backup, or of a stopped broker"
)
"""The advice to an operator with a damaged metadata log."""
INCOMPLETE: Final = "the batch is incomplete"


def open_metadata_log(disk: Disk, config: LogConfig, now: Now, rng: Random) -> UnifiedLog:
    """Open the metadata log in a log directory, and recover it from its recovery point.

    Raises:
        StorageFault: something below the recovery point is damaged or missing.
    """
    recovery_point = read_recovery_point(disk)
    if not recovery_point and disk.exists(RECOVERY_POINT):
        _log.warning(
            "%s/%s is damaged: recovering the metadata log from its start. The first damaged batch "
            "is cut off as a torn tail, with everything behind it",
            disk.root, RECOVERY_POINT,
        )  # fmt: skip
    _verify(disk, recovery_point)
    log = UnifiedLog.open(
        disk,
        METADATA_FOLDER,
        METADATA_PARTITION,
        config=config,
        checkpointed=CheckpointedOffsets(clean=False, recovery_point=recovery_point),
        now=now,
        rng=rng,
        goes_first=True,
    )
    # `RaftLog` checks each batch that it reads, and its errors tell an operator what to do.
    log.segments.trust_content()
    snapshot_id = _snapshot_after(disk, log, recovery_point)
    if snapshot_id is not None:
        # The process ended after it downloaded a snapshot and before it fetched records after it.
        # Or the machine did, and its disk still has what the snapshot had replaced.
        start_after(log, snapshot_id, now)
    if log.log_end_offset < recovery_point:
        raise damaged(
            disk,
            f"{METADATA_FOLDER} ends at offset {log.log_end_offset}, but everything below offset "
            f"{recovery_point} had been committed and flushed",
        )
    return log


def note_first_start(disk: Disk) -> None:
    """Write the first `quorum-state` of a voter that has never started.

    Call before the metadata log is opened.

    The folder then has only the snapshot with the first voters of a dynamic quorum, from the
    formatter. Such a voter has nothing to forget, and `ForgottenVotes` takes a file that is missing
    later for a lost one. A static quorum has no such sign: the formatter leaves no folder, as if
    the disk of a voter had been replaced.
    """
    if not disk.exists(METADATA_FOLDER):
        return
    names = [name for name in disk.list(METADATA_FOLDER) if name != f"{QUORUM_STATE}.tmp"]
    if names == [SnapshotId(0, 0).file_name]:
        write_election_state(disk, METADATA_FOLDER, ElectionState(), kraft_version=1, voters=[])


def check_quorum_state(disk: Disk) -> None:
    """Check `quorum-state`, before the start removes the clean shutdown files.

    Raises:
        StorageFault: it is damaged.
    """
    read_election_state(disk, METADATA_FOLDER)


def read_bootstrap(disk: Disk) -> list[MetadataRecord]:
    """Read the first records of a new cluster: those of the formatter, or the default levels.

    Raises:
        StorageFault: `bootstrap.checkpoint` is damaged.
    """
    snapshot = read_snapshot(disk, BOOTSTRAP)
    return bootstrap_records(DEFAULT_LEVELS) if snapshot is None else snapshot.records


def is_unused(disk: Disk, log: UnifiedLog) -> bool:
    """True if the log has neither a record nor a snapshot, as before the first start."""
    return not log.log_end_offset and not snapshot_ids(disk, METADATA_FOLDER)


def start_after(log: UnifiedLog, snapshot_id: SnapshotId, now: Now) -> None:
    """Replace the log's content by a snapshot: the empty log begins at the snapshot's end."""
    log.truncate_fully_and_start_at(snapshot_id.end_offset, now)
    log.assign_epoch_start_offset(snapshot_id.epoch, snapshot_id.end_offset)


def learn_last_epoch(disk: Disk, log: UnifiedLog) -> None:
    """Give a log without records the epoch of the snapshot at its end."""
    if log.latest_epoch is not None:
        return
    for snapshot_id in snapshot_ids(disk, METADATA_FOLDER):
        if snapshot_id.end_offset == log.log_end_offset:
            log.assign_epoch_start_offset(snapshot_id.epoch, snapshot_id.end_offset)


def read_recovery_point(disk: Disk) -> int:
    """The offset below which the metadata log is committed and durable; 0 if that is unknown."""
    return (read_offsets(disk, RECOVERY_POINT) or {}).get(METADATA_PARTITION, 0)


def write_recovery_point(disk: Disk, offset: int, *, sync: bool = False) -> None:
    """Replace the recovery point. It never goes back, since the committed offset never does."""
    write_offsets(disk, RECOVERY_POINT, {METADATA_PARTITION: offset}, sync=sync)


def check_batch(content: Buffer, position: int, header: BatchHeader, offset: int) -> None:
    """Raise CorruptRecordsError if the batch at `position` is damaged or does not hold `offset`.

    No checksum covers the base offset, but the metadata log has no gaps between batches.
    """
    check_crc(content, position, header)
    if header.base_offset > offset or header.last_offset < offset:
        raise CorruptRecordsError(
            f"the batch holds offsets {header.base_offset} to {header.last_offset}"
        )


def damaged(disk: Disk, what: str) -> StorageFault:
    """The fault of a metadata log, or a snapshot, that cannot be used and must not be cut."""
    return StorageFault(disk.root, f"{what}; {REMEDY}")


def _verify(disk: Disk, recovery_point: int) -> None:
    """Check the batches that recovery reads and that lie below the recovery point.

    Raises:
        StorageFault: a batch is damaged. The text names the file, the byte and the offset.
    """
    bases = [
        int(name.removesuffix(LOG_SUFFIX))
        for name in disk.list(METADATA_FOLDER)
        if name.endswith(LOG_SUFFIX) and name.removesuffix(LOG_SUFFIX).isdigit()
    ]
    known = [base for base in bases if base < recovery_point]
    if not known:
        return
    path = f"{METADATA_FOLDER}/{file_name(known[-1], LOG_SUFFIX)}"
    following = next((base for base in bases if base >= recovery_point), None)
    _verify_segment(disk, path, known[-1], recovery_point, following)


def _verify_segment(
    disk: Disk, path: str, base_offset: int, recovery_point: int, following: int | None
) -> None:
    position, offset = 0, base_offset
    file = disk.open(path)
    try:
        for at, header, batch in scan_batches(file):
            if offset >= recovery_point:
                return
            check_batch(batch, 0, header, offset)
            position, offset = at + header.size, header.next_offset
        wrong = _wrong_end(position, file.size, following) if offset < recovery_point else None
    except CorruptRecordsError as error:
        # Damage above the recovery point is a torn tail: recovery cuts it.
        wrong = str(error) if offset < recovery_point else None
    finally:
        file.close()
    if wrong is not None:
        raise damaged(
            disk,
            f"{path} is damaged at byte {position}, offset {offset}, below offset "
            f"{recovery_point}, up to which it had been committed and flushed: {wrong}",
        )


def _wrong_end(position: int, size: int, following: int | None) -> str | None:
    if position < size:
        return INCOMPLETE
    return None if following is None else f"the next segment begins at offset {following}"


def _snapshot_after(disk: Disk, log: UnifiedLog, recovery_point: int) -> SnapshotId | None:
    """The newest snapshot, if it has more than the log.

    It reaches beyond the log's end, or it has a newer epoch than the log: then what the log has was
    replaced, or the log is empty, and only the name of the snapshot has the epoch before it. Below
    the recovery point everything was committed, and nothing is replaced.

    Raises:
        StorageFault: this snapshot is damaged.

    Source: `KafkaRaftLog.truncateToLatestSnapshot`.
    """
    ids = snapshot_ids(disk, METADATA_FOLDER)
    if not ids:
        return None
    snapshot_id = ids[-1]
    is_newer = snapshot_id.epoch > (log.latest_epoch or 0)
    if snapshot_id.end_offset <= log.log_end_offset and not (
        is_newer and snapshot_id.end_offset >= recovery_point
    ):
        return None
    try:
        read_snapshot(disk, f"{METADATA_FOLDER}/{snapshot_id.file_name}")
    except StorageFault as fault:
        # An older one has less: this node would vote, and write, without committed records.
        raise damaged(
            disk,
            f"{METADATA_FOLDER} ends at offset {log.log_end_offset}, epoch "
            f"{log.latest_epoch or 0}, and the snapshot after it cannot be read: {fault.reason}",
        ) from fault
    return snapshot_id
