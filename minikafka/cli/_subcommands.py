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
    parser.add_argument("--bootstrap-server", metavar="HOST:PORT,...", help="servers to ask first")
    parser.add_argument("--bootstrap-controller", metavar="HOST:PORT,...", help="not supported")
    parser.add_argument("--command-config", metavar="FILE", help="properties of the client")
    parser.add_argument("--version", action="version", version=__version__)


def say_errors_with(parser: argparse.ArgumentParser, say: OnSyntaxError) -> None:
    """Make a parser call `say` with the error of a wrong command line."""
    parser.error = say  # type: ignore[method-assign,assignment]


def run_with_client(args: argparse.Namespace, work: Subcommand) -> int:
    """Connect and work; return the exit status. Errors go to standard error."""
    given = {"bootstrap-server": [args.bootstrap_server]}
    if args.command_config is not None:
        given["command-config"] = [args.command_config]
    try:
        with connect(Options(given)) as client:
            return work(args, client)
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
