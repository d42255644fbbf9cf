"""The lanes of transactions: each transactional id's transactions, and its coordinator.

A transaction is a span from its begin to its outcome. Where there are too many to draw, those of a
short time are one span with their numbers.
"""

from collections import Counter
from collections.abc import Sequence

from minikafka.harness.clusters.coordinators import COORDINATOR
from minikafka.harness.lines import RunEvent
from minikafka.harness.page import state_spans
from minikafka.harness.page.axis import Axis
from minikafka.harness.page.lanes import Lane, new_lane, new_legend, row_height_px
from minikafka.harness.page.state_spans import Span

OUTCOMES = ("committed", "aborted", "unknown")
_COLORS = {outcome: f"transaction-{outcome}" for outcome in OUTCOMES}
_BINS_PER_ROW = 1_000


def lanes(events: Sequence[RunEvent], axis: Axis) -> list[Lane]:
    """Return the lanes of a run; none if it had no transactions."""
    ended = [event for event in events if event["event"] == "transaction"]
    names = {event["id"]: event["name"] for event in ended}
    ids = sorted(names, key=lambda each: (names[each].startswith("loop"), names[each]))
    if not ids:
        return []
    rows = [names[each] for each in ids]
    found = [lane for lane in (_coordinator_lane(events, axis, ids, rows),) if lane]
    return [_transaction_lane(ended, axis, ids, rows), *found]


def _transaction_lane(
    ended: Sequence[RunEvent], axis: Axis, ids: Sequence[str], rows: list[str]
) -> Lane:
    spans = [
        {
            "r": ids.index(event["id"]),
            "a": max(0.0, axis.at(event["began_at_ms"])),
            "b": axis.at(event["at_ms"]),
            "c": _COLORS[event["outcome"]],
            "l": f"{event['outcome']}, {event['records']:,} records",
            "outcome": event["outcome"],
        }
        for event in ended
        if axis.inside(event["at_ms"]) and event["at_ms"] >= axis.zero_ms
    ]
    note = ""
    if len(spans) > state_spans.SPANS_MAX:
        spans = _binned(spans, axis.last / _BINS_PER_ROW)
        note = "transactions of a short time are drawn as one bar"
    used = {span["c"] for span in spans}
    return new_lane(
        "transactions",
        "Transactions",
        "each transaction from begin to outcome, one row per transactional id",
        unit="by transactional id",
        kind="spans",
        rows=rows,
        spans=[{name: span[name] for name in "rabcl"} for span in spans],
        height=row_height_px(len(rows)),
        legend=new_legend(*((name, color) for name, color in _COLORS.items() if color in used)),
        note=note,
    )


def _binned(spans: Sequence[Span], width_s: float) -> list[Span]:
    """Join the spans that begin in the same bin; the colour is that of the rarest outcome."""
    bins: dict[tuple[int, int], list[Span]] = {}
    for span in spans:
        bins.setdefault((span["r"], int(span["a"] / width_s)), []).append(span)
    joined = []
    for (row, _), members in sorted(bins.items()):
        counts = Counter(span["outcome"] for span in members)
        present = [outcome for outcome in OUTCOMES if counts[outcome]]
        joined.append(
            {
                "r": row,
                "a": members[0]["a"],
                "b": max(span["b"] for span in members),
                "c": _COLORS[present[-1]],
                "l": ", ".join(f"{counts[outcome]} {outcome}" for outcome in present),
            }
        )
    return joined


def _coordinator_lane(
    events: Sequence[RunEvent], axis: Axis, ids: Sequence[str], rows: list[str]
) -> Lane | None:
    """Return the lane of coordinators; None if the metadata log was not read."""
    changes = [
        {**event, "event": "partition", "partition": ids.index(event["id"])}
        for event in events
        if event["event"] == COORDINATOR and event["id"] in ids
    ]
    if not changes:
        return None
    spans = state_spans.spans(changes, axis, range(len(ids)), state_spans.leader)
    return new_lane(
        "coordinators",
        "Transaction coordinator",
        "the node that coordinates each transactional id",
        unit="by transactional id",
        kind="spans",
        rows=rows,
        say="node ",
        spans=spans,
        height=row_height_px(len(rows)),
        legend=state_spans.legend_of(state_spans.leader_legend(changes), spans),
        note="from the metadata log",
    )
