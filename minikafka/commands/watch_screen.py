"""The live display of `minikafka watch`: lines that fit a terminal, and the keys that move them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from minikafka.admin.partition_states import ClusterState, PartitionState
from minikafka.commands.watch_table import NO_LEADER, group_line, is_healthy, log_end

_MIN_CHANGES = 6
_MAX_GROUPS = 4
_MIN_NAME = 8
_GAP = "  "
_EMPTY = "-"
_KEYS = "arrows scroll  u unhealthy only  / filter  q quit"


@dataclass(slots=True)
class WatchView:
    """The shown part of a cluster: the first row, and which partitions."""

    first: int = 0
    is_unhealthy_only: bool = False
    filter: str = ""
    is_typing: bool = False
    """True while the user types the filter."""

    def press(self, key: str, page: int) -> bool:
        """Follow a key; return False to end the display. `page` is the number of rows shown."""
        if self.is_typing:
            self._type(key)
            return True
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -page, "page down": page}
        if key in steps:
            self.first = max(self.first + steps[key], 0)
        elif key == "u":
            self.is_unhealthy_only, self.first = not self.is_unhealthy_only, 0
        elif key == "/":
            self.is_typing, self.filter, self.first = True, "", 0
        return key != "q"

    def _type(self, key: str) -> None:
        if key == "enter":
            self.is_typing = False
        elif key == "escape":
            self.is_typing, self.filter = False, ""
        elif key == "backspace":
            self.filter = self.filter[:-1]
        elif len(key) == 1:
            self.filter += key

    def chosen(self, cluster: ClusterState) -> list[PartitionState]:
        """Return the partitions to show, those that are unhealthy first."""
        found = [
            state
            for state in cluster.partitions.values()
            if self.filter in str(state.name) and not (self.is_unhealthy_only and is_healthy(state))
        ]
        return sorted(found, key=is_healthy)


@dataclass(slots=True, frozen=True)
class ScreenLine:
    """A line of the display; `style` is "" or the name of a colour."""

    text: str
    style: str = ""


def picture(
    cluster: ClusterState,
    view: WatchView,
    changes: Sequence[str],
    problems: Sequence[str],
    size: tuple[int, int],
) -> list[ScreenLine]:
    """Return the lines for a terminal of (columns, lines); no line is longer than the columns."""
    width, height = size
    chosen = view.chosen(cluster)
    groups = sorted(cluster.groups, key=lambda group: -(group.lag or 0))[:_MAX_GROUPS]
    latest = list(changes)[-max(_MIN_CHANGES, height // 4) :]
    others = 3 + len(groups) + len(problems) + len(latest)
    room = max(height - others, 1)
    view.first = max(min(view.first, len(chosen) - room), 0)
    shown = chosen[view.first : view.first + room]
    lines = [ScreenLine(_headline(cluster)), *_table(shown, width)]
    lines += [ScreenLine(group_line(group), "cyan") for group in groups]
    lines += [ScreenLine(problem, "red") for problem in problems]
    lines += [ScreenLine(change) for change in latest]
    lines.append(ScreenLine(_footer(view, len(shown), len(chosen)), "dim"))
    return [ScreenLine(line.text[:width], line.style) for line in lines[:height]]


def rows_shown(lines: Sequence[ScreenLine]) -> int:
    """Return how far a page scrolls."""
    return max(len(lines) // 2, 1)


def _headline(cluster: ClusterState) -> str:
    unhealthy = sum(not is_healthy(state) for state in cluster.partitions.values())
    brokers = ",".join(map(str, cluster.brokers)) or _EMPTY
    quorum = str(cluster.quorum or "no controller answers")
    return (
        f"brokers {brokers}; {len(cluster.partitions)} partitions, {unhealthy} unhealthy; {quorum}"
    )


def _footer(view: WatchView, shown: int, count: int) -> str:
    if view.is_typing:
        return f"filter: {view.filter}_  (Enter, Esc)"
    rows = f"{view.first + 1}-{view.first + shown} of {count}" if shown else "none"
    chosen = f" with {view.filter!r}" if view.filter else ""
    chosen += " that are unhealthy" if view.is_unhealthy_only else ""
    return f"partitions {rows}{chosen}  {_KEYS}"


def _table(states: Sequence[PartitionState], width: int) -> list[ScreenLine]:
    columns = [
        (head, [cell(state) for state in states])
        for head, cell in _COLUMNS
        if head not in _OPTIONAL or any(cell(state) != _EMPTY for state in states)
    ]
    names = [str(state.name) for state in states]
    widths = [max(map(len, (head, *cells))) for head, cells in columns]
    rest = sum(widths) + len(_GAP) * len(widths)
    longest = max(map(len, ("Partition", *names)))
    # If not all fits, names are cut in the middle, so that the number of the partition stays.
    name_width = min(longest, max(width - rest, _MIN_NAME))
    rows = [("Partition", *(head for head, _ in columns))]
    for at, name in enumerate(names):
        rows.append((shortened(name, name_width), *(cells[at] for _, cells in columns)))
    texts = [
        _GAP.join(
            cell.ljust(size) for cell, size in zip(row, (name_width, *widths), strict=True)
        ).rstrip()
        for row in rows
    ]
    styles = ["bold", *("" if is_healthy(state) else "yellow" for state in states)]
    return [ScreenLine(*each) for each in zip(texts, styles, strict=True)]


def shortened(name: str, room: int) -> str:
    """Cut the topic of a partition's name, so that it has at most `room` characters, if it can."""
    if len(name) <= room:
        return name
    topic, _, number = name.rpartition("-")
    return f"{topic[: max(room - len(number) - 2, 1)]}…-{number}"


def _ends(state: PartitionState) -> str:
    """Return the ends of the logs; brokers with the same end are named together."""
    found: dict[str, list[str]] = {}
    for broker in state.replicas:
        found.setdefault(log_end(state, broker), []).append(str(broker))
    return " ".join(f"{','.join(brokers)}:{end}" for end, brokers in found.items())


def _ids(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers)) or _EMPTY


_COLUMNS: Sequence[tuple[str, Callable[[PartitionState], str]]] = (
    ("Leader", lambda it: "none" if it.leader == NO_LEADER else str(it.leader)),
    ("Ep", lambda it: str(it.leader_epoch)),
    ("ISR", lambda it: _ids(it.isr)),
    ("ELR", lambda it: _ids(it.elr)),
    ("LKELR", lambda it: _ids(it.last_known_elr)),
    ("HWM", lambda it: "?" if it.high_watermark is None else str(it.high_watermark)),
    ("Rec", lambda it: "yes" if it.is_recovering else _EMPTY),
    ("Log ends", _ends),
)
_OPTIONAL = ("ELR", "LKELR", "Rec")
"""Columns that are left out while they are empty."""
