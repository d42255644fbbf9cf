"""`kafka-groups.py`: list groups of all types.

Options, output and exit status are those of Kafka's `GroupsCommand`.
"""

import argparse

from minikafka.cli._options import declare, run_tool
from minikafka.commands.groups import group_type, print_failure, print_groups
from minikafka.commands.options import Options, ToolError, UsageError

_FLAGS = {
    "list": "list the groups",
    "consumer": "only groups of consumers, of both protocols, and groups that only have offsets",
    "share": "only share groups, which are not served here",
    "streams": "only streams groups, which are not served here",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "required: servers to ask first"),
    "command-config": ("FILE", "properties of the client"),
    "group-type": ("TYPE", "only groups of this type: classic, consumer, share or streams"),
    "protocol": ("NAME", "only groups with this protocol, such as consumer or connect"),
}
_ALONE = {
    "consumer": ("group-type", "protocol", "share", "streams"),
    "share": ("consumer", "group-type", "protocol", "streams"),
    "streams": ("consumer", "group-type", "protocol", "share"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """List groups; return the exit status."""
    return run_tool(args, _check, print_groups, print_failure)


def _check(options: Options) -> None:
    if not options.has("bootstrap-server"):
        raise UsageError("Missing required option(s) [bootstrap-server]")
    if not options.has("list"):
        raise UsageError("Command must include exactly one action: --list.")
    if options.has("group-type") and group_type(options.value("group-type")) is None:
        raise ToolError("--group-type must be a valid group type.")
    for name, others in _ALONE.items():
        options.refuse(name, others)
