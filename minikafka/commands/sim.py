"""Simulate one seed after the other, and explain the runs that break a rule."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from minikafka.commands import sim_page
from minikafka.commands.sim_totals import Totals
from minikafka.commands.sim_trace import command_of, first_line, header
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.plan_file import plan_text
from minikafka.sim.drive.quorum_plan import draw_quorum_plan
from minikafka.sim.drive.simulation import RunOutcome, Simulation
from minikafka.sim.explain.shrink import shrink
from minikafka.sim.explain.story import Story

_MS_PER_S = 1000


@dataclass(frozen=True)
class SimOptions:
    """The runs, and what is printed and written of them."""

    seed: int
    """The first seed."""
    seeds: int
    """Number of seeds."""
    seconds: int
    """Duration of the faults of each seed, in virtual time."""
    steps: int
    """End the faults of each seed after this many steps; 0: no limit."""
    is_of_quorum: bool
    """Draw faults of the controllers only."""
    minutes: float
    """Run further seeds until this time has passed."""
    plan: Plan | None
    """Play this plan instead of what the seeds draw."""
    plan_file: Path | None
    """The file that `plan` was read from."""
    prints: bool
    """Print every transition."""
    shrinks: bool
    """Reduce the plan of a broken run before it is explained."""
    page_file: Path | None
    """Write the page of the first broken run, or else of the last run."""
    saved_plan_file: Path | None
    """Write the plan of the first broken run, or else of the last run."""


def run_seeds(options: SimOptions, trace: IO[str] | None) -> int:
    """Run the seeds, and write every transition to `trace`; return 1 if a rule was broken, or 0.

    Raises:
        OSError: a file cannot be written.
    """
    # The nodes' log lines about faults are noise; the trace has all transitions in virtual time.
    logging.disable(logging.CRITICAL)
    try:
        return _run_seeds(options, trace)
    finally:
        logging.disable(logging.NOTSET)


def _run_seeds(options: SimOptions, trace: IO[str] | None) -> int:
    total = Totals()
    end_s = time.monotonic() + options.minutes * 60 if options.minutes else 0.0
    seed = options.seed
    drawn: Plan | None = None
    drawn_by = ""
    while seed < options.seed + options.seeds or time.monotonic() < end_s:
        if options.plan is None:
            drawing = draw_quorum_plan if options.is_of_quorum else draw
            plan = drawing(seed, options.seconds * _MS_PER_S).changed(steps=options.steps)
            command = command_of(plan, options.seconds, is_of_quorum=options.is_of_quorum)
        else:
            plan, command = options.plan, f"sim --plan {options.plan_file}"
        outcome = Simulation(plan, _teller(plan, command, trace, echo=options.prints)).run()
        total.add(outcome)
        if outcome.violation is not None:
            print(f"seed {plan.seed}: {outcome.violation}")
            plan = _explain(plan, outcome, shrinks=options.shrinks)
        if not total.broken or total.broken == [plan.seed]:
            drawn, drawn_by = plan, command
        seed += 1
    total.print_summary()
    if options.page_file is not None and drawn is not None:
        sim_page.write(drawn, f"minikafka {drawn_by}", header(drawn)[0], options.page_file)
    if options.saved_plan_file is not None and drawn is not None:
        options.saved_plan_file.write_text(plan_text(drawn), encoding="utf-8")
    return 1 if total.broken else 0


def _teller(
    plan: Plan, command: str, trace: IO[str] | None, *, echo: bool
) -> Callable[[str], None]:
    def tell(line: str) -> None:
        if trace is not None:
            trace.write(line + "\n")
        if echo:
            print(line)

    for line in (first_line(plan, command), *header(plan)):
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
