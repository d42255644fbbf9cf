"""Write records, inject faults, read everything, and judge every promise.

Exit status: 0 verified, 1 a promise was broken, 2 it could not be decided, 3 usage.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minikafka.cli._numbers import whole
from minikafka.cli._replay import completed, only_given
from minikafka.cli._usage import USAGE, or_undecided, usage_error
from minikafka.harness.plan import draw, engines
from minikafka.harness.plan.commands import TEMPLATES, command_option
from minikafka.harness.plan.injections import INJECTIONS
from minikafka.harness.plan.lenient import LENIENT, unknown_rules
from minikafka.harness.plan.schedule import Schedule
from minikafka.harness.plan.settings import (
    CONTROLLERS,
    DEFAULT_MASTER,
    ELR,
    NETWORKS,
    PROFILES,
    READERS,
    STREAMS,
    HarnessError,
    RunSettings,
)
from minikafka.harness.plan.workload_options import (
    ACKS,
    CLIENTS,
    COMPRESSIONS,
    DISTRIBUTIONS,
    WorkloadOptions,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; a usage error ends with status 3."""
    defaults = RunSettings()
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser)  # type: ignore[method-assign,assignment]
    run = parser.add_argument_group("the run")
    run.add_argument(
        "--profile",
        choices=PROFILES,
        default="",
        help="smoke: 30 s of mixed faults; standard: 5 minutes; harsh: 50 s of overlapping faults;"
        " soak: --minutes; elr-demo and unclean-demo: demonstrations of lost records (default: one"
        " killed leader)",
    )
    run.add_argument("--minutes", type=float, help="duration of --profile soak")
    run.add_argument(
        "--schedule", type=Path, metavar="FILE", help="the faults: a schedule.json of any run"
    )
    run.add_argument(
        "--replay",
        type=Path,
        metavar="DIR",
        help="repeat the run in this folder: its options, seed and faults; other options overrule",
    )
    seconds = defaults.seconds
    run.add_argument(
        "--seconds", type=float, help=f"duration of writing ({seconds:g}, or the profile's)"
    )
    run.add_argument(
        "--seed", type=whole, help="the same seed repeats the choices of a run (default: random)"
    )
    run.add_argument(
        "--out", type=Path, help="an empty folder for all files (default: out/verify-TIME)"
    )
    run.add_argument(
        "--min-isr", type=whole, help=f"min.insync.replicas ({defaults.min_isr}, or the profile's)"
    )
    run.add_argument(
        "--nodes",
        type=whole,
        default=defaults.nodes,
        help="number of brokers, also of an external cluster (%(default)s)",
    )
    _add_judgement(run, defaults)
    _add_engine(run)
    _add_workload(parser.add_argument_group("what is written"), defaults)
    _add_clusters(parser, defaults)
    only_given(parser)


def _add_judgement(run: argparse._ArgumentGroup, defaults: RunSettings) -> None:
    run.add_argument(
        "--inject", choices=INJECTIONS, help="tamper with the observations, which must be found"
    )
    run.add_argument(
        "--min-acknowledged",
        type=whole,
        metavar="N",
        default=defaults.min_acknowledged,
        help="with fewer acknowledged records the run is undecided (%(default)s)",
    )
    run.add_argument(
        "--lenient",
        nargs="?",
        const=",".join(LENIENT),
        default="",
        metavar="RULE,…",
        help="ignore these rules, which make a run undecided, and list them in the verdict:"
        f" {', '.join(LENIENT)} (without a value: all of them)",
    )
    run.add_argument(
        "--reader",
        choices=READERS,
        default=defaults.reader,
        help="rebalance protocol of the consumer group that reads besides the engine (%(default)s)",
    )
    run.add_argument(
        "--stream",
        choices=STREAMS,
        default=defaults.stream,
        help="the engine reads while records are written, or afterwards (%(default)s)",
    )


def _add_engine(run: argparse._ArgumentGroup) -> None:
    run.add_argument(
        "--engine",
        choices=engines.ENGINES,
        default=engines.AUTO,
        help="reads and judges: spark, or local, which needs neither Spark nor Java (default: spark"
        " if PySpark is installed)",
    )
    run.add_argument("--master", default=DEFAULT_MASTER, help="Spark's master (%(default)s)")
    run.add_argument(
        "--jars",
        type=Path,
        metavar="DIR",
        help="a folder with Spark's connector (no network needed)",
    )


