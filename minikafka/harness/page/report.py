"""The report page of a run: one HTML file that needs no network, with the verdict at the top (S5).

The chart library and all data are in the file. Fields that a verdict lacks are left out, and fields
that this module does not know are shown as they are.
"""

import string
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from minikafka.harness.clients.ledger_table import LedgerTable
from minikafka.harness.lines import RunEvent
from minikafka.harness.page import (
    anomalies,
    chart,
    log_lines,
    state_spans,
    tables,
    time_axis,
    timeline,
)
from minikafka.harness.page.anomalies import AnomalyRow, named_anomalies
from minikafka.harness.page.axis import Axis
from minikafka.harness.page.log_lines import LogLine, LogMoment
from minikafka.harness.page.tables import (
    Markup,
    folded,
    pairs,
    section,
    table,
    text,
    words,
)
from minikafka.harness.verdict.verdict_file import Verdict

_HERE = Path(__file__).parent
_CHANGES_MAX = 500
_ANOMALIES_OPEN = 12
_KNOWN = frozenset(
    {
        *("schema", "outcome", "exit_status", "sentence", "reasons", "injected", "run", "counts"),
        *("latency_ms", "percentiles", "windows", "promises", "unavailability", "faults"),
        *("producers", "notes", "settings", "versions", "files"),
        *("isolation", "group", "replicas", "stream", "loops"),
        *("rules", "lenient", "nodes", "elections"),
    }
)
_RUN_IN_HEAD = frozenset({"id", "seed", "started_at_ms", "ended_at_ms", "replay", "interrupted"})


def render(
    verdict: Verdict,
    events: Sequence[RunEvent],
    tables: Sequence[LedgerTable],
    folder: Path | None = None,
) -> str:
    """Return the page of a run; with its folder also all findings and the nodes' log lines."""
    findings = folder / verdict["files"].get("findings", "findings.parquet") if folder else None
    found = anomalies.collect(verdict, tables, findings)
    axis = chart.axis_of(verdict, events, found.marks)
    built = chart.build(verdict, events, tables, found.marks)
    template = string.Template((_HERE / "report.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=text(f"{verdict['outcome']}: minikafka verify"),
        style=(_HERE / "report.css").read_text(encoding="utf-8"),
        outcome=text(verdict["outcome"]),
        sentence=text(verdict["sentence"]),
        marks=_marks(verdict),
        about=text(_about(verdict)),
        figures=_figures(verdict),
        lanes="".join(time_axis.figure(lane) for lane in built["lanes"]),
        as_tables=_as_tables(built, events, axis),
        sections="".join(_sections(verdict, tables, found.shown, axis, folder)),
        model=time_axis.script_model(built),
        library=time_axis.library(),
        script=(_HERE / "report.js").read_text(encoding="utf-8"),
    )


# Head -------------------------------------------------------------------------------------------


def _about(verdict: Verdict) -> str:
    run = verdict["run"]
    began = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(run["started_at_ms"] / 1000))
    took_s = (run["ended_at_ms"] - run["started_at_ms"]) / 1000
    return f"Run {run['id']}, seed {run['seed']}, {began}, {took_s:.0f} s. {run['cluster']}"


def _marks(verdict: Verdict) -> str:
    marks = []
    if verdict["injected"]:
        injected = verdict["injected"]
        records = ", ".join(injected["records"])
        done = f"injected by the harness into its observations: {injected['kind']} {records}"
        missed = f"injected by the harness, but not found: {injected['kind']}"
        marks.append(done if injected["found"] else missed)
    if verdict["run"]["interrupted"]:
        marks.append("interrupted: the verdict covers the run until then")
    lenient = verdict.get("lenient") or {"rules": [], "left_out": []}
    if lenient["rules"]:
        marks.append(f"rules not required (--lenient): {', '.join(lenient['rules'])}")
        marks += [f"left out: {row['sentence']}" for row in lenient["left_out"]]
    lines = "".join(f'<p><span class="mark">{text(mark)}</span></p>' for mark in marks)
    return lines + "".join(f"<p>{text(reason)}</p>" for reason in verdict["reasons"])


def _figures(verdict: Verdict) -> str:
    return "".join(
        f"<div><dt>{text(words(name))}</dt><dd>{count:,}</dd></div>"
        for name, count in verdict["counts"].items()
    )


# The time axis ----------------------------------------------------------------------------------


