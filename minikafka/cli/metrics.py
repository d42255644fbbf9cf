"""minikafka metrics: print the metrics of each node of a cluster, side by side."""

import argparse
import re
import sys

from minikafka.admin.client import AdminError
from minikafka.cli._numbers import number
from minikafka.cli._usage import TOOL_USAGE, usage_error
from minikafka.commands.metrics import MetricsOptions, print_metrics
from minikafka.commands.options import FAILED, ToolError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.error = usage_error(parser, TOOL_USAGE)  # type: ignore[method-assign,assignment]
    parser.allow_abbrev = False
    servers = parser.add_mutually_exclusive_group(required=True)
    servers.add_argument("--bootstrap-server", metavar="HOST:PORT,...",
                         help="brokers to ask first; shows brokers and controllers")  # fmt: skip
    servers.add_argument("--bootstrap-controller", metavar="HOST:PORT,...",
                         help="controllers to ask first; shows controllers")  # fmt: skip
    parser.add_argument("--command-config", metavar="FILE", help="properties of the client")
    parser.add_argument("--node", action="append", type=number(), default=[], metavar="ID",
                        help="a node to show; may be given several times")  # fmt: skip
    parser.add_argument("--match", type=_pattern, default=re.compile(""), metavar="REGEX",
                        help="show metrics whose name or labels this matches")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def run(args: argparse.Namespace) -> int:
    """Print the metrics of all nodes; return 1 if no node answered."""
    options = MetricsOptions(
        brokers=args.bootstrap_server,
        controllers=args.bootstrap_controller,
        command_config=args.command_config,
        node_ids=args.node,
        match=args.match,
        as_json=args.json,
    )
    try:
        return print_metrics(options)
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
