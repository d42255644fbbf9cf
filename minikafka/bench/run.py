"""One run of `minikafka bench`: targets, measurements in turns, a report."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING, Any

from minikafka.bench.measure import Conditions, measure
from minikafka.bench.plan import LOADS, Measurement, Step, plan
from minikafka.bench.processes import resident_mib
from minikafka.bench.targets import (
    BenchTarget,
    check_package,
    given_target,
    kafka_cluster_program,
    start_kafka,
    start_minikafka,
)
from minikafka.dev.base_ports import STRIDE, free_base_port

if TYPE_CHECKING:
    from rich.console import Console

# The ports of a cluster of minikafka are in the STRIDE from its base port on.
_KAFKA_PORT_OFFSET = 400
_BEFORE_PORT_OFFSET = 3 * STRIDE
_WARM_UP_LOADS = ("produce-1k", "consume-1k", "in-flight-1")


class Bench:
    """One run: targets, measurements, report."""

    def __init__(self, args: argparse.Namespace, console: "Console", stack: ExitStack) -> None:
        """Start nothing yet; `stack` stops what `run` starts."""
        self._args = args
        self._console = console
        self._stack = stack
        self._loads = [LOADS[name] for name in args.loads]
        self._results: dict[tuple[str, str], list[Measurement]] = {}
        self._processes: dict[str, Any] = {}

    def run(self) -> None:
        """Run the measurements that the options request, and report them."""
        if self._args.kafka_tools is not None:
            kafka_cluster_program(self._args.kafka_tools)
        if self._args.before is not None:
            check_package(self._args.before)
        if self._args.startup:
            self._measure_start_up()
        targets = self._targets()
        if targets:
            self._measure_loads(targets)
        self._report([target.name for target in targets], self._conditions(targets))

    def _measure_start_up(self) -> None:
        from minikafka.bench.startup import measure_start_up

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

    def _targets(self) -> list[BenchTarget]:
        args = self._args
        targets: list[BenchTarget] = []
        if args.bootstrap_server:
            targets.append(given_target("A", args.bootstrap_server, args.pids))
        elif args.start_nodes and args.loads:
            targets.append(
                start_minikafka(self._stack, args.start_nodes, args.base_port, args.scratch)
            )
        if args.before is not None and targets:
            nodes = args.start_nodes or targets[0].brokers
            preferred = args.base_port + _BEFORE_PORT_OFFSET
            port = free_base_port(nodes, preferred) or preferred
            self._tell(f"starting the minikafka of {args.before}")
            targets.append(
                start_minikafka(self._stack, nodes, port, args.scratch, before=args.before)
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

    def _conditions(self, targets: Sequence[BenchTarget]) -> Conditions:
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

    def _measure_loads(self, targets: Sequence[BenchTarget]) -> None:
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

    def _warm_up(self, target: BenchTarget, conditions: Conditions) -> None:
        """Run some load before the measurements, so that a JVM compiles its code."""
        loads = [LOADS[name] for name in _WARM_UP_LOADS]
        if self._args.warm_up == 0:
            return
        self._tell(f"warming up {target.name}")
        brief = conditions._replace(seconds=self._args.warm_up / len(loads), warm_mb=0)
        for load in loads:
            measure(Step(0, load, target.name), target, brief)

    def _report(self, targets: Sequence[str], conditions: Conditions) -> None:
        from minikafka.bench.report import print_table, summarize_all, write_json

        summaries = summarize_all(self._results)
        if summaries:
            self._console.print(
                f"acks={conditions.acks}, replication factor {conditions.replication_factor}, "
                f"min ISR {conditions.min_isr}, {conditions.seconds:g} s or {conditions.max_mb} MB "
                f"per load, rounds {self._args.rounds}, seed {self._args.seed}, "
                f"{conditions.warm_mb} MiB of memory warmed before each load"
            )
            print_table(self._console, summaries, targets)
        for name in targets:
            memory = [mib for mib in self._processes[name]["resident_mib"] if mib is not None]
            if memory:
                self._tell(f"{name}: {_range(memory)} MiB resident per node after the loads")
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


def _range(values: Sequence[float]) -> str:
    if not values:
        return "unknown"
    return f"{min(values):.2f} to {max(values):.2f}"
