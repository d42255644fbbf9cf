"""The `minikafka` program. Each subcommand is a module, which is imported only when it runs.

Ctrl-C ends a command with one line and status 130, the convention of shells. Commands that give a
verdict end with 2, since their status 1 means that a promise was broken.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper

from minikafka import __version__
from minikafka.cli._suggestions import did_you_mean
from minikafka.cli._usage import UNDECIDED

COMMANDS = {
    "dev": ("minikafka.cli.dev", "start a cluster on this machine, or control its nodes"),
    "server-start": ("minikafka.cli.server_start", "run one node from a properties file"),
    "storage": ("minikafka.cli.storage", "format log directories, make cluster ids"),
    "topics": ("minikafka.cli.topics", "create, delete, list, describe and alter topics"),
    "configs": ("minikafka.cli.configs", "describe and alter configurations"),
    "reassign-partitions": (
        "minikafka.cli.reassign_partitions",
        "move partitions to other brokers",
    ),
    "leader-election": ("minikafka.cli.leader_election", "elect leaders of partitions"),
    "features": ("minikafka.cli.features", "describe, raise and lower feature levels"),
    "metadata-quorum": (
        "minikafka.cli.metadata_quorum",
        "describe the metadata quorum, change its voters",
    ),
    "acls": ("minikafka.cli.acls", "list, add and remove access control lists"),
    "delegation-tokens": (
        "minikafka.cli.delegation_tokens",
        "create, renew, expire and describe delegation tokens",
    ),
    "cluster": ("minikafka.cli.cluster", "the cluster's id and nodes, unregister a broker"),
    "consumer-groups": (
        "minikafka.cli.consumer_groups",
        "list, describe and delete groups of consumers, reset their offsets",
    ),
    "groups": ("minikafka.cli.groups", "list groups of all types"),
    "transactions": (
        "minikafka.cli.transactions",
        "list and describe transactions, find and abort hanging ones",
    ),
    "dump-log": ("minikafka.cli.dump_log", "print log segments, indexes and snapshots"),
    "verify": ("minikafka.cli.verify", "write records, inject faults, check by Spark, and judge"),
    "judge": ("minikafka.cli.judge", "judge a run of verify again, here or on a Spark cluster"),
    "demo-elr": ("minikafka.cli.demo_elr", "show which records are lost without ELR"),
    "sim": ("minikafka.cli.sim", "simulate clusters with faults in virtual time"),
    "metrics": ("minikafka.cli.metrics", "print the metrics of each node"),
    "watch": ("minikafka.cli.watch", "show the changes of partitions"),
    "completion": ("minikafka.cli.completion", "print a script that completes commands in a shell"),
    "bench": ("minikafka.cli.bench", "measure produce, fetch, latency, start-up and memory"),
}


_WITH_VERDICT = ("verify", "judge", "demo-elr", "sim")
_KAFKA = "kafka-"
_OWN = "minikafka-"
_INTERRUPTED = 130
_NO_COMMAND = 2


def run_program(path: str) -> int:
    """Run the tool of a program such as `kafka-topics`, or `minikafka`; return its exit status."""
    name = os.path.splitext(os.path.basename(path))[0]  # noqa: PTH119, PTH122 - without an import
    tool = name.removeprefix(_KAFKA).removeprefix(_OWN)
    return run_tool(tool) if tool != name and tool in COMMANDS else main()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the subcommand that the arguments name; return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    try:
        return _main(arguments, chosen)
    except KeyboardInterrupt:
        return _interrupted(chosen)


def _interrupted(command: str | None) -> int:
    print(f"minikafka{f' {command}' if command else ''}: interrupted.", file=sys.stderr)
    return UNDECIDED if command in _WITH_VERDICT else _INTERRUPTED


def _main(arguments: Sequence[str], chosen: str | None) -> int:
    if chosen is not None and chosen not in COMMANDS:
        hint = did_you_mean(chosen, COMMANDS) or "; see minikafka --help"
        print(f"minikafka {chosen}: there is no such command{hint}", file=sys.stderr)
        return _NO_COMMAND
    parser = argparse.ArgumentParser(prog="minikafka", description="A Kafka-compatible broker.")
    parser.add_argument("--version", action="version", version=f"minikafka {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name == chosen:
            import_module(module).add_arguments(command)
            # The command reports errors, since it has its own exit status for wrong usage.
            parser.error = command.error  # type: ignore[method-assign]
    parsed = parser.parse_args(arguments)
    return _run(COMMANDS[parsed.command][0], parsed)


def run_tool(name: str) -> int:
    """Run one subcommand as a separate program."""
    module, summary = COMMANDS[name]
    if sys.argv[1:] == ["--version"]:
        # Also of tools that need an action.
        print(__version__)
        return 0
    parser = argparse.ArgumentParser(description=summary)
    try:
        import_module(module).add_arguments(parser)
        return _run(module, parser.parse_args())
    except KeyboardInterrupt:
        return _interrupted(name)


def _print_every_text() -> None:
    """Print the bytes of an argument that are not valid UTF-8 as escapes, instead of failing."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _run(module: str, parsed: argparse.Namespace) -> int:
    _print_every_text()
    try:
        status = int(import_module(module).run(parsed))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe. Nothing may be written to it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
