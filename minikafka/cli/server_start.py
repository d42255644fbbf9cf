"""kafka-server-start: run the node that a properties file describes.

Options as in Kafka's `kafka-server-start.sh`: FILE, then `--override key=value` any number of
times, `--version`.
"""

import argparse

from minikafka import __version__
from minikafka.server.one_node import run_node


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="a properties file (server.properties)")
    parser.add_argument(
        "--override",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a value that replaces the file's; may be given several times",
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--ready-fd", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--lifeline-fd", type=int, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Run the node until it stops; return the exit status."""
    lifeline = () if args.lifeline_fd is None else (args.lifeline_fd,)
    return run_node(
        args.file, overrides=args.override, ready_fd=args.ready_fd, lifeline_fds=lifeline
    )
