"""`kafka-metadata-quorum.py`: describe the progress of the nodes that read the metadata log.

Options, output and exit status are those of Kafka's `MetadataQuorumCommand`. The voters of a
quorum cannot be changed.
"""

import argparse
import sys
from functools import partial
from typing import NoReturn

from minikafka.admin.client import AdminClient
from minikafka.cli._subcommands import declare_servers, run_with_client, say_errors_with
from minikafka.commands.metadata_quorum import print_replication, print_status
from minikafka.commands.options import FAILED, ToolError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare_servers(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    describe = actions.add_parser("describe", help="show the state of the quorum")
    describe.add_argument("--status", action="store_true", help="the quorum as a whole")
    describe.add_argument("--replication", action="store_true", help="each node by itself")
    describe.add_argument("--human-readable", action="store_true", help="times as times ago")
    add = actions.add_parser("add-controller", help="not supported: add a voter")
    remove = actions.add_parser("remove-controller", help="not supported: remove a voter")
    remove.add_argument("--controller-id", metavar="ID")
    remove.add_argument("--controller-directory-id", metavar="ID")
    for action in (add, remove):
        action.add_argument("--dry-run", action="store_true")
    for each in (parser, describe, add, remove):
        say_errors_with(each, partial(_wrong_command_line, each))


def _wrong_command_line(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    parser.print_usage(sys.stderr)
    print(f"kafka-metadata-quorum: error: {message}", file=sys.stderr)
    sys.exit(FAILED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    if args.bootstrap_server is None:
        print("--bootstrap-server is required", file=sys.stderr)
        return FAILED
    return run_with_client(args, _describe if args.action == "describe" else _change_voters)


def _change_voters(args: argparse.Namespace, _: AdminClient) -> int:
    raise ToolError(f"{args.action}: the voters are chosen when a quorum is formatted")


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
