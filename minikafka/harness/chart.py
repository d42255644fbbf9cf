"""The time axis of the page, as a Vega-Lite specification with its data inside.

Six lanes over one axis of seconds since the first record: acknowledgements a second, what was
acknowledged against what Spark had read, each partition's leader, its ISR, its high watermark, and
Spark's batches. Every lane is shaded while a node was away.
"""

from collections.abc import Sequence
from typing import Any

from minikafka.harness import timeline, watermarks
from minikafka.harness.ledger_table import LedgerTable
from minikafka.harness.lines import Event
from minikafka.harness.verdict_file import Verdict

Row = dict[str, Any]
Spec = dict[str, Any]

_WATERMARK_ROWS_MAX = 4_000
_DRAWN = frozenset({"produced", "progress", "partition", "high_watermarks"})
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


def build(verdict: Verdict, events: Sequence[Event], tables: Sequence[LedgerTable]) -> Spec:
    """The specification; lanes without data are drawn empty."""
    run = verdict["run"]
    zero = run.get("writing_from_ms", run["started_at_ms"])
    shown = [event["at_ms"] for event in events if event["event"] in _DRAWN]
    until = max([zero + 1_000, *shown])
    axis = _Axis(zero, until)
    away = _away(verdict["faults"], axis)
    lanes = [
        _rate_lane(timeline.acknowledgements(tables, zero, until), axis),
        _progress_lane(_totals(events, axis)),
        _leader_lane(_spans(events, axis)),
        _isr_lane(_spans(events, axis)),
        _watermark_lane(_ends(events, run["topic"], axis)),
        _batch_lane(_batches(events, axis)),
    ]
    domain = [0, axis.last]
    return {
        "$schema": _SCHEMA,
        "spacing": 12,
        "params": [
            {
                "name": "zoom",
                "select": {"type": "interval", "encodings": ["x"]},
                "bind": "scales",
                "views": [lane["layer"][-1]["name"] for lane in lanes],
            }
        ],
        "vconcat": [_with_faults(lane, away, domain) for lane in lanes],
        "resolve": {"scale": {"x": "shared", "color": "independent", "y": "independent"}},
    }


class _Axis:
    """Wall milliseconds to seconds of the run."""

    def __init__(self, zero_ms: int, until_ms: int) -> None:
        self._zero_ms = zero_ms
        self.last = self.at(until_ms)

    def at(self, wall_ms: int) -> float:
        return round((wall_ms - self._zero_ms) / 1000, 3)

    def inside(self, wall_ms: int) -> bool:
        return self.at(wall_ms) <= self.last


def _away(faults: Sequence[Row], axis: _Axis) -> list[Row]:
    return [
        {
            "from": axis.at(fault["done_at_ms"]),
            "to": axis.at(fault["healed_at_ms"]) if fault["healed_at_ms"] else axis.last,
            "fault": f"{fault['kind']} (node {fault['node']})",
        }
        for fault in faults
        if fault["done_at_ms"] and not fault["problem"].startswith("not done")
    ]


def _totals(events: Sequence[Event], axis: _Axis) -> list[Row]:
    acked: dict[int, int] = {}
    read_count = 0
    rows = []
    for event in sorted(events, key=lambda event: event["at_ms"]):
        if not axis.inside(event["at_ms"]):
            continue
        if event["event"] == "produced":
            acked[event["pid"]] = event["acked"]
            rows.append(_total(axis, event, "acknowledged", sum(acked.values())))
        elif event["event"] == "progress":
            read_count += event["progress"]["numInputRows"]
            rows.append(_total(axis, event, "read by Spark", read_count))
    return rows


def _total(axis: _Axis, event: Event, what: str, count: int) -> Row:
    return {"at": axis.at(event["at_ms"]), "what": what, "records": count}


def _spans(events: Sequence[Event], axis: _Axis) -> list[Row]:
    """Times during which leader and ISR of a partition stayed as they were."""
    spans: list[Row] = []
    last: dict[int, Row] = {}
    for event in events:
        if event["event"] != "partition" or not axis.inside(event["at_ms"]):
            continue
        at = max(0.0, axis.at(event["at_ms"]))
        number = event["partition"]
        if number in last:
            last[number]["to"] = at
        leader = "none" if event["leader"] is None else f"node {event['leader']}"
        isr = " ".join(map(str, event["isr"])) or "empty"
        last[number] = {
            "partition": number,
            "from": at,
            "to": axis.last,
            "leader": leader,
            "isr": isr,
            "members": len(event["isr"]),
        }
        spans.append(last[number])
    return [span for span in spans if span["to"] > span["from"]]


