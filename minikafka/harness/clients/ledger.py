"""The ledger: what one producer sent, and what became of it, safe against the producer's death.

A file of msgpack values, each `[CRC-32 of body, body]` with a body that is itself a msgpack array
whose first element is a tag:

    [HEADER, {version, run, producer, client, topic, topic_id, acks, idempotent, timestamps}]
    [SENT, first seq, base time µs, [partition], [µs after base], [crc], [value size]]
    [ACKED, base time µs, [seq], [offset], [µs after base], [record timestamp ms - base ms]]
    [FAILED, time µs, [seq], error name]        the record is certainly not in the log
    [UNKNOWN, time µs, [seq], error name]       it may be, or not
    [END, time µs]                              the producer ended by itself
    [RENEWED, time µs, next seq, error]         another instance of the client writes from here on

Order is the proof: SENT is written before the records are handed to the client, so that a record in
the log that no ledger knows was truly never sent. ACKED is written *and synced* before the record
counts as acknowledged anywhere, so that a claim is never lost. Sent without an outcome is unknown.

A tail cut by SIGKILL is left out, and `Entries.torn_bytes` says how much it was; anything wrong
before the tail is an error, since a ledger that lies can prove nothing. About 25 bytes a record.
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
"""Those that can be read. From version 2 the timestamp of a record is its send time."""

NO_OFFSET = -1
"""Of a record acknowledged by acks=0: nobody told where it is."""
HEADER, SENT, ACKED, FAILED, UNKNOWN, END, RENEWED = range(7)

ABORTED = "aborted"
"""The error of a record whose transaction was aborted on purpose: `failed`, since it is not to be
seen by who reads what is committed."""

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
    """The file is not what a producer wrote: no verdict can rest on it."""


class Acknowledged(NamedTuple):
    """A record that the cluster confirmed: where it is and when the client learnt it."""

    seq: int
    offset: int
    ack_us: int
    timestamp_ms: int


@dataclass(slots=True)
class FrameWriter:
    """Appends framed entries to a new file; one writer a file, one thread at a time."""

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
        """Make everything appended so far survive a loss of power."""
        os.fdatasync(self._fd)


class LedgerWriter(FrameWriter):
    """Writes a ledger."""

    __slots__ = ()

    def header(self, *, timestamps: str = SENT_TIME, **values: object) -> None:
        """Say whose ledger it is; must be the first entry.

        `timestamps` says whose the records' timestamps are: `SENT_TIME`, or `APPEND_TIME` where the
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
        """Announce records with consecutive numbers that are about to be handed to the client."""
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
        """Note that the producer stopped by itself."""
        self.append([END, at_us])

    def renewed(self, at_us: int, next_seq: int, error: str) -> None:
        """Note that the client gave up, and that another instance writes from this record on."""
        self.append([RENEWED, at_us, next_seq, error])


@dataclass(slots=True)
class Entries:
    """The entries of a ledger in order, without a torn last one.

    `torn_bytes`, right once the iteration is over, is how much of the file is that torn entry.

    Raises:
        LedgerDamagedError: naming file and position, if anything but the tail is not as written.
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
