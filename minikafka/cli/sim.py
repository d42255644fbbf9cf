"""`minikafka sim`: whole clusters in virtual time, from seeds, with everything going wrong.

Runs seeds one after the other, each a cluster of its own with its own faults, and checks after
every step that nothing that was promised is broken. A seed that breaks a rule is told as a
transcript, shortened to the incidents that it needs. Exit status: 0 nothing was broken; 1 something
was; 3 usage.
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
from minikafka.sim.drive.simulation import Outcome, Simulation
from minikafka.sim.explain.shrink import shrink
from minikafka.sim.explain.story import Story

_MS_PER_S = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser)  # type: ignore[method-assign,assignment]
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, metavar="COUNT", help="how many")
    parser.add_argument(
        "--seconds", type=int, default=180, metavar="S",
        help="how long faults go on in each, in virtual time (default %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--steps", type=int, default=0, metavar="N",
        help="how many steps of the world they go on at most, in each (default: no bound)",
    )  # fmt: skip
    parser.add_argument(
        "--minutes", type=float, metavar="M", help="go on with further seeds for so long"
    )
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write every transition there")
    parser.add_argument("--print", action="store_true", help="print every transition")
    parser.add_argument(
        "--html", type=Path, metavar="FILE",
        help="draw the first broken run there, or else the last one",
    )  # fmt: skip
    parser.add_argument(
        "--scenario", metavar="FILE|NAME",
        help="play a scenario: a file, or the name of one of tests/scenario; prints what happens",
    )  # fmt: skip
    parser.add_argument(
        "--plan", type=Path, metavar="FILE",
        help="play the plan in FILE; --seed, --seconds and --steps do not apply",
    )  # fmt: skip
    parser.add_argument(
        "--save-plan", type=Path, metavar="FILE",
        help="write the plan of the first broken run there, or else of the last one",
    )  # fmt: skip
    parser.add_argument("--no-shrink", action="store_true", help="tell a broken run as it was")


def run(args: argparse.Namespace) -> int:
    """Run the seeds; the exit status."""
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
            "minikafka sim: --html draws a run of a seed, not a scenario: leave out --html, the "
            "scenario's lines are printed; --trace FILE writes them into a file",
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
    # What nodes log while their world breaks is no news; the trace tells it in virtual time.
    logging.disable(logging.CRITICAL)
    try:
        return _run_seeds(args, given, trace)
    finally:
        logging.disable(logging.NOTSET)
        if trace is not None:
            trace.close()


def _why_no_page(path: Path | None) -> str:
    """What stands in the way of a page; empty if nothing does, or none is asked for."""
    if path is None:
        return ""
    if find_spec("vl_convert") is None:
        return "drawing needs the extra of verify: pip install 'minikafka[verify]'"
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
    total.tell()
    if args.html is not None and drawn is not None:
        _sim_page.write(drawn, f"minikafka {drawn_by}", header(drawn)[0], args.html)
    if args.save_plan is not None and drawn is not None:
        args.save_plan.write_text(plan_text(drawn), encoding="utf-8")
    return 1 if total.broken else 0


def header(plan: Plan) -> list[str]:
    """What a run is, in words: its settings, and what is planned."""
    settings = {
        "brokers": plan.brokers,
        "replication factor": plan.replication_factor,
        "min ISR": plan.min_isr,
        "partitions": plan.partitions,
        "controller": "of its own" if plan.separate_controller else "node 1",
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


def _explain(plan: Plan, outcome: Outcome, *, shrinks: bool) -> Plan:
    """Tell a broken run as a story, of as little as breaks the same rule. The plan of it."""
    if shrinks:
        plan = shrink(plan, lambda tried: Simulation(tried).run().rule == outcome.rule)
    story = Story()
    simulation = Simulation(plan, story.tell)
    story.follow(simulation)
    last = simulation.run()
    for line in (*header(plan), "", *story.lines):
        print(f"  {line}".rstrip())
    if last.traceback:
        print(last.traceback)
    return plan


class Totals:
    """What all seeds came to."""

    def __init__(self) -> None:
        """Begin to count."""
        self._begun_s = time.monotonic()
        self._seeds = self._steps = self._checks = self._acknowledged = self._ms = 0
        self._unclean = 0
        self._faults: Counter[str] = Counter()
        self.broken: list[int] = []

    def add(self, outcome: Outcome) -> None:
        """Count a seed."""
        self._seeds += 1
        self._steps += outcome.steps
        self._checks += outcome.checks
        self._acknowledged += outcome.acknowledged
        self._unclean += outcome.unclean_elections
        self._ms += outcome.simulated_ms
        self._faults.update(outcome.faults)
        if outcome.violation is not None:
            self.broken.append(outcome.seed)

    def tell(self) -> None:
        """Print the sums."""
        took_s = max(time.monotonic() - self._begun_s, 1e-6)
        print(
            f"{self._seeds} seeds, {self._ms / _MS_PER_S:,.0f} s of virtual time in {took_s:,.0f} "
            f"s ({self._ms / _MS_PER_S / took_s:,.0f} x), {self._steps:,} steps "
            f"({self._steps / took_s:,.0f} a second), {self._checks:,} checks"
        )
        print(
            f"{self._acknowledged:,} records acknowledged, {self._unclean} unclean elections; "
            f"faults: {', '.join(f'{name} {n}' for name, n in sorted(self._faults.items()))}"
        )
        if self.broken:
            print(f"broken: seeds {', '.join(map(str, self.broken))}")
        else:
            print("nothing that was promised was broken")