def _ends(events: Sequence[Event], topic: str, axis: _Axis) -> list[Row]:
    rows = [
        {"at": axis.at(sample.at_ms), "partition": partition, "end": end}
        for sample in watermarks.samples(events, topic)
        if sample.witness == "watcher" and axis.inside(sample.at_ms)
        for partition, end in sample.ends.items()
    ]
    step = -(-len(rows) // _WATERMARK_ROWS_MAX) or 1
    return rows[::step]


def _batches(events: Sequence[Event], axis: _Axis) -> list[Row]:
    rows = []
    for event in events:
        if event["event"] == "progress" and axis.inside(event["at_ms"]):
            progress = event["progress"]
            took_s = progress["durationMs"].get("triggerExecution", 0) / 1000
            rows.append(
                {
                    "from": round(axis.at(event["at_ms"]) - took_s, 3),
                    "to": axis.at(event["at_ms"]),
                    "rows": progress["numInputRows"],
                    "batch": progress["batchId"],
                    "seconds": took_s,
                }
            )
    return rows


def _x(field: str, title: str | None = None) -> Spec:
    return {"field": field, "type": "quantitative", "axis": {"title": title, "grid": True}}


def _lane(name: str, height: int, rows: list[Row], mark: Spec, encoding: Spec) -> Spec:
    layer = {"name": name, "data": {"values": rows}, "mark": mark, "encoding": encoding}
    return {"height": height, "layer": [layer]}


def _rate_lane(rows: list[Row], axis: _Axis) -> Spec:
    values = [
        {"at": axis.at(row["at_ms"]), "client": row["client"], "rate": row["rate"]} for row in rows
    ]
    encoding = {
        "x": _x("at"),
        "y": {"field": "rate", "type": "quantitative", "stack": True, "title": "acks / s"},
        "color": {"field": "client", "type": "nominal", "title": "client"},
        "tooltip": [{"field": name} for name in ("at", "client", "rate")],
    }
    mark = {"type": "area", "interpolate": "step-after", "opacity": 0.85}
    return _lane("rate", 110, values, mark, encoding)


def _progress_lane(rows: list[Row]) -> Spec:
    encoding = {
        "x": _x("at"),
        "y": {"field": "records", "type": "quantitative", "title": "records"},
        "color": {
            "field": "what",
            "type": "nominal",
            "title": "so far",
            "scale": {"range": ["#2f9e63", "#d97706"]},
        },
        "tooltip": [{"field": name} for name in ("at", "what", "records")],
    }
    return _lane("so far", 90, rows, {"type": "line", "interpolate": "step-after"}, encoding)


def _leader_lane(rows: list[Row]) -> Spec:
    color = {
        "field": "leader",
        "type": "nominal",
        "title": "leader",
        "scale": {"scheme": "category10"},
    }
    return _span_lane("leader", rows, color)


def _isr_lane(rows: list[Row]) -> Spec:
    """The fewer members, the redder: the fullest ISR that was seen is green."""
    fullest = max([row["members"] for row in rows], default=1)
    sizes = list(range(fullest + 1))
    shades = ["#c62a2f", *["#e07b39"] * (fullest - 2), "#e3b341", "#5fb89a"][-len(sizes) :]
    color = {
        "field": "members",
        "type": "ordinal",
        "title": "in the ISR",
        "scale": {"domain": sizes, "range": shades},
    }
    return _span_lane("ISR", rows, color)


def _span_lane(name: str, rows: list[Row], color: Spec) -> Spec:
    count = len({row["partition"] for row in rows}) or 1
    encoding = {
        "x": _x("from"),
        "x2": {"field": "to"},
        "y": {"field": "partition", "type": "ordinal", "title": f"{name} of partition"},
        "color": color,
        "tooltip": [{"field": field} for field in ("partition", "leader", "isr", "from", "to")],
    }
    return _lane(name, min(240, 16 * count + 10), rows, {"type": "bar", "height": 11}, encoding)


def _watermark_lane(rows: list[Row]) -> Spec:
    encoding = {
        "x": _x("at"),
        "y": {"field": "end", "type": "quantitative", "title": "high watermark"},
        "color": {
            "field": "partition",
            "type": "nominal",
            "title": "partition",
            "scale": {"scheme": "tableau10"},
        },
        "tooltip": [{"field": name} for name in ("at", "partition", "end")],
    }
    return _lane("watermark", 110, rows, {"type": "line", "strokeWidth": 1.5}, encoding)


def _batch_lane(rows: list[Row]) -> Spec:
    encoding = {
        "x": _x("from", "seconds since the first record"),
        "x2": {"field": "to"},
        "y": {"field": "rows", "type": "quantitative", "title": "Spark batch, rows"},
        "color": {"value": "#d97706"},
        "tooltip": [{"field": name} for name in ("batch", "rows", "seconds", "from", "to")],
    }
    mark = {"type": "bar", "opacity": 0.75, "stroke": "#d97706"}
    return _lane("batches", 70, rows, mark, encoding)


def _with_faults(lane: Spec, away: list[Row], domain: list[float]) -> Spec:
    """The lane on top of the shading, its axis over the whole run."""
    shading = {
        "data": {"values": away},
        "mark": {"type": "rect", "color": "#e5484d", "opacity": 0.13, "clip": True},
        "encoding": {
            "x": {"field": "from", "type": "quantitative", "scale": {"domain": domain}},
            "x2": {"field": "to"},
            "tooltip": [{"field": "fault"}, {"field": "from"}, {"field": "to"}],
        },
    }
    content = lane["layer"][0]
    content["mark"]["clip"] = True
    content["encoding"]["x"]["scale"] = {"domain": domain}
    return {**lane, "layer": [shading, content]}
