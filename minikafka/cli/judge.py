"""minikafka judge: judge a run again, on this machine or on a Spark cluster.

    minikafka judge RUN --out DIR                             on this machine
    minikafka judge RUN --out DIR --engine local              without Spark and Java
    minikafka judge RUN --out DIR --master spark://HOST:7077  there, in shared folders
    minikafka judge --archive minikafka.zip                   for spark-submit --py-files

Exit status: 0 every promise was kept, 1 one was broken, 2 it could not be judged, 3 usage.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minikafka.cli._usage import UNDECIDED, USAGE, or_undecided, usage_error
from minikafka.harness.plan import engines

_BROKEN = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser)  # type: ignore[method-assign,assignment]
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN", help="a run's folder")
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for the answer")
    parser.add_argument(
        "--engine",
        choices=engines.ENGINES,
        default=engines.AUTO,
        help="spark, or local: without Spark and Java (default: spark if PySpark is installed)",
    )
    parser.add_argument(
        "--master",
        default="",
        help="Spark's master (spark-submit's; else local[2])",
    )
    parser.add_argument(
        "--archive", type=Path, metavar="FILE", help="write this package for --py-files"
    )


def run(args: argparse.Namespace) -> int:
    """Judge a run, or write the archive; return the exit status."""
    problem = _usage_problem(args)
    if problem:
        print(f"minikafka judge: {problem}", file=sys.stderr)
        return USAGE
    engine = engines.choose(args.engine)
    try:
        from minikafka.harness import preflight
        from minikafka.harness.plan.settings import HarnessError

        preflight.check(engine)
    except ModuleNotFoundError as error:
        print(f"minikafka judge: needs pip install 'minikafka[verify]' ({error}).", file=sys.stderr)
        return UNDECIDED
    except HarnessError as error:
        print(f"minikafka judge: {error}", file=sys.stderr)
        return UNDECIDED
    from minikafka.harness import judge_again

    if args.archive is not None:
        try:
            judge_again.archive(args.archive)
        except OSError as error:
            print(f"minikafka judge: --archive {args.archive}: {error.strerror}", file=sys.stderr)
            return USAGE
        return 0
    submitted = judge_again.environment_of_submit()
    master = args.master or ("" if submitted else "local[2]")

    def judged() -> int:
        print(f"engine: {engine}", flush=True)
        answer = judge_again.judge_again(args.run, args.out, engine, master)
        return _conclude(answer, judge_again.broken_promises(answer))

    return or_undecided("judge", judged, HarnessError)


def _usage_problem(args: argparse.Namespace) -> str:
    """Return what is wrong with the options; empty if nothing is."""
    if args.archive is not None and args.run is None and args.out is None:
        return ""
    if args.run is None or args.out is None or args.archive is not None:
        return "give RUN and --out DIR, or --archive FILE"
    if args.master and args.engine == engines.LOCAL:
        return "--master is Spark's: it cannot be used with --engine local."
    return ""


def _conclude(answer: Mapping[str, Any], broken: Mapping[str, int]) -> int:
    """Print the verdict; return the exit status."""
    counts = answer["counts"]
    print(f"acknowledged {counts['acknowledged']:,}, in the log {counts['read_afresh']:,}")
    for kind, count in broken.items():
        print(f"{kind}: {count:,}")
    told = answer["of_the_run"]
    if told["lenient"]:
        print(f"rules not required by the run (--lenient): {', '.join(told['lenient'])}")
    for difference in answer["differences"]:
        print(difference)
    if broken:
        print("a promise was broken")
        return _BROKEN
    if answer["differences"]:
        print("undecided: the files do not match the run's verdict")
    if told["reasons"]:
        print(f"undecided, as the run was: {' '.join(told['reasons'])}")
    if answer["differences"] or told["reasons"]:
        return UNDECIDED
    print("every promise was kept")
    return 0
