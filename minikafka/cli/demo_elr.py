"""Show which acknowledged records are lost without ELR.

The command runs the "last replica standing" failure on two clusters side by side, without ELR and
with it. Exit status: 0 if only the cluster without ELR lost acknowledged records, 1 for any other
result, 2 if it could not be run, 3 usage.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from minikafka.cli._numbers import number
from minikafka.cli._usage import UNDECIDED, USAGE, or_undecided, usage_error
from minikafka.commands.demo_elr import PORTS, show_both
from minikafka.testing.errors import ClusterError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.error = usage_error(parser)  # type: ignore[method-assign,assignment]
    parser.add_argument(
        "--base-port",
        type=number(),
        default=0,
        metavar="PORT",
        help="the first of eight ports (default: free ones)",
    )
    parser.add_argument(
        "--dir", type=Path, help="an empty folder for both clusters (default: a temporary one)"
    )


def run(args: argparse.Namespace) -> int:
    """Run both clusters and print the result; return the exit status."""
    if args.base_port and not 1024 <= args.base_port <= 65535 - PORTS:
        print(f"minikafka demo-elr: --base-port {args.base_port}: out of range", file=sys.stderr)
        return USAGE
    missing = [name for name in ("confluent_kafka", "rich") if find_spec(name) is None]
    if missing:
        print(
            f"minikafka demo-elr: {' and '.join(missing)} needed:"
            " pip install 'minikafka[verify-local]'",
            file=sys.stderr,
        )
        return UNDECIDED
    from minikafka.harness.plan.settings import HarnessError

    return or_undecided(
        "demo-elr", lambda: show_both(args.base_port, args.dir), HarnessError, ClusterError
    )
