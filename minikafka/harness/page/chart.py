"""The lanes of the page's time axis as plain data; `lane_specs` specifies how they are drawn.

A lane is {id, title, unit, about, kind, height, legend, note, …}; `kind` is one of

- "series": {t, series: [{name, color, v}]}, a value for each time, or null;
- "spans": {rows: names, spans}, see `state_spans`.

Times are seconds since the first record. The amount of data is bounded, however long the run was.
"""

from collections.abc import Sequence
from typing import Any

from minikafka.harness.clients.ledger_table import LedgerTable
from minikafka.harness.lines import RunEvent
from minikafka.harness.page import state_spans, timeline, transaction_lanes
from minikafka.harness.page.axis import Axis
from minikafka.harness.page.lanes import Lane, new_lane, new_legend, row_height_px
from minikafka.harness.page.state_spans import Span
from minikafka.harness.verdict.verdict_file import Verdict
from minikafka.harness.watch import watermarks

Series = dict[str, Any]

UNAVAILABLE_MS = 1_000
_SERIES_COLORS = 6
_VALUES_MAX = 30_000
_FAULT_ROWS_MAX = 5
_NAMED_FAULTS_MAX = 24
_LANE_PX = 84
_EMPTY_PX = 10
_ROWS_ALWAYS = 12
_DRAWN = frozenset({"produced", "progress", "partition", "high_watermarks", "transaction"})