def _add_workload(group: argparse._ArgumentGroup, defaults: RunSettings) -> None:
    workload = defaults.workload

    def add(option: str, about: str, **how: Any) -> None:
        group.add_argument(option, help=about, **how)

    add("--rate", "records per second in total (%(default)s)", type=whole, default=defaults.rate)
    add("--bytes", "payload bytes per second in total (default: no limit)", type=whole, default=0)
    add("--topics", "number of topics (%(default)s)", type=whole, default=defaults.topics)
    partitions = defaults.partitions
    add("--partitions", "partitions of each topic (%(default)s)", type=whole, default=partitions)
    add("--topic", "use this topic; created if missing, else empty", default="", metavar="NAME")
    add(
        "--client",
        f"client of one producer, may be repeated (default: {', '.join(workload.clients)})",
        action="append",
        choices=CLIENTS,
    )
    add(
        "--client-command",
        "a producer in any language, which reads records and writes outcomes (docs/any-client.md);"
        " may be repeated, and replaces the default clients",
        action="append",
        default=[],
        metavar="COMMAND",
    )
    add("--producers", "number of producers; clients in turn (default: one each)", type=whole)
    add("--acks", "(%(default)s)", choices=ACKS, default=workload.acks)
    add("--idempotence", "(default: on with acks=all)", choices=("on", "off"))
    add("--compression", "(%(default)s)", choices=COMPRESSIONS, default=workload.compression)
    for name in ("size_min", "size_max"):
        value = getattr(workload, f"{name}_bytes")
        option = "--" + name.replace("_", "-")
        add(option, "payload bytes of a record (%(default)s)", type=whole, default=value)
    distribution = workload.size_distribution
    add("--size-distribution", "(%(default)s)", choices=DISTRIBUTIONS, default=distribution)
    add("--key-skew", "exponent of a Zipf distribution (0: none)", type=float, default=0.0)
    said = "write in transactions, abort some, and run two consume-transform-produce loops"
    add("--transactions", said, action="store_true")


def _workload(args: argparse.Namespace) -> WorkloadOptions:
    clients = tuple(args.client or (() if args.client_command else WorkloadOptions().clients))
    chosen = [*((client, None) for client in clients), *(("", it) for it in args.client_command)]
    if args.producers is not None:
        chosen = [chosen[n % len(chosen)] for n in range(args.producers)]
    return WorkloadOptions(
        clients=tuple(client for client, command in chosen if command is None),
        client_commands=tuple(command for _, command in chosen if command is not None),
        acks=args.acks,
        idempotent=args.acks == "all" if args.idempotence is None else args.idempotence == "on",
        compression=args.compression,
        size_min_bytes=args.size_min,
        size_max_bytes=args.size_max,
        size_distribution=args.size_distribution,
        key_skew=args.key_skew,
        bytes_per_s=args.bytes,
        transactions=args.transactions,
    )


def _add_clusters(parser: argparse.ArgumentParser, defaults: RunSettings) -> None:
    own = parser.add_argument_group("a cluster that the run starts (default)")
    own.add_argument("--base-port", type=whole, default=0, help="port of node 1 (default: free)")
    own.add_argument(
        "--network",
        choices=NETWORKS,
        default=defaults.network,
        help="the network between the nodes; auto: as the faults need it (%(default)s)",
    )
    own.add_argument(
        "--kafka-tools",
        type=Path,
        metavar="DIR",
        help="start Apache Kafka instead, by the script kafka-cluster in this folder",
    )
    own.add_argument(
        "--controllers",
        choices=CONTROLLERS,
        default=defaults.controllers,
        help="combined: brokers 1 to 3; separate: nodes 101 to 103; one: node 101 (default:"
        " combined, or as the profile needs it)",
    )
    own.add_argument(
        "--elr",
        choices=ELR,
        default=defaults.elr,
        help="eligible leader replicas (%(default)s)",
    )
    own.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a configuration value for every node, may be repeated",
    )
    other = parser.add_argument_group("an external cluster")
    other.add_argument("--bootstrap-server", default="", metavar="HOST:PORT,…")
    other.add_argument(
        "--command-config",
        default="",
        metavar="FILE",
        help="properties of a Java client (security.protocol, sasl.*, ssl.*) for all clients",
    )
    for name, template in TEMPLATES.items():
        other.add_argument(
            command_option(name), default="", metavar="TEMPLATE", help=template.meaning
        )


