"""The broken promises that the page shows, with record, time and details.

The verdict lists at most twenty records of a kind; `findings.parquet` has all. If that exists, the
page's time axis counts all findings and its tables show more.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from minikafka.harness.clients.ledger_table import LedgerTable
from minikafka.harness.clients.records import record_name
from minikafka.harness.page.tables import plain, table, words
from minikafka.harness.verdict.anomaly_names import ANOMALIES, sights
from minikafka.harness.verdict.verdict_file import Verdict

SHOWN_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AnomalyRow:
    """One finding. `times_ms` are its times; the first is that of the finding itself."""

    kind: str
    record: str = ""
    partition: int | None = None
    offset: int | None = None
    said: str
    times_ms: tuple[int, ...] = ()


@dataclass(slots=True)
class Anomalies:
    """The findings shown, by kind, and {kind, at_ms, count} of all findings for the time axis."""

    shown: dict[str, list[AnomalyRow]] = field(default_factory=dict)
    marks: list[dict[str, Any]] = field(default_factory=list)


def collect(
    verdict: Verdict, tables: Sequence[LedgerTable], findings: Path | None = None
) -> Anomalies:
    """Collect the findings of the verdict and, if given, of the findings folder."""
    result = Anomalies()
    ledgers = {table.pid: table for table in tables}
    every = _all_findings(findings)
    for kind, promise in verdict["promises"].items():
        if not promise["count"]:
            continue
        named = _without_repeats([*promise["first"], *promise["worst"]])
        rows = [_anomaly(kind, row, ledgers) for row in named]
        table = every.filter(pc.field("kind") == kind) if every is not None else None
        known = {row.record for row in rows}
        if table is not None and table.num_rows:
            rest = [_anomaly(kind, row, ledgers) for row in _first_rows(table)]
            rows += [row for row in rest if row.record not in known]
            result.marks += _marks(kind, table, ledgers)
        else:
            result.marks += [
                {"kind": kind, "at_ms": row.times_ms[0], "count": 1} for row in rows if row.times_ms
            ]
        result.shown[kind] = rows[:SHOWN_MAX]
    return result


def named_anomalies(verdict: Verdict) -> str:
    """Return the table of the anomalies of published reports: looked for, and seen in this run."""
    rows, bad = [], []
    for number, sight in enumerate(sights(verdict["promises"])):
        looked_for = ", ".join(map(words, sight.judged)) or "no"
        seen = ", ".join(f"{words(kind)} {count:,}" for kind, count in sight.seen.items())
        needs = ", ".join(sight.needs).replace("`", "")
        meaning = ANOMALIES[sight.name].meaning.replace("`", "")
        rows.append((sight.name, looked_for, needs or "-", seen or "none", meaning))
        bad += [number] if seen else []
    head = ("anomaly", "looked for as", "not looked for: needs", "seen", "what it is")
    return table(head, rows, bad=bad)


def _without_repeats(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({json.dumps(row, sort_keys=True): row for row in rows}.values())


_COLUMNS = ["kind", "pid", "seq", "partition", "offset", "detail", "election", "at_us"]


def _all_findings(folder: Path | None) -> pa.Table | None:
    """Return the findings that the engine wrote; None if there are none or their columns differ."""
    if folder is None or not folder.is_dir():
        return None
    try:
        found = ds.dataset(folder, format="parquet", exclude_invalid_files=True)
        table: pa.Table = found.to_table(columns=_COLUMNS)
    except (OSError, pa.ArrowException):
        return None
    return table


def _first_rows(table: pa.Table) -> list[dict[str, Any]]:
    order = [("seq", "ascending"), ("pid", "ascending"), ("offset", "ascending")]
    rows = table.take(pc.select_k_unstable(table, SHOWN_MAX, order)).to_pylist()
    return [
        {
            "record": _name(row["pid"], row["seq"]),
            "partition": row["partition"],
            "offset": row["offset"],
            "detail": row["detail"],
            "election": json.loads(row["election"]) if row["election"] else None,
        }
        for row in rows
    ]


def _name(pid: int | None, seq: int | None) -> str:
    return "" if pid is None or seq is None else record_name(pid, seq)


def _marks(kind: str, table: pa.Table, ledgers: Mapping[int, LedgerTable]) -> list[dict[str, Any]]:
    """Count findings by tenths of a second; times are the ledger's, else the finding's."""
    pids, seqs = (pc.fill_null(table[name], -1).to_numpy() for name in ("pid", "seq"))
    at_us = pc.fill_null(table["at_us"], 0).to_numpy().copy()
    for pid, ledger in ledgers.items():
        here = (pids == pid) & (seqs >= 0) & (seqs < len(ledger.send_us))
        at_us[here] = _times_us(ledger)[seqs[here]]
    tenths, counts = np.unique(at_us[at_us > 0] // 100_000, return_counts=True)
    return [
        {"kind": kind, "at_ms": tenth * 100, "count": count}
        for tenth, count in zip(tenths.tolist(), counts.tolist(), strict=True)
    ]


def _times_us(ledger: LedgerTable) -> Any:
    """Return when each record got its outcome; if it got none, when it was sent."""
    return np.where(ledger.ack_us > 0, ledger.ack_us, ledger.send_us)


def _anomaly(kind: str, row: Mapping[str, Any], ledgers: Mapping[int, LedgerTable]) -> AnomalyRow:
    if "record" not in row:
        times = [row[name] for name in ("after_at_ms", "before_at_ms") if name in row]
        said = "; ".join(f"{name} {value}" for name, value in plain(row) if name not in _TOLD)
        if kind == "high_watermark_regression":
            said = f"the {row['witness']} saw {row['before']:,}, then {row['after']:,}"
        if "message" in row:
            said = str(row["message"])
        return AnomalyRow(
            kind=kind,
            partition=row.get("partition"),
            offset=row.get("offset"),
            said=said,
            times_ms=tuple(times),
        )
    times = _record_time(row["record"], ledgers)
    said = detail_text(row["detail"] or "")
    if election := row.get("election"):
        times.append(election["at_ms"])
        said += "; " + election_text(election)
    return AnomalyRow(
        kind=kind,
        record=row["record"],
        partition=row["partition"],
        offset=row["offset"],
        said=said,
        times_ms=tuple(times),
    )


_TOLD = ("partition", "after_at_ms", "before_at_ms")


def _record_time(record: str, ledgers: Mapping[int, LedgerTable]) -> list[int]:
    pid, _, seq = record.removeprefix("p").partition("#")
    if not (pid.isdigit() and seq.isdigit() and int(pid) in ledgers):
        return []
    times = _times_us(ledgers[int(pid)])
    return [int(times[int(seq)]) // 1000] if int(seq) < len(times) else []


def election_text(election: Mapping[str, Any]) -> str:
    """Return the election that may explain a loss, in words."""
    kinds = {True: "unclean election", False: "clean election", None: "election"}
    kind = kinds[election.get("unclean")]
    return f"then an {kind} from {election['before']} to {election['leader']}".replace(
        "an clean", "a clean"
    )


def detail_text(detail: str) -> str:
    """Return a finding's detail, which is usually JSON, in words."""
    try:
        values = json.loads(detail)
    except ValueError:
        return detail
    if not isinstance(values, dict):
        return detail
    if "reread_place" not in values:
        return ", ".join(f"{name} {value}" for name, value in plain(values))
    status = values.get("status") or "never sent"
    place = values.get("ack_place")
    parts = [f"acknowledged at {_place(place)}" if place else _STATUSES.get(status, status)]
    for name, what in (("stream_place", "by the stream"), ("reread_place", "by the second read")):
        count = values[name]["count"]
        where = f" at {_place(values[name]['first'])}" if count else ""
        more = f" and {_place(values[name]['last'])}" if count > 1 else ""
        parts.append(f"{_times(count)} read {what}{where}{more}")
    seen = values.get("seen_crc") or {}
    if seen.get("count") and values.get("sent_crc") not in (None, seen["first"], seen["last"]):
        parts.append(f"CRC sent {values['sent_crc']:08x}, seen {seen['first']:08x}")
    for name, sent in (("size", "sent_size"), ("timestamp_ms", "sent_ms")):
        shown = [values[f"{name}_{end}"] for end in ("first", "last") if f"{name}_{end}" in values]
        others = [value for value in shown if value != values.get(sent)]
        if others and values.get(sent) is not None:
            parts.append(f"{name} sent {values[sent]}, seen {others[0]}")
    return ", ".join(parts)


_STATUSES = {"acked": "acknowledged", "unknown": "outcome unknown"}


def _times(count: int) -> str:
    return ("never", "once", "twice")[count] if count < 3 else f"{count} times"


def _place(place: Mapping[str, Any]) -> str:
    return f"{place['partition']}/{place['offset']}"
