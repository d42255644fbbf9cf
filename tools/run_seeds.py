"""`minikafka verify --profile standard` for many seeds: with ELR, and without it.

    python tools/run_seeds.py [--elr on|off] [--jobs 3] [--base-port 21000] FOLDER SEED ...
    python tools/run_seeds.py --table FOLDER [--write FILE --mark NAME]

Each seed gets the schedule that the profile draws from it, and at its end the failure that ELR is
for (E13): two brokers stop one after the other, the last one standing loses power and with it what
it had not flushed, and the others are back before it is. With `--elr off` the same schedule has ELR
switched off from the first second to the last.

Of each run its verdict, page and schedule are kept, in FOLDER/SEED-on or FOLDER/SEED-off; of one
that could not be decided everything, in FOLDER/undecided-SEED-on or -off.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from minikafka.harness.draw import draw_schedule
from minikafka.harness.schedule import PlannedFault, Schedule
from minikafka.harness.settings import RunFiles, RunSettings
from tools.compare_runs import write

_SECONDS = 300.0
_LAST_STANDING_S = 260.0
_PORTS_A_RUN = 100
_LONGEST_RUN_S = 1_500
_DECIDED = (0, 1)
"""Exit statuses of a run that found its promises kept, or broken."""


def schedule_of(seed: int, *, elr: bool) -> Schedule:
    """The drawn schedule and the last replica standing; without ELR it is off all the time."""
    drawn = draw_schedule(RunSettings(out=Path(), seed=seed, seconds=_SECONDS, profile="standard"))
    faults = [*drawn.faults, *_last_standing(seed)]
    if not elr:
        faults = [
            PlannedFault(kind="elr-off", at_s=0.0, duration_s=_SECONDS, targets=()),
            *[fault for fault in faults if fault.kind != "elr-off"],
        ]
    return replace(drawn, faults=tuple(faults))


def _last_standing(seed: int) -> Iterator[PlannedFault]:
    last, first, second = random.Random(f"last/{seed}").sample((1, 2, 3), 3)
    at_s = _LAST_STANDING_S
    yield PlannedFault(kind="pause", at_s=at_s, duration_s=13.0, targets=(first,))
    yield PlannedFault(kind="pause", at_s=at_s + 6, duration_s=12.0, targets=(second,))
    yield PlannedFault(
        kind="power-cut", at_s=at_s + 12, duration_s=10.0, targets=(last,),
        parameters={"when_whole": False},
    )  # fmt: skip


def run_one(folder: Path, seed: int, base_port: int, *, elr: bool) -> str:
    """Run a seed unless it was run before; the sentence of its verdict, or what went wrong."""
    kept = folder / f"{seed}-{'on' if elr else 'off'}"
    if not (kept / "verdict.json").exists():
        with tempfile.TemporaryDirectory(prefix="minikafka-seed-") as name:
            problem = _verify(Path(name), kept, seed, base_port, elr=elr)
        if problem:
            return problem
    sentence: str = _verdict(kept)["sentence"]
    return sentence


def _verify(home: Path, kept: Path, seed: int, base_port: int, *, elr: bool) -> str:
    plan, files = home / "schedule.json", RunFiles(home / "run")
    schedule_of(seed, elr=elr).write(plan)
    done = subprocess.run(
        [
            sys.executable, "-m", "minikafka", "verify", "--seed", str(seed),
            "--seconds", str(_SECONDS), "--schedule", str(plan), "--rate", "1000",
            "--base-port", str(base_port), "--out", str(files.root),
        ],
        capture_output=True, text=True, check=False, timeout=_LONGEST_RUN_S,
    )  # fmt: skip
    (home / "output").write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode not in _DECIDED:
        name = f"undecided-{kept.name}"
        shutil.copytree(home, kept.with_name(name), dirs_exist_ok=True)
        return f"status {done.returncode}, see {name}"
    kept.mkdir(parents=True, exist_ok=True)
    for path in (files.report, files.schedule, files.verdict):
        shutil.copy(path, kept / path.name)
    return ""


def run_all(folder: Path, seeds: Sequence[int], jobs: int, base_port: int, *, elr: bool) -> None:
    """Run seeds, some at a time, each with ports of its own."""
    ports: SimpleQueue[int] = SimpleQueue()
    for job in range(jobs):
        ports.put(base_port + job * _PORTS_A_RUN)

    def one(seed: int) -> None:
        port = ports.get()
        try:
            print(f"{seed}: {run_one(folder, seed, port, elr=elr)}", flush=True)
        finally:
            ports.put(port)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, seeds))


def _verdict(folder: Path) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    return verdict


def table(folder: Path) -> str:
    """One line a seed: what was found with ELR, and what without."""
    lines = [
        "| seed | faults done | with ELR: acknowledged, lost | verdict | without | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for seed in sorted({int(path.name.partition("-")[0]) for path in folder.glob("[0-9]*-o*")}):
        cells = [_cells(folder / f"{seed}-{elr}") for elr in ("on", "off")]
        done = next(cell[0] for cell in cells if cell)
        told = [cell for found in cells for cell in (found[1:] or ("-", "-"))]
        lines.append(f"| {seed} | {done} | {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def _cells(folder: Path) -> tuple[str, ...]:
    if not (folder / "verdict.json").exists():
        return ()
    verdict = _verdict(folder)
    faults = [fault for fault in verdict["faults"] if fault["kind"] != "elr-off"]
    done = sum(bool(fault["done_at_ms"]) for fault in faults)
    broken = {name: it["count"] for name, it in verdict["promises"].items() if it["count"]}
    others = [f"{name} {count:,}" for name, count in broken.items() if name != "lost"]
    return (
        f"{done} of {len(faults)}",
        f"{verdict['counts']['acknowledged']:,}, **{broken.get('lost', 0):,}**",
        ", ".join([verdict["outcome"], *others]),
    )


def main(words: Sequence[str] | None = None) -> int:
    """Run seeds, or print or write the table of those that were run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("seeds", nargs="*", type=int)
    parser.add_argument("--elr", choices=("on", "off"), default="on")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--base-port", type=int, default=21_000)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--mark", default="seeds")
    args = parser.parse_args(words)
    if args.seeds:
        run_all(args.folder, args.seeds, args.jobs, args.base_port, elr=args.elr == "on")
    if args.table and args.write is None:
        print(table(args.folder), end="")
    elif args.table:
        write(args.write, args.mark, table(args.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
