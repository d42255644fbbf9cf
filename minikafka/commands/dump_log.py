"""Print the content of log, index, snapshot and checkpoint files (Kafka: `DumpLogSegments`).

There are no decoders for the topics of coordinators.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import NamedTuple

from minikafka.commands.record_json import control_line, metadata_line
from minikafka.common.faults import DISK_ERRORS
from minikafka.log.disk import File
from minikafka.log.producers.producer_snapshot import decode as decode_snapshot
from minikafka.log.producers.producer_state import WrittenBatch
from minikafka.log.segment.offset_index import OffsetIndex
from minikafka.log.segment.scan import scan_batches
from minikafka.log.segment.time_index import TimeIndex
from minikafka.log.segment.transaction_index import decode as decode_transactions
from minikafka.records.batch import BatchHeader, advance_sequence
from minikafka.records.compression import Codec
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import Record, read_batch, sequence_of
from minikafka.records.scan import check_crc
from minikafka.server.os_disk import OsFile

UNBOUNDED = 1 << 31
"""A `max_bytes` that no segment reaches."""
_NO_BATCH = WrittenBatch(-1, -1, 0, -1)


class DumpOptions(NamedTuple):
    """The printed words, as those of DumpLogSegments."""

    deep_iteration: bool
    """Print each record, not only batches."""
    print_data_log: bool
    """Print keys and values; implies `deep_iteration`."""
    cluster_metadata_decoder: bool
    """Print values as metadata records; implies `print_data_log`."""
    skip_record_metadata: bool
    """Print only keys and values of records."""
    index_sanity_check: bool
    """Check an index without printing it."""
    verify_index_only: bool
    """Compare an index with its log without printing it."""
    max_bytes: int
    """End the dump of a log before the batch that ends after this many bytes."""


def dump_files(names: Iterable[str], options: DumpOptions) -> int:
    """Print the content of each file; return the exit status, which is 1 if a file is invalid.

    A file that cannot be read or decoded is reported on standard error; the next one follows.
    """
    status = 0
    for name in names:
        print(f"Dumping {name}")
        try:
            file = OsFile(".", name, os.O_RDONLY)
        except OSError as error:
            print(f"{name}: {error.strerror}", file=sys.stderr)
            status = 1
            continue
        try:
            _dump(name, file, options)
        except (CorruptRecordsError, ValueError, *DISK_ERRORS) as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
        finally:
            file.close()
    return status


def _dump(name: str, file: File, options: DumpOptions) -> None:
    path = PurePath(name)
    content = b"" if path.suffix in (".log", ".checkpoint") else bytes(file.read_at(0, file.size))
    base = path.stem.partition("-")[0]
    if not base.isdigit():
        raise ValueError("the file's name does not begin with an offset")
    match path.suffix:
        case ".log" | ".checkpoint":
            _dump_log(path, file, options)
        case ".index":
            _dump_offset_index(path, OffsetIndex.decode(int(base), 1 << 31, content), options)
        case ".timeindex":
            _dump_time_index(path, TimeIndex.decode(int(base), 1 << 31, content), options)
        case ".txnindex":
            for entry in decode_transactions(content):
                print(
                    f"version: 0 producerId: {entry.producer_id} firstOffset: {entry.first_offset} "
                    f"lastOffset: {entry.last_offset} "
                    f"lastStableOffset: {entry.last_stable_offset}"
                )
        case ".snapshot":
            _dump_producers(content)
        case _:
            raise ValueError(f"Ignoring unknown file {name}")


def _dump_log(path: PurePath, file: File, options: DumpOptions) -> None:
    if path.suffix == ".log":
        print(f"Log starting offset: {int(path.stem)}")
    else:
        end_offset, epoch = path.stem.split("-")
        print(f"Snapshot end offset: {int(end_offset)}, epoch: {int(epoch)}")
    printing = options.print_data_log or options.cluster_metadata_decoder
    gaps: list[tuple[int, int]] = []
    last = -1
    end = 0
    for position, header, batch in scan_batches(file):
        if position + header.size > options.max_bytes:
            return
        end = position + header.size
        print(_batch_line(header, position, is_valid=_is_valid(header, batch)))
        if not (printing or options.deep_iteration):
            last = header.last_offset
            continue
        for record in read_batch(batch, 0, header):
            if record.offset != last + 1:
                gaps.append((last, record.offset))
            last = record.offset
            print(_record_line(header, record, options, printing=printing))
    if end < file.size:
        print(f"Found {file.size - end} invalid bytes at the end of {path}")
    if gaps:
        print(f"Non-consecutive offsets in {Path(path).absolute()}", file=sys.stderr)
        for before, after in gaps:
            print(f"  {before} is followed by {after}", file=sys.stderr)


def _is_valid(header: BatchHeader, batch: memoryview) -> bool:
    try:
        check_crc(batch, 0, header)
    except CorruptRecordsError:
        return False
    return True


def _batch_line(header: BatchHeader, position: int, *, is_valid: bool) -> str:
    if header.magic < 2:
        start = f"offset: {header.last_offset} position: {position}"
    else:
        horizon = header.delete_horizon
        start = (
            f"baseOffset: {header.base_offset} lastOffset: {header.last_offset} "
            f"count: {header.record_count} baseSequence: {header.base_sequence} "
            f"lastSequence: {header.last_sequence} producerId: {header.producer_id} "
            f"producerEpoch: {header.producer_epoch} partitionLeaderEpoch: {header.leader_epoch} "
            f"isTransactional: {_java(header.is_transactional)} "
            f"isControl: {_java(header.is_control)} "
            f"deleteHorizonMs: {_optional(horizon)} position: {position}"
        )
    return (
        f"{start} {_timestamp_type(header)}: {header.max_timestamp} size: {header.size} "
        f"magic: {header.magic} compresscodec: {Codec(header.codec).name.lower()} "
        f"crc: {header.crc} isvalid: {_java(is_valid)}"
    )


def _record_line(
    header: BatchHeader, record: Record, options: DumpOptions, *, printing: bool
) -> str:
    parts = []
    if not options.skip_record_metadata:
        parts.append(
            f"offset: {record.offset} {_timestamp_type(header)}: {record.timestamp} "
            f"keySize: {_size(record.key)} valueSize: {_size(record.value)}"
        )
        if header.magic >= 2:
            keys = ",".join(key for key, _ in record.headers)
            parts.append(f"sequence: {sequence_of(header, record)} headerKeys: [{keys}]")
        if header.is_control:
            parts.append(control_line(record))
    if printing and not header.is_control:
        if options.cluster_metadata_decoder:
            parts.append(metadata_line(record))
        else:
            parts += [
                f"{word}: {data.decode('utf-8', 'replace')}"
                for word, data in (("key", record.key), ("payload", record.value))
                if data is not None
            ]
    return "| " + " ".join(parts) if parts else ""


def _dump_offset_index(path: PurePath, index: OffsetIndex, options: DumpOptions) -> None:
    if options.index_sanity_check:
        print(f"{path} passed sanity check.")
        return
    log = OsFile(".", str(path.with_suffix(".log")), os.O_RDONLY)
    mismatches = []
    for offset, position in index.entries():
        found = next((header for _, header, _ in scan_batches(log, position)), None)
        if found is None or found.last_offset != offset:
            mismatches.append((offset, -1 if found is None else found.last_offset))
        if not options.verify_index_only:
            print(f"offset: {offset} position: {position}")
    log.close()
    if mismatches:
        print(f"Mismatches in :{Path(path).absolute()}", file=sys.stderr)
        for offset, found_offset in mismatches:
            print(f"  Index offset: {offset}, log offset: {found_offset}", file=sys.stderr)


def _dump_time_index(path: PurePath, index: TimeIndex, options: DumpOptions) -> None:
    if options.index_sanity_check:
        print(f"{path} passed sanity check.")
        return
    if not options.verify_index_only:
        for timestamp, offset in index.entries():
            print(f"timestamp: {timestamp} offset: {offset}")


def _dump_producers(content: bytes) -> None:
    entries = decode_snapshot(content)
    if entries is None:
        raise ValueError("the snapshot is damaged or of an unknown version")
    for entry in entries:
        last = entry.batches[-1] if entry.batches else _NO_BATCH
        start = None if entry.transaction_start < 0 else entry.transaction_start
        line = (
            f"producerId: {entry.producer_id} producerEpoch: {entry.epoch} "
            f"coordinatorEpoch: {entry.coordinator_epoch} "
            f"currentTxnFirstOffset: {_optional(start)} lastTimestamp: {entry.last_timestamp} "
        )
        if last is not _NO_BATCH:
            first = advance_sequence(last.last_sequence, -last.offset_delta)
            line += (
                f"firstSequence: {first} lastSequence: {last.last_sequence} "
                f"lastOffset: {last.last_offset} offsetDelta: {last.offset_delta} "
                f"timestamp: {last.timestamp}"
            )
        print(line)


def _timestamp_type(header: BatchHeader) -> str:
    if header.magic == 0:
        return "NoTimestampType"
    return "LogAppendTime" if header.is_log_append_time else "CreateTime"


def _size(data: bytes | None) -> int:
    return -1 if data is None else len(data)


def _java(value: bool) -> str:  # noqa: FBT001 - the value to print
    return "true" if value else "false"


def _optional(value: int | None) -> str:
    return "OptionalLong.empty" if value is None else f"OptionalLong[{value}]"
