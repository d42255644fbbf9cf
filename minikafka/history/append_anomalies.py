"""Anomalies of transactions that append to lists and read them: G0, G1a, G1b and G1c.

A partition is a list: its key is the partition, its elements are the values of committed records
in the order of their offsets. Values are unique. The names are those of Adya's thesis, the
dependencies those of Elle's list-append workload:

- write-write: two transactions append to one list, one after the other;
- write-read: a transaction reads what another one has appended.

Source: Adya, "Weak Consistency", 1999; Kingsbury and Alvaro, "Elle", 2020.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from minikafka.history.operations import Anomaly

Outcome = Literal["commit", "abort"] | None
"""The outcome of a transaction; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class AppendTransaction:
    """One transaction: what it appended to each list, and what it read of each list.

    A read is an unbroken part of the list, up to the end that the reader saw. `process` names the
    client whose transactions follow one another.
    """

    name: str
    process: str
    outcome: Outcome
    appends: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)


Lists = Mapping[str, Sequence[str]]
"""The elements of each list at the end."""


class _Edge(NamedTuple):
    target: str
    kind: Literal["ww", "wr"]
    why: str


_Graph = dict[str, list[_Edge]]


def dirty_writes(
    transactions: Sequence[AppendTransaction], lists: Lists, *, within_process: bool = False
) -> Iterator[Anomaly]:
    """G0: find transactions that append before one another, in a circle.

    With `within_process`, only transactions of the same process are compared: those of different
    producers may interleave in Kafka.
    """
    graph = _write_write(transactions, lists, within_process=within_process)
    for cycle in _cycles(graph):
        yield Anomaly("G0", " -> ".join(cycle))


def aborted_reads(transactions: Sequence[AppendTransaction]) -> Iterator[Anomaly]:
    """G1a: find committed transactions that read a value of an aborted one."""
    writers = _writers(transactions)
    for reader in _committed(transactions):
        for key, values in reader.reads.items():
            for value in values:
                writer = writers.get((key, value))
                if writer is not None and writer.outcome == "abort":
                    yield Anomaly(
                        "G1a", f"{reader.name} read {value!r} of {key} from {writer.name}"
                    )


def intermediate_reads(transactions: Sequence[AppendTransaction]) -> Iterator[Anomaly]:
    """G1b: find committed transactions that read only the first appends of another one."""
    writers = _writers(transactions)
    for reader in _committed(transactions):
        for key, values in reader.reads.items():
            if not values:
                continue
            writer = writers.get((key, values[-1]))
            if writer is None or writer is reader:
                continue
            unread = [each for each in writer.appends[key] if each not in values]
            if writer.appends[key][-1] in unread:
                yield Anomaly(
                    "G1b", f"{reader.name} read {values[-1]!r} of {key} from {writer.name}, which "
                    f"also appended {unread[-1]!r}",
                )  # fmt: skip


def circular_flows(
    transactions: Sequence[AppendTransaction], lists: Lists, *, within_process: bool = False
) -> Iterator[Anomaly]:
    """G1c: find transactions that depend on one another in a circle, by a read at least once.

    `within_process` as in `dirty_writes`, for write-write dependencies.
    """
    graph = _write_write(transactions, lists, within_process=within_process)
    writers = _writers(transactions)
    known = {each.name for each in _not_aborted(transactions)}
    for reader in _not_aborted(transactions):
        for key, values in reader.reads.items():
            for value in values:
                writer = writers.get((key, value))
                if writer is not None and writer is not reader and writer.name in known:
                    edge = _Edge(reader.name, "wr", f"{key} {value}")
                    graph.setdefault(writer.name, []).append(edge)
    for cycle in _cycles(graph, needs_read=True):
        yield Anomaly("G1c", " -> ".join(cycle))


def _committed(transactions: Iterable[AppendTransaction]) -> Iterator[AppendTransaction]:
    return (each for each in transactions if each.outcome == "commit")


def _not_aborted(transactions: Iterable[AppendTransaction]) -> Iterator[AppendTransaction]:
    return (each for each in transactions if each.outcome != "abort")


def _writers(
    transactions: Iterable[AppendTransaction],
) -> dict[tuple[str, str], AppendTransaction]:
    return {
        (key, value): each
        for each in transactions
        for key, values in each.appends.items()
        for value in values
    }


def _write_write(
    transactions: Sequence[AppendTransaction], lists: Lists, *, within_process: bool
) -> _Graph:
    writers = _writers(_not_aborted(transactions))
    graph: _Graph = {}
    for key, values in lists.items():
        last: dict[str, AppendTransaction] = {}
        for value in values:
            writer = writers.get((key, value))
            if writer is None:
                continue
            group = writer.process if within_process else ""
            before = last.get(group)
            if before is not None and before is not writer:
                edge = _Edge(writer.name, "ww", f"{key} {value}")
                graph.setdefault(before.name, []).append(edge)
            last[group] = writer
    return graph


def _cycles(graph: _Graph, *, needs_read: bool = False) -> Iterator[list[str]]:
    """Yield a cycle of each component; with `needs_read`, one with a write-read dependency."""
    for component in _components(graph):
        if len(component) == 1:
            continue
        members = set(component)
        starts = [
            (name, edge)
            for name in component
            for edge in graph.get(name, ())
            if edge.target in members and (edge.kind == "wr" or not needs_read)
        ]
        if starts:
            name, edge = starts[0]
            yield [name, *_path(graph, members, edge.target, name)]


def _path(graph: _Graph, members: set[str], start: str, end: str) -> list[str]:
    """Return a shortest path between two members of a component, with both of them."""
    came_from: dict[str, str] = {start: start}
    queue = [start]
    for name in queue:
        if name == end:
            break
        for edge in graph.get(name, ()):
            if edge.target in members and edge.target not in came_from:
                came_from[edge.target] = name
                queue.append(edge.target)
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


def _components(graph: _Graph) -> list[list[str]]:
    """Return the strongly connected components (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in graph:
        if root in index:
            continue
        work: list[tuple[str, Iterator[_Edge]]] = []

        def visit(name: str, work: list[tuple[str, Iterator[_Edge]]] = work) -> None:
            index[name] = low[name] = len(index)
            stack.append(name)
            on_stack.add(name)
            work.append((name, iter(graph.get(name, ()))))

        visit(root)
        while work:
            name, edges = work[-1]
            for edge in edges:
                if edge.target not in index:
                    visit(edge.target)
                    break
                if edge.target in on_stack:
                    low[name] = min(low[name], index[edge.target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    found.append(stack[at:])
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
    return found
