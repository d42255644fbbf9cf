"""The common parts of Kafka's command line tools: declaring options, and running with a client.

Options are long, never abbreviated, and keep every value given. Unlike Kafka (row O6),
a word that belongs to no option is an error, and --help is none (row O6).
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

from minikafka import __version__
from minikafka.admin.client import AdminClient, AdminError
from minikafka.commands.connection import connect
from minikafka.commands.options import FAILED, Options, ToolError, UsageError

_UNRECOGNIZED = re.compile(r"unrecognized arguments: -*(\S+)")
_NEEDS_VALUE = re.compile(r"argument --(\S+): expected one argument")


def declare(
    parser: argparse.ArgumentParser, flags: Mapping[str, str], valued: Mapping[str, tuple[str, str]]
) -> None:
    """Add options to a parser: flags with their help, others with metavar and help.

    A wrong command line ends with status 1 and the usage on standard error.
    """
    parser.allow_abbrev = False
    for name, text in sorted(flags.items()):
        parser.add_argument(f"--{name}", dest=name, action="store_true", help=text)
    for name, (metavar, text) in sorted(valued.items()):
        parser.add_argument(f"--{name}", dest=name, action="append", metavar=metavar, help=text)
    parser.add_argument("--version", action="version", version=__version__)
    parser.error = _syntax_error(parser)  # type: ignore[method-assign,assignment]


def run_tool(
    args: argparse.Namespace,
    check: Callable[[Options], None],
    work: Callable[[Options, AdminClient], None],
    failed: Callable[[str], None],
) -> int:
    """Check the options, connect and work; return the exit status.

    Errors in the options go to standard error; later errors are reported by `failed`.
    """
    options = Options(vars(args))
    try:
        check(options)
    except UsageError as error:
        print(error, "Try --help.", sep="\n", file=sys.stderr)
        return FAILED
    except ToolError as error:
        print(error, file=sys.stderr)
        return FAILED
    try:
        client = connect(options)
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
    try:
        with client:
            work(options, client)
    except (ToolError, AdminError) as error:
        failed(str(error))
        return FAILED
    return 0


def _syntax_error(parser: argparse.ArgumentParser) -> Callable[[str], NoReturn]:
    """Return an `error` method for argparse with the messages of Kafka's tools."""

    def error(message: str) -> NoReturn:
        unrecognized = _UNRECOGNIZED.match(message)
        needs_value = _NEEDS_VALUE.match(message)
        if unrecognized:
            message = f"{unrecognized[1]} is not a recognized option"
        elif needs_value:
            message = f"Option {needs_value[1]} requires an argument"
        print(message, file=sys.stderr)
        parser.print_usage(sys.stderr)
        sys.exit(FAILED)

    return error
