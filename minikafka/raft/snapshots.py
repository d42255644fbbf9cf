"""Metadata snapshots on disk: `<end offset>-<epoch>.checkpoint`, and `bootstrap.checkpoint`.

A snapshot is a file of record batches: a control batch with SNAPSHOT_HEADER (and, where
kraft.version is at least 1, KRAFT_VERSION and KRAFT_VOTERS), data batches, a control batch with
SNAPSHOT_FOOTER.

Source: `Snapshots`, `RecordsSnapshotWriter`, `RecordsSnapshotReader`, KIP-630.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from minikafka.common.faults import StorageFault
from minikafka.log.disk import Disk, read_file, write_file
from minikafka.messages.data.kraft_version_record import KRaftVersionRecord
from minikafka.messages.data.snapshot_footer_record import SnapshotFooterRecord
from minikafka.messages.data.snapshot_header_record import SnapshotHeaderRecord
from minikafka.metadata.serde import MetadataRecord, decode_record, encode_record, record_version
from minikafka.protocol.message import encode_message
from minikafka.protocol.primitives import MalformedMessage
from minikafka.raft.voter_set import VoterSet
from minikafka.records.batch import CONTROL, ControlType
from minikafka.records.builder import BatchOptions, NewRecord, build_batch, control_record
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import control_type, read_batch
from minikafka.records.scan import check_crc, split_batches

SUFFIX = ".checkpoint"
BOOTSTRAP = "bootstrap.checkpoint"
PART_SUFFIX = ".part"
"""A snapshot that is being written or downloaded; Kafka's name for it."""
_RECORDS_PER_BATCH = 100
_BYTES_PER_BATCH = 1024 * 1024
"""A snapshot is written one batch a step, which takes a few milliseconds."""
_HEADER_WINDOW = 4096


class SnapshotId(NamedTuple):
    """A snapshot of all records below `end_offset`; `epoch` is that of the last of them."""

    end_offset: int
    epoch: int

    @property
    def file_name(self) -> str:
        """The name of its file in the folder of the metadata log."""
        return f"{self.end_offset:020d}-{self.epoch:010d}{SUFFIX}"


class SnapshotFile(NamedTuple):
    """A snapshot on disk, described from its name, size and first batch."""

    snapshot_id: SnapshotId
    size: int
    last_contained_ms: int


class Snapshot(NamedTuple):
    """The content of a snapshot. In a static quorum `voters` is None and `kraft_version` 0."""

    records: list[MetadataRecord]
    kraft_version: int
    voters: VoterSet | None
    last_contained_ms: int


def snapshot_ids(disk: Disk, folder: str) -> list[SnapshotId]:
    """The snapshots in a folder, oldest first."""
    found = []
    for name in disk.list(folder):
        offset, dash, epoch = name.removesuffix(SUFFIX).partition("-")
        if name.endswith(SUFFIX) and dash and offset.isdigit() and epoch.isdigit():
            found.append(SnapshotId(int(offset), int(epoch)))
    return sorted(found)


def snapshot_files(disk: Disk, folder: str) -> list[SnapshotFile]:
    """The snapshots in a folder with their sizes in bytes and timestamps, oldest first.

    A timestamp that cannot be read is 0, so that retention takes the snapshot for old.
    """
    return [_described(disk, folder, snapshot_id) for snapshot_id in snapshot_ids(disk, folder)]


def _described(disk: Disk, folder: str, snapshot_id: SnapshotId) -> SnapshotFile:
    file = disk.open(f"{folder}/{snapshot_id.file_name}")
    try:
        start = file.read_at(0, _HEADER_WINDOW)
        position, header = next(split_batches(start))
        first = next(read_batch(start, position, header))
        last_contained_ms = _last_contained_ms(first.value or b"")
    except (CorruptRecordsError, StopIteration):
        last_contained_ms = 0
    finally:
        file.close()
    return SnapshotFile(snapshot_id, file.size, last_contained_ms)


def _last_contained_ms(header_record: bytes | memoryview) -> int:
    return int.from_bytes(header_record[2:10], "big", signed=True)


