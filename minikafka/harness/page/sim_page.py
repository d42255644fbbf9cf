"""The page of a simulated run: hosts as lines in virtual time, messages as arrows between them.

It takes plain values, so it is independent of the simulator. Each line of the transcript is a time
in seconds, a host or partition, and an event. Messages are drawn around the time at which a rule
was broken, or else the last ones; everything else is drawn over the whole run.
"""

import math
import re
import string
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minikafka.harness.page import state_spans, time_axis
from minikafka.harness.page.axis import Axis, Row
from minikafka.harness.page.state_spans import Span
from minikafka.harness.page.tables import section, table, text

_HERE = Path(__file__).parent
ARROWS_MAX = 400
_LINES_MAX = 2_000
_ENDS_MAX = 400
_ROW_PX = 34
_FAULT_ROWS_MAX = 8
_BEHIND = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRun:
    """The data of the page.

    `violation` is the broken rule, or empty. `planned` has {at_s, for_s, what}; `messages` has
    {sent_us, arrived_us or None, source, target, what, is_request}; `ends` has {at_us, partition,
    leader, offset} for each change of a leader's high watermark. `broken_s` is the time at which
    the rule was broken, which may be long before it was detected (None: at the end). `story` is the
    explanation of the violation.
    """

    title: str
    violation: str
    command: str
    simulated_s: float
    figures: Mapping[str, int]
    settings: str
    transcript: Sequence[str]
    planned: Sequence[Row] = ()
    messages: Sequence[Row] = ()
    ends: Sequence[Row] = ()
    min_isr: int = 1
    broken_s: float | None = None
    story: Sequence[str] = ()
    notes: Sequence[str] = field(default_factory=tuple)


