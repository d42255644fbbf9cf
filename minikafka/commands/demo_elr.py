"""Run the "last replica standing" failure on two clusters, without ELR and with it."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from minikafka.admin.client import NOTICE_AFTER_S, AdminClient
from minikafka.admin.quorum import read_quorum_leader
from minikafka.testing.base_ports import free_base_port
from minikafka.testing.nodes import Nodes

if TYPE_CHECKING:
    from minikafka.harness.faults.elr_schedules import ScheduleOutcome

_NODES_EACH = 4
PORTS = 2 * _NODES_EACH
_NAMES_SHOWN = 3
_CONFIG = {"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "200"}
_ELR_FEATURE = "eligible.leader.replicas.version"

_WAITING = "waiting until both clusters have started and gone through the failures (about 30 s)"
_INTRODUCTION = """\
Three brokers hold one partition, and min.insync.replicas=2: a write with acks=all is \
acknowledged when at least two of them have it. So one broker should be able to lose its unflushed \
data without harm. Both clusters go through the same failures. Each broker is a real process, a \
network partition pauses that process, and a power cut drops its unflushed data."""


def show_both(base_port: int, directory: Path | None) -> int:
    """Run both clusters side by side and print the result; return the exit status.

    The clusters use `PORTS` ports from `base_port`, or free ones if it is 0, and the empty folder
    `directory`, or a temporary one. The status is 0 if only the cluster without ELR lost
    acknowledged records, and 1 for any other result.

    Raises:
        ClusterError: a node did not start.
        HarnessError: the failure could not be carried out.
    """
    timer = threading.Timer(NOTICE_AFTER_S, print, (_WAITING,), {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        without, with_elr = _both_sides(base_port or free_base_port(PORTS), directory)
    finally:
        timer.cancel()
    _show(without, with_elr)
    return 0 if without.lost and not with_elr.lost else 1


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
        with AdminClient(nodes.bootstrap_servers, client_id="demo-elr") as client:
            leader = read_quorum_leader(client)
        outcome = last_replica_standing(nodes, elr=elr)
    outcome.quorum = str(leader or "the leader of the quorum is unknown")
    return outcome


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
    console.print(f"Without ELR {without.quorum}; with ELR {with_elr.quorum}.", highlight=False)
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
