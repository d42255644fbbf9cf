"""The states of each partition over time (leader, ISR and ELR) as coloured spans.

A span is {r: row, a: from, b: to, c: colour name, l: label}, times in seconds of the run. Colours
are names of the page's style sheet.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minikafka.harness.clusters.elections import CHANGE
from minikafka.harness.lines import RunEvent
from minikafka.harness.page.axis import Axis

Span = dict[str, Any]
Say = Callable[[RunEvent], tuple[str, str] | None]
"""Maps an event of a partition to (colour, label), or to None for no span."""

SPANS_MAX = 30_000
NODE_COLORS = 9


def partitions(events: Iterable[RunEvent]) -> list[int]:
    """Return the numbers of the partitions with events."""
    return sorted({event["partition"] for event in events if event["event"] == "partition"})


def partition_changes(events: Iterable[RunEvent]) -> tuple[list[RunEvent], bool]:
    """Return the changes of partitions as "partition" events, and True if they were only polled.

    Changes from the metadata log have precedence, if it was read: clients see changes late.
    """
    seen = list(events)
    changes = [{**each, "event": "partition"} for each in seen if each["event"] == CHANGE]
    polled = [each for each in seen if each["event"] == "partition"]
    return (changes, False) if changes else (polled, True)


POLLED = "polled twice a second: up to some seconds late"
"""The note of a lane that has only polled data."""


def spans(events: Sequence[RunEvent], axis: Axis, rows: Sequence[int], say: Say) -> list[Span]:
    """Return the spans that `say` makes of each partition's events; equal neighbours are merged."""
    row_of = {number: row for row, number in enumerate(rows)}
    found: list[Span] = []
    last: dict[int, Span] = {}
    for event in events:
        if event["event"] != "partition" or not axis.inside(event["at_ms"]):
            continue
        at, number = max(0.0, axis.at(event["at_ms"])), event["partition"]
        said = say(event)
        before = last.get(number)
        if before and said == (before["c"], before["l"]):
            continue
        if before:
            before["b"] = at
            del last[number]
        if said:
            color, label = said
            row = row_of[number]
            last[number] = {"r": row, "a": at, "b": axis.last, "c": color, "l": label}
            found.append(last[number])
    return [span for span in found if span["b"] > span["a"]]


def coarsened(found: list[Span], least_s: float, limit: int = SPANS_MAX) -> tuple[list[Span], bool]:
    """Reduce to about `limit` spans: adjacent short spans are merged into one of colour "mixed".

    A span is short below `least_s`; that is doubled until few enough are left. The second result is
    True if any spans were merged.
    """
    kept, shortest = found, least_s
    while len(kept) > limit:
        kept, last = [], dict[int, Span]()
        for span in found:
            before = last.get(span["r"])
            is_short = span["b"] - span["a"] < shortest
            if is_short and before and before.get("short") and before["b"] == span["a"]:
                before |= {"b": span["b"], "c": "mixed", "l": "changing"}
                continue
            last[span["r"]] = {**span, "short": is_short}
            kept.append(last[span["r"]])
        shortest *= 2
    for span in kept:
        span.pop("short", None)
    return kept, len(kept) < len(found)


def packed(found: Sequence[Span]) -> dict[str, list[Any]]:
    """Return spans as columns, with colour and label as an index `k` into `kinds`."""
    kinds: dict[tuple[str, str], int] = {}
    columns: dict[str, list[Any]] = {"r": [], "a": [], "b": [], "k": []}
    for span in found:
        for name in ("r", "a", "b"):
            columns[name].append(span[name])
        columns["k"].append(kinds.setdefault((span["c"], span["l"]), len(kinds)))
    return {**columns, "kinds": [list(kind) for kind in kinds]}


ISR_LEGEND = (
    ("full", "isr-full"),
    ("smaller", "isr-fewer"),
    ("at min ISR", "isr-min"),
    ("below min ISR", "isr-under"),
    ("empty", "isr-empty"),
)
ELR_LEGEND = (("eligible", "elr-some"), ("last known", "elr-known"))


def leader_legend(changes: Iterable[RunEvent]) -> list[tuple[str, str]]:
    """Return the legend's entries: every node that was a leader, and "none"."""
    nodes = sorted({change["leader"] for change in changes if change["leader"] is not None})
    return [*((f"node {node}", node_color(node)) for node in nodes), ("none", "leader-none")]


def legend_of(entries: Iterable[tuple[str, str]], found: Iterable[Span]) -> list[dict[str, str]]:
    """Return the entries whose colours are used."""
    used = {span["c"] for span in found}
    return [{"name": name, "color": color} for name, color in entries if color in used]


def members(nodes: Iterable[int]) -> str:
    """Return a set of replicas as text."""
    return " ".join(map(str, nodes)) or "none"


def leader(event: RunEvent) -> tuple[str, str]:
    """Return colour and label of the leader."""
    if event["leader"] is None:
        return "leader-none", "none"
    return node_color(event["leader"]), str(event["leader"])


def node_color(node: int) -> str:
    """Return the colour of a node; colours repeat after nine nodes."""
    return f"node-{(node - 1) % NODE_COLORS}"


def isr_by(min_isr: int, replicas: int) -> Say:
    """Return a `Say` whose colour compares the size of the ISR with full and min ISR."""

    def say(event: RunEvent) -> tuple[str, str]:
        count = len(event["isr"])
        if count == 0:
            name = "isr-empty"
        elif count >= len(event.get("replicas") or ()) and count >= replicas:
            name = "isr-full"
        elif count > min_isr:
            name = "isr-fewer"
        else:
            name = "isr-min" if count == min_isr else "isr-under"
        return name, members(event["isr"])

    return say


def elr(event: RunEvent) -> tuple[str, str] | None:
    """Return colour and label of the ELR, or of the last known ELR; None if both are empty."""
    if event.get("elr"):
        return "elr-some", members(event["elr"])
    if event.get("last_known_elr"):
        return "elr-known", f"last known {members(event['last_known_elr'])}"
    return None
