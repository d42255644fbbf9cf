"""minikafka watch: show a cluster's partitions and their changes in the terminal.

It uses only public APIs, so it works with Apache Kafka as well.
"""

import argparse
import sys
from contextlib import suppress

from minikafka.admin.client import AdminClient, AdminError
from minikafka.cli._usage import TOOL_USAGE, usage_error
from minikafka.commands.connection import connect
from minikafka.commands.options import FAILED, Options, ToolError
from minikafka.commands.watch import show_once, watch

_TIMEOUT_MS = 5000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.error = usage_error(parser, TOOL_USAGE)  # type: ignore[method-assign,assignment]
    parser.allow_abbrev = False
    parser.add_argument("--bootstrap-server", required=True, metavar="HOST:PORT,...",
                        help="servers to ask first")  # fmt: skip
    parser.add_argument("--command-config", metavar="FILE", help="properties of the client")
    parser.add_argument("--topic", action="append", default=[], metavar="NAME",
                        help="a topic to show; may be given several times (default: all but "
                        "internal ones)")  # fmt: skip
    parser.add_argument("--interval", type=_seconds, default=1.0, metavar="SECONDS",
                        help="time between two polls (default 1)")  # fmt: skip
    parser.add_argument("--once", action="store_true", help="poll once, print text, and exit")


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0.05 <= (value := float(text)) <= 3600:
            return value
    raise argparse.ArgumentTypeError(f"{text}: must be between 0.05 and 3600")


def run(args: argparse.Namespace) -> int:
    """Poll once, or until Ctrl-C; return the exit status."""
    try:
        with _client(args) as client:
            if args.once:
                show_once(client, args.topic)
            else:
                watch(client, args.topic, args.interval)
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 0
    return 0


def _client(args: argparse.Namespace) -> AdminClient:
    # A paused broker must not delay the display for the whole default timeout.
    given = {"bootstrap-server": [args.bootstrap_server]}
    if args.command_config is not None:
        given["command-config"] = [args.command_config]
    return connect(Options(given), default_timeout_ms=_TIMEOUT_MS)
