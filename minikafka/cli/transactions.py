"""`kafka-transactions.py`: list and describe transactions, find and abort hanging ones.

Options, output and exit status are those of Kafka's `TransactionsCommand`.
"""

import argparse
import sys
import time
from functools import partial
from typing import NoReturn

from minikafka import __version__
from minikafka.admin.client import AdminClient
from minikafka.admin.transactions import Marker
from minikafka.cli._numbers import number
from minikafka.cli._subcommands import run_with_client, say_errors_with
from minikafka.commands.options import FAILED, ToolError
from minikafka.commands.transactions import (
    Scope,
    abort,
    abort_producer,
    print_hanging,
    print_list,
    print_producers,
    print_transaction,
    terminate,
)
from minikafka.common.ids import TopicPartition
from minikafka.common.whole_numbers import INT16_MAX, INT32_MAX, INT64_MAX, INT64_MIN

_LONGEST_TRANSACTION_MIN = 15
_MINUTE_MS = 60_000
_NO_EPOCH = -1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.allow_abbrev = False
    parser.add_argument("-v", "--version", action="version", version=__version__)
    parser.add_argument("--command-config", metavar="FILE", help="properties of the client")
    parser.add_argument(
        "--bootstrap-server", metavar="HOST:PORT,...", required=True, help="brokers to ask first"
    )
    actions = parser.add_subparsers(dest="action", metavar="COMMAND", required=True)
    listing = actions.add_parser("list", help="list transactions")
    listing.add_argument(
        "--duration-filter", type=number(INT64_MIN, INT64_MAX), default=-1, metavar="MS",
        help="only transactions that are open for longer; all if negative (%(default)s)",
    )  # fmt: skip
    listing.add_argument(
        "--transactional-id-pattern", metavar="REGEX", help="only ids that match the expression"
    )
    described = actions.add_parser("describe", help="describe the state of a transactional id")
    described.add_argument("--transactional-id", required=True, metavar="ID")
    producers = actions.add_parser(
        "describe-producers", help="describe the producers of a partition"
    )
    producers.add_argument(
        "--broker-id", type=number(), metavar="ID", help="at this replica instead of the leader"
    )
    _declare_partition(producers, required=True)
    aborted = actions.add_parser("abort", help="abort a hanging transaction")
    _declare_partition(aborted, required=True)
    aborted.add_argument(
        "--start-offset", type=number(0, INT64_MAX), metavar="OFFSET",
        help="the first offset of the transaction",
    )  # fmt: skip
    for name, low, high in (
        ("--producer-id", 0, INT64_MAX),
        ("--producer-epoch", 0, INT16_MAX),
        ("--coordinator-epoch", _NO_EPOCH, INT32_MAX),
    ):
        aborted.add_argument(
            name, type=number(low, high), metavar="N", help="instead of --start-offset, all three"
        )
    hanging = actions.add_parser("find-hanging", help="find hanging transactions")
    hanging.add_argument("--broker-id", type=number(), metavar="ID", help="search its replicas")
    hanging.add_argument(
        "--max-transaction-timeout", type=number(), default=_LONGEST_TRANSACTION_MIN, metavar="MIN",
        help="the longest timeout of a transaction, in minutes (%(default)s)",
    )  # fmt: skip
    _declare_partition(hanging, required=False)
    terminated = actions.add_parser(
        "forceTerminateTransaction", help="fence a producer, which aborts its transaction"
    )
    terminated.add_argument(
        "--transactionalId", required=True, metavar="ID", dest="transactional_id"
    )
    for each in (parser, *actions.choices.values()):
        say_errors_with(each, partial(_wrong_command_line, each))


def _declare_partition(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.allow_abbrev = False
    parser.add_argument("--topic", required=required, metavar="NAME")
    parser.add_argument("--partition", type=number(), required=required, metavar="N")


def _wrong_command_line(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    parser.print_usage(sys.stderr)
    print(f"kafka-transactions: error: {message}", file=sys.stderr)
    sys.exit(FAILED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    args.bootstrap_controller = None
    actions = {
        "list": _list, "describe": _describe, "describe-producers": _describe_producers,
        "abort": _abort, "find-hanging": _find_hanging, "forceTerminateTransaction": _terminate,
    }  # fmt: skip
    return run_with_client(args, actions[args.action])


def _list(args: argparse.Namespace, client: AdminClient) -> int:
    print_list(client, duration_ms=args.duration_filter, pattern=args.transactional_id_pattern)
    return 0


def _describe(args: argparse.Namespace, client: AdminClient) -> int:
    print_transaction(client, args.transactional_id, _wall_ms())
    return 0


def _describe_producers(args: argparse.Namespace, client: AdminClient) -> int:
    print_producers(client, TopicPartition(args.topic, args.partition), args.broker_id)
    return 0


def _abort(args: argparse.Namespace, client: AdminClient) -> int:
    at = TopicPartition(args.topic, args.partition)
    if args.start_offset is not None:
        abort(client, at, args.start_offset)
        return 0
    given = (args.producer_id, args.producer_epoch, args.coordinator_epoch)
    if None in given:
        raise ToolError(
            "The transaction to abort must be identified either with --start-offset (for brokers "
            "on 3.0 or above) or with --producer-id, --producer-epoch, and --coordinator-epoch "
            "(for older brokers)"
        )
    abort_producer(client, at, Marker(*given))
    return 0


def _find_hanging(args: argparse.Namespace, client: AdminClient) -> int:
    if args.topic is None and args.broker_id is None:
        raise ToolError(
            "The `find-hanging` command requires either --topic or --broker-id to limit the scope "
            "of the search"
        )
    if args.partition is not None and args.topic is None:
        raise ToolError("The --partition argument requires --topic to be provided")
    scope = Scope(args.topic, args.partition, args.broker_id)
    print_hanging(client, scope, args.max_transaction_timeout * _MINUTE_MS, _wall_ms())
    return 0


def _terminate(args: argparse.Namespace, client: AdminClient) -> int:
    terminate(client, args.transactional_id)
    return 0


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
