"""The page that a person looks at: one HTML file, no network, verdict on top.

The chart library (Vega-Lite, out of the `vl-convert-python` package) and all data are inside it.
"""

import html
import json
import string
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import vl_convert

from minikafka.harness import chart, timeline
from minikafka.harness.ledger_table import LedgerTable
from minikafka.harness.lines import Event
from minikafka.harness.verdict_file import Verdict

_TEMPLATE = Path(__file__).with_name("report.html")


def render(verdict: Verdict, events: Sequence[Event], tables: Sequence[LedgerTable]) -> str:
    """The page of a run."""
    run = verdict["run"]
    began = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(run["started_at_ms"] / 1000))
    took_s = (run["ended_at_ms"] - run["started_at_ms"]) / 1000
    about = (
        f"Run {run['id']}, seed {run['seed']}, {began}, {took_s:.0f} s. {run['cluster']},"
        f" topic {run['topic']}."
    )
    template = string.Template(_TEMPLATE.read_text(encoding="utf-8"))
    return template.substitute(
        title=_text(f"{verdict['outcome']}: minikafka verify"),
        outcome=verdict["outcome"],
        sentence=_text(verdict["sentence"]),
        marks=_marks(verdict),
        about=_text(about),
        figures=_figures(verdict),
        promises=_promises(verdict),
        findings=_findings(verdict),
        faults=_faults(verdict),
        partitions=_partitions(verdict),
        producers=_producers(verdict, tables),
        replay=_text(run["replay"]),
        details=_details(verdict),
        spec=_script_json(chart.build(verdict, events, tables)),
        library=vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace(
            "</script", "<\\/script"
        ),
    )


def _text(value: object) -> str:
    return html.escape(str(value))


def _script_json(value: object) -> str:
    """JSON that can not end the script element it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[int] = (),
    bad: Sequence[int] = (),
) -> str:
    """An HTML table; `numbers` are columns set to the right, `bad` rows that stand out."""
    kinds = [' class="number"' if index in numbers else "" for index in range(len(head))]
    titles = "".join(
        f"<th{kind}>{_text(name)}</th>" for kind, name in zip(kinds, head, strict=True)
    )
    lines = []
    for index, row in enumerate(rows):
        cells = "".join(f"<td{kind}>{_text(v)}</td>" for kind, v in zip(kinds, row, strict=True))
        lines.append(f'<tr class="bad">{cells}</tr>' if index in bad else f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _marks(verdict: Verdict) -> str:
    marks = []
    if verdict["injected"]:
        injected = verdict["injected"]
        records = ", ".join(injected["records"])
        marks.append(
            f"injected by the harness into its own observation: {injected['kind']} {records}"
        )
    if verdict["run"]["interrupted"]:
        marks.append("interrupted: a verdict on what was done until then")
    lines = "".join(f'<p><span class="mark">{_text(mark)}</span></p>' for mark in marks)
    return lines + "".join(f"<p>{_text(reason)}</p>" for reason in verdict["reasons"])


def _figures(verdict: Verdict) -> str:
    return "".join(
        f"<span><b>{count:,}</b> {_text(name.replace('_', ' '))}</span>"
        for name, count in verdict["counts"].items()
    )


def _promises(verdict: Verdict) -> str:
    promises = verdict["promises"]
    rows = [
        (
            kind.replace("_", " "),
            "not judged" if row["count"] is None else row["count"],
            row["meaning"],
        )
        for kind, row in promises.items()
    ]
    bad = [index for index, row in enumerate(promises.values()) if row["count"]]
    return _table(("broken promise", "records", "a record that was …"), rows, numbers=(1,), bad=bad)


def _findings(verdict: Verdict) -> str:
    sections = []
    for kind, promise in verdict["promises"].items():
        if not promise["count"]:
            continue
        rows = [(order, *_finding(row)) for order in ("first", "worst") for row in promise[order]]
        table = _table(("", "record", "partition", "offset", "detail"), rows)
        name = _text(kind.replace("_", " "))
        title = f"<h2>{name}: {promise['count']:,}</h2>"
        sections.append(f'<section>{title}<div class="scroll">{table}</div></section>')
    return "".join(sections)


def _finding(row: dict[str, Any]) -> tuple[object, object, object, object]:
    if "record" in row:
        return row["record"], row["partition"], row["offset"], row["detail"]
    return "", row.get("partition", ""), "", json.dumps(row)


def _faults(verdict: Verdict) -> str:
    zero = verdict["run"].get("writing_from_ms", 0)

    def at(wall_ms: int) -> str:
        return f"{(wall_ms - zero) / 1000:.1f} s" if wall_ms else "-"

    rows = [
        (
            fault["kind"],
            fault["node"] if fault["node"] >= 0 else "-",
            at(fault["done_at_ms"]),
            at(fault["healed_at_ms"]),
            fault["problem"] or fault.get("did") or "done",
        )
        for fault in verdict["faults"]
    ]
    return _table(("fault", "node", "done at", "healed at", ""), rows)


def _partitions(verdict: Verdict) -> str:
    zero = verdict["run"].get("writing_from_ms", 0)
    rows = [
        (number, f"{gap['longest_ms']:,} ms", f"{(gap['began_at_ms'] - zero) / 1000:.1f} s")
        for number, gap in verdict["unavailability"].items()
    ]
    return _table(("partition", "longest time without an acknowledgement", "from"), rows)


def _producers(verdict: Verdict, tables: Sequence[LedgerTable]) -> str:
    latency = timeline.latency_ms(tables)
    rows = []
    for row in verdict["producers"]:
        name = f"{row['client']} (p{row['producer']})"
        taken = latency.get(name, {"p50": "-", "p99": "-"})
        counts = [f"{row[key]:,}" for key in ("sent", "acked", "failed", "unknown")]
        rows.append((name, *counts, taken["p50"], taken["p99"]))
    head = ("client", "sent", "acknowledged", "failed", "unknown", "p50 ms", "p99 ms")
    return _table(head, rows, numbers=range(1, 7))


def _details(verdict: Verdict) -> str:
    rows = [("version", name, value) for name, value in verdict["versions"].items()]
    rows += [("setting", name, value) for name, value in verdict["settings"].items()]
    rows += [("file", name, value) for name, value in verdict["files"].items()]
    rows += [("note", "", note) for note in verdict["notes"]]
    return _table(("", "", ""), rows)
