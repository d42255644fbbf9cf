"""The verdict's part about records: loads the files of a run into an engine, and judges them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from minikafka.harness.clients.ledger_table import LedgerTable
from minikafka.harness.clients.poll_log import POLL_SCHEMA, read_poll_log
from minikafka.harness.plan.injections import Injection
from minikafka.harness.plan.settings import RunFiles
from minikafka.harness.verdict import tamper, time_checks
from minikafka.harness.verdict.engine import Engine
from minikafka.harness.verdict.isolation import compare
from minikafka.harness.verdict.join import PERCENTILES, Workings, judge, summarise
from minikafka.harness.verdict.polls import judge_polls, repeated
from minikafka.harness.verdict.relations import ENDS_SCHEMA, LEDGER_SCHEMA, OBSERVED_SCHEMA
from minikafka.harness.verdict.stream_files import StreamOrigin
from minikafka.harness.verdict.verdict_file import READER_KINDS

_EXAMPLES = 10
_UNAVAILABLE_US = 1_000_000


class Tampering(NamedTuple):
    """An injection and the record that it changes."""

    injection: Injection
    victim: tamper.Victim


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is judged besides the files of a run.

    `streamed` are the files that the stream wrote, or their folder. `stream_ends` are the ends of
    the stream by partition. With `tampering` the relations are changed before they are judged.
    """

    streamed: Path | Sequence[Path]
    stream_is_complete: bool
    stream_ends: Mapping[int, int]
    workings: Workings
    tampering: Tampering | None = None


def case_of(
    tables: Sequence[LedgerTable],
    *,
    streamed: Path,
    stream_is_complete: bool,
    stream_ends: Mapping[int, int],
    transactions: bool,
    inject: Injection | None,
    seed: int,
) -> Case:
    """Return the case of a run that has just ended; an injection draws its victim.

    Raises:
        HarnessError: if there is no record that can be tampered with.
    """
    victim = tamper.choose_victim(tables, seed) if inject else None
    return Case(
        streamed=streamed,
        stream_is_complete=stream_is_complete,
        stream_ends=stream_ends,
        workings=Workings(
            [(table.pid, first) for table in tables for first in table.renewals], transactions
        ),
        tampering=Tampering(inject, victim) if inject and victim else None,
    )


class _Group(NamedTuple):
    """What the consumer group's poll log has besides the polls."""

    is_complete: bool
    counts: Mapping[str, int]


def judge_files(
    engine: Engine, files: RunFiles, origin: StreamOrigin, case: Case
) -> dict[str, Any]:
    """Return the fields of the answer `judged` that follow from the files of the run.

    The table of the ledgers must exist.
    """
    group = _load(engine, files, origin, case)
    transactions = case.workings.transactions
    isolation = compare(engine, transactions=transactions)
    more = [isolation.findings]
    if group is not None:
        more.append(judge_polls(group_is_complete=group.is_complete))
    counts, latency_ms = judge(
        engine,
        files.findings,
        stream_is_complete=case.stream_is_complete,
        workings=case.workings,
        more=more,
    )
    regressions = time_checks.regressions(engine)
    windows = time_checks.unavailability(engine, _UNAVAILABLE_US)
    answer: dict[str, Any] = {
        "counts": counts,
        "promises": summarise(engine, files.findings, _EXAMPLES),
        "latency_ms": latency_ms,
        "percentiles": PERCENTILES,
        "regressions": regressions,
        "windows": time_checks.summarise_windows(engine, windows),
        "isolation": isolation.counts,
        "group_repeated": 0 if group is None else repeated(engine),
        "group_is_complete": group is not None and group.is_complete,
        "group_counts": {} if group is None else dict(group.counts),
        "injected": [],
        "injected_found": False,
    }
    not_judged = [] if group is not None else [*READER_KINDS]
    not_judged += ["gap"] if transactions else []
    for kind in not_judged:
        answer["promises"][kind]["count"] = None
    if case.tampering is not None:
        injection, victim = case.tampering
        answer["injected"] = [victim.name]
        answer["injected_found"] = (
            tamper.is_regression_found(regressions, victim)
            if injection == "watermark"
            else tamper.is_found(engine, "findings", injection, victim)
        )
    for name in ("events", "differing", "findings"):
        engine.drop(name)
    return answer


def _load(engine: Engine, files: RunFiles, origin: StreamOrigin, case: Case) -> _Group | None:
    """Name every relation that the rules use; return the group if the run had one."""
    engine.parquet("ledger_of_run", files.ledger_table, LEDGER_SCHEMA)
    engine.parquet("streamed_of_run", case.streamed, OBSERVED_SCHEMA)
    engine.parquet("reread_of_run", files.reread, OBSERVED_SCHEMA)
    engine.parquet("uncommitted_of_run", files.reread_uncommitted, OBSERVED_SCHEMA)
    engine.values("stream_ends", case.stream_ends.items(), ENDS_SCHEMA)
    logs = [files.events, files.spark_events, files.local_events]
    engine.events("looks", "watermarks", [path for path in logs if path.exists()])
    engine.view("samples_of_run", time_checks.samples(origin.topic, origin.width))
    engine.view("elected", time_checks.elections())
    group = _load_group(engine, files)
    for name, change in _TAMPER.items():
        if name == "polls" and group is None:
            continue
        original = f"{name}_of_run"
        if case.tampering is None:
            engine.view(name, f"select * from {original}")
        else:
            engine.view(name, change(*case.tampering, original))
    return group


_TAMPER = {
    "ledger": tamper.tamper_ledger,
    "streamed": tamper.tamper_stream,
    "reread": tamper.tamper_reread,
    "uncommitted": tamper.tamper_uncommitted,
    "samples": tamper.tamper_samples,
    "polls": tamper.tamper_polls,
}
"""The relations that an injection may change; `NAME_of_run` has what the run observed."""


def _load_group(engine: Engine, files: RunFiles) -> _Group | None:
    """Name the polls and ends of a run's consumer group; None if the run had no group."""
    if not files.poll_log.exists():
        return None
    table = read_poll_log(files.poll_log)
    files.polls.mkdir(exist_ok=True)
    pq.write_table(table.rows, files.polls / "polls.parquet")
    engine.parquet("polls_of_run", files.polls, POLL_SCHEMA)
    engine.values("group_ends", table.ends.items(), ENDS_SCHEMA)
    return _Group(bool(table.ends), table.counts)
