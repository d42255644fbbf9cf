"""`minikafka verify` for many seeds: with eligible leader replicas, and without them.

    python -m tools.run_seeds --profile standard,harsh --seeds 20 --write FOLDER

runs every seed of every profile twice and writes the tables of docs/history/standard-runs.md and
docs/history/harsh-runs.md. A run that FOLDER has is not repeated, so that the command can be
interrupted and continued; `--elr off` runs one half, `--only 103,107` these seeds, `--seeds 0`
none.

Both runs of a seed have the faults that the profile draws from it. To `standard`, whose faults do
not overlap, the failure that ELR is for (E13) is added at the end: two brokers stop one after the
other, the last one loses power and with it what it had not flushed, and the others are back before
it is. `harsh` draws that by itself.

Of each run its verdict, page and schedule are kept, in FOLDER/PROFILE/SEED-on or SEED-off; of one
that is undecided everything.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from minikafka.harness.plan.draw import draw_schedule
from minikafka.harness.plan.schedule import PlannedFault, Schedule
from minikafka.harness.plan.settings import RunFiles, RunSettings
from minikafka.harness.verdict.verdict_file import EXIT_STATUS
from tools.compare_runs import write

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "standard": ROOT / "docs" / "history" / "standard-runs.md",
    "harsh": ROOT / "docs" / "history" / "harsh-runs.md",
}
"""Of each profile, the page that has its table."""

SECONDS = {"standard": 300.0, "harsh": 50.0}
ELR = ("on", "off")

_HEAD = (
    *("seed", "faults", "ELR on: acknowledged, lost", "elected from the ELR", "verdict"),
    *("ELR off: acknowledged, lost", "verdict"),
)
_MARK = "seeds"
LINE_LENGTH = 100
_FIRST_SEED = 101
_RATE = 1_000
_LAST_STANDING_S = 260.0
_PORTS_A_RUN = 100
_LONGEST_RUN_S = 1_500


_CONTROLLERS = "separate"
"""Two of three brokers are away at the end, and the ISR must be able to shrink."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: which faults, and whether the cluster has eligible leader replicas."""

    profile: str
    seed: int
    elr: str

    def folder(self, home: Path) -> Path:
        """The folder of the run."""
        return home / self.profile / f"{self.seed}-{self.elr}"

    def schedule(self) -> Schedule:
        """The faults, which are the same with ELR and without but for what switches it off."""
        seconds = SECONDS[self.profile]
        drawn = draw_schedule(
            RunSettings(
                seed=self.seed,
                seconds=seconds,
                profile=self.profile,
                elr=self.elr,
                controllers=_CONTROLLERS,
            )
        )
        last = _last_standing(self.seed) if self.profile == "standard" else ()
        return replace(drawn, faults=(*drawn.faults, *last))

    def words(self, plan: Path) -> list[str]:
        """The options of `verify` that are this run's alone; `plan` is the schedule's file."""
        words = ["--seed", str(self.seed), "--seconds", str(SECONDS[self.profile])]
        words += ["--elr", self.elr, "--controllers", _CONTROLLERS]
        if self.profile == "harsh":
            return [*words, "--profile", self.profile]
        return [*words, "--schedule", str(plan)]


def _last_standing(seed: int) -> Iterator[PlannedFault]:
    last, first, second = random.Random(f"last/{seed}").sample((1, 2, 3), 3)
    at_s = _LAST_STANDING_S
    yield PlannedFault(kind="pause", at_s=at_s, duration_s=13.0, targets=(first,))
    yield PlannedFault(kind="pause", at_s=at_s + 6, duration_s=12.0, targets=(second,))
    yield PlannedFault(
        kind="power-cut", at_s=at_s + 12, duration_s=10.0, targets=(last,),
        parameters={"when_whole": False},
    )  # fmt: skip


def run_one(home: Path, run: Run, base_port: int) -> str:
    """Run unless it was run before; the sentence of its verdict, or what went wrong."""
    kept = run.folder(home)
    if not (kept / "verdict.json").exists():
        with tempfile.TemporaryDirectory(prefix="minikafka-seed-") as name:
            problem = _verify(Path(name), kept, run, base_port)
        if problem:
            return problem
    sentence: str = _verdict(kept)["sentence"]
    return sentence


def _verify(scratch: Path, kept: Path, run: Run, base_port: int) -> str:
    plan, files = scratch / "schedule.json", RunFiles(scratch / "run")
    run.schedule().write(plan)
    done = subprocess.run(
        [
            sys.executable, "-m", "minikafka", "verify", *run.words(plan), "--rate", str(_RATE),
            "--base-port", str(base_port), "--out", str(files.root),
        ],
        capture_output=True, text=True, check=False, timeout=_LONGEST_RUN_S,
    )  # fmt: skip
    if not files.verdict.exists():
        return f"status {done.returncode}: {done.stderr.strip()[-500:]}"
    if done.returncode == EXIT_STATUS["undecided"]:
        (files.root / "output").write_text(done.stdout + done.stderr, encoding="utf-8")
        shutil.copytree(files.root, kept, dirs_exist_ok=True)
        return ""
    kept.mkdir(parents=True, exist_ok=True)
    for path in (files.report, files.schedule, files.verdict):
        shutil.copy(path, kept / path.name)
    return ""


