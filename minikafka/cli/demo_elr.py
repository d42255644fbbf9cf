"""Show which acknowledged records are lost without ELR.

The command runs the "last replica standing" failure on two clusters side by side, without ELR and
with it. Exit status: 0 if only the cluster without ELR lost acknowledged records, 1 for any other
result, 2 if it could not be run, 3 usage.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from minikafka.cli._usage import UNDECIDED, USAGE, or_undecided, usage_error
from minikafka.testing.cluster import ClusterError, free_base_port
from minikafka.testing.nodes import Nodes

if TYPE_CHECKING:
    from minikafka.harness.faults.elr_schedules import ScheduleOutcome

_NODES_EACH = 4
_NAMES_SHOWN = 3
_CONFIG = {"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "200"}
_ELR_FEATURE = "eligible.leader.replicas.version"

_INTRODUCTION = """\
Three brokers hold one partition, and min.insync.replicas=2: a write with acks=all is \
acknowledged when at least two of them have it. So one broker should be able to lose its unflushed \
data without harm. Both clusters go through the same failures. Each broker is a real process, a \
network partition pauses that process, and a power cut drops its unflushed data."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser)  # type: ignore[method-assign,assignment]
    parser.add_argument(
        "--base-port",
        type=int,
        default=0,
        metavar="PORT",
        help="the first of eight ports (default: free ones)",
    )
    parser.add_argument(
        "--dir", type=Path, help="an empty folder for both clusters (default: a temporary one)"
    )


def run(args: argparse.Namespace) -> int:
    """Run both clusters and print the result; return the exit status."""
    if args.base_port and not 1024 <= args.base_port <= 65535 - 2 * _NODES_EACH:
        print(f"minikafka demo-elr: --base-port {args.base_port}: out of range", file=sys.stderr)
        return USAGE
    missing = [name for name in ("confluent_kafka", "rich") if find_spec(name) is None]
    if missing:
        print(
            f"minikafka demo-elr: {' and '.join(missing)} needed: pip install 'minikafka[verify]'",
            file=sys.stderr,
        )
        return UNDECIDED
    from minikafka.harness.plan.settings import HarnessError

    def shown() -> int:
        base_port = args.base_port or free_base_port(2 * _NODES_EACH)
        without, with_elr = _both_sides(base_port, args.dir)
        _show(without, with_elr)
        return 0 if without.lost and not with_elr.lost else 1

    return or_undecided("demo-elr", shown, HarnessError, ClusterError)


def _both_sides(
    base_port: int, directory: Path | None
) -> tuple["ScheduleOutcome", "ScheduleOutcome"]:
    with ThreadPoolExecutor(2) as pool:
        sides = [
            pool.submit(_one_side, elr, base_port + place * _NODES_EACH, directory)
            for place, elr in enumerate((False, True))
        ]
        return sides[0].result(), sides[1].result()


def _one_side(elr: bool, base_port: int, directory: Path | None) -> "ScheduleOutcome":  # noqa: FBT001
    from minikafka.harness.faults.elr_schedules import last_replica_standing

    home = None if directory is None else directory / ("with-elr" if elr else "without-elr")
    nodes = Nodes(
        3, config=_CONFIG, features={_ELR_FEATURE: int(elr)}, base_port=base_port, directory=home
    )
    with nodes:
        return last_replica_standing(nodes, elr=elr)


def _show(without: "ScheduleOutcome", with_elr: "ScheduleOutcome") -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    console.print(_INTRODUCTION, soft_wrap=False)
    table = Table("", "what happens", "without ELR", "with ELR", show_lines=True)
    for number, (left, right) in enumerate(zip(without.steps, with_elr.steps, strict=True), 1):
        table.add_row(str(number), *map(escape, (*left, right[1])))
    table.add_section()
    table.add_row("", "acknowledged records that are lost", _verdict(without), _verdict(with_elr))
    console.print(table)
    if without.lost and not with_elr.lost:
        console.print(
            "Without ELR the controller knows only the in-sync replicas: the last of them, broker "
            "3, must lead again with what its disk still has, and the others truncate their logs "
            "to match. With ELR the controller remembers that broker 2 left with every committed "
            "record, elects it as soon as it is back, and broker 3 copies from it."
        )
    else:
        console.print("This is not the expected result: see the states above.")


def _verdict(outcome: "ScheduleOutcome") -> str:
    lost, total = outcome.lost, len(outcome.acknowledged)
    if not lost:
        return f"[green]nothing: all {total} acknowledged records can be read[/green]"
    names = ", ".join(lost[:_NAMES_SHOWN])
    more = f", … {lost[-1]}" if len(lost) > _NAMES_SHOWN else ""
    return f"[red]{len(lost)} of {total} acknowledged records: {names}{more}[/red]"
