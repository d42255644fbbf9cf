"""Small runs that are made up: ledgers, reads, polls and events, drawn from a seed.

Every promise is kept in them. `CASES` are runs whose observations are then tampered with.
"""

import dataclasses
import json
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from minikafka.harness.clients.ledger import FrameWriter
from minikafka.harness.clients.ledger_table import STATUSES, LedgerTable, write_parquet
from minikafka.harness.clients.poll_log import (
    ASSIGNED,
    COMMITTED,
    END,
    HEADER,
    POLLED,
    VERSION,
    runs,
)
from minikafka.harness.judge_again import JudgedAgain
from minikafka.harness.plan.injections import INJECTIONS, OF_THE_READER, Injection
from minikafka.harness.plan.workload_options import SENT_TIME
from minikafka.harness.verdict.judging import case_of, judge_files
from minikafka.harness.verdict.stream_files import StreamOrigin

ORIGIN = StreamOrigin("", "s,t", 2)
_PARTITIONS = 4
_RECORDS = 90
_BEGAN_US = 1_700_000_000_000_000
_GUARANTEES = {1: ("all", True), 2: ("all", True), 3: ("1", False)}
_RENEWED = {2: [40]}


class TamperedCase(NamedTuple):
    """A run, and what is done to its observations."""

    injection: Injection | None
    seed: int
    transactions: bool = False
    group: bool = True

    @property
    def name(self):
        about = ("transactions" * self.transactions, "no group" * (not self.group))
        return " ".join(filter(None, (self.injection or "nothing", *about)))


UNTOUCHED = [
    TamperedCase(None, 1),
    TamperedCase(None, 2, transactions=True),
    TamperedCase(None, 3, group=False),
]
_ELSEWHERE = ("watermark", "isolation", "overwrite", "refuse", *OF_THE_READER)
CASES = [
    *(TamperedCase(each, 1) for each in INJECTIONS),
    # With transactions a gap is not judged.
    *(TamperedCase(each, 2, transactions=True) for each in INJECTIONS if each != "gap"),
    *(TamperedCase(each, 3, group=False) for each in INJECTIONS if each not in _ELSEWHERE),
]


@dataclasses.dataclass
class _Log:
    """One partition: rows of the committed and of all records."""

    end: int = 0
    committed: list[tuple] = dataclasses.field(default_factory=list)
    every: list[tuple] = dataclasses.field(default_factory=list)


def judge_case(engine, folder: Path, case: TamperedCase):
    """Make the run, and let the engine judge it; return the answer and its findings."""
    root, out = folder / "run", folder / "judged"
    root.mkdir()
    out.mkdir()
    files = JudgedAgain(root, out)
    rng = random.Random(case.seed)
    logs = [_Log() for _ in range(_PARTITIONS)]
    tables = [_produce(rng, pid, logs, transactions=case.transactions) for pid in _GUARANTEES]
    write_parquet(tables, files.ledger_table)
    _write_reads(files, logs)
    if case.group:
        _write_polls(files.poll_log, logs)
    _write_events(files.events, logs)
    answer = judge_files(
        engine,
        files,
        ORIGIN,
        case_of(
            tables,
            streamed=files.streamed,
            stream_is_complete=True,
            stream_ends={number: log.end for number, log in enumerate(logs)},
            transactions=case.transactions,
            inject=case.injection,
            seed=case.seed,
        ),
    )
    found = engine.rows("select * from findings_of_run")
    return answer, sorted(found, key=lambda row: [str(value) for value in row.values()])


