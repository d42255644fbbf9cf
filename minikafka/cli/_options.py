"""The common parts of Kafka's command line tools: options, their conflicts, and errors.

Options are long, never abbreviated, and keep every value given. As in Kafka's tools, an option that
takes one value and was given twice is an error.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NoReturn

from minikafka import __version__
from minikafka.admin.client import AdminClient, AdminError
from minikafka.config.definition import ConfigError
from minikafka.config.properties import parse_properties

FAILED = 1
_UNRECOGNIZED = re.compile(r"unrecognized arguments: -*(\S+)")
_NEEDS_VALUE = re.compile(r"argument --(\S+): expected one argument")


class ToolError(Exception):
    """A tool cannot do its work; the message says why."""


class UsageError(ToolError):
    """Options conflict or are missing; a hint to --help is printed with the message."""


class Options:
    """The options of one command line."""

    def __init__(self, given: Mapping[str, list[str] | bool | None]) -> None:
        """Keep the parsed options: a list of values, or True for a flag."""
        self._given = given

    def has(self, name: str) -> bool:
        """True if the option was given."""
        return bool(self._given.get(name))

    def values(self, name: str) -> list[str]:
        """Return every value of an option, in the order given."""
        found = self._given.get(name)
        return list(found) if isinstance(found, list) else []

    def value(self, name: str) -> str | None:
        """Return the value of an option; None if it is missing.

        Raises:
            ToolError: if there are several values.
        """
        found = self.values(name)
        if len(found) > 1:
            raise ToolError(
                f"Found multiple arguments for option {name}, but you asked for only one"
            )
        return found[0] if found else None

    def integer(self, name: str) -> int | None:
        """Return the value of an option as a number; None if it is missing.

        Raises:
            ToolError: if it is not a number.
        """
        text = self.value(name)
        if text is None:
            return None
        try:
            return int(text)
        except ValueError:
            raise ToolError(f"Cannot parse argument '{text}' of option {name}") from None

    def refuse(self, name: str, others: Iterable[str]) -> None:
        """Raise a UsageError if `name` was given together with one of `others`."""
        for other in others:
            if self.has(name) and self.has(other):
                raise UsageError(f'Option "[{name}]" can\'t be used with option "[{other}]"')

    def require(self, name: str) -> None:
        """Raise a UsageError if `name` is missing."""
        if not self.has(name):
            raise UsageError(f'Missing required argument "[{name}]"')


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


def connect(options: Options, *, default_timeout_ms: int = 60_000) -> AdminClient:
    """Return a client for `--bootstrap-server`, configured by `--command-config`.

    Raises:
        ToolError: if the properties file cannot be used.
        AdminError: if an address is invalid.
    """
    properties = _command_config(options.value("command-config"))
    protocol = properties.get("security.protocol", "PLAINTEXT")
    if protocol.upper() != "PLAINTEXT":
        raise ToolError(f"security.protocol={protocol}: only PLAINTEXT is supported")
    timeout_ms = properties.get("default.api.timeout.ms", str(default_timeout_ms))
    if not timeout_ms.isdigit() or int(timeout_ms) == 0:
        raise ToolError(f"default.api.timeout.ms={timeout_ms}: must be a number above 0")
    return AdminClient(
        options.value("bootstrap-server") or "",
        client_id=properties.get("client.id", "minikafka-admin"),
        timeout_s=int(timeout_ms) / 1000,
        on_wait=lambda what: print(what, file=sys.stderr, flush=True),
    )


def read_properties(path: str) -> dict[str, str]:
    """Read the entries of a properties file.

    Raises:
        ToolError: if the file cannot be read.
    """
    try:
        return parse_properties(Path(path).read_text(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"{path}: {error}") from None
    except ConfigError as error:
        raise ToolError(str(error)) from None


def _command_config(path: str | None) -> dict[str, str]:
    return {} if path is None else read_properties(path)


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
