"""The metadata log: `__cluster_metadata-0` as batches of metadata records and control records.

Source: `KafkaRaftLog`, `BatchAccumulator`, `RecordsIterator`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from minikafka.common.clock import Now
from minikafka.common.faults import InvariantViolation
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.serde import MetadataRecord, decode_record, encode_record, record_version
from minikafka.records.batch import CONTROL, BatchHeader
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import control_type, read_batch
from minikafka.records.scan import split_batches
from minikafka.records.validation import Origin

_READ_BYTES = 8 * 1024 * 1024


class MetadataBatch(NamedTuple):
    """One batch of the metadata log. `records` is empty, and `control` is not, for a control batch.

    `records` are (offset, record); `control` are (type, value).
    """

    base_offset: int
    last_offset: int
    epoch: int
    append_ms: int
    records: list[tuple[int, MetadataRecord]]
    control: list[tuple[int, bytes]]


@dataclass(slots=True)
class RaftLog:
    """Typed access to the log."""

    log: UnifiedLog

    @property
    def end_offset(self) -> int:
        """The offset that the next record will get."""
        return self.log.log_end_offset

    @property
    def last_epoch(self) -> int:
        """The epoch of the last record; 0 in an empty log."""
        return self.log.latest_epoch or 0

    def append_records(
        self, records: Iterable[MetadataRecord], *, epoch: int, metadata_version: int, now: Now
    ) -> int:
        """Append one batch; returns the offset of its last record."""
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
        return self._append(batch, epoch, now)

    def append_control(self, records: list[NewRecord], *, epoch: int, now: Now) -> int:
        """Append a control batch; returns the offset of its last record."""
        return self._append(build_batch(records, BatchOptions(is_control=True)), epoch, now)

    def _append(self, batch: bytearray, epoch: int, now: Now) -> int:
        info = self.log.append_as_leader(
            memoryview(batch), leader_epoch=epoch, now=now, origin=Origin.RAFT_LEADER
        )
        return info.last_offset

    def batches(self, start_offset: int, end_offset: int) -> Iterator[MetadataBatch]:
        """The batches from `start_offset` up to `end_offset`, which is at a batch's end."""
        while start_offset < end_offset:
            read = self.log.read(
                start_offset, _READ_BYTES, upper_bound_offset=end_offset, min_one_message=True
            )
            if read.slice is None:
                raise InvariantViolation(f"the metadata log has nothing at offset {start_offset}")
            content = read.slice.read()
            for position, header in split_batches(content):
                if header.last_offset < start_offset:
                    continue
                yield _batch(content, position, header)
                start_offset = header.last_offset + 1


def _batch(content: bytes | memoryview, position: int, header: BatchHeader) -> MetadataBatch:
    rows = list(read_batch(content, position, header))
    is_control = bool(header.attributes & CONTROL)
    return MetadataBatch(
        header.base_offset,
        header.last_offset,
        header.leader_epoch,
        header.max_timestamp,
        [] if is_control else [(row.offset, decode_record(row.value)) for row in rows],
        [(control_type(row.key), row.value or b"") for row in rows] if is_control else [],
    )