def run(args: argparse.Namespace) -> int:
    """Run with parsed options and return the exit status."""
    try:
        args, schedule_file = completed(args, _parsed)
    except HarnessError as error:
        print(f"minikafka verify: {error}", file=sys.stderr)
        return USAGE
    if args.profile == "elr-demo":
        from minikafka.cli import demo_elr

        return demo_elr.run(argparse.Namespace(base_port=args.base_port, dir=args.out))
    settings = _settings(args)
    problems = [
        *_minutes_problems(args),
        *_login_problems(settings),
        *_lenient_problems(settings),
        *settings.problems(),
    ]
    schedule = Schedule(faults=())
    if not problems:
        try:
            schedule, problems = draw.planned(settings, settings.node_ids, schedule_file)
        except HarnessError as error:
            problems = [str(error)]
    if problems:
        print("\n".join(f"minikafka verify: {problem}" for problem in problems), file=sys.stderr)
        return USAGE
    return or_undecided("verify", lambda: _verified(settings, schedule), HarnessError)


def _verified(settings: RunSettings, schedule: Schedule) -> int:
    from minikafka.harness import preflight

    preflight.check(settings.engine)
    from minikafka.harness.live import PatientConsole
    from minikafka.harness.run import verify

    return verify(settings, schedule, PatientConsole())


def _settings(args: argparse.Namespace) -> RunSettings:
    drawn = time.time_ns() // 1000 % 1_000_000
    seconds, min_isr, config = _PROFILE_DEFAULTS[args.profile]
    if args.minutes is not None:
        seconds = args.minutes * 60
    return RunSettings(
        profile=args.profile,
        schedule=args.schedule,
        network=args.network,
        kafka_tools=args.kafka_tools,
        nodes=args.nodes,
        seconds=seconds if args.seconds is None else args.seconds,
        rate=args.rate,
        seed=drawn if args.seed is None else args.seed,
        partitions=args.partitions,
        min_isr=min_isr if args.min_isr is None else args.min_isr,
        out=args.out or Path("out") / time.strftime("verify-%Y%m%d-%H%M%S"),
        bootstrap_servers=args.bootstrap_server,
        command_config=Path(args.command_config).absolute() if args.command_config else None,
        base_port=args.base_port,
        cluster_config=(*config, *args.config),
        **{f"{name}_command": getattr(args, f"{name}_command") for name in TEMPLATES},
        master=args.master,
        inject=args.inject,
        topics=args.topics,
        topic=args.topic,
        reader=args.reader,
        stream=args.stream,
        jars=args.jars,
        elr=args.elr,
        controllers=args.controllers,
        min_acknowledged=args.min_acknowledged,
        engine=engines.choose(args.engine),
        lenient=tuple(filter(None, args.lenient.split(","))),
        workload=_workload(args),
    )


_PROFILE_DEFAULTS: dict[str, tuple[float, int, tuple[str, ...]]] = {
    "": (RunSettings().seconds, RunSettings().min_isr, ()),
    "smoke": (30.0, 2, ()),
    "standard": (300.0, 2, ()),
    "harsh": (50.0, 2, ()),
    "soak": (600.0, 2, ()),
    "unclean-demo": (30.0, 1, ("unclean.leader.election.enable=true",)),
}
"""Profile → (seconds, min ISR, configuration)."""


def _lenient_problems(settings: RunSettings) -> list[str]:
    unknown = unknown_rules(settings.lenient)
    if not unknown:
        return []
    return [f"--lenient {','.join(unknown)}: no such rule; the rules are {', '.join(LENIENT)}."]


def _login_problems(settings: RunSettings) -> list[str]:
    """Let all processes of the run use `--command-config`; return what is wrong with it."""
    if settings.command_config is None:
        return []
    if not settings.bootstrap_servers:
        return ["--command-config can only be used with --bootstrap-server."]
    import os

    from minikafka.admin.client_login import ClientLogin
    from minikafka.admin.security import ClientSecurityError
    from minikafka.harness.clients.login import VARIABLE

    path = str(settings.command_config)
    try:
        ClientLogin.read(path)
    except ClientSecurityError as error:
        return [f"--command-config: {error}"]
    os.environ[VARIABLE] = path
    return []


def _minutes_problems(args: argparse.Namespace) -> list[str]:
    if args.profile == "soak" and args.minutes is None and args.seconds is None:
        return ["--profile soak needs --minutes."]
    if args.minutes is not None and args.profile != "soak":
        return ["--minutes can only be used with --profile soak."]
    return []


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="minikafka verify")
    add_arguments(parser)
    return parser.parse_args(words)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command alone, as `python -m minikafka.cli.verify`."""
    return run(_parsed(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
