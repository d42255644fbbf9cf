"""Helpers for tools with an action: common options before it, the action's options after it."""

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

from minikafka import __version__
from minikafka.admin.client import AdminClient, AdminError
from minikafka.commands.connection import connect
from minikafka.commands.options import FAILED, Options, ToolError

Subcommand = Callable[[argparse.Namespace, AdminClient], int]
OnSyntaxError = Callable[[str], NoReturn]


def declare_servers(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the cluster."""
    parser.allow_abbrev = False
    add = parser.add_argument
    add("--bootstrap-server", "-b", metavar="HOST:PORT,...", help="brokers to ask first")
    add("--bootstrap-controller", "-C", metavar="HOST:PORT,...", help="controllers to ask")
    add("--command-config", "-c", metavar="FILE", help="properties of the client")
    add("--version", action="version", version=__version__)


def wrong_servers(args: argparse.Namespace) -> str | None:
    """Return what is wrong unless exactly one of the options that name the cluster is given."""
    both = (args.bootstrap_server, args.bootstrap_controller)
    if both == (None, None):
        return "one of the arguments --bootstrap-server/-b --bootstrap-controller/-C is required"
    if None not in both:
        return "argument --bootstrap-controller/-C: not allowed with argument --bootstrap-server/-b"
    return None


def say_errors_with(parser: argparse.ArgumentParser, say: OnSyntaxError) -> None:
    """Make a parser call `say` with the error of a wrong command line."""
    parser.error = say  # type: ignore[method-assign,assignment]


def run_with_client(args: argparse.Namespace, work: Subcommand) -> int:
    """Connect and work; return the exit status. Errors go to standard error."""
    values = {
        "bootstrap-server": args.bootstrap_server,
        "bootstrap-controller": args.bootstrap_controller,
        "command-config": args.command_config,
    }
    given: dict[str, list[str] | bool | None] = {
        name: [value] for name, value in values.items() if value is not None
    }
    try:
        with connect(Options(given)) as client:
            return work(args, client)
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
