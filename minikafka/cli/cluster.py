"""`kafka-cluster.py`: the cluster's id, its brokers and controllers, and unregistration.

Options, output and exit status are those of Kafka's `ClusterTool`.
"""

import argparse
import sys
from functools import partial
from typing import NoReturn

from minikafka.admin.client import AdminClient
from minikafka.cli._numbers import number
from minikafka.cli._subcommands import (
    declare_servers,
    run_with_client,
    say_errors_with,
    wrong_servers,
)
from minikafka.commands.cluster import print_cluster_id, print_endpoints, unregister
from minikafka.commands.options import FAILED, ToolError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    cluster_id = actions.add_parser("cluster-id", help="print the id of the cluster")
    gone = actions.add_parser("unregister", help="remove the registration of a broker")
    gone.add_argument("--id", "-i", type=number(), required=True, metavar="ID", help="the broker")
    endpoints = actions.add_parser("list-endpoints", help="list brokers or controllers")
    endpoints.add_argument(
        "--include-fenced-brokers", action="store_true", help="list fenced brokers, too"
    )
    for each in (cluster_id, gone, endpoints):
        declare_servers(each)
        each.add_argument("--config", metavar="FILE", help="deprecated: --command-config")
    for each in (parser, cluster_id, gone, endpoints):
        say_errors_with(each, partial(_wrong_command_line, each))


def _wrong_command_line(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    parser.print_usage(sys.stderr)
    print(f"kafka-cluster: error: {message}", file=sys.stderr)
    sys.exit(FAILED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    wrong = wrong_servers(args)
    if wrong is None and args.config is not None and args.command_config is not None:
        wrong = "argument --command-config/-c: not allowed with argument --config"
    if wrong is not None:
        print(f"kafka-cluster: error: {wrong}", file=sys.stderr)
        return FAILED
    args.command_config = args.command_config or args.config
    actions = {
        "cluster-id": _cluster_id, "unregister": _unregister, "list-endpoints": _list_endpoints,
    }  # fmt: skip
    return run_with_client(args, actions[args.action])


def _cluster_id(_: argparse.Namespace, client: AdminClient) -> int:
    print_cluster_id(client)
    return 0


def _unregister(args: argparse.Namespace, client: AdminClient) -> int:
    unregister(client, args.id)
    return 0


def _list_endpoints(args: argparse.Namespace, client: AdminClient) -> int:
    of_controllers = args.bootstrap_controller is not None
    if of_controllers and args.include_fenced_brokers:
        raise ToolError(
            "The option --include-fenced-brokers is only supported with --bootstrap-server option"
        )
    print_endpoints(
        client, of_controllers=of_controllers, include_fenced=args.include_fenced_brokers
    )
    return 0
