"""A ledger folded into one row per record: the form in which Spark gets it.

Columns: pid, seq, partition, crc, size, send_us, status ('acked', 'failed', 'unknown'), ack_offset
and ack_us and timestamp_ms (null unless acked; ack_offset is also null with acks=0, which returns
no offset), acks ('0', '1', 'all') and idempotent, both the producer's; sent_ms, the timestamp that
the record must have (null in ledgers of version 1, and if brokers set the timestamps).
Rows are in sequence order and complete: a record without an outcome is unknown.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from minikafka.harness.clients import ledger
from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.clients.records import US_PER_MS
from minikafka.harness.plan.workload_options import SENT_TIME

STATUSES = ("unknown", "acked", "failed")
_UNKNOWN, _ACKED, _FAILED = range(3)

Column = npt.NDArray[np.int64]


@dataclass(slots=True)
class LedgerTable:
    """One producer's records, as columns indexed by sequence number."""

    header: dict[str, Any]
    ended: bool
    torn_bytes: int
    partition: Column
    crc: Column
    size: Column
    send_us: Column
    status: Column
    ack_offset: Column
    ack_us: Column
    timestamp_ms: Column
    renewals: list[int] = field(default_factory=list)
    """The first sequence number of each further client instance."""
    aborted_count: int = 0

    @property
    def pid(self) -> int:
        """The producer's id."""
        return int(self.header["producer"])

    @property
    def acked(self) -> npt.NDArray[np.bool_]:
        """A mask of the records that were acknowledged."""
        is_acked: npt.NDArray[np.bool_] = self.status == _ACKED
        return is_acked

    @property
    def is_promised(self) -> bool:
        """True if an acknowledgement is a promise (acks=all, exactly once and in order)."""
        return self.header["acks"] == "all" and bool(self.header["idempotent"])

    @property
    def has_sent_ms(self) -> bool:
        """True if a record's timestamp must be its send time."""
        return self.header.get("timestamps") == SENT_TIME

    def counts(self) -> dict[str, int]:
        """Return the number of records by status, and of all records (`sent`)."""
        by_status = np.bincount(self.status, minlength=len(STATUSES)).tolist()
        named = dict(zip(STATUSES, by_status, strict=True))
        return {"sent": len(self.status), **named}

    def summary(self) -> dict[str, Any]:
        """Return the producer and its counts as plain values."""
        return {
            "producer": self.pid,
            "client": self.header["client"],
            "acks": self.header["acks"],
            "idempotent": self.header["idempotent"],
            "ended": self.ended,
            "torn_bytes": self.torn_bytes,
            "instances": 1 + len(self.renewals),
            "aborted": self.aborted_count,
            **self.counts(),
        }

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        not_acked = ~self.acked
        count = len(self.status)
        return pa.table(
            {
                "pid": np.full(len(self.status), self.pid, np.int64),
                "seq": np.arange(len(self.status), dtype=np.int64),
                "partition": self.partition.astype(np.int32),
                "crc": self.crc,
                "size": self.size.astype(np.int32),
                "send_us": self.send_us,
                "status": pa.array(np.array(STATUSES)[self.status].tolist(), pa.string()),
                "ack_offset": pa.array(self.ack_offset, mask=not_acked | (self.ack_offset < 0)),
                "ack_us": pa.array(self.ack_us, mask=not_acked),
                "timestamp_ms": pa.array(self.timestamp_ms, mask=not_acked),
                "acks": pa.array([self.header["acks"]] * count, pa.string()),
                "idempotent": np.full(count, self.header["idempotent"], np.bool_),
                "sent_ms": pa.array(
                    self.send_us // US_PER_MS, mask=np.full(count, not self.has_sent_ms)
                ),
            }
        )


