"""Simulate whole clusters with faults in virtual time, drawn from seeds.

The command runs one seed after the other. Each is a separate cluster with its own faults, and every
rule is checked after every step. If a seed breaks a rule, its plan is reduced to the incidents that
are needed, and the story of the violation is printed. Exit status: 0 no rule was broken; 1 a rule
was broken; 3 usage.
"""

import argparse
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from minikafka.cli import _scenario, _sim_page, _sim_trace
from minikafka.cli._usage import USAGE, usage_error
from minikafka.sim.drive.plan import Plan, draw
from minikafka.sim.drive.plan_file import PlanFileError, plan_of, plan_text
from minikafka.sim.drive.simulation import RunOutcome, Simulation
from minikafka.sim.explain.shrink import shrink
from minikafka.sim.explain.story import Story

_MS_PER_S = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser)  # type: ignore[method-assign,assignment]
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, metavar="COUNT", help="number of seeds")
    parser.add_argument(
        "--seconds", type=int, default=180, metavar="S",
        help="duration of the faults of each seed, in virtual time (default %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--steps", type=int, default=0, metavar="N",
        help="end the faults of each seed after this many steps (default: no limit)",
    )  # fmt: skip
    parser.add_argument(
        "--minutes", type=float, metavar="M", help="run further seeds until M minutes have passed"
    )
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write every transition to FILE")
    parser.add_argument("--print", action="store_true", help="print every transition")
    parser.add_argument(
        "--html", type=Path, metavar="FILE",
        help="write the page of the first broken run, or else of the last run, to FILE",
    )  # fmt: skip
    parser.add_argument(
        "--scenario", metavar="FILE|NAME",
        help="play a scenario (a file, or a name from tests/scenario) and print its transitions",
    )  # fmt: skip
    parser.add_argument(
        "--plan", type=Path, metavar="FILE",
        help="play the plan in FILE; --seed, --seconds and --steps do not apply",
    )  # fmt: skip
    parser.add_argument(
        "--save-plan", type=Path, metavar="FILE",
        help="write the plan of the first broken run, or else of the last run, to FILE",
    )  # fmt: skip
    parser.add_argument(
        "--no-shrink", action="store_true", help="explain a broken run without reducing its plan"
    )


