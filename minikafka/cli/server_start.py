"""kafka-server-start: run the node that a properties file describes.

Options as in Kafka's `kafka-server-start.sh`: FILE, then `--override key=value` any number of
times, `--version`.
"""

import argparse
import gc
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from minikafka.config.definition import ConfigError
from minikafka.config.node_config import ConfigErrors, NodeConfig, node_config
from minikafka.config.properties import parse_properties

_log = logging.getLogger("minikafka")


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
    parser.add_argument("--ready-fd", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--lifeline-fd", type=int, help=argparse.SUPPRESS)


def read_config(file: str, overrides: Sequence[str]) -> NodeConfig:
    """Return the configuration that a file and overrides describe.

    Raises:
        ConfigError: with one line for each problem.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{file}: cannot be read: {reason}") from None
    given = parse_properties(text, file)
    for override in overrides:
        key, separator, value = override.partition("=")
        if not separator or not key:
            raise ConfigError(f"--override {override!r}: expected KEY=VALUE")
        given[key.strip()] = value
    return node_config(given)


def run(args: argparse.Namespace) -> int:
    """Run the node until it stops; return the exit status."""
    if not __debug__:
        print("python -O disables checks that the broker relies on; run without it",
              file=sys.stderr)  # fmt: skip
        return 2
    try:
        config = read_config(args.file, args.override)
    except ConfigErrors as error:
        for line in error.errors:
            print(line, file=sys.stderr)
        return 2
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    from minikafka.server.log_lines import set_up_logging

    set_up_logging(f"%(asctime)s %(levelname)s [node {config.node_id}] %(name)s: %(message)s")
    if config.ignored:
        _log.info("ignored, without meaning here: %s", ", ".join(config.ignored))

    if args.lifeline_fd is not None:
        from minikafka.server.launch import end_with_owner

        end_with_owner(args.lifeline_fd)

    def started(_: NodeConfig) -> None:
        _log.info("node %d serves", config.node_id)
        if args.ready_fd is not None:
            os.write(args.ready_fd, b"ready\n")
            os.close(args.ready_fd)

    # Imported objects live forever; `server/process.py` enables the collector when the node runs.
    gc.disable()
    from minikafka.server.process import StartError, run_nodes

    try:
        return run_nodes([config], started)
    except StartError as error:
        _log.critical("%s", error)
        return 1
    finally:
        gc.enable()
