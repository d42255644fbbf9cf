"""`kafka-metadata-quorum.py`: describe the quorum of the metadata log, and change its voters.

Options, output and exit status are those of Kafka's `MetadataQuorumCommand`.
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
from minikafka.commands.metadata_quorum import (
    add_controller,
    print_replication,
    print_status,
    remove_controller,
)
from minikafka.commands.options import FAILED, ToolError
from minikafka.common.whole_numbers import INT32_MIN
from minikafka.config.definition import ConfigError
from minikafka.server.one_node import read_config


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare_servers(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    describe = actions.add_parser("describe", help="show the state of the quorum")
    describe.add_argument("--status", action="store_true", help="the quorum as a whole")
    describe.add_argument("--replication", action="store_true", help="each node by itself")
    describe.add_argument("--human-readable", action="store_true", help="times as times ago")
    add = actions.add_parser(
        "add-controller", help="make a controller a voter; --command-config is its properties file"
    )
    remove = actions.add_parser("remove-controller", help="make a voter an observer")
    remove.add_argument(
        "--controller-id", "-i", type=number(INT32_MIN), required=True, metavar="ID"
    )
    remove.add_argument("--controller-directory-id", "-d", required=True, metavar="ID")
    for action in (add, remove):
        action.add_argument("--dry-run", action="store_true", help="change nothing")
    for each in (parser, describe, add, remove):
        say_errors_with(each, partial(_wrong_command_line, each))


def _wrong_command_line(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    parser.print_usage(sys.stderr)
    print(f"kafka-metadata-quorum: error: {message}", file=sys.stderr)
    sys.exit(FAILED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    wrong = wrong_servers(args)
    if wrong is not None:
        print(f"kafka-metadata-quorum: error: {wrong}", file=sys.stderr)
        return FAILED
    actions = {"describe": _describe, "add-controller": _add, "remove-controller": _remove}
    return run_with_client(args, actions[args.action])


def _describe(args: argparse.Namespace, client: AdminClient) -> int:
    if args.status and args.replication:
        raise ToolError(
            "Only one of --status or --replication should be specified with describe sub-command"
        )
    if args.status and args.human_readable:
        raise ToolError("The option --human-readable is only supported along with --replication")
    if args.status:
        print_status(client)
    elif args.replication:
        print_replication(client, human_readable=args.human_readable)
    else:
        raise ToolError(
            "One of --status or --replication must be specified with describe sub-command"
        )
    return 0


def _add(args: argparse.Namespace, client: AdminClient) -> int:
    if args.command_config is None:
        raise ToolError(
            "You must supply the configuration file of the controller you are adding when using "
            "add-controller."
        )
    try:
        config = read_config(args.command_config, ())
    except ConfigError as error:
        raise ToolError(str(error)) from None
    add_controller(client, config, dry_run=args.dry_run)
    return 0


def _remove(args: argparse.Namespace, client: AdminClient) -> int:
    remove_controller(
        client, args.controller_id, args.controller_directory_id, dry_run=args.dry_run
    )
    return 0
