"""`minikafka bench`: what a cluster can take, and what it costs, beside another one.

Loads run in a process of their own, through librdkafka or by replaying encoded requests. With
two targets they are measured in turns, in an order drawn from the seed, under the same conditions;
the table shows medians, spreads and ratios. The target's memory is warmed the same way for both.

Everything that this program starts it ends; every load is bounded in time.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NoReturn

from minikafka.admin.client import AdminError
from minikafka.cli._bench_plan import LOADS, Measurement, Step, plan
from minikafka.cli._bench_processes import resident_mib
from minikafka.cli._bench_run import Conditions, measure
from minikafka.cli._bench_targets import (
    BenchError,
    Target,
    given_target,
    kafka_cluster_program,
    start_kafka,
    start_minikafka,
)

if TYPE_CHECKING:
    from rich.console import Console

_FAILED = 1
_USAGE = 2
_DEFAULT_BASE_PORT = 29092
_KAFKA_PORT_OFFSET = 200
_WARM_UP_LOADS = ("produce-1k", "consume-1k", "in-flight-1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _target_arguments(parser.add_argument_group("targets"))
    _load_arguments(parser.add_argument_group("loads: " + ", ".join(LOADS)))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured there")


def run(args: argparse.Namespace) -> int:
    """Run with parsed options and return the exit status."""
    problems = _problems(args)
    if problems:
        print("\n".join(f"minikafka bench: {problem}" for problem in problems), file=sys.stderr)
        return _USAGE
    from rich.console import Console

    console = Console()
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with ExitStack() as stack:
            Bench(args, console, stack).run()
    except (BenchError, AdminError) as error:
        print(f"minikafka bench: {error}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        print("minikafka bench: given up.", file=sys.stderr)
        return _FAILED
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


def _interrupt(_number: int, _frame: object) -> NoReturn:
    """End as on Ctrl-C, so that what was started is ended."""
    raise KeyboardInterrupt


class Bench:
    """One run: targets, measurements, report."""

    def __init__(self, args: argparse.Namespace, console: "Console", stack: ExitStack) -> None:
        """Nothing is started yet; `stack` ends what will be."""
        self._args = args
        self._console = console
        self._stack = stack
        self._loads = [LOADS[name] for name in args.loads]
        self._results: dict[tuple[str, str], list[Measurement]] = {}
        self._processes: dict[str, Any] = {}

    def run(self) -> None:
        """Measure what the options ask for, and report it."""
        if self._args.kafka_tools is not None:
            kafka_cluster_program(self._args.kafka_tools)
        if self._args.startup:
            self._measure_start_up()
        targets = self._targets()
        if targets:
            self._measure_loads(targets)
        self._report([target.name for target in targets], self._conditions(targets))

    def _measure_start_up(self) -> None:
        from minikafka.cli._bench_startup import measure_start_up

        args = self._args
        nodes = args.start_nodes or 3
        measured = measure_start_up(args.rounds, nodes, args.base_port, args.scratch)
        self._processes["minikafka start-up"] = measured._asdict()
        self._tell(
            f"one node, exec to first ApiVersions: {median(measured.api_versions_s) * 1000:,.0f} ms"
            f"  ({_range(measured.api_versions_s)} s)"
        )
        self._tell(
            f"dev --nodes {nodes}, exec to ready: {median(measured.ready_s):.2f} s"
            f"  ({_range(measured.ready_s)} s)"
        )
        self._tell(f"idle memory of a node: {_range(measured.idle_mib)} MiB")

    def _targets(self) -> list[Target]:
        args = self._args
        targets: list[Target] = []
        if args.bootstrap_server:
            targets.append(given_target("A", args.bootstrap_server, args.pids))
        elif args.start_nodes and args.loads:
            targets.append(
                start_minikafka(self._stack, args.start_nodes, args.base_port, args.scratch)
            )
        if args.versus:
            targets.append(given_target("B", args.versus, args.versus_pids))
        elif args.kafka_tools is not None and targets:
            nodes = args.start_nodes or targets[0].brokers
            port = args.base_port + _KAFKA_PORT_OFFSET
            self._tell("starting Apache Kafka")
            targets.append(start_kafka(self._stack, nodes, port, args.kafka_tools, args.scratch))
        for target in targets:
            known = (
                f"processes {', '.join(map(str, target.pids))}"
                if target.pids
                else "processes unknown"
            )
            self._tell(f"{target.name}: {target.bootstrap}, {known}")
        return targets

    def _conditions(self, targets: Sequence[Target]) -> Conditions:
        args = self._args
        brokers = min((target.brokers for target in targets), default=1)
        factor = args.replication_factor or min(3, brokers)
        return Conditions(
            acks=args.acks,
            replication_factor=factor,
            min_isr=args.min_isr or max(1, factor - 1),
            seconds=args.seconds,
            max_mb=args.max_mb,
            warm_mb=args.max_mb * factor if args.warm_mb is None else args.warm_mb,
            scratch=args.scratch,
        )

    def _measure_loads(self, targets: Sequence[Target]) -> None:
        conditions = self._conditions(targets)
        by_name = {target.name: target for target in targets}
        for target in targets:
            self._warm_up(target, conditions)
        steps = plan(self._loads, list(by_name), self._args.rounds, self._args.seed)
        for number, step in enumerate(steps, 1):
            measured = measure(step, by_name[step.target], conditions)
            self._results.setdefault((step.load.name, step.target), []).append(measured)
            figure = f"{measured.value(step.load.figure):,.1f} {step.load.figure}"
            self._tell(f"{number}/{len(steps)}  {step.load.name}  {step.target}: {figure}")
        for target in targets:
            memory = [resident_mib(pid) for pid in target.pids]
            self._processes[target.name] = {"pids": list(target.pids), "resident_mib": memory}

    def _warm_up(self, target: Target, conditions: Conditions) -> None:
        """Let a virtual machine compile what it will run; nothing of it counts."""
        loads = [LOADS[name] for name in _WARM_UP_LOADS]
        if self._args.warm_up == 0:
            return
        self._tell(f"warming up {target.name}")
        brief = conditions._replace(seconds=self._args.warm_up / len(loads), warm_mb=0)
        for load in loads:
            measure(Step(0, load, target.name), target, brief)

    def _report(self, targets: Sequence[str], conditions: Conditions) -> None:
        from minikafka.cli._bench_report import print_table, summarize_all, write_json

        summaries = summarize_all(self._results)
        if summaries:
            self._console.print(
                f"acks={conditions.acks}, replication factor {conditions.replication_factor}, "
                f"min ISR {conditions.min_isr}, {conditions.seconds:g} s a load or "
                f"{conditions.max_mb} MB, medians of {self._args.rounds}, seed {self._args.seed}, "
                f"{conditions.warm_mb} MiB warmed before each; logs grow"
            )
            print_table(self._console, summaries, targets)
        for name in targets:
            memory = [mib for mib in self._processes[name]["resident_mib"] if mib is not None]
            if memory:
                self._tell(f"{name}: {_range(memory)} MiB resident a node after the loads")
        if self._args.json is not None:
            described = {
                **conditions._asdict(),
                "scratch": str(conditions.scratch),
                "seed": self._args.seed,
                "rounds": self._args.rounds,
            }
            write_json(self._args.json, described, self._results, summaries, self._processes)

    def _tell(self, text: str) -> None:
        self._console.print(text, highlight=False)


def _target_arguments(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--bootstrap-server", metavar="HOST:PORT", help="a cluster that runs")
    group.add_argument("--versus", metavar="HOST:PORT", help="another one, to compare with")
    group.add_argument("--start-nodes", type=int, metavar="N", help="start minikafka, N nodes")
    group.add_argument(
        "--kafka-tools",
        type=Path,
        metavar="DIR",
        help="compare with Apache Kafka, started by DIR/kafka-cluster",
    )
    group.add_argument(
        "--base-port",
        type=int,
        default=_DEFAULT_BASE_PORT,
        metavar="PORT",
        help="of what is started (default %(default)s; Kafka: 200 more)",
    )
    group.add_argument(
        "--pids",
        type=_numbers,
        default=(),
        metavar="PID,...",
        help="processes of --bootstrap-server (default: found by port)",
    )
    group.add_argument(
        "--versus-pids",
        type=_numbers,
        default=(),
        metavar="PID,...",
        help="processes of --versus (default: found by port)",
    )
    group.add_argument(
        "--scratch",
        type=Path,
        default=Path(tempfile.gettempdir()),
        metavar="DIR",
        help="where clusters and warm-up files live (default %(default)s)",
    )


def _load_arguments(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--loads",
        type=_load_names,
        default=tuple(LOADS),
        metavar="NAME,...",
        help="which (default all; 'none' for --startup alone)",
    )
    group.add_argument("--acks", choices=("1", "all"), default="all", help="(default %(default)s)")
    group.add_argument(
        "--replication-factor",
        type=_positive,
        metavar="N",
        help="(default 3, or as many as there are brokers)",
    )
    group.add_argument("--min-isr", type=_positive, metavar="N", help="(default one less)")
    group.add_argument(
        "--rounds", type=_positive, default=5, metavar="N", help="(default %(default)s)"
    )
    group.add_argument("--seconds", type=float, default=4.0, help="a load (default %(default)s)")
    group.add_argument(
        "--max-mb",
        type=_positive,
        default=1000,
        metavar="MB",
        help="a load ends there in any case (default %(default)s)",
    )
    group.add_argument(
        "--warm-mb",
        type=int,
        metavar="MIB",
        help="written and deleted before each load (default: what its logs may grow by)",
    )
    group.add_argument(
        "--warm-up",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="of load on each target before anything counts",
    )
    group.add_argument("--seed", type=int, default=1, help="of the order (default %(default)s)")
    group.add_argument(
        "--startup",
        action="store_true",
        help="also measure start-up time and idle memory of minikafka",
    )


def _problems(args: argparse.Namespace) -> list[str]:
    checks = [
        (
            args.bootstrap_server and args.start_nodes,
            "--start-nodes and --bootstrap-server name the same target: give one",
        ),
        (
            args.versus and args.kafka_tools is not None,
            "--kafka-tools and --versus name the same target: give one",
        ),
        (
            not (args.bootstrap_server or args.start_nodes or args.startup),
            "nothing to measure: give --bootstrap-server, --start-nodes or --startup",
        ),
        (
            (args.versus or args.kafka_tools is not None)
            and not (args.bootstrap_server or args.start_nodes),
            "--versus and --kafka-tools compare with --bootstrap-server or --start-nodes",
        ),
        (args.start_nodes is not None and args.start_nodes < 1, "--start-nodes: at least 1"),
        (args.seconds <= 0, "--seconds: above 0"),
        ((args.warm_mb or 0) < 0 or args.warm_up < 0, "--warm-mb and --warm-up: not below 0"),
        (
            find_spec("rich") is None or find_spec("confluent_kafka") is None,
            "rich and confluent-kafka are needed: pip install 'minikafka[bench]'",
        ),
    ]
    return [problem for wrong, problem in checks if wrong]


def _load_names(text: str) -> tuple[str, ...]:
    names = () if text == "none" else tuple(text.split(","))
    for name in names:
        if name not in LOADS:
            raise argparse.ArgumentTypeError(f"{name!r} is no load; there are {', '.join(LOADS)}")
    return names


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers") from None


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return int(text)


def _range(values: Sequence[float]) -> str:
    if not values:
        return "unknown"
    return f"{min(values):.2f} to {max(values):.2f}"