def write_snapshot(
    disk: Disk,
    path: str,
    records: Iterable[MetadataRecord],
    *,
    epoch: int,
    kraft_version: int,
    voters: VoterSet | None,
    metadata_version: int,
    last_contained_ms: int,
    now_ms: int,
) -> None:
    """Write a snapshot durably under `path`; a partial one never has that name."""
    pieces = encode_snapshot(
        records,
        epoch=epoch,
        kraft_version=kraft_version,
        voters=voters,
        metadata_version=metadata_version,
        last_contained_ms=last_contained_ms,
        now_ms=now_ms,
    )
    write_file(disk, path, b"".join(pieces), sync=True)


def encode_snapshot(
    records: Iterable[MetadataRecord],
    *,
    epoch: int,
    kraft_version: int,
    voters: VoterSet | None,
    metadata_version: int,
    last_contained_ms: int,
    now_ms: int,
) -> Iterator[bytes]:
    """Yield the batches of a snapshot, each encoded on demand."""
    offset = 0

    def batch_of(batch: list[NewRecord], *, is_control: bool) -> bytes:
        nonlocal offset
        options = BatchOptions(base_offset=offset, leader_epoch=epoch, is_control=is_control)
        offset += len(batch)
        return bytes(build_batch(batch, options))

    header = encode_message(SnapshotHeaderRecord(last_contained_log_timestamp=last_contained_ms), 0)
    head = [control_record(ControlType.SNAPSHOT_HEADER, header, now_ms)]
    if kraft_version > 0:
        head.append(kraft_version_record(kraft_version, now_ms))
        if voters is not None:
            head.append(control_record(ControlType.KRAFT_VOTERS, voters.to_record(), now_ms))
    yield batch_of(head, is_control=True)
    batch: list[NewRecord] = []
    size = 0
    for record in records:
        value = encode_record(record, record_version(record, metadata_version))
        batch.append(NewRecord(now_ms, None, value))
        size += len(value)
        if len(batch) == _RECORDS_PER_BATCH or size >= _BYTES_PER_BATCH:
            yield batch_of(batch, is_control=False)
            batch, size = [], 0
    if batch:
        yield batch_of(batch, is_control=False)
    footer = encode_message(SnapshotFooterRecord(), 0)
    yield batch_of([control_record(ControlType.SNAPSHOT_FOOTER, footer, now_ms)], is_control=True)


def kraft_version_record(kraft_version: int, now_ms: int) -> NewRecord:
    """The control record with the kraft.version."""
    value = encode_message(KRaftVersionRecord(kraft_version=kraft_version), 0)
    return control_record(ControlType.KRAFT_VERSION, value, now_ms)


def read_snapshot(disk: Disk, path: str) -> Snapshot | None:
    """Read the snapshot under `path`, or None if there is none.

    Raises:
        StorageFault: it is damaged, or lacks the header or the footer.
    """
    content = read_file(disk, path)
    if content is None:
        return None
    try:
        return parse_snapshot(content)
    except (CorruptRecordsError, MalformedMessage) as error:
        raise StorageFault(disk.root, f"{path} is damaged: {error}; {_remedy(path)}") from error


def _remedy(path: str) -> str:
    if path == BOOTSTRAP:
        return "restore it from a backup, or remove it if the controller has started once"
    return "restore it from a backup, or remove it if an older one and the log reach as far"


def parse_snapshot(content: bytes) -> Snapshot:
    """Decode the content of a snapshot file.

    Raises:
        CorruptRecordsError, MalformedMessage: it is damaged or incomplete.
    """
    records: list[MetadataRecord] = []
    kinds: list[int] = []
    kraft_version = 0
    voters: VoterSet | None = None
    last_contained_ms = 0
    for position, header in split_batches(content):
        check_crc(content, position, header)
        for record in read_batch(content, position, header):
            if not header.attributes & CONTROL:
                records.append(decode_record(record.value))
                continue
            kind = control_type(record.key)
            kinds.append(kind)
            value = record.value or b""
            if kind == ControlType.KRAFT_VERSION:
                kraft_version = int.from_bytes(value[2:4], "big")
            elif kind == ControlType.KRAFT_VOTERS:
                voters = VoterSet.from_record(value)
            elif kind == ControlType.SNAPSHOT_HEADER:
                last_contained_ms = _last_contained_ms(value)
    if not kinds or kinds[0] != ControlType.SNAPSHOT_HEADER:
        raise CorruptRecordsError("the snapshot does not begin with a header")
    if kinds[-1] != ControlType.SNAPSHOT_FOOTER:
        raise CorruptRecordsError("the snapshot does not end with a footer")
    return Snapshot(records, kraft_version, voters, last_contained_ms)
