"""Measure the throughput and cost of a cluster, or compare clusters.

Loads run in a separate process, through librdkafka or by replaying encoded requests. Several
targets are measured in turns, in an order drawn from the seed, under the same conditions; the table
shows medians, spreads and ratios. The target's memory is warmed the same way for each.

The program stops everything that it starts; every load is bounded in time.
"""

import argparse
import signal
import sys
import tempfile
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from minikafka.admin.client import AdminError
from minikafka.bench.plan import LOADS
from minikafka.bench.run import Bench
from minikafka.bench.targets import (
    BenchError,
)
from minikafka.cli._numbers import whole
from minikafka.cli._usage import TOOL_USAGE, usage_error
from minikafka.common.whole_numbers import whole_number

_FAILED = 1
_USAGE = 2
_DEFAULT_BASE_PORT = 29092


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.error = usage_error(parser, TOOL_USAGE)  # type: ignore[method-assign,assignment]
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _target_arguments(parser.add_argument_group("targets"))
    _load_arguments(parser.add_argument_group("loads: " + ", ".join(LOADS)))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements to FILE")


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
        print("minikafka bench: aborted.", file=sys.stderr)
        return _FAILED
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


def _interrupt(_number: int, _frame: object) -> NoReturn:
    """End as on Ctrl-C, so that everything started is stopped."""
    raise KeyboardInterrupt


def _target_arguments(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--bootstrap-server", metavar="HOST:PORT", help="a running cluster")
    group.add_argument("--versus", metavar="HOST:PORT", help="another cluster to compare with")
    group.add_argument("--start-nodes", type=whole, metavar="N", help="nodes of minikafka to start")
    group.add_argument(
        "--before",
        type=Path,
        metavar="DIR",
        help="compare with another version of minikafka, whose package is in DIR",
    )
    group.add_argument(
        "--kafka-tools",
        type=Path,
        metavar="DIR",
        help="compare with Apache Kafka, started by DIR/kafka-cluster",
    )
    group.add_argument(
        "--base-port",
        type=whole,
        default=_DEFAULT_BASE_PORT,
        metavar="PORT",
        help="first port of a started cluster (default %(default)s; Kafka: 400 more; before: 900)",
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
        help="folder for clusters and warm-up files (default %(default)s)",
    )


def _load_arguments(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--loads",
        type=_load_names,
        default=tuple(LOADS),
        metavar="NAME,...",
        help="loads to run (default: all; 'none' for --startup alone)",
    )
    group.add_argument("--acks", choices=("1", "all"), default="all", help="(default %(default)s)")
    group.add_argument(
        "--replication-factor",
        type=_positive,
        metavar="N",
        help="(default: 3, or the number of brokers if that is less)",
    )
    group.add_argument(
        "--min-isr", type=_positive, metavar="N", help="(default: replication factor - 1)"
    )
    group.add_argument(
        "--rounds", type=_positive, default=5, metavar="N", help="(default %(default)s)"
    )
    group.add_argument(
        "--seconds", type=float, default=4.0, help="duration of a load (default %(default)s)"
    )
    group.add_argument(
        "--max-mb",
        type=_positive,
        default=1000,
        metavar="MB",
        help="end a load after this much data (default %(default)s)",
    )
    group.add_argument(
        "--warm-mb",
        type=whole,
        metavar="MIB",
        help="memory to warm before each load (default: the possible growth of the logs)",
    )
    group.add_argument(
        "--warm-up",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="load on each target before the measurements (default %(default)s)",
    )
    group.add_argument(
        "--seed", type=whole, default=1, help="seed of the order (default %(default)s)"
    )
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
            (args.versus or args.kafka_tools is not None or args.before is not None)
            and not (args.bootstrap_server or args.start_nodes),
            "--versus, --before and --kafka-tools compare with --bootstrap-server or --start-nodes",
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
            loads = ", ".join(LOADS)
            raise argparse.ArgumentTypeError(f"unknown load {name!r}; expected one of {loads}")
    return names


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(whole_number(word) for word in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers") from None


def _positive(text: str) -> int:
    try:
        return whole_number(text, 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0") from None
