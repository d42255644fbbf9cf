"""Rows of a ledger and of reads, judged by an engine as if they were a run's."""

from minikafka.harness.verdict.join import Workings, judge
from minikafka.harness.verdict.relations import (
    ELECTION_SCHEMA,
    ENDS_SCHEMA,
    LEDGER_SCHEMA,
    OBSERVED_SCHEMA,
)

PROMISED = ("all", True)
"""acks and idempotence."""


def ledger_rows(pid, rows, guarantee=PROMISED):
    """Record n was sent at n seconds and acknowledged, if it was, n + 1 milliseconds later."""
    return [
        (
            *(pid, seq, pid, 100 + seq, 9, seq * 10**6, status, offset, ack_us, None),
            *(*guarantee, seq * 1000),
        )
        for seq, status, offset in rows
        for ack_us in [seq * 10**6 + (seq + 1) * 1000 if status == "acked" else None]
    ]


def read_rows(pid, rows):
    """Rows are (offset, seq) as it was sent, or with other than that (checksum, size, timestamp).

    Record n was read 2 s after it was sent.
    """
    found = []
    for offset, seq, *others in rows:
        crc, size, at_ms = [*others, *[100 + seq, 9, seq * 1000][len(others) :]]
        found.append((pid, offset, at_ms, pid, seq, crc, size, seq * 1000 + 2000))
    return found


def judge_rows(
    engine,
    folder,
    ledger,
    streamed,
    reread,
    *,
    complete=True,
    ends=(),
    elected=(),
    workings=Workings(),  # noqa: B008
):
    """The summary; the findings are written to `folder`, and are the relation `findings`."""
    engine.values("ledger", ledger, LEDGER_SCHEMA)
    engine.values("streamed", streamed, OBSERVED_SCHEMA)
    engine.values("reread", reread, OBSERVED_SCHEMA)
    engine.values("stream_ends", ends, ENDS_SCHEMA)
    engine.values("elected", elected, ELECTION_SCHEMA)
    summary = judge(engine, folder, stream_is_complete=complete, workings=workings)
    engine.parquet("findings", folder, FOUND_SCHEMA)
    return summary


FOUND_SCHEMA = (
    "kind string, pid bigint, seq bigint, partition int, offset bigint, severity bigint,"
    " detail string, at_us bigint, election string"
)


def findings(engine):
    """What the last call of `judge_rows` found, by sequence."""
    return engine.rows("select * from findings f order by f.seq, f.partition, f.kind, f.offset")
