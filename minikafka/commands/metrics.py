"""Print the metrics of each node of a cluster, side by side."""

import json
import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from minikafka.admin.client import AdminClient
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


class MetricsOptions(NamedTuple):
    """The nodes to ask, and what is printed of them."""

    brokers: str | None
    """Brokers to ask for the nodes, HOST:PORT,...; shows brokers and controllers."""
    controllers: str | None
    """Without brokers: controllers to ask for the nodes; shows controllers."""
    command_config: str | None
    """The properties file of the client."""
    node_ids: Sequence[int]
    """The nodes to show; empty: all nodes."""
    match: re.Pattern[str]
    """Show metrics whose name or labels this matches."""
    as_json: bool
    """Print JSON instead of a table."""


def print_metrics(options: MetricsOptions) -> int:
    """Print the metrics of the nodes; return the exit status, which is 1 if no node answered.

    Raises:
        ToolError: a node is unknown, or the properties file cannot be used.
        AdminError: the cluster does not answer.
    """
    nodes = _nodes(options)
    for node in nodes:
        if node.problem:
            print(f"node {node.node_id} ({node.role}): {node.problem}", file=sys.stderr)
    told = [node for node in nodes if not node.problem]
    if not told:
        return FAILED
    if options.as_json:
        _print_json(told, options.match)
    else:
        _print_table(told, options.match)
    return 0


def _nodes(options: MetricsOptions) -> list[NodeMetrics]:
    def client(servers: str, timeout_ms: int = _NODE_TIMEOUT_MS) -> AdminClient:
        given = {"bootstrap-server": [servers]}
        if options.command_config is not None:
            given["command-config"] = [options.command_config]
        return connect(Options(given), default_timeout_ms=timeout_ms)

    find = nodes_by_broker if options.brokers else nodes_by_controller
    with client(options.brokers or options.controllers or "", _TIMEOUT_MS) as first:
        found = find(first)
    known = [node.node_id for node in found]
    for node_id in options.node_ids:
        if node_id not in known:
            raise ToolError(f"--node {node_id}: the cluster has nodes {_listed(known)}")
    wanted = [node for node in found if not options.node_ids or node.node_id in options.node_ids]
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