def run(args: argparse.Namespace) -> int:
    """Run the seeds; return the exit status."""
    least_values = (
        ("--seeds", args.seeds, 1),
        ("--seconds", args.seconds, 1),
        ("--steps", args.steps, 0),
    )
    for name, value, least in least_values:
        if value < least:
            print(f"minikafka sim: {name} {value}: at least {least}", file=sys.stderr)
            return USAGE
    try:
        given = None if args.plan is None else plan_of(args.plan.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, PlanFileError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        print(f"minikafka sim: --plan {args.plan}: {why}", file=sys.stderr)
        return USAGE
    if given is not None and (args.seeds > 1 or args.minutes or args.scenario is not None):
        print(
            "minikafka sim: --plan plays one run: leave out --seeds, --minutes and --scenario",
            file=sys.stderr,
        )
        return USAGE
    if args.save_plan is not None and not args.save_plan.parent.is_dir():
        print(f"minikafka sim: --save-plan {args.save_plan}: no such folder", file=sys.stderr)
        return USAGE
    if problem := _why_no_page(args.html):
        print(f"minikafka sim: --html {args.html}: {problem}", file=sys.stderr)
        return USAGE
    if args.scenario is not None and args.html is not None:
        print(
            "minikafka sim: --html draws the run of a seed, not a scenario: leave out --html; the "
            "scenario's lines are printed, and --trace FILE writes them to a file",
            file=sys.stderr,
        )
        return USAGE
    try:
        trace = args.trace.open("w", encoding="utf-8") if args.trace else None
    except OSError as error:
        print(f"minikafka sim: --trace {args.trace}: {error.strerror}", file=sys.stderr)
        return USAGE
    if args.scenario is not None:
        with trace or nullcontext():
            return _scenario.run(args.scenario, trace)
    # The nodes' log lines about faults are noise; the trace has all transitions in virtual time.
    logging.disable(logging.CRITICAL)
    try:
        return _run_seeds(args, given, trace)
    finally:
        logging.disable(logging.NOTSET)
        if trace is not None:
            trace.close()


def _why_no_page(path: Path | None) -> str:
    """Return the reason why the page cannot be written; empty if it can, or is not requested."""
    if path is None:
        return ""
    if find_spec("vl_convert") is None:
        return "drawing needs the extra verify: pip install 'minikafka[verify]'"
    return "" if path.parent.is_dir() and not path.is_dir() else "no such folder"


def _run_seeds(args: argparse.Namespace, given: Plan | None, trace: IO[str] | None) -> int:
    total = Totals()
    end_s = time.monotonic() + args.minutes * 60 if args.minutes else 0.0
    seed = args.seed
    drawn: Plan | None = None
    drawn_by = ""
    while seed < args.seed + args.seeds or time.monotonic() < end_s:
        plan = replace(draw(seed, args.seconds * _MS_PER_S), steps=args.steps)
        command = _sim_trace.command(plan, args.seconds)
        if given is not None:
            plan, command = given, f"sim --plan {args.plan}"
        outcome = Simulation(plan, _teller(plan, command, trace, echo=args.print)).run()
        total.add(outcome)
        if outcome.violation is not None:
            print(f"seed {plan.seed}: {outcome.violation}")
            plan = _explain(plan, outcome, shrinks=not args.no_shrink)
        if not total.broken or total.broken == [plan.seed]:
            drawn, drawn_by = plan, command
        seed += 1
    total.print_summary()
    if args.html is not None and drawn is not None:
        _sim_page.write(drawn, f"minikafka {drawn_by}", header(drawn)[0], args.html)
    if args.save_plan is not None and drawn is not None:
        args.save_plan.write_text(plan_text(drawn), encoding="utf-8")
    return 1 if total.broken else 0


def header(plan: Plan) -> list[str]:
    """Return a run's settings and planned incidents in words."""
    settings = {
        "brokers": plan.brokers,
        "replication factor": plan.replication_factor,
        "min ISR": plan.min_isr,
        "partitions": plan.partitions,
        "controller": "separate" if plan.separate_controller else "node 1",
        "ELR": "on" if plan.elr else "off",
        "recovery": plan.strategy if plan.recovery_manager else "off",
        "producers": f"{plan.producers}{', idempotent' if plan.idempotent else ''}",
        "flush.messages": 1 if plan.flush_messages else "unset",
        "retention.bytes": plan.retention_bytes,
    }
    line = ", ".join(f"{name} {value}" for name, value in settings.items())
    return [line, *(f"planned {incident}" for incident in plan.incidents)]


def _teller(
    plan: Plan, command: str, trace: IO[str] | None, *, echo: bool
) -> Callable[[str], None]:
    def tell(line: str) -> None:
        if trace is not None:
            trace.write(line + "\n")
        if echo:
            print(line)

    for line in (_sim_trace.first_line(plan, command), *header(plan)):
        tell(line)
    return tell


def _explain(plan: Plan, outcome: RunOutcome, *, shrinks: bool) -> Plan:
    """Print the story of a broken run; return its plan, reduced to what breaks the same rule."""
    if shrinks:
        plan = shrink(plan, lambda tried: Simulation(tried).run().rule == outcome.rule)
    story = Story()
    simulation = Simulation(plan, story.add_line)
    story.follow(simulation)
    last = simulation.run()
    for line in (*header(plan), "", *story.lines):
        print(f"  {line}".rstrip())
    if last.traceback:
        print(last.traceback)
    return plan


class Totals:
    """The totals over all seeds."""

    def __init__(self) -> None:
        """Start with zeros."""
        self._begun_s = time.monotonic()
        self._seeds = self._steps = self._checks = self._acknowledged = self._ms = 0
        self._unclean = 0
        self._faults: Counter[str] = Counter()
        self.broken: list[int] = []

    def add(self, outcome: RunOutcome) -> None:
        """Add the result of a seed."""
        self._seeds += 1
        self._steps += outcome.steps
        self._checks += outcome.checks
        self._acknowledged += outcome.acknowledged
        self._unclean += outcome.unclean_elections
        self._ms += outcome.simulated_ms
        self._faults.update(outcome.faults)
        if outcome.violation is not None:
            self.broken.append(outcome.seed)

    def print_summary(self) -> None:
        """Print the totals."""
        took_s = max(time.monotonic() - self._begun_s, 1e-6)
        print(
            f"{_counted(self._seeds, 'seed')}, {self._ms / _MS_PER_S:,.0f} s of virtual time in "
            f"{took_s:,.0f} s ({self._ms / _MS_PER_S / took_s:,.0f} x), "
            f"{_counted(self._steps, 'step')} ({self._steps / took_s:,.0f} per second), "
            f"{_counted(self._checks, 'check')}"
        )
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self._faults.items()))
        print(
            f"{_counted(self._acknowledged, 'record')} acknowledged, "
            f"{_counted(self._unclean, 'unclean election')}; "
            f"{f'faults: {faults}' if faults else 'no faults'}"
        )
        if self.broken:
            seeds = "seed" if len(self.broken) == 1 else "seeds"
            print(f"broken: {seeds} {', '.join(map(str, self.broken))}")
        else:
            print("no promise was broken")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