def _produce(rng, pid, logs, *, transactions):
    """One producer's ledger; its records go to the ends of the logs."""
    columns = {name: [] for name in ("partition", "crc", "size", "send_us", "status")}
    columns |= {name: [] for name in ("ack_offset", "ack_us", "timestamp_ms")}
    for seq in range(_RECORDS):
        partition = rng.randrange(_PARTITIONS)
        log = logs[partition]
        send_us = _BEGAN_US + seq * 50_000 + pid * 1_000
        status = rng.choices(STATUSES, (6, 88, 6))[0]
        crc, size = rng.getrandbits(32), rng.randrange(60, 300)
        offset, ack_us = 0, 0
        row = (send_us // 1000, pid, seq, crc, size, send_us // 1000 + rng.randrange(5, 900))
        if status == "acked" or (status == "unknown" and rng.random() < 0.5):
            offset = _append(log, partition, row)
            log.committed.append(log.every[-1])
        elif status == "failed" and transactions:
            _append(log, partition, row)
        if transactions and rng.random() < 0.2:
            log.end += 1  # a marker
        if status == "acked":
            ack_us = send_us + rng.randrange(900, 90_000)
        values = (partition, crc, size, send_us, STATUSES.index(status), offset, ack_us)
        for name, value in zip(columns, (*values, send_us // 1000), strict=True):
            columns[name].append(value)
    acks, idempotent = _GUARANTEES[pid]
    header = {"producer": pid, "client": "x", "acks": acks, "idempotent": idempotent}
    return LedgerTable(
        header={**header, "timestamps": SENT_TIME},
        ended=True,
        torn_bytes=0,
        renewals=_RENEWED.get(pid, []),
        **{name: np.array(values, np.int64) for name, values in columns.items()},
    )


def _append(log, partition, row):
    timestamp_ms, *named, read_ms = row
    log.every.append((partition, log.end, timestamp_ms, *named, read_ms))
    log.end += 1
    return log.end - 1


def _write_reads(files, logs):
    committed = [row for log in logs for row in log.committed]
    every = [row for log in logs for row in log.every]
    for folder, rows in (
        (files.streamed, committed),
        (files.reread, committed),
        (files.reread_uncommitted, every),
    ):
        folder.mkdir()
        columns = list(zip(*rows, strict=True))
        types = [pa.int32(), *[pa.int64()] * 5, pa.int32(), pa.int64()]
        names = ("partition", "offset", "timestamp_ms", "pid", "seq", "crc", "size", "read_ms")
        arrays = [pa.array(*column) for column in zip(columns, types, strict=True)]
        pq.write_table(pa.table(arrays, names=names), folder / "part-0.parquet")


def _write_polls(path, logs):
    """In each partition a second member takes over; both commit after each poll."""
    entries = [[HEADER, {"version": VERSION, "run": "r", "group": "g", "protocol": "eager"}]]

    def add(tag, *values):
        entries.append([tag, _BEGAN_US + len(entries) * 10_000, *values])

    for partition, log in enumerate(logs):
        half = len(log.committed) // 2
        for member, rows in ((1, log.committed[:half]), (2, log.committed[half:])):
            add(ASSIGNED, member, [partition], [member])
            for at in range(0, len(rows), 7):
                polled = runs((partition, member, row[1]) for row in rows[at : at + 7])
                add(POLLED, member, *([*column] for column in zip(*polled, strict=True)))
                add(COMMITTED, member, [partition], [polled[-1].last + 1])
    add(END, {partition: log.end for partition, log in enumerate(logs)})
    with FrameWriter(path) as frames:
        for entry in entries:
            frames.append(entry)


def _write_events(path, logs):
    """The high watermarks grow; each partition has a clean and an unclean election."""
    began_ms = _BEGAN_US // 1000
    events = []
    for number in range(1, 11):
        ends = {str(partition): log.end * number // 10 for partition, log in enumerate(logs)}
        at_ms = began_ms + number * 500
        events.append({"at_ms": at_ms, "event": "high_watermarks", "ends": ends})
        leader, isr = {6: (2, [2, 3]), 9: (1, [1])}.get(number, (None, [2, 3]))
        for partition in range(_PARTITIONS):
            about = {"leader": leader if number > 1 else 3, "isr": isr}
            events.append({"at_ms": at_ms, "event": "partition", "partition": partition, **about})
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
