"""minikafka metrics: print the metrics of each node of a cluster, side by side."""

import argparse
import json
import re
import sys
from collections.abc import Sequence

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.metrics import (
    NodeMetrics,
    Value,
    nodes_by_broker,
    nodes_by_controller,
    read_metrics,
)
from minikafka.commands.connection import connect
from minikafka.commands.options import FAILED, Options, ToolError

_TIMEOUT_MS = 10_000
_NODE_TIMEOUT_MS = 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.allow_abbrev = False
    servers = parser.add_mutually_exclusive_group(required=True)
    servers.add_argument("--bootstrap-server", metavar="HOST:PORT,...",
                         help="brokers to ask first; shows brokers and controllers")  # fmt: skip
    servers.add_argument("--bootstrap-controller", metavar="HOST:PORT,...",
                         help="controllers to ask first; shows controllers")  # fmt: skip
    parser.add_argument("--command-config", metavar="FILE", help="properties of the client")
    parser.add_argument("--node", action="append", type=int, default=[], metavar="ID",
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
    try:
        nodes = _nodes(args)
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
    for node in nodes:
        if node.problem:
            print(f"node {node.node_id} ({node.role}): {node.problem}", file=sys.stderr)
    told = [node for node in nodes if not node.problem]
    if not told:
        return FAILED
    if args.json:
        _print_json(told, args.match)
    else:
        _print_table(told, args.match)
    return 0


def _nodes(args: argparse.Namespace) -> list[NodeMetrics]:
    def client(servers: str, timeout_ms: int = _NODE_TIMEOUT_MS) -> AdminClient:
        given = {"bootstrap-server": [servers]}
        if args.command_config is not None:
            given["command-config"] = [args.command_config]
        return connect(Options(given), default_timeout_ms=timeout_ms)

    find = nodes_by_broker if args.bootstrap_server else nodes_by_controller
    with client(args.bootstrap_server or args.bootstrap_controller, _TIMEOUT_MS) as first:
        found = find(first)
    known = [node.node_id for node in found]
    for node_id in args.node:
        if node_id not in known:
            raise ToolError(f"--node {node_id}: the cluster has nodes {_listed(known)}")
    wanted = [node for node in found if not args.node or node.node_id in args.node]
    return read_metrics(wanted, client, _NODE_TIMEOUT_MS / 1000)


def _print_json(nodes: Sequence[NodeMetrics], match: re.Pattern[str]) -> None:
    found = {
        str(node.node_id): [
            {"name": each.name, "labels": dict(each.labels), "value": each.value}
            for each in node.values
            if match.search(_label(each))
        ]
        for node in nodes
    }
    print(json.dumps(found, indent=2))


def _print_table(nodes: Sequence[NodeMetrics], match: re.Pattern[str]) -> None:
    header = ("metric", *(f"node {node.node_id}" for node in nodes))
    by_metric: dict[str, dict[int, str]] = {}
    for node in nodes:
        for each in node.values:
            label = _label(each)
            if match.search(label):
                by_metric.setdefault(label, {})[node.node_id] = _number(each.value)
    rows = [
        (label, *(told.get(node.node_id, "") for node in nodes))
        for label, told in by_metric.items()
    ]
    if not (sys.stdout.isatty() and _print_rich(header, rows)):
        for line in (header, *rows):
            print("\t".join(line))


def _print_rich(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        return False
    table = Table(header[0])
    for name in header[1:]:
        table.add_column(name, justify="right")
    for each in rows:
        table.add_row(*each)
    Console().print(table)
    return True


def _label(value: Value) -> str:
    labels = ",".join(f'{name}="{text}"' for name, text in value.labels.items())
    return f"{value.name}{{{labels}}}" if labels else value.name


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)


def _listed(node_ids: Sequence[int]) -> str:
    return ", ".join(map(str, node_ids))
