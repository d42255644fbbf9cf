"""`kafka-reassign-partitions.py`: move partitions to other brokers.

Options, output and exit status are those of Kafka's `ReassignPartitionsCommand`.
"""

import argparse

from minikafka.cli._options import declare, run_tool
from minikafka.commands import reassign_partitions
from minikafka.commands.options import Options, ToolError, UsageError

_ACTIONS = ("generate", "execute", "verify", "cancel", "list")
_FLAGS = {
    "generate": "propose an assignment; nothing is changed",
    "execute": "begin what the file of --reassignment-json-file says",
    "verify": "say how far that is, and remove throttles once it is done",
    "cancel": "go back to the replicas that were there before",
    "list": "show what is moving",
    "additional": "with --execute: although something else is moving",
    "disable-rack-aware": "with --generate: take no notice of racks",
    "preserve-throttles": "with --verify, --cancel: leave throttles alone",
    "disallow-replication-factor-change": "with --execute: refuse another number of replicas",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "required: servers to ask first"),
    "bootstrap-controller": ("HOST:PORT,...", "not supported: brokers forward to the controller"),
    "command-config": ("FILE", "properties of the client"),
    "reassignment-json-file": ("FILE", '{"version":1,"partitions":[{"topic","partition",...}]}'),
    "topics-to-move-json-file": ("FILE", '{"version":1,"topics":[{"topic":"foo"},...]}'),
    "broker-list": ("ID,ID,...", "with --generate: the brokers to move to"),
    "throttle": ("BYTES", "not supported: there are no replication quotas"),
    "replica-alter-log-dirs-throttle": ("BYTES", "not supported: moves have no throttle"),
    "timeout": (
        "MS",
        "how long replicas may be missing that must move to log_dirs (default 10000)",
    ),
}
_REQUIRED = {
    "verify": ("reassignment-json-file",),
    "generate": ("topics-to-move-json-file", "broker-list"),
    "execute": ("reassignment-json-file",),
    "cancel": ("reassignment-json-file",),
    "list": (),
}
_ALLOWED = {
    "verify": ("preserve-throttles",),
    "generate": ("disable-rack-aware",),
    "execute": (
        "additional", "disallow-replication-factor-change", "throttle",
        "replica-alter-log-dirs-throttle", "timeout",
    ),
    "cancel": ("preserve-throttles", "timeout"),
    "list": (),
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    return run_tool(args, _check, reassign_partitions.run, reassign_partitions.print_error)


def _check(options: Options) -> None:
    """Raise a ToolError if options conflict (`validateAndParseArgs`)."""
    chosen = [action for action in _ACTIONS if options.has(action)]
    if len(chosen) != 1:
        raise UsageError(
            "Command must include exactly one action: "
            + ", ".join(f"--{action}" for action in _ACTIONS)
        )
    if options.has("bootstrap-controller"):
        raise UsageError("--bootstrap-controller is not supported; use --bootstrap-server")
    if not options.has("bootstrap-server"):
        raise UsageError("Please specify either --bootstrap-server or --bootstrap-controller")
    (action,) = chosen
    for name in _REQUIRED[action]:
        options.require(name)
    general = ("bootstrap-server", "command-config", *_ACTIONS)
    for name in (*_FLAGS, *_VALUED):
        allowed = (*general, *_REQUIRED[action], *_ALLOWED[action])
        if options.has(name) and name not in allowed:
            raise UsageError(f'Option "[{name}]" can\'t be used with action "[{action}]"')
    for name in ("throttle", "replica-alter-log-dirs-throttle"):
        limit = options.integer(name)
        if limit is not None and limit >= 0:
            raise ToolError(
                f"--{name} {limit}: throttles are not supported; run the command without --{name}"
            )