def build(
    verdict: Verdict,
    events: Sequence[RunEvent],
    tables: Sequence[LedgerTable],
    anomalies: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the axis as {last, faults, lanes}. A lane without data is left out.

    `anomalies` are {kind, at_ms, count}.
    """
    events = sorted(events, key=lambda event: event["at_ms"])
    axis = axis_of(verdict, events, anomalies)
    changes, is_polled = state_spans.partition_changes(events)
    rows = state_spans.partitions(changes)
    faults = fault_marks(verdict["faults"], axis)
    lanes = [
        _fault_lane(faults),
        _anomaly_lane(anomalies, axis),
        *_ledger_lanes(tables, axis),
        _window_lane(tables, axis, rows),
        *_replica_lanes(verdict, changes, axis, rows, is_polled=is_polled),
        *transaction_lanes.lanes(events, axis),
        _watermark_lane(verdict, events, axis),
        _progress_lane(events, axis),
    ]
    return {"last": axis.last, "faults": faults, "lanes": [lane for lane in lanes if lane]}


def axis_of(
    verdict: Verdict, events: Sequence[RunEvent], anomalies: Sequence[dict[str, Any]] = ()
) -> Axis:
    """Return the axis from the first record to the last thing that is drawn."""
    run = verdict["run"]
    zero = run.get("writing_from_ms", run["started_at_ms"])
    shown = [event["at_ms"] for event in events if event["event"] in _DRAWN]
    shown += [row["at_ms"] for row in anomalies]
    shown += [fault["healed_at_ms"] for fault in verdict["faults"]]
    return Axis(zero, max([zero + 1_000, *shown]))


# Faults and anomalies ---------------------------------------------------------------------------


def fault_marks(faults: Sequence[dict[str, Any]], axis: Axis) -> list[Span]:
    """Return each fault as a span; if `done`, it shades the lanes.

    A fault that was not done is at its planned time. Overlapping faults get separate rows.
    """
    marks = []
    for fault in faults:
        done = bool(fault["done_at_ms"]) and not fault["problem"].startswith("not done")
        if done:
            begin = axis.at(fault["done_at_ms"])
            end = axis.at(fault["healed_at_ms"]) if fault["healed_at_ms"] else axis.last
        elif "at_s" in fault:
            begin = fault["at_s"]
            end = min(fault.get("heal_at_s", begin), axis.last)
        else:
            continue
        nodes = fault.get("nodes") or ([fault["node"]] if fault["node"] >= 0 else [])
        said = " ".join([fault["kind"], *map(str, nodes)])
        marks.append(
            {
                "a": min(begin, axis.last),
                "b": max(begin, end),
                "c": "fault" if done else "soft",
                "l": said if done else f"{said}: not done",
                "h": fault["problem"] or fault.get("did") or "done",
                "done": done,
            }
        )
    _into_rows(marks, axis)
    return marks


def _into_rows(marks: list[Span], axis: Axis) -> None:
    """Give each mark a row in which it and its label overlap no other mark."""
    letter_s = axis.last / 160 if len(marks) <= _NAMED_FAULTS_MAX else 0.0
    ends: list[float] = []
    for mark in sorted(marks, key=lambda mark: mark["a"]):
        free = [row for row, end in enumerate(ends) if end <= mark["a"]]
        row = free[0] if free else min(len(ends), _FAULT_ROWS_MAX - 1)
        said_s = (len(mark["l"]) + 2) * letter_s
        is_inside = mark["done"] and said_s < mark["b"] - mark["a"]
        ends[row : row + 1] = [mark["b"] if is_inside else mark["b"] + said_s]
        mark["r"] = row


def _fault_lane(marks: list[Span]) -> Lane:
    count = max([mark["r"] + 1 for mark in marks], default=1)
    return new_lane(
        "faults",
        "Faults",
        f"each fault as a bar from begin to end, {len(marks)} in all",
        kind="spans",
        rows=[""] * count,
        beside=len(marks) <= _NAMED_FAULTS_MAX,
        spans=marks,
        height=20 * count,
        legend=[],
    )


def _anomaly_lane(anomalies: Sequence[dict[str, Any]], axis: Axis) -> Lane | None:
    """Return the lane with the number of broken promises of each kind in each bin."""
    if not anomalies:
        return None
    bins = timeline.Bins(axis.zero_ms, axis.until_ms)
    kinds = list(dict.fromkeys(row["kind"] for row in anomalies))
    counts: dict[tuple[int, int], int] = {}
    for row in anomalies:
        index = (row["at_ms"] - axis.zero_ms) // bins.width_ms
        place = (kinds.index(row["kind"]), max(0, index))
        counts[place] = counts.get(place, 0) + row.get("count", 1)
    width_s = bins.width_ms / 1000
    spans = [
        {
            "r": row,
            "a": round(index * width_s, 3),
            "b": round((index + 1) * width_s, 3),
            "c": "broken",
            "l": f"{count:,}",
        }
        for (row, index), count in sorted(counts.items())
    ]
    return new_lane(
        "anomalies",
        "Broken promises",
        "the times at which the affected records were acknowledged",
        kind="spans",
        rows=[_SHORT_KINDS.get(kind, kind) for kind in kinds],
        spans=spans,
        height=18 * len(kinds),
        legend=[],
    )


_SHORT_KINDS = {
    "failed_but_read": "failed",
    "two_contents": "2 contents",
    "high_watermark_regression": "HWM back",
    "data_loss_reported": "reported",
    "isolation_difference": "isolation",
    "poll_backward": "poll back",
    "committed_reread": "reread",
    "poll_skip": "poll skip",
}


# From the ledgers -------------------------------------------------------------------------------


def _ledger_lanes(tables: Sequence[LedgerTable], axis: Axis) -> list[Lane]:
    if not tables:
        return []
    bins = timeline.Bins(axis.zero_ms, axis.until_ms)
    width_s = bins.width_ms / 1000
    times = [round(index * width_s, 3) for index in range(bins.count)]
    acked: list[Series] = [
        {"name": name, "color": f"series-{index % _SERIES_COLORS}", "v": values}
        for index, (name, values) in enumerate(timeline.acknowledgements(tables, bins).items())
    ]
    errors: list[Series] = [
        {"name": name, "color": name, "v": values}
        for name, values in timeline.errors(tables, bins).items()
    ]
    taken: list[Series] = [
        {"name": name, "color": f"latency-{name}", "v": values}
        for name, values in timeline.latencies(tables, bins).items()
    ]
    lanes = [
        ("acks", "Acknowledgements", "1/s", "area", acked, "acknowledged records per second"),
        ("errors", "Errors", "1/s", "bars", errors, "failed and unknown records per second"),
        ("latency", "Latency", "ms", "line", taken, "time from sending to acknowledgement"),
    ]
    return [
        new_lane(
            name,
            title,
            about,
            unit=unit,
            kind="series",
            shape=shape,
            scale="log" if name == "latency" else "linear",
            t=times,
            step=width_s,
            series=series,
            height=_LANE_PX if name != "errors" else 44,
            legend=new_legend(*((one["name"], one["color"]) for one in series)),
            note="" if any(map(any, (one["v"] for one in series))) else "none",
        )
        for name, title, unit, shape, series, about in lanes
    ]


def _window_lane(tables: Sequence[LedgerTable], axis: Axis, rows: list[int]) -> Lane | None:
    found = timeline.windows(tables, UNAVAILABLE_MS)
    numbers = rows or sorted({row["partition"] for row in found})
    if not tables or not numbers:
        return None
    spans = [
        {
            "r": numbers.index(row["partition"]),
            "a": axis.at(row["began_at_ms"]),
            "b": min(axis.at(row["ended_at_ms"]), axis.last),
            "c": "window",
            "l": f"{(row['ended_at_ms'] - row['began_at_ms']) / 1000:.1f} s",
        }
        for row in found
        if row["partition"] in numbers
    ]
    lane = _span_lane("windows", "Unavailability", numbers, spans, axis)
    about = "times in which records were sent and none acknowledged for more than a second"
    return _only_rows_with_spans({**lane, "about": about, "legend": new_legend((about, "window"))})


# From the metadata log, or the watcher's polls --------------------------------------------------


def _replica_lanes(
    verdict: Verdict, changes: Sequence[RunEvent], axis: Axis, rows: list[int], *, is_polled: bool
) -> list[Lane]:
    if not rows:
        return []
    settings = verdict["settings"]
    fullest = max(len(event["isr"]) for event in changes)
    isr = state_spans.isr_by(settings.get("min_isr", 1), fullest)
    lanes = []
    for name, title, say, legend in (
        (
            "leader",
            "Leader",
            state_spans.leader,
            state_spans.leader_legend(changes),
        ),
        ("isr", "In-sync replicas (ISR)", isr, state_spans.ISR_LEGEND),
        ("elr", "Eligible leader replicas (ELR)", state_spans.elr, state_spans.ELR_LEGEND),
    ):
        if name == "elr" and not any("elr" in event for event in changes):
            continue
        spans = state_spans.spans(changes, axis, rows, say)
        lane = _span_lane(name, title, rows, spans, axis)
        lane["legend"] = state_spans.legend_of(legend, spans)
        source = state_spans.POLLED if is_polled else "from the metadata log"
        lane["note"] = ", ".join(filter(None, [source, lane["note"]]))
        lane["say"] = {"leader": "leader "}.get(name, f"{name.upper()} ")
        if any(span["c"] == "mixed" for span in lane["spans"]):
            lane["legend"] += new_legend(("changing", "mixed"))
        lanes.append(_only_rows_with_spans(lane) if name == "elr" else lane)
    return lanes


def _only_rows_with_spans(lane: Lane) -> Lane:
    """Return the lane without empty rows if it has many rows; without any spans a minimal lane."""
    used = sorted({span["r"] for span in lane["spans"]})
    if used and (len(lane["rows"]) <= _ROWS_ALWAYS or len(used) == len(lane["rows"])):
        return lane
    place = {row: index for index, row in enumerate(used)}
    spans = [{**span, "r": place[span["r"]]} for span in lane["spans"]]
    rows = [lane["rows"][row] for row in used]
    note = ", ".join(filter(None, [lane["note"], "empty rows are left out"]))
    height = row_height_px(len(used)) if used else _EMPTY_PX
    return {
        **lane,
        "rows": rows,
        "spans": spans,
        "height": height,
        "note": note if used else "none",
    }


def _span_lane(name: str, title: str, rows: list[int], spans: list[Span], axis: Axis) -> Lane:
    kept, is_coarse = state_spans.coarsened(spans, axis.last / 2_000)
    return new_lane(
        name,
        title,
        f"one row of coloured bars per partition, {len(rows)} in all",
        unit="by partition",
        kind="spans",
        row="partition ",
        rows=[str(number) for number in rows],
        spans=kept,
        height=row_height_px(len(rows)),
        legend=[],
        note='quick changes are drawn as one bar, "changing"' if is_coarse else "",
    )


def _watermark_lane(verdict: Verdict, events: Sequence[RunEvent], axis: Axis) -> Lane | None:
    """Return the lane of the watcher's samples; samples around a regression are never dropped."""
    seen = [
        sample
        for sample in watermarks.samples(events, verdict["run"]["topic"])
        if sample.witness == "watcher" and axis.inside(sample.at_ms)
    ]
    numbers = sorted({number for sample in seen for number in sample.ends})
    if not seen:
        return None
    back = [row for row in watermarks.regressions(seen) if row.witness == "watcher"]
    kept_at = {at_ms for row in back[:200] for at_ms in (row.before_at_ms, row.after_at_ms)}
    step = max(1, -(-len(seen) * len(numbers) // _VALUES_MAX))
    shown = [
        sample
        for index, sample in enumerate(seen)
        if index % step == 0 or sample.at_ms in kept_at or index == len(seen) - 1
    ]
    series: list[Series] = [
        {
            "name": f"partition {number}",
            "color": f"node-{index % state_spans.NODE_COLORS}",
            "v": [sample.ends.get(number) for sample in shown],
        }
        for index, number in enumerate(numbers)
    ]
    marks = [
        {"t": axis.at(row.after_at_ms), "v": row.after, "l": f"{row.before:,} → {row.after:,}"}
        for row in back[:200]
    ]
    few = len(numbers) <= state_spans.NODE_COLORS
    legend = new_legend(*((one["name"], one["color"]) for one in series)) if few else []
    return new_lane(
        "hwm",
        "High watermark",
        "the high watermark of each partition as clients saw it",
        unit="offset",
        note=state_spans.POLLED,
        kind="series",
        shape="line",
        scale="linear",
        t=[axis.at(sample.at_ms) for sample in shown],
        step=0,
        series=series,
        points=marks,
        height=110,
        legend=[*legend, *(new_legend(("went back", "broken")) if marks else ())],
    )


def _progress_lane(events: Sequence[RunEvent], axis: Axis) -> Lane | None:
    """Return the lane of records acknowledged and records read by the stream so far."""
    acked: dict[int, int] = {}
    read_count = 0
    times: list[float] = []
    columns: tuple[list[int], list[int]] = ([], [])
    for event in events:
        if event["event"] == "produced":
            acked[event["pid"]] = event["acked"]
        elif event["event"] == "progress":
            read_count += event["progress"]["numInputRows"]
        else:
            continue
        if axis.inside(event["at_ms"]):
            times.append(max(0.0, axis.at(event["at_ms"])))
            columns[0].append(sum(acked.values()))
            columns[1].append(read_count)
    if not times:
        return None
    step = max(1, -(-len(times) // _BOTH_MAX))
    keep = [index for index in range(len(times)) if index % step == 0 or index == len(times) - 1]
    names = (("acknowledged", "series-0"), ("read by the stream", "read"))
    series: list[Series] = [
        {"name": name, "color": color, "v": [values[index] for index in keep]}
        for (name, color), values in zip(names, columns, strict=True)
    ]
    return new_lane(
        "progress",
        "Records so far",
        "records acknowledged, and records read by the stream, since the beginning",
        kind="series",
        shape="steps",
        scale="linear",
        t=[times[index] for index in keep],
        step=0,
        series=series,
        height=_LANE_PX,
        legend=new_legend(*names),
    )


_BOTH_MAX = 2_000
