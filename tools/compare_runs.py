"""Runs of `minikafka verify` on several systems, side by side, as a Markdown table.

    python tools/compare_runs.py [--write FILE [--mark NAME]] FOLDER ...

Each folder is one run. Runs are compared by their schedule: all runs with the same seed must have
had the same faults and the same settings. `--write` puts the table between the two marks in a
Markdown file that are named `--mark`. Of several runs of one system with one seed it shows the
median, and in brackets the least and the most where they differ.

"No answer" after a fault: the longest time, between its start and the start of the next one, in
which records for one partition were sent and none of them was acknowledged.
"""

import argparse
import json
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from minikafka.harness.clients.ledger_table import LedgerTable, read_ledgers
from minikafka.harness.page.timeline import windows
from minikafka.harness.plan.settings import RunFiles
from tools.marks import between

_MARK = "runs"
_ITS_OWN = ("out", "base_port", "kafka_tools", "schedule")
_PLAN = ("kind", "at_s", "duration_s", "targets", "parameters")
_STARTED_AGAIN = ("kill", "restart", "rolling-restart", "power-cut", "full-disk")
"""Faults that end when nodes serve again; all others end at once."""
_P50, _P99 = 0.5, 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The compared values of one run. Times are ms; None: not done, or not healed."""

    system: str
    seed: int
    plan: str
    settings: str
    outcome: str
    sent: int
    acknowledged: int
    faults: tuple[str, ...]
    problems: tuple[str, ...]
    no_answer_ms: tuple[float | None, ...]
    healed_ms: tuple[float | None, ...]
    ack_p50_ms: float
    ack_p99_ms: float


def read_run(folder: Path) -> Run:
    """A run by its folder."""
    files = RunFiles(folder)
    verdict = json.loads(files.verdict.read_text(encoding="utf-8"))
    faults = verdict["faults"]
    settings = {name: it for name, it in verdict["settings"].items() if name not in _ITS_OWN}
    at = [verdict["percentiles"].index(share) for share in (_P50, _P99)]
    acked = verdict["latency_ms"]["send_to_ack"]["all"]
    return Run(
        system=verdict["run"]["cluster"].split(",")[0],
        seed=verdict["run"]["seed"],
        plan=json.dumps([{name: fault[name] for name in _PLAN} for fault in faults]),
        settings=json.dumps({**settings, "network": verdict["run"]["network"]}),
        outcome=verdict["outcome"],
        sent=verdict["counts"]["sent"],
        acknowledged=verdict["counts"]["acknowledged"],
        faults=tuple(map(_words, faults)),
        problems=tuple(fault["problem"] for fault in faults),
        no_answer_ms=no_answers(read_ledgers(files.ledgers), faults, verdict["run"]),
        healed_ms=tuple(
            fault["healed_at_ms"] - fault["done_at_ms"] if fault["healed_at_ms"] else None
            for fault in faults
        ),
        ack_p50_ms=acked[at[0]],
        ack_p99_ms=acked[at[1]],
    )


def _words(fault: dict[str, Any]) -> str:
    targets = " and ".join(map(str, fault["targets"]))
    parameters = [f"{name} {value}" for name, value in fault["parameters"].items()]
    said = [f"{fault['kind']} {targets}".strip(), *parameters, f"for {fault['duration_s']:.1f} s"]
    return ", ".join(said)


def no_answers(
    tables: Sequence[LedgerTable], faults: Sequence[dict[str, Any]], run: dict[str, Any]
) -> tuple[float | None, ...]:
    """For each fault the longest time without an acknowledgement until the next begins."""
    found = windows(tables, 0)
    begins = [fault["done_at_ms"] for fault in faults]
    ends = [it for it in begins if it] + [run["writing_to_ms"]]
    until = dict(pairwise(ends))
    return tuple(
        max((_within(window, begin, until[begin]) for window in found), default=0)
        if begin
        else None
        for begin in begins
    )


def _within(window: dict[str, Any], begin: int, end: int) -> int:
    began, ended = max(window["began_at_ms"], begin), min(window["ended_at_ms"], end)
    return max(0, int(ended - began))


def problems(runs: Sequence[Run]) -> list[str]:
    """Why runs cannot be compared; empty if they can."""
    first: dict[int, Run] = {}
    return [
        f"seed {run.seed}: {run.system} had another {name}"
        for run in runs
        for name in ("plan", "settings")
        if getattr(run, name) != getattr(first.setdefault(run.seed, run), name)
    ]


def tables(runs: Sequence[Run]) -> str:
    """One table for all seeds, one column a system."""
    systems = sorted({run.system for run in runs}, key=lambda name: name != "minikafka")
    lines = [
        f"| seed | what | {' | '.join(systems)} |",
        f"| --- | --- |{' --- |' * len(systems)}",
    ]
    for seed in sorted({run.seed for run in runs}):
        of_system = [[run for run in runs if (run.seed, run.system) == (seed, it)]
                     for it in systems]  # fmt: skip
        for name, cell in _rows(next(run for run in runs if run.seed == seed)):
            cells = " | ".join(cell(of) if of else "-" for of in of_system)
            lines.append(f"| {seed} | {name} | {cells} |")
    return "\n".join(lines) + "\n"


_Cell = Callable[[Sequence[Run]], str]


def _rows(like: Run) -> list[tuple[str, _Cell]]:
    rows: list[tuple[str, _Cell]] = [
        ("verdict", _outcomes),
        ("records sent", lambda of: _spread([run.sent for run in of], "{:,.0f}")),
        ("of them acknowledged", _acknowledged),
    ]
    for at, name in enumerate(like.faults):
        rows.append((f"{name}: no answer", partial(_after, at, "no_answer_ms")))
        if name.startswith(_STARTED_AGAIN):
            rows.append((f"{name}: start to recovery", partial(_after, at, "healed_ms")))
    return [
        *rows,
        ("send to ack, p50", lambda of: _spread([run.ack_p50_ms for run in of], "{:,.1f} ms")),
        ("send to ack, p99", lambda of: _spread([run.ack_p99_ms for run in of], "{:,.0f} ms")),
    ]


def _outcomes(of: Sequence[Run]) -> str:
    return ", ".join(f"{count} x {it}" for it, count in Counter(r.outcome for r in of).items())


def _acknowledged(of: Sequence[Run]) -> str:
    return _spread([100 * run.acknowledged / max(run.sent, 1) for run in of], "{:.2f} %")


def _after(at: int, name: str, of: Sequence[Run]) -> str:
    values = [getattr(run, name)[at] for run in of]
    known = [value / 1000 for value in values if value is not None]
    if not known:
        return next((run.problems[at].partition("\n")[0] for run in of if run.problems[at]), "-")
    missing = len(values) - len(known)
    return _spread(known, "{:.1f} s") + (f", not in {missing} of {len(values)}" if missing else "")


def _spread(values: Sequence[float], form: str) -> str:
    middle = form.format(statistics.median(values))
    low, high = (form.format(it).split()[0] for it in (min(values), max(values)))
    return middle if low == high else f"{middle} ({low} to {high})"


def write(path: Path, mark: str, text: str) -> None:
    """Put a table between the marks of a file.

    Raises:
        ValueError: if the file has no such marks.
    """
    path.write_text(between(path.read_text(encoding="utf-8"), mark, text), encoding="utf-8")


def main(words: Sequence[str] | None = None) -> int:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--mark", default=_MARK)
    args = parser.parse_args(words)
    for folder in args.folders:
        if not RunFiles(folder).verdict.is_file():
            parser.error(f"{folder} has no verdict.json: it is no run, or one that did not end.")
    runs = [read_run(folder) for folder in args.folders]
    if found := problems(runs):
        print("\n".join(found), file=sys.stderr)
        return 1
    if args.write is None:
        print(tables(runs), end="")
    else:
        write(args.write, args.mark, tables(runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