def render(run: SimulatedRun) -> str:
    """Return the page."""
    built = axis(run)
    outcome = "broken" if run.violation else "verified"
    sentence = run.violation or "No promise was broken."
    template = string.Template((_HERE / "report.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=text(f"{outcome}: {run.title}"),
        style=(_HERE / "report.css").read_text(encoding="utf-8"),
        outcome=outcome,
        sentence=text(sentence),
        marks="".join(f"<p>{text(note)}</p>" for note in run.notes),
        about=text(f"{run.title}, {run.simulated_s:.3f} s of virtual time. {run.settings}"),
        figures="".join(
            f"<div><dt>{text(name)}</dt><dd>{count:,}</dd></div>"
            for name, count in run.figures.items()
        ),
        lanes="".join(time_axis.figure(lane) for lane in built["lanes"]),
        as_tables="",
        sections="".join(_sections(run)),
        model=time_axis.script_model(built),
        library=time_axis.library(),
        script=(_HERE / "report.js").read_text(encoding="utf-8"),
    )


def axis(run: SimulatedRun) -> Row:
    """Return the lanes, the part shown first, and the time at which the rule was broken."""
    scale = Axis(0, math.ceil(run.simulated_s * 1000 * (1 + _BEHIND)) + 1)
    last = scale.last
    told = [line for line in map(_told, run.transcript) if line]
    broken_s = run.simulated_s if run.broken_s is None else run.broken_s
    arrows = _around(run.messages, broken_s)
    faults = _faults(run, last)
    lanes = [
        _fault_lane(faults),
        _host_lane(told, arrows, scale),
        *_replica_lanes(told, scale, run.min_isr),
        _end_lane(run.ends, scale),
    ]
    built = {"last": last, "faults": faults, "lanes": [lane for lane in lanes if lane]}
    if run.violation:
        built["broken_at"] = broken_s
        if arrows:
            begin = arrows[0]["sent_us"] / 1e6
            end = max(arrows[-1]["sent_us"] / 1e6, broken_s)
            built["view"] = [begin, min(end + (end - begin) * _BEHIND, last)]
    return {**built, "shortest": 0.0005}


def _around(messages: Sequence[Row], at_s: float) -> list[Row]:
    """Return at most `ARROWS_MAX` messages: half before a time, half after it, if possible."""
    before = bisect_right(messages, at_s * 1e6, key=lambda row: row["sent_us"])
    begin = max(0, min(before - ARROWS_MAX // 2, len(messages) - ARROWS_MAX))
    return list(messages[begin : begin + ARROWS_MAX])


def _told(line: str) -> tuple[float, str, str] | None:
    """Return (seconds, host or partition, event); None for a line without a transition."""
    found = _LINE.fullmatch(line)
    return (float(found[1]), found[2], found[3]) if found else None


_LINE = re.compile(r"\s*(\d+\.\d+)\s+(\S+)\s+(.*)")


def _lane(name: str, title: str, about: str, height: int, **values: Any) -> Row:
    common = {"unit": "", "note": "", "row": "", "say": "", "legend": []}
    return {"id": name, "title": title, "about": about, "height": height, **common, **values}


# Faults and hosts -------------------------------------------------------------------------------


def _faults(run: SimulatedRun, last: float) -> list[Span]:
    marks = []
    ends: list[float] = []
    for planned in sorted(run.planned, key=lambda planned: planned["at_s"]):
        begin = planned["at_s"]
        if begin > run.simulated_s:
            continue
        said_s = (len(planned["what"]) + 2) * last / 160
        free = [row for row, end in enumerate(ends) if end <= begin]
        row = free[0] if free else min(len(ends), _FAULT_ROWS_MAX - 1)
        end = min(begin + planned["for_s"], last)
        ends[row : row + 1] = [max(end, begin + said_s)]
        marks.append(
            {"a": begin, "b": end, "c": "fault", "l": planned["what"], "done": True, "r": row}
        )
    return marks


def _fault_lane(marks: list[Span]) -> Row:
    count = max([mark["r"] + 1 for mark in marks], default=1)
    about = f"faults and operator actions as bars from begin to end, {len(marks)} in all"
    return _lane(
        "faults",
        "Faults",
        about,
        20 * count,
        kind="spans",
        rows=[""] * count,
        spans=marks,
        beside=count < _FAULT_ROWS_MAX,
    )


_STATES = {
    "starts": "isr-min",
    "serves clients": "isr-full",
    "is paused": "elr-known",
    "is resumed": "isr-full",
    "receives SIGTERM": "isr-min",
}
"""Line of the transcript → colour of the node's next state. After a line of `_ENDS` it is gone."""
_ENDS = ("is killed", "loses power", "stops", "crashes", "cannot")


def _host_lane(told: Sequence[tuple[float, str, str]], arrows: list[Row], scale: Axis) -> Row:
    """Return the lane of each host's states and the messages between hosts."""
    nodes = {who for _, who, _ in told if re.fullmatch(r"n\d+", who)}
    talking = {row[side] for row in arrows for side in ("source", "target")}
    rows = sorted(nodes | talking, key=_host_order)
    place = {name: index for index, name in enumerate(rows)}
    spans: list[Span] = []
    last: dict[str, Span] = {}
    for at, who, what in told:
        color = _STATES.get(what, "")
        if who not in nodes or not (color or what.startswith(_ENDS)):
            continue
        if who in last:
            last.pop(who)["b"] = at
        if color:
            last[who] = {"r": place[who], "a": at, "b": scale.last, "c": color, "l": what}
            spans.append(last[who])
    messages = [
        {
            "a": row["sent_us"] / 1e6,
            "b": None if row["arrived_us"] is None else row["arrived_us"] / 1e6,
            "r": place[row["source"]],
            "r2": place[row["target"]],
            "c": _host_color(row["source"]),
            "l": row["what"],
            "q": row["is_request"],
        }
        for row in arrows
    ]
    seen_s = messages[-1]["a"] - messages[0]["a"] if messages else 0.0
    return _lane(
        "hosts",
        "Hosts and messages",
        f"hosts as lines ({len(rows)}), messages as arrows between them ({len(messages)})",
        _ROW_PX * max(1, len(rows)),
        unit=_which(messages),
        kind="arrows",
        rows=rows,
        spans=spans,
        messages=messages,
        density=round(len(messages) / max(seen_s, 1e-3), 3),
        legend=[
            {"name": "serves clients", "color": "isr-full"},
            {"name": "starts, or shuts down", "color": "isr-min"},
            {"name": "paused", "color": "elr-known"},
            {"name": "dashed: response", "color": "soft"},
            {"name": "cross: never arrived", "color": "broken"},
        ],
    )


def _which(messages: Sequence[Row]) -> str:
    if not messages:
        return "no messages"
    count = "1 message" if len(messages) == 1 else f"{len(messages)} messages"
    return f"{count}, {messages[0]['a']:.3f} s to {messages[-1]['a']:.3f} s"


def _host_order(name: str) -> tuple[int, str, int]:
    found = re.fullmatch(r"(\D*)(\d*)", name)
    kind, number = (found[1], int(found[2] or 0)) if found else (name, 0)
    return (0 if kind == "n" else 1, kind, number)


def _host_color(name: str) -> str:
    found = re.fullmatch(r"n(\d+)", name)
    return state_spans.node_color(int(found[1])) if found else "soft"


# Partitions -------------------------------------------------------------------------------------

_REPLICAS = re.compile(
    r"leader (-?\d+) epoch \d+ ISR \[([\d, ]*)\](?: ELR \[([\d, ]*)\])?"
    r"(?: last known ELR \[([\d, ]*)\])?"
)


def _numbers(listed: str | None) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", listed or "")]


def _changes(told: Sequence[tuple[float, str, str]]) -> list[Row]:
    """Return the controller's decisions on each partition as events for `state_spans`."""
    changes = []
    for at, who, what in told:
        found = _REPLICAS.match(what)
        number = who.rpartition("-")[2]
        if found and number.isdigit():
            leader = int(found[1])
            changes.append(
                {
                    "event": "partition",
                    "at_ms": at * 1000,
                    "partition": int(number),
                    "leader": leader if leader >= 0 else None,
                    "isr": sorted(_numbers(found[2])),
                    "elr": sorted(_numbers(found[3])),
                    "last_known_elr": sorted(_numbers(found[4])),
                }
            )
    return changes


def _replica_lanes(told: Sequence[tuple[float, str, str]], scale: Axis, min_isr: int) -> list[Row]:
    changes = _changes(told)
    numbers = state_spans.partitions(changes)
    if not numbers:
        return []
    fullest = max(len(change["isr"]) for change in changes)
    lanes = []
    isr = state_spans.isr_by(min_isr, fullest)
    for name, title, say, legend in (
        ("leader", "Leader", state_spans.leader, state_spans.leader_legend(changes)),
        ("isr", "In-sync replicas (ISR)", isr, state_spans.ISR_LEGEND),
        ("elr", "Eligible leader replicas (ELR)", state_spans.elr, state_spans.ELR_LEGEND),
    ):
        spans = state_spans.spans(changes, scale, numbers, say)
        lane = _lane(
            name,
            title,
            f"one row of coloured bars per partition, {len(numbers)} in all",
            18 * len(numbers),
            unit="by partition",
            row="partition ",
            say="leader " if name == "leader" else f"{name.upper()} ",
            kind="spans",
            rows=[str(number) for number in numbers],
            spans=state_spans.coarsened(spans, scale.last / 2_000)[0],
            legend=state_spans.legend_of(legend, spans),
        )
        lanes.append(lane)
    return lanes


def _end_lane(ends: Sequence[Row], scale: Axis) -> Row | None:
    """Return the lane of the high watermark of each partition's leader."""
    if not ends:
        return None
    names = sorted({row["partition"] for row in ends})
    step = max(1, -(-len(ends) // _ENDS_MAX))
    times: list[float] = []
    columns: dict[str, list[int | None]] = {name: [] for name in names}
    now: dict[str, int | None] = dict.fromkeys(names)
    for index, row in enumerate(ends):
        went_back = (now[row["partition"]] or 0) > row["offset"]
        now[row["partition"]] = row["offset"]
        if index % step == 0 or went_back or index == len(ends) - 1:
            times.append(scale.at(row["at_us"] / 1000))
            for name in names:
                columns[name].append(now[name])
    series = [
        {"name": name, "color": state_spans.node_color(index + 1), "v": columns[name]}
        for index, name in enumerate(names)
    ]
    return _lane(
        "hwm",
        "High watermark",
        "the high watermark of each partition's leader",
        110,
        unit="offset",
        kind="series",
        shape="steps",
        scale="linear",
        t=times,
        step=0,
        series=series,
        legend=[{"name": one["name"], "color": one["color"]} for one in series],
    )


# Sections ---------------------------------------------------------------------------------------


def _sections(run: SimulatedRun) -> list[str]:
    told = [line for line in map(_told, run.transcript) if line]
    rows = [(f"{at:.6f}", who, what) for at, who, what in told[-_LINES_MAX:]]
    more = f"The last {len(rows)} of {len(told)}." if len(told) > len(rows) else ""
    planned = [
        (f"{row['at_s']:.3f}", row["what"], f"{row['for_s']:.3f}" if row["for_s"] else "-")
        for row in run.planned
    ]
    story = "<pre>" + "\n".join(map(text, run.story)) + "</pre>" if run.story else ""
    return [
        section("story", "What happened", story) if story else "",
        section("repeat", "How to repeat it", f"<p><code>{text(run.command)}</code></p>"),
        section(
            "transcript",
            "Transcript",
            table(("s", "subject", "event"), rows, caption=more, numbers=(0,)),
        ),
        section("plan", "Planned", table(("at s", "event", "for s"), planned, numbers=(0, 2)))
        if planned
        else "",
    ]
