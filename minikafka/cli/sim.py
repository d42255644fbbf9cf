"""Simulate whole clusters with faults in virtual time, drawn from seeds.

The command runs one seed after the other. Each is a separate cluster with its own faults, and every
rule is checked after every step. If a seed breaks a rule, its plan is reduced to the incidents that
are needed, and the story of the violation is printed. Exit status: 0 no rule was broken; 1 a rule
was broken; 3 usage.
"""

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from minikafka.cli._numbers import whole
from minikafka.cli._usage import USAGE, usage_error
from minikafka.commands import scenario
from minikafka.commands.options import ToolError
from minikafka.commands.sim import SimOptions, run_seeds
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.plan_file import PlanFileError, plan_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser)  # type: ignore[method-assign,assignment]
    parser.add_argument("--seed", type=whole, default=1, metavar="N", help="the first seed")
    parser.add_argument("--seeds", type=whole, default=1, metavar="COUNT", help="number of seeds")
    parser.add_argument(
        "--seconds", type=whole, default=180, metavar="S",
        help="duration of the faults of each seed, in virtual time (default %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--steps", type=whole, default=0, metavar="N",
        help="end the faults of each seed after this many steps (default: no limit)",
    )  # fmt: skip
    parser.add_argument(
        "--quorum", action="store_true",
        help="draw dense faults of the controllers, with one broker and hardly any load",
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
        help="play a scenario (a file, or a name of --list) and print its transitions",
    )  # fmt: skip
    parser.add_argument(
        "--list", action="store_true", help="print the names of the scenarios, and what they show"
    )
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
    """Run the seeds, a plan or a scenario; return the exit status."""
    if args.list:
        print("\n".join(scenario.lines_of_list()))
        return 0
    try:
        _check_numbers(args)
        plan = _plan(args)
        _check_outputs(args)
        with _trace(args.trace) as trace:
            if args.scenario is not None:
                return scenario.run(args.scenario, trace)
            options = SimOptions(
                seed=args.seed,
                seeds=args.seeds,
                seconds=args.seconds,
                steps=args.steps,
                is_of_quorum=args.quorum,
                minutes=args.minutes or 0.0,
                plan=plan,
                plan_file=args.plan,
                prints=args.print,
                shrinks=not args.no_shrink,
                page_file=args.html,
                saved_plan_file=args.save_plan,
            )
            return run_seeds(options, trace)
    except ToolError as error:
        print(f"minikafka sim: {error}", file=sys.stderr)
        return USAGE


def _check_numbers(args: argparse.Namespace) -> None:
    least_values = (
        ("--seeds", args.seeds, 1),
        ("--seconds", args.seconds, 1),
        ("--steps", args.steps, 0),
    )
    for name, value, least in least_values:
        if value < least:
            raise ToolError(f"{name} {value}: at least {least}")


def _plan(args: argparse.Namespace) -> Plan | None:
    """Return the plan that --plan names; None without the option.

    Raises:
        ToolError: the file is invalid, or --plan is given with an option for several runs.
    """
    if args.plan is None:
        return None
    try:
        plan = plan_of(args.plan.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, PlanFileError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ToolError(f"--plan {args.plan}: {why}") from None
    if args.seeds > 1 or args.minutes or args.scenario is not None:
        raise ToolError("--plan plays one run: leave out --seeds, --minutes and --scenario")
    return plan


def _check_outputs(args: argparse.Namespace) -> None:
    if args.save_plan is not None and not args.save_plan.parent.is_dir():
        raise ToolError(f"--save-plan {args.save_plan}: no such folder")
    if problem := _why_no_page(args.html):
        raise ToolError(f"--html {args.html}: {problem}")
    if args.scenario is not None and args.html is not None:
        raise ToolError(
            "--html draws the run of a seed, not a scenario: leave out --html; the "
            "scenario's lines are printed, and --trace FILE writes them to a file"
        )


def _why_no_page(path: Path | None) -> str:
    """Return the reason why the page cannot be written; empty if it can, or is not requested."""
    if path is None:
        return ""
    if find_spec("vl_convert") is None:
        return "drawing needs the extra page: pip install 'minikafka[page]'"
    return "" if path.parent.is_dir() and not path.is_dir() else "no such folder"


def _trace(path: Path | None) -> AbstractContextManager[IO[str] | None]:
    """Open the file of --trace; without the option there is no file.

    Raises:
        ToolError: the file cannot be written.
    """
    if path is None:
        return nullcontext()
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise ToolError(f"--trace {path}: {error.strerror}") from None