@dataclass(slots=True)
class _Fold:
    """The columns while they grow.

    `sent` has blocks of shape (4, n): partition, crc, size, send time. `outcomes` has blocks of
    shape (5, n): seq, status, offset, time, timestamp.
    """

    name: str
    header: dict[str, Any] = field(default_factory=dict)
    ended: bool = False
    sent_count: int = 0
    sent: list[Column] = field(default_factory=list)
    outcomes: list[Column] = field(default_factory=list)
    renewals: list[int] = field(default_factory=list)
    aborted_count: int = 0

    def take(self, entry: list[Any]) -> None:
        """Add one entry of the ledger."""
        if not self.header and entry[0] != ledger.HEADER:
            raise LedgerDamagedError(f"{self.name}: does not begin with a header")
        match entry:
            case [ledger.HEADER, dict(header)]:
                if header.get("version") not in ledger.VERSIONS:
                    expected = " or ".join(map(str, ledger.VERSIONS))
                    raise LedgerDamagedError(
                        f"{self.name}: version {header.get('version')}, expected {expected}"
                    )
                self.header = header
            case [ledger.SENT, first_seq, base_us, partitions, after_us, crcs, sizes]:
                if first_seq != self.sent_count:
                    raise LedgerDamagedError(
                        f"{self.name}: SENT of record {first_seq} follows {self.sent_count - 1}"
                    )
                self.sent_count += len(partitions)
                times = np.array(after_us, np.int64) + base_us
                self.sent.append(np.array([partitions, crcs, sizes, times], np.int64))
            case [ledger.ACKED, base_us, seqs, offsets, after_us, after_ms]:
                times = np.array(after_us, np.int64) + base_us
                stamps = np.array(after_ms, np.int64) + base_us // 1000
                status = np.full(len(seqs), _ACKED)
                self._outcome(np.array([seqs, status, offsets, times, stamps], np.int64))
            case [ledger.FAILED | ledger.UNKNOWN as tag, at_us, seqs, str(error)]:
                rows = np.zeros((5, len(seqs)), np.int64)
                rows[0] = seqs
                rows[1] = _FAILED if tag == ledger.FAILED else _UNKNOWN
                rows[3] = at_us
                self.aborted_count += len(seqs) * (error == ledger.ABORTED)
                self._outcome(rows)
            case [ledger.RENEWED, int(), int(next_seq), str()]:
                self.renewals.append(next_seq)
            case [ledger.END, int()]:
                self.ended = True
            case _:
                raise LedgerDamagedError(f"{self.name}: an entry of unknown form, tag {entry[0]}")

    def _outcome(self, rows: Column) -> None:
        if rows[0].size and (rows[0].min() < 0 or rows[0].max() >= self.sent_count):
            raise LedgerDamagedError(f"{self.name}: an outcome of a record that was never sent")
        self.outcomes.append(rows)

    def table(self, torn_bytes: int) -> LedgerTable:
        """Return the finished columns."""
        sent = np.concatenate([np.empty((4, 0), np.int64), *self.sent], axis=1)
        outcomes = np.concatenate([np.empty((5, 0), np.int64), *self.outcomes], axis=1)
        if len(np.unique(outcomes[0])) != outcomes.shape[1]:
            raise LedgerDamagedError(f"{self.name}: a record has two outcomes")
        columns = np.zeros((4, self.sent_count), np.int64)
        columns[:, outcomes[0]] = outcomes[1:]
        partition, crc, size, send_us = sent
        status, ack_offset, ack_us, timestamp_ms = columns
        return LedgerTable(
            header=self.header,
            ended=self.ended,
            torn_bytes=torn_bytes,
            partition=partition,
            crc=crc,
            size=size,
            send_us=send_us,
            status=status,
            ack_offset=ack_offset,
            ack_us=ack_us,
            timestamp_ms=timestamp_ms,
            renewals=self.renewals,
            aborted_count=self.aborted_count,
        )


def read_ledger(path: Path) -> LedgerTable:
    """Read and fold one ledger file, without a torn last entry, whose size is `torn_bytes`.

    Raises:
        LedgerDamagedError: if the file is damaged or contradicts itself.
    """
    fold = _Fold(path.name)
    entries = ledger.Entries(path)
    for entry in entries:
        fold.take(entry)
    if not fold.header:
        raise LedgerDamagedError(f"{path.name}: empty")
    return fold.table(entries.torn_bytes)


def read_ledgers(folder: Path) -> list[LedgerTable]:
    """Read all ledgers of a run, in the order of file names, without empty files."""
    return [read_ledger(path) for path in sorted(folder.glob("*.msgpack")) if path.stat().st_size]


def torn_notes(tables: Iterable[LedgerTable]) -> list[str]:
    """Return one sentence for each ledger whose last entry is incomplete."""
    return [
        f"The ledger of producer {table.pid} ends with an incomplete entry of {table.torn_bytes}"
        " bytes, which was left out: the producer was killed while it wrote."
        for table in tables
        if table.torn_bytes
    ]


def write_parquet(tables: Iterable[LedgerTable], folder: Path) -> None:
    """Write the ledgers into one parquet folder, with one file for each ledger."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        pq.write_table(table.to_arrow(), folder / f"producer-{table.pid}.parquet")
