"""The metadata log: `__cluster_metadata-0` as batches of metadata records and control records.

Source: `KafkaRaftLog`, `BatchAccumulator`, `RecordsIterator`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.clock import Now
from minikafka.common.errors import RecordListTooLargeError
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.file_names import LOG_SUFFIX, file_name
from minikafka.log.leader_epoch_cache import EpochEnd
from minikafka.log.segment.reads import LogRead
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.serde import MetadataRecord, decode_record, encode_record, record_version
from minikafka.protocol.primitives import MalformedMessage
from minikafka.raft.metadata_storage import (
    INCOMPLETE,
    check_batch,
    damaged,
    learn_last_epoch,
    start_after,
)
from minikafka.raft.snapshots import SnapshotId, snapshot_ids
from minikafka.raft.voter_set import VoterSet
from minikafka.records.batch import CONTROL, BatchHeader, ControlType
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import control_type, read_batch, read_values
from minikafka.records.scan import check_crc, split_batches
from minikafka.records.validation import AppendOrigin

_READ_BYTES = 8 * 1024 * 1024
MAX_BATCH_BYTES = 8 * 1024 * 1024
"""As `KafkaRaftClient.MAX_BATCH_SIZE_BYTES`."""


class MetadataBatch(NamedTuple):
    """One batch of the metadata log. `records` is empty, and `control` is not, for a control batch.

    `records` are (offset, record); `control` are (type, value). `size` is in bytes.
    """

    base_offset: int
    last_offset: int
    epoch: int
    append_ms: int
    records: list[tuple[int, MetadataRecord]]
    control: list[tuple[int, bytes]]
    size: int


@dataclass(slots=True, eq=False, repr=False)
class RaftLog:
    """Typed access to the log.

    As Kafka's `MemoryBatchReader`: batches that this node appends as leader are kept until they are
    committed, so that they are not read and decoded again.
    """

    unified_log: UnifiedLog
    _appended: dict[int, MetadataBatch] = field(default_factory=dict)
    """By base offset."""
    _snapshots: list[SnapshotId] | None = None
    """The snapshots that the log continues, or None until they are listed again."""

    @property
    def snapshots(self) -> list[SnapshotId]:
        """The snapshots that the log continues, oldest first.

        Older ones may still be on the disk: a power loss brings a removed file back, and one that
        is fetched leaves the own ones behind. The log no longer has the epochs after them.

        As `KafkaRaftLog` does, they are listed once and not for each fetch: a folder is read from a
        disk, which may be slow.
        """
        if self._snapshots is None:
            found = snapshot_ids(self.unified_log.disk, METADATA_FOLDER)
            self._snapshots = [each for each in found if each.end_offset >= self.start_offset]
        return self._snapshots

    def snapshots_changed(self) -> None:
        """List the snapshots again: one was written, fetched, removed or set aside.

        Or the log begins later.
        """
        self._snapshots = None

    @property
    def start_offset(self) -> int:
        """The first offset of the log; a snapshot contains what was before it."""
        return self.unified_log.log_start_offset

    @property
    def end_offset(self) -> int:
        """The offset that the next record will get."""
        return self.unified_log.log_end_offset

    @property
    def last_epoch(self) -> int:
        """The epoch of the last record; 0 in an empty log."""
        return self.unified_log.latest_epoch or 0

    @property
    def size_bytes(self) -> int:
        """The size of all segments."""
        return self.unified_log.size_bytes

    def end_offset_for_epoch(self, epoch: int) -> EpochEnd:
        """The last epoch up to `epoch` that the log has, and its end offset; -1 for none."""
        return self.unified_log.end_offset_for_epoch(epoch)

    def begin_epoch(self, epoch: int) -> None:
        """Note that the records from the log's end on are of `epoch`."""
        self.unified_log.assign_epoch_start_offset(epoch, self.end_offset)

    def update_high_watermark(self, offset: int) -> None:
        """Note that everything below `offset` is committed."""
        self.unified_log.update_high_watermark(offset)

    def roll(self, now: Now) -> None:
        """Begin a new segment, so that the ones before it can be removed."""
        self.unified_log.roll(now)

    def tick(self, now: Now) -> None:
        """Do what is due, such as the removal of segments whose deletion delay has passed."""
        self.unified_log.tick(now)

    def delete_before(self, offset: int, now: Now) -> int:
        """Remove the segments below `offset` after the deletion delay; how many there are."""
        self.unified_log.increment_log_start_offset(offset)
        return self.unified_log.delete_old_segments(now)

    def append_records(
        self, records: Iterable[MetadataRecord], *, epoch: int, metadata_version: int, now: Now
    ) -> int:
        """Append one batch; return the offset of its last record.

        Raises:
            RecordListTooLargeError: the batch is larger than `MAX_BATCH_BYTES`; nothing is written.
        """
        records = list(records)
        batch = build_batch(
            [
                NewRecord(
                    now.wall_ms,
                    None,
                    encode_record(record, record_version(record, metadata_version)),
                )
                for record in records
            ]
        )
        if len(batch) > MAX_BATCH_BYTES:
            raise RecordListTooLargeError(
                f"the operation writes {len(batch)} bytes of metadata; the maximum for one "
                f"operation is {MAX_BATCH_BYTES}"
            )
        base = self.end_offset
        last = self._append(batch, epoch, now)
        rows = list(enumerate(records, base))
        self._appended[base] = MetadataBatch(base, last, epoch, now.wall_ms, rows, [], len(batch))
        return last

    def append_control(self, records: list[NewRecord], *, epoch: int, now: Now) -> int:
        """Append a control batch; return the offset of its last record."""
        return self._append(build_batch(records, BatchOptions(is_control=True)), epoch, now)

    def _append(self, batch: bytearray, epoch: int, now: Now) -> int:
        info = self.unified_log.append_as_leader(
            memoryview(batch), leader_epoch=epoch, now=now, origin=AppendOrigin.RAFT_LEADER
        )
        return info.last_offset

    def append_fetched(
        self, records: memoryview, *, epoch: int, now: Now
    ) -> list[tuple[int, list[tuple[int, bytes]]]]:
        """Append the response of the leader of `epoch` to a fetch at this log's end.

        Return the control batches among them: the base offset and the records of each.

        Raises:
            CorruptRecordsError: a batch is damaged, or does not follow the one before; nothing was
                written.
        """
        expected = self.end_offset
        control = []
        for position, header in split_batches(records):
            if header.base_offset != expected:
                raise CorruptRecordsError(
                    f"a batch begins at offset {header.base_offset}, expected {expected}"
                )
            expected = header.next_offset
            if header.attributes & CONTROL:
                check_crc(records, position, header)
                batch = _batch(records, position, header, control_only=True)
                _check_voters(batch)
                control.append((batch.base_offset, batch.control))
        self._appended.clear()
        self.unified_log.append_as_follower(records, leader_epoch=epoch, now=now)
        return control

    def truncate_to(self, offset: int, now: Now) -> None:
        """Remove everything from `offset`, which is at a batch's start."""
        self._appended.clear()
        self.unified_log.truncate_to(offset, now)
        learn_last_epoch(self.unified_log.disk, self.unified_log)

    def start_after(self, snapshot_id: SnapshotId, now: Now) -> None:
        """Replace the content by a snapshot: the empty log begins at the snapshot's end."""
        self._appended.clear()
        self.snapshots_changed()
        start_after(self.unified_log, snapshot_id, now)
        self.update_high_watermark(snapshot_id.end_offset)

    def committed(self, start_offset: int, end_offset: int) -> Iterator[MetadataBatch]:
        """Yield batches as `batches` does; call it once for each range, in order.

        Raises:
            StorageFault: as `batches`.
        """
        while start_offset < end_offset:
            batch = self._appended.pop(start_offset, None)
            if batch is None:
                until = min((at for at in self._appended if at > start_offset), default=end_offset)
                for batch in self.batches(start_offset, min(until, end_offset)):
                    start_offset = batch.last_offset + 1
                    yield batch
            else:
                start_offset = batch.last_offset + 1
                yield batch

    def batches(
        self, start_offset: int, end_offset: int, *, control_only: bool = False
    ) -> Iterator[MetadataBatch]:
        """Yield the batches from `start_offset` up to `end_offset`, which is at a batch's end.

        With `control_only` the records of data batches are not decoded: `records` is empty.

        Raises:
            StorageFault: a batch is damaged or missing. The text names the file, byte and offset.
        """
        while start_offset < end_offset:
            read = self._read(start_offset, end_offset)
            assert read.slice is not None
            content = read.slice.read()
            end = 0
            try:
                for position, header in split_batches(content):
                    check_batch(content, position, header, start_offset)
                    yield _batch(content, position, header, control_only=control_only)
                    start_offset, end = header.next_offset, position + header.size
            except CorruptRecordsError as error:
                raise self._damaged(read, end, start_offset, str(error)) from error
            if not end:
                raise self._damaged(read, end, start_offset, INCOMPLETE)

    def read(self, start_offset: int, max_bytes: int) -> LogRead:
        """Find the bytes of batches from `start_offset`, which is in the log or its end.

        At least one batch, if there is one. The batches are checked, so that a damaged one never
        reaches a follower.

        Raises:
            StorageFault: a batch is damaged. The text names the file, byte and offset.
        """
        if start_offset == self.end_offset:
            return LogRead(None, self.unified_log.position_of(start_offset))
        read = self._read(start_offset, self.end_offset, max_bytes)
        assert read.slice is not None
        content, end = read.slice.read(), 0
        try:
            for position, header in split_batches(content):
                check_batch(content, position, header, start_offset)
                start_offset, end = header.next_offset, position + header.size
        except CorruptRecordsError as error:
            raise self._damaged(read, end, start_offset, str(error)) from error
        if not end:
            raise self._damaged(read, end, start_offset, INCOMPLETE)
        return read

    def _read(self, start_offset: int, end_offset: int, max_bytes: int = _READ_BYTES) -> LogRead:
        try:
            read = self.unified_log.read(
                start_offset, max_bytes, upper_bound_offset=end_offset, min_one_message=True
            )
        except CorruptRecordsError as error:
            folder = self.unified_log.folder
            raise damaged(
                self.unified_log.disk, f"{folder} is damaged before offset {start_offset}: {error}"
            ) from error
        if read.slice is None and end_offset > self.end_offset:
            raise InvariantViolation(f"the metadata log has nothing at offset {start_offset}")
        if read.slice is None:
            raise self._damaged(read, 0, start_offset, "there is no batch with that offset")
        return read

    def _damaged(self, read: LogRead, position: int, offset: int, wrong: str) -> StorageFault:
        name = file_name(read.position.segment_base_offset, LOG_SUFFIX)
        byte = read.position.position + position
        return damaged(
            self.unified_log.disk,
            f"{self.unified_log.folder}/{name} is damaged at byte {byte}, offset {offset}: {wrong}",
        )


def _check_voters(batch: MetadataBatch) -> None:
    """Check voters before they are appended: later they could only be truncated.

    Raises:
        CorruptRecordsError: they cannot be decoded, or there are none.
    """
    for offset, (kind, value) in enumerate(batch.control, batch.base_offset):
        if kind == ControlType.KRAFT_VOTERS:
            try:
                VoterSet.from_record(value)
            except MalformedMessage as error:
                raise CorruptRecordsError(f"the voters at offset {offset}: {error}") from error


def _batch(
    content: bytes | memoryview, position: int, header: BatchHeader, *, control_only: bool
) -> MetadataBatch:
    is_control = bool(header.attributes & CONTROL)
    records: list[tuple[int, MetadataRecord]] = []
    control = []
    if is_control:
        control = [
            (control_type(row.key), row.value or b"")
            for row in read_batch(content, position, header)
        ]
    elif not control_only:
        records = [
            (offset, decode_record(value))
            for offset, value in read_values(content, position, header)
        ]
    return MetadataBatch(
        header.base_offset,
        header.last_offset,
        header.leader_epoch,
        header.max_timestamp,
        records,
        control,
        header.size,
    )
