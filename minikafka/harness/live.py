"""The display during a run, and the table at its end.

On a terminal it is a live view. Otherwise there is one line for each phase and each important
event, with the seconds since the run began, and for events `+` the seconds since the first record.
A phase that lasts longer than a minute has a line of figures every minute.
"""

import os
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from minikafka.harness.lines import RunEvent
from minikafka.harness.plan.settings import RunFiles
from minikafka.harness.verdict.verdict_file import Verdict

_FIGURES_EVERY_S = 60.0
_WRITING = "writing"
_MARKS_SHOWN = 6


class PatientConsole(Console):
    """A console that becomes silent when its pipe is closed; rich would end the program.

    A run goes on to its verdict even if its output is no longer read.
    """

    def on_broken_pipe(self) -> None:
        """Discard all further output, including what is flushed at the program's end."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


@dataclass(slots=True)
class RunState:
    """The figures of a run so far, updated by its events."""

    seconds: float
    phase: str = "starting"
    phase_began_s: float = field(default_factory=time.monotonic)
    started_s: float = field(default_factory=time.monotonic)
    began_at_ms: int = 0
    producers: dict[int, RunEvent] = field(default_factory=dict)
    read_count: int = 0
    batch_id: int = -1
    batch_rows: int = 0
    polled_count: int = 0
    partitions: dict[int, tuple[int | None, list[int]]] = field(default_factory=dict)
    high_watermarks: dict[str, int] = field(default_factory=dict)
    marks: list[tuple[int, str]] = field(default_factory=list)
    controller: str = "unknown"

    def take(self, event: RunEvent) -> str:
        """Process an event; return a line to print, or ""."""
        match event["event"]:
            case "phase":
                self.phase = event["name"]
                self.phase_began_s = time.monotonic()
            case "produced":
                self.producers[event["pid"]] = event
            case "progress":
                progress = event["progress"]
                self.read_count += progress["numInputRows"]
                self.batch_id = progress["batchId"]
                self.batch_rows = progress["numInputRows"]
            case "partition":
                self.partitions[event["partition"]] = (event["leader"], list(event["isr"]))
            case "high_watermarks":
                self.high_watermarks.update(event["ends"])
            case "reader":
                self.polled_count = event["polled"]
                return self._mark(event, _CHANGES.get(event["change"], ""))
            case "producer_renewed" | "producer_failed" | "loop_renewed":
                return self._mark(event, _client_line(event))
            case "node":
                return self._mark(event, _node_line(event))
            case "quorum_waiting":
                self.controller = "none answers"
                return self._mark(event, "waiting for an active controller")
            case "quorum":
                self.controller = f"node {event['leader']}, epoch {event['epoch']}"
                return self._mark(
                    event, f"node {event['leader']} leads the quorum, epoch {event['epoch']}"
                )
            case "fault" | "stream" as kind:
                line = _fault_line(event) if kind == "fault" else _stream_line(event)
                return self._mark(event, line)
            case _:
                pass
        return ""

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.started_s

    def _mark(self, event: RunEvent, line: str) -> str:
        if line:
            self.marks.append((event["at_ms"], line))
        return line

    def total(self, name: str) -> int:
        """Return a counter summed over producers."""
        return sum(event[name] for event in self.producers.values())


_CHANGES = {
    "leave": "a consumer left the group",
    "join": "a consumer joined the group",
}


def _client_line(event: RunEvent) -> str:
    if event["event"] == "producer_failed":
        return f"producer {event['pid']} ({event['client']}) failed: {event['reason']}"
    who = f"producer {event['pid']}" if "pid" in event else f"loop {event['loop']}"
    return f"{who} started a new client"


def _node_line(event: RunEvent) -> str:
    if event["phase"] == "ended":
        return f"node {event['node']} exited unexpectedly: {event['how']}"
    return f"node {event['node']} logged a traceback: {event['error']}"


def _fault_line(event: RunEvent) -> str:
    match event["phase"]:
        case "begun":
            return f"{event['kind']}: {event['did']}"
        case "healed":
            return f"{event['kind']}: healed{_nodes(event)}"
        case _:
            return f"{event['kind']}: {event['problem']}" if event["problem"] else ""


def _nodes(event: RunEvent) -> str:
    nodes = event["nodes"]
    noun = "node" if len(nodes) == 1 else "nodes"
    return f", {noun} {', '.join(map(str, nodes))}" if nodes else ""


def _stream_line(event: RunEvent) -> str:
    if event["phase"] == "ended":
        return f"the streaming query ended: {event['reason'][:200]}"
    if event["phase"] == "strayed":
        return f"the streaming query did not continue at its checkpoint: {event['reason'][:200]}"
    if event["phase"] == "started" and event["restarts"]:
        return "the streaming query was restarted from its checkpoint"
    return ""


@dataclass(slots=True)
class LiveView:
    """Shows a `RunState`; a context manager, since a live view must restore the terminal."""

    console: Console
    state: RunState
    _live: Live | None = None
    _printed_s: float = 0.0

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def take(self, event: RunEvent) -> None:
        """Process an event, and print its line unless there is a live view."""
        was_writing = self.state.phase == _WRITING
        line = self.state.take(event)
        if event["event"] == "phase":
            self._begin_phase(was_writing=was_writing)
        elif event["event"] == "node":
            # At once, even with a live view: the broken run may go on for hours.
            self._print_event(line)
            for logged in event["log"].splitlines():
                self._print_event(f"  {logged}")
        elif line and self._live is None:
            self._print_event(line)

    def _begin_phase(self, *, was_writing: bool) -> None:
        self._printed_s = time.monotonic()
        if self._live is None:
            if was_writing:
                self._print_event(_figures(self.state))
            self._print(self.state.phase)

    def tick(self) -> None:
        """Update the live view, or print a line of figures in a phase that lasts long."""
        if self._live is not None:
            self._live.update(_panel(self.state), refresh=True)
        elif self.state.producers and time.monotonic() - self._printed_s >= _FIGURES_EVERY_S:
            self._printed_s = time.monotonic()
            self._print_event(_figures(self.state))

    def _print_event(self, line: str) -> None:
        """Print a line with the time since the first record, as the verdict counts it."""
        since = ""
        if self.state.began_at_ms:
            since = f"+{time.time() - self.state.began_at_ms / 1000:.1f} s"
        self._print(f"{since:>9}  {line}")

    def _print(self, line: str) -> None:
        said = f"{self.state.elapsed_s:>6.1f} s  {line}"
        self.console.print(said, soft_wrap=True, highlight=False, markup=False)


def _figures(state: RunState) -> str:
    leaders = ", ".join(f"{n}→{leader}" for n, (leader, _) in sorted(state.partitions.items()))
    return (
        f"acknowledged {state.total('acked'):,}, read {state.read_count:,}"
        f" (batch {state.batch_id}), leaders {leaders}"
    )


def _panel(state: RunState) -> Panel:
    figures = Table.grid(padding=(0, 3))
    figures.add_row("acknowledged", f"[bold green]{state.total('acked'):,}")
    figures.add_row("failed, unknown", f"{state.total('failed'):,}, {state.total('unknown'):,}")
    behind = max(0, state.total("acked") - state.read_count)
    figures.add_row("read by the stream", f"[bold cyan]{state.read_count:,}[/] ({behind:,} behind)")
    figures.add_row("polled by the group", f"{state.polled_count:,}")
    figures.add_row("active controller", state.controller)
    figures.add_row("batch of the stream", f"{state.batch_id}, records {state.batch_rows:,}")
    partitions = Table(box=None, pad_edge=False, padding=(0, 2), header_style="dim")
    for name in ("partition", "leader", "ISR", "high watermark"):
        partitions.add_column(name, justify="right")
    for number, (leader, isr) in sorted(state.partitions.items()):
        shown = "[bold red]none" if leader is None else str(leader)
        end = state.high_watermarks.get(str(number), 0)
        partitions.add_row(str(number), shown, " ".join(map(str, isr)), f"{end:,}")
    marks = [
        Text(f"{(at_ms - state.began_at_ms) / 1000:6.1f} s  {line}", style="yellow")
        for at_ms, line in state.marks[-_MARKS_SHOWN:]
    ]
    bar = Table.grid()
    bar.add_row(_bar(state))
    body = Group(bar, figures, Text(), partitions, *marks)
    phase_s = time.monotonic() - state.phase_began_s
    subtitle = f"{state.phase}: {phase_s:.0f} s, in total {state.elapsed_s:.0f} s"
    return Panel(body, title="minikafka verify", subtitle=subtitle, width=76)


def _bar(state: RunState) -> ProgressBar:
    past = time.time() - state.began_at_ms / 1000 if state.began_at_ms else 0.0
    return ProgressBar(total=state.seconds, completed=min(past, state.seconds), width=70)


def print_verdict(console: Console, verdict: Verdict, files: RunFiles) -> None:
    """Print the table of all promises, the counts, notes, sentence and paths of a verdict."""
    style = {"verified": "bold green", "broken": "bold red", "undecided": "bold yellow"}
    table = Table(title_justify="left", show_edge=False, header_style="dim")
    table.add_column("promise")
    table.add_column("broken", justify="right")
    table.add_column("first")
    for kind, row in verdict["promises"].items():
        count = row["count"]
        table.add_row(kind.replace("_", " "), _count(count), _first(row))
    console.print()
    console.print(table)
    counts = verdict["counts"]
    console.print(
        f"\nsent {counts['sent']:,}, acknowledged {counts['acknowledged']:,},"
        f" failed {counts['failed']:,}, unknown {counts['unknown']:,}"
        f" ({counts['unknown_found']:,} of them in the log);"
        f" read by the stream {counts['read_by_stream']:,},"
        f" by the second read {counts['read_afresh']:,}",
        highlight=False,
    )
    if verdict["changes"]:
        changes, leaders = verdict["changes"], verdict["quorum"].get("leaders", ())
        console.print(
            f"changes of topics and configurations: sent {changes['sent']:,}, acknowledged"
            f" {changes['acknowledged']:,}; active controllers: "
            + ", ".join(f"node {it['leader']} in epoch {it['epoch']}" for it in leaders),
            highlight=False,
            soft_wrap=True,
        )
    for note in verdict["notes"]:
        console.print(f"note: {note}", highlight=False, markup=False, soft_wrap=True)
    console.print(Text(verdict["sentence"], style=style[verdict["outcome"]]), soft_wrap=True)
    page = files.report if files.report.exists() else "no page: it needs minikafka[page]"
    console.print(f"{files.verdict}\n{page}", highlight=False, markup=False, soft_wrap=True)


def _count(count: int | None) -> str:
    if count is None:
        return "[yellow]not judged"
    return f"[bold red]{count:,}" if count else "[green]0"


def _first(row: dict[str, Any]) -> str:
    if not row["first"]:
        return ""
    first = row["first"][0]
    if "record" in first:
        return f"{first['record']} at {first['partition']}/{first['offset']}"
    return str(first.get("message", f"partition {first.get('partition')}"))[:60]