def run_all(home: Path, runs: Sequence[Run], jobs: int, base_port: int) -> None:
    """Carry runs out, some at a time, each with other ports."""
    ports: SimpleQueue[int] = SimpleQueue()
    for job in range(jobs):
        ports.put(base_port + job * _PORTS_A_RUN)

    def one(run: Run) -> None:
        port = ports.get()
        try:
            said = run_one(home, run, port)
            print(f"{run.profile} {run.seed}, ELR {run.elr}: {said}", flush=True)
        finally:
            ports.put(port)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, runs))


def _verdict(folder: Path) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    return verdict


def table(folder: Path) -> str:
    """One line a seed of a profile, and what they come to: with ELR, and without."""
    lines = [f"| {' | '.join(_HEAD)} |", f"|{' --- |' * len(_HEAD)}"]
    seeds = sorted({int(path.parent.name.partition("-")[0]) for path in _verdicts(folder, "*")})
    for seed in seeds:
        found = {
            elr: _verdict(folder / f"{seed}-{elr}")
            for elr in ELR
            if (folder / f"{seed}-{elr}" / "verdict.json").exists()
        }
        faults = _faults(next(iter(found.values())))
        on, off = (_cells(found.get(elr)) for elr in ELR)
        lines.append(f"| {seed} | {faults} | {on[0]} | {on[1]} | {on[2]} | {off[0]} | {off[2]} |")
    return "\n".join([*lines, "", *(_sum(folder, elr) for elr in ELR)]) + "\n"


def _verdicts(folder: Path, elr: str) -> list[Path]:
    return sorted(folder.glob(f"[0-9]*-{elr}/verdict.json"))


def _faults(verdict: dict[str, Any]) -> str:
    faults = [fault for fault in verdict["faults"] if fault["kind"] != "elr-off"]
    done = sum(not fault["problem"] for fault in faults)
    return f"{done} of {len(faults)}"


def _cells(verdict: dict[str, Any] | None) -> tuple[str, str, str]:
    if verdict is None:
        return "-", "-", "not run"
    lost = verdict["promises"]["lost"]["count"]
    told = "not judged" if lost is None else f"**{lost:,}**"
    outcome = verdict["outcome"]
    if outcome == "undecided":
        outcome = f"undecided: {', '.join(dict.fromkeys(verdict['rules']))}"
    elected = verdict["elections"].get("from_elr", "-")
    return f"{verdict['counts']['acknowledged']:,}, {told}", str(elected), outcome


def _sum(folder: Path, elr: str) -> str:
    verdicts = [_verdict(path.parent) for path in _verdicts(folder, elr)]
    outcomes = [verdict["outcome"] for verdict in verdicts]
    lost = [verdict["promises"]["lost"]["count"] or 0 for verdict in verdicts]
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in EXIT_STATUS)
    text = (
        f"- ELR {elr}: {len(verdicts)} runs, {counts}; {sum(lost):,} acknowledged records lost, in"
        f" {sum(map(bool, lost))} runs."
    )
    return textwrap.fill(text, LINE_LENGTH, subsequent_indent="  ")


def _names(allowed: Sequence[str]) -> Any:
    def parse(value: str) -> list[str]:
        names = value.split(",")
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(allowed)}")
        return names

    return parse


def main(words: Sequence[str] | None = None) -> int:
    """Run seeds, then print or write the table of each profile."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--profile", type=_names(list(PAGES)), default=list(PAGES))
    parser.add_argument("--elr", type=_names(ELR), default=list(ELR))
    parser.add_argument("--seeds", type=int, default=20, help="how many (%(default)s)")
    parser.add_argument("--first-seed", type=int, default=_FIRST_SEED)
    parser.add_argument("--only", default="", metavar="SEED,…", help="these seeds, and no others")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (%(default)s)")
    parser.add_argument("--base-port", type=int, default=21_000)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/")
    args = parser.parse_args(words)
    seeds = list(range(args.first_seed, args.first_seed + args.seeds))
    if args.only:
        seeds = [int(seed) for seed in args.only.split(",")]
    for profile in args.profile:
        runs = [Run(profile=profile, seed=seed, elr=elr) for elr in args.elr for seed in seeds]
        run_all(args.folder, runs, args.jobs, args.base_port)
        if not (args.folder / profile).is_dir():
            continue
        text = table(args.folder / profile)
        if args.write:
            write(PAGES[profile], _MARK, text)
        else:
            print(f"{profile}\n\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
