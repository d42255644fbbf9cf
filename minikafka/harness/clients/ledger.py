"""The ledger (S1): every record that one producer sent, and its outcome; survives its death.

A file of msgpack values, each `[CRC-32 of body, body]`. The body is itself a msgpack array whose
first element is a tag:

    [HEADER, {version, run, producer, client, topic, topic_id, acks, idempotent, timestamps}]
    [SENT, first seq, base time µs, [partition], [µs after base], [crc], [value size]]
    [ACKED, base time µs, [seq], [offset], [µs after base], [record timestamp ms - base ms]]
    [FAILED, time µs, [seq], error name]        the record is certainly not in the log
    [UNKNOWN, time µs, [seq], error name]       the record may or may not be in the log
    [END, time µs]                              the producer ended on its own
    [RENEWED, time µs, next seq, error]         another client instance writes the following records

The order of the entries is the proof. SENT is written before the records are handed to the client,
so a record in the log that is in no ledger was really never sent. ACKED is written *and synced*
before the record counts as acknowledged anywhere, so no acknowledgement is ever lost. A record
without an outcome is unknown.

A tail torn by SIGKILL is left out, and `Entries.torn_bytes` is its size. Any damage before the tail
is an error, since a damaged ledger proves nothing. A record takes about 25 bytes.
"""

import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgpack

from minikafka.harness.plan.workload_options import SENT_TIME

VERSION = 2
VERSIONS = (1, 2)
"""The readable versions. In version 2 and later the timestamp of a record is its send time."""

NO_OFFSET = -1
"""The offset of a record sent with acks=0: the client gets no response and knows no offset."""
HEADER, SENT, ACKED, FAILED, UNKNOWN, END, RENEWED = range(7)

ABORTED = "aborted"
"""The error of a record whose transaction was aborted on purpose. It is `failed`, since a
read_committed consumer must not see it."""

_HEADER_FIELDS = frozenset(
    {
        "version",
        "run",
        "producer",
        "client",
        "topic",
        "topic_id",
        "acks",
        "idempotent",
        "timestamps",
    }
)


class LedgerDamagedError(Exception):
    """The file is not what a producer wrote, so no verdict can be based on it."""


class Acknowledged(NamedTuple):
    """A record that the cluster acknowledged; `ack_us` is when the client got the answer."""

    seq: int
    offset: int
    ack_us: int
    timestamp_ms: int


@dataclass(slots=True)
class FrameWriter:
    """Appends framed entries to a new file; used by one thread at a time."""

    path: Path
    _fd: int = field(init=False)

    def __post_init__(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._fd = os.open(self.path, flags, 0o644)
        folder = os.open(self.path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def append(self, entry: Sequence[object]) -> None:
        """Append one entry: a tag and its values."""
        body = msgpack.packb(entry)
        data = memoryview(msgpack.packb([zlib.crc32(body), body]))
        while data:
            data = data[os.write(self._fd, data) :]

    def sync(self) -> None:
        """Make everything appended so far survive a power failure."""
        os.fdatasync(self._fd)


class LedgerWriter(FrameWriter):
    """Writes a ledger."""

    __slots__ = ()

    def header(self, *, timestamps: str = SENT_TIME, **values: object) -> None:
        """Write the header, which must be the first entry.

        `timestamps` says what the records' timestamps are: `SENT_TIME`, or `APPEND_TIME` if the
        topic has message.timestamp.type=LogAppendTime.
        """
        content = {"version": VERSION, **values, "timestamps": timestamps}
        assert content.keys() == _HEADER_FIELDS
        self.append([HEADER, content])

    def sent(
        self,
        first_seq: int,
        base_us: int,
        *,
        partitions: Sequence[int],
        after_us: Sequence[int],
        crcs: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        """Note records, with consecutive numbers, that the client gets next."""
        assert len(partitions) == len(after_us) == len(crcs) == len(sizes)
        self.append([SENT, first_seq, base_us, partitions, after_us, crcs, sizes])

    def acked(self, records: Sequence[Acknowledged]) -> None:
        """Note acknowledgements; they count only after `sync`."""
        base_us = records[0].ack_us
        columns = [
            [record.seq for record in records],
            [record.offset for record in records],
            [record.ack_us - base_us for record in records],
            [record.timestamp_ms - base_us // 1000 for record in records],
        ]
        self.append([ACKED, base_us, *columns])

    def failed(self, at_us: int, seqs: Sequence[int], error: str) -> None:
        """Note records that are certainly not in the log."""
        self.append([FAILED, at_us, seqs, error])

    def unknown(self, at_us: int, seqs: Sequence[int], error: str) -> None:
        """Note records that may or may not be in the log."""
        self.append([UNKNOWN, at_us, seqs, error])

    def end(self, at_us: int) -> None:
        """Note that the producer ended on its own."""
        self.append([END, at_us])

    def renewed(self, at_us: int, next_seq: int, error: str) -> None:
        """Note that the client failed and that another instance writes `next_seq` and later."""
        self.append([RENEWED, at_us, next_seq, error])


@dataclass(slots=True)
class Entries:
    """The entries of a ledger in order, without a torn last one.

    `torn_bytes` is the size of that torn entry; it is valid after the iteration.

    Raises:
        LedgerDamagedError: if anything except the tail is damaged; names file and position.
    """

    path: Path
    torn_bytes: int = 0

    def __iter__(self) -> Iterator[list[Any]]:
        with self.path.open("rb") as file:
            unpacker = msgpack.Unpacker(file, max_buffer_size=1 << 30)
            while True:
                position = unpacker.tell()
                try:
                    frame = unpacker.unpack()
                except msgpack.OutOfData:
                    self.torn_bytes = file.tell() - position
                    return
                except ValueError as error:
                    raise self._damaged(position, str(error)) from error
                if not _is_frame(frame) or zlib.crc32(frame[1]) != frame[0]:
                    raise self._damaged(position, "checksum differs")
                entry: list[Any] = msgpack.unpackb(frame[1], strict_map_key=False)
                yield entry

    def _damaged(self, position: int, why: str) -> LedgerDamagedError:
        return LedgerDamagedError(f"{self.path.name}: at byte {position}: {why}")


def read_entries(path: Path) -> Iterator[list[Any]]:
    """The entries of a ledger in order, without a torn last one; see `Entries`."""
    return iter(Entries(path))


def _is_frame(frame: object) -> bool:
    return (
        isinstance(frame, list)
        and len(frame) == 2
        and isinstance(frame[0], int)
        and isinstance(frame[1], bytes)
    )