def _as_tables(built: dict[str, Any], events: Sequence[RunEvent], axis: Axis) -> str:
    """Return the lanes as tables, for screen readers and for exact numbers."""
    parts = []
    for lane in built["lanes"]:
        if lane["kind"] == "series" and lane["id"] != "hwm":
            names = [one["name"] for one in lane["series"]]
            every = max(1, len(lane["t"]) // 120)
            columns = [one["v"][::every] for one in lane["series"]]
            rows = [
                (f"{at:.1f}", *("-" if value is None else f"{value:,}" for value in values))
                for at, *values in zip(lane["t"][::every], *columns, strict=True)
            ]
            unit = f", {lane['unit']}" if lane["unit"] else ""
            numbers = range(len(names) + 1)
            parts.append(
                table(("s", *names), rows, caption=f"{lane['title']}{unit}", numbers=numbers)
            )
        elif lane["id"] == "windows" and lane["spans"]:
            rows = [
                (lane["rows"][span["r"]], f"{span['a']:.3f}", f"{span['b']:.3f}", span["l"])
                for span in lane["spans"][:_CHANGES_MAX]
            ]
            head = ("partition", "from s", "to s", "for")
            parts.append(table(head, rows, caption="Windows of unavailability", numbers=(1, 2, 3)))
        elif lane["id"] in {"transactions", "coordinators"}:
            parts.append(_span_table(lane))
    changes, is_polled = state_spans.partition_changes(events)
    if changes:
        parts.append(_changes(changes, axis, is_polled=is_polled))
    return folded("The lanes as tables", "".join(parts)) if parts else ""


def _span_table(lane: Mapping[str, Any]) -> str:
    """Return the spans of a lane as a table, the first ones if there are many."""
    spans = sorted(lane["spans"], key=lambda span: float(span["a"]))
    rows = [
        (lane["rows"][span["r"]], f"{span['a']:.3f}", f"{span['b']:.3f}", lane["say"] + span["l"])
        for span in spans[:_CHANGES_MAX]
    ]
    more = f"; the first {_CHANGES_MAX} of {len(spans)}" if len(spans) > _CHANGES_MAX else ""
    head = ("transactional id", "from s", "to s", "what")
    return table(head, rows, caption=f"{lane['title']}{more}", numbers=(1, 2))


def _changes(changes: Sequence[RunEvent], axis: Axis, *, is_polled: bool) -> str:
    names = ("isr", "elr", "last_known_elr")
    known = [name for name in names if any(name in change for change in changes)]
    rows = [
        (
            f"{axis.at(change['at_ms']):.1f}" if is_polled else f"{axis.at(change['at_ms']):.3f}",
            change["partition"],
            "none" if change["leader"] is None else change["leader"],
            *(" ".join(map(str, change.get(name) or ())) or "-" for name in known),
        )
        for change in changes[:_CHANGES_MAX]
    ]
    more = f"; the first {_CHANGES_MAX} of {len(changes)}" if len(changes) > _CHANGES_MAX else ""
    head = ("s", "partition", "leader", *(words(name).replace("elr", "ELR") for name in known))
    source = state_spans.POLLED if is_polled else "from the metadata log"
    caption = f"Each change of leader, ISR and ELR, {source}{more}"
    return table(head, rows, caption=caption, numbers=(0, 1))


# Sections ---------------------------------------------------------------------------------------


def _sections(
    verdict: Verdict,
    tables: Sequence[LedgerTable],
    anomalies: Mapping[str, Sequence[AnomalyRow]],
    axis: Axis,
    folder: Path | None,
) -> list[str]:
    around = _log_lines(anomalies, folder)
    notes = "".join(f"<p>{text(note)}</p>" for note in verdict["notes"])
    unknown = {name: value for name, value in verdict.items() if name not in _KNOWN}
    return [
        *(
            section(
                f"anomaly-{kind}",
                f"{words(kind)}: {verdict['promises'][kind]['count']:,}",
                _anomalies(verdict["promises"][kind], rows, axis),
                _moments(around.get(kind, ()), axis),
            )
            for kind, rows in anomalies.items()
        ),
        section("promises", "Promises", _promises(verdict)),
        section("named", "Anomalies by their names in reports", named_anomalies(verdict)),
        section("faults", "Faults", _faults(verdict, axis)),
        section("nodes", "Nodes", _nodes(verdict, axis)),
        section("unavailability", "Unavailability and latency", _times(verdict, axis)),
        section("producers", "Producers", _producers(verdict, tables)),
        section("readers", "Readers and replicas", _readers(verdict)),
        section("notes", "Notes", notes),
        *(_unknown(name, value) for name, value in unknown.items()),
        section(
            "repeat", "How to repeat it", f"<p><code>{text(verdict['run']['replay'])}</code></p>"
        ),
        section("settings", "Settings and versions", _settings(verdict)),
    ]


def _log_lines(
    anomalies: Mapping[str, Sequence[AnomalyRow]], folder: Path | None
) -> dict[str, list[LogMoment]]:
    around = {
        kind: log_lines.moments(at_ms for row in rows for at_ms in row.times_ms)
        for kind, rows in anomalies.items()
    }
    if folder is not None:
        log_lines.fill([one for found in around.values() for one in found], folder)
    return around


def _at(at_ms: int, axis: Axis) -> Markup:
    """Return a time of the run as a link to its place on the time axis."""
    at = axis.at(at_ms)
    return Markup(f'<a href="#timeline" data-at="{at}">{at:.1f} s</a>')


def _anomalies(promise: Mapping[str, Any], rows: Sequence[AnomalyRow], axis: Axis) -> str:
    lines = [
        (
            row.record or "-",
            "-" if row.partition is None else row.partition,
            "-" if row.offset is None else row.offset,
            _at(row.times_ms[0], axis) if row.times_ms else "-",
            row.said,
        )
        for row in rows
    ]
    head = ("record", "partition", "offset", "at", "details")
    meaning = promise["meaning"]
    caption = f"{meaning[0].upper()}{meaning[1:]}."
    first, rest = lines[:_ANOMALIES_OPEN], lines[_ANOMALIES_OPEN:]
    parts = [table(head, first, caption=caption)]
    if rest:
        title = f"{len(rest)} more; {len(rows)} of {promise['count']:,} are listed here"
        parts.append(folded(title, table(head, rest)))
    return "".join(parts)


def _moments(around: Sequence[LogMoment], axis: Axis) -> str:
    parts = []
    for moment in around:
        if not moment.lines:
            continue
        began, ended = axis.at(moment.began_at_ms), axis.at(moment.ended_at_ms)
        when = f"{began:.1f} s" if began == ended else f"{began:.1f} s to {ended:.1f} s"
        left_out = f" ({moment.left_out} in the middle left out)" if moment.left_out else ""
        title = f"Log lines within 2 s of {when}: {len(moment.lines)}{left_out}"
        lines = "\n".join(_log_line(line, axis) for line in moment.lines)
        parts.append(folded(title, f'<pre tabindex="0">{lines}</pre>'))
    return "".join(parts)


def _log_line(line: LogLine, axis: Axis) -> str:
    return f"<b>{axis.at(line.at_ms):8.3f}</b> <i>{text(line.source)}</i> {text(line.text)}"


def _promises(verdict: Verdict) -> str:
    promises = verdict["promises"]
    rows = [
        (
            Markup(f'<a href="#anomaly-{text(kind)}">{text(words(kind))}</a>')
            if row["count"]
            else words(kind),
            "not judged" if row["count"] is None else f"{row['count']:,}",
            row["meaning"],
        )
        for kind, row in promises.items()
    ]
    bad = [index for index, row in enumerate(promises.values()) if row["count"]]
    return table(("broken promise", "count", "what it means"), rows, numbers=(1,), bad=bad)


def _faults(verdict: Verdict, axis: Axis) -> str:
    rows = []
    for fault in verdict["faults"]:
        nodes = fault.get("nodes") or ([fault["node"]] if fault["node"] >= 0 else [])
        planned = fault.get("at_s")
        parameters = fault.get("parameters") or {}
        rows.append(
            (
                fault["kind"],
                " ".join(map(str, nodes)) or "-",
                ", ".join(map(str, fault.get("targets", ()))) or "-",
                "-" if planned is None else f"{planned:.1f} s",
                _at(fault["done_at_ms"], axis) if fault["done_at_ms"] else "-",
                _at(fault["healed_at_ms"], axis) if fault["healed_at_ms"] else "-",
                "; ".join(filter(None, (fault.get("did"), fault["problem"]))) or "done",
                ", ".join(f"{name} {value}" for name, value in parameters.items()) or "-",
            )
        )
    if not rows:
        return '<p class="soft">There were no faults.</p>'
    bad = [index for index, fault in enumerate(verdict["faults"]) if fault["problem"]]
    head = ("fault", "nodes", "target", "planned", "begun", "over", "what was done", "parameters")
    return table(head, rows, bad=bad)


def _nodes(verdict: Verdict, axis: Axis) -> str:
    """Return the nodes that exited unexpectedly, and the tracebacks in their logs."""
    nodes = verdict.get("nodes") or {}
    parts = []
    for row in nodes.get("ended", ()):
        said = text(f"Node {row['node']} exited unexpectedly: {row['how']}, ")
        parts.append(f"<p>{said}{_at(row['at_ms'], axis)}</p>")
        parts.append(folded("The end of its log", f'<pre tabindex="0">{text(row["log"])}</pre>'))
    for row in nodes.get("tracebacks", ()):
        said = text(f"Node {row['node']} logged a traceback: {row['error']}, ")
        parts.append(f"<p>{said}{_at(row['at_ms'], axis)}</p>")
        parts.append(folded("The traceback", f'<pre tabindex="0">{text(row["log"])}</pre>'))
    return "".join(parts)


def _times(verdict: Verdict, axis: Axis) -> str:
    parts = []
    windows, longest = verdict.get("windows") or {}, verdict["unavailability"]
    numbers = sorted({*windows, *longest}, key=lambda name: (len(name), name))
    rows: list[tuple[object, ...]] = []
    for number in numbers:
        window, gap = windows.get(number, {}), longest.get(number, {})
        rows.append(
            (
                number,
                window.get("windows", 0),
                f"{window.get('total_ms', 0):,}",
                f"{window.get('longest_ms', 0):,}",
                _at(window["began_at_ms"], axis) if window else "-",
                f"{gap['longest_ms']:,}" if gap else "-",
                _at(gap["began_at_ms"], axis) if gap else "-",
            )
        )
    if rows:
        head = ("partition", "windows", "total ms", "longest ms", "from", "longest gap ms", "from")
        caption = (
            "Windows: times in which records were sent and none acknowledged for over a second."
            " Gap: the longest time between two acknowledgements."
        )
        parts.append(table(head, rows, caption=caption, numbers=(1, 2, 3, 5)))
    if verdict.get("latency_ms"):
        measured = ("measure", "acks", *(_percentile(value) for value in verdict["percentiles"]))
        rows = [
            (words(measure), acks, *(f"{value:,.2f}" for value in values))
            for measure, by_acks in verdict["latency_ms"].items()
            for acks, values in by_acks.items()
        ]
        columns = range(2, len(measured))
        parts.append(table(measured, rows, caption="Latency, ms", numbers=columns))
    return "".join(parts)


def _percentile(share: float) -> str:
    return {0.5: "median", 1.0: "longest"}.get(share, f"p{share * 100:g}")


def _producers(verdict: Verdict, tables: Sequence[LedgerTable]) -> str:
    latency = timeline.latency_ms(tables)
    rows = []
    for row in verdict["producers"]:
        name = f"{row['client']} (p{row['producer']})"
        taken = latency.get(name, {"p50": "-", "p99": "-"})
        promised = f"{row.get('acks', '-')}{', idempotent' if row.get('idempotent') else ''}"
        counts = [f"{row[key]:,}" for key in ("sent", "acked", "failed", "unknown")]
        rows.append((name, promised, *counts, taken["p50"], taken["p99"]))
    head = ("client", "acks", "sent", "acknowledged", "failed", "unknown", "p50 ms", "p99 ms")
    return table(head, rows, numbers=range(2, 8)) if rows else ""


_READERS = {
    "elections": "Leaders elected from the ISR, from the ELR, and uncleanly",
    "isolation": "The same read under both isolation levels",
    "group": "The second reader, a consumer group",
    "loops": "Transactional loops, and what was read of their outputs",
    "replicas": "Replicas on disk, compared below the high watermark",
    "stream": "The read while records were written",
}


_ROWS = ("differences", "incomplete", "members", "problems")


def _readers(verdict: Verdict) -> str:
    """Return the results of the other readers and of the replica comparison, if there are any."""
    parts = []
    for name, caption in _READERS.items():
        values = verdict.get(name) or {}
        plain = {key: it for key, it in values.items() if key not in _ROWS}
        if plain:
            parts.append(f"<div>{pairs(plain, caption)}{_members(values)}</div>")
    return f'<div class="columns">{"".join(parts)}</div>' if parts else ""


def _members(values: Mapping[str, Any]) -> str:
    """Return the loops as a table; empty for other readers."""
    members = values.get("members") or ()
    head = ("loop", "client", "instances", "committed", "aborted", "unknown")
    rows = [[row[name] for name in head] for row in members]
    return table(head, rows, caption="The loops", numbers=(0, 2, 3, 4, 5)) if rows else ""


def _unknown(name: str, value: object) -> str:
    """Return a section for a field of the verdict that this module does not know."""
    match value:
        case dict() if value:
            content = pairs(value, "")
        case [dict() as first, *_] if isinstance(value, list):
            head = list(first)
            rows = [[tables.value_text(row.get(key)) for key in head] for row in value[:200]]
            content = table([words(key) for key in head], rows)
        case None | [] | {} | "":
            return ""
        case _:
            content = f"<p>{text(tables.value_text(value))}</p>"
    return section(f"more-{text(name)}", words(name), content)


def _settings(verdict: Verdict) -> str:
    run = {name: value for name, value in verdict["run"].items() if name not in _RUN_IN_HEAD}
    shown = (
        (verdict["settings"], "Settings"),
        (verdict["versions"], "Versions"),
        (run, "Run"),
        (verdict["files"], "Files, beside this page"),
    )
    parts = "".join(f"<div>{pairs(values, caption)}</div>" for values, caption in shown)
    return f'<div class="columns">{parts}</div>'
