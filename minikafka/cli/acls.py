"""`kafka-acls.py`: list, add and remove access control lists.

Options, output and exit status are those of Kafka's `AclCommand`.
"""

import argparse

from minikafka.cli._options import declare, run_tool
from minikafka.commands import acls
from minikafka.commands.options import Options, ToolError, UsageError

_FLAGS = {
    "add": "add ACLs",
    "remove": "remove ACLs",
    "list": "list the ACLs of the resources, or all",
    "cluster": "the resource is the cluster",
    "producer": "the operations of producers: WRITE, DESCRIBE, CREATE on topics",
    "consumer": "the operations of consumers: READ, DESCRIBE on topics, READ on groups",
    "idempotent": "with --producer: also IDEMPOTENT_WRITE on the cluster",
    "force": "ask no questions",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "servers to ask first"),
    "bootstrap-controller": ("HOST:PORT,...", "controllers to ask first"),
    "command-config": ("FILE", "properties of the client"),
    "topic": ("NAME", "a topic; * for all"),
    "group": ("NAME", "a group; * for all"),
    "transactional-id": ("NAME", "a transactional id; * for all"),
    "delegation-token": ("ID", "a delegation token; * for all"),
    "user-principal": ("TYPE:NAME", "a user as a resource, whose tokens the operation is about"),
    "resource-pattern-type": (
        "TYPE",
        "literal (the default) or prefixed; to list and remove also any, match",
    ),
    "operation": ("NAME", "such as Read, Write, Describe; All is the default"),
    "allow-principal": ("TYPE:NAME", "who may do it; User:* for everybody"),
    "deny-principal": ("TYPE:NAME", "who may not; denials have precedence"),
    "allow-host": ("IP", "where --allow-principal may come from; * is the default"),
    "deny-host": ("IP", "where --deny-principal may not come from; * is the default"),
    "principal": ("TYPE:NAME", "with --list: only the ACLs of this principal"),
}
_WITH_ROLE = ("operation", "deny-principal", "deny-host")
_ALONE = {
    "list": (
        "producer", "consumer", "allow-host", "allow-principal", "deny-host", "deny-principal",
    ),
    "producer": _WITH_ROLE,
    "consumer": _WITH_ROLE,
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    return run_tool(args, _check, acls.change_or_list, acls.print_failure)


def _check(options: Options) -> None:
    """Raise a UsageError if options conflict."""
    servers = options.has("bootstrap-server"), options.has("bootstrap-controller")
    if all(servers):
        raise UsageError(
            "Only one of --bootstrap-server or --bootstrap-controller must be specified"
        )
    if not any(servers):
        raise UsageError("One of --bootstrap-server or --bootstrap-controller must be specified")
    if sum(options.has(action) for action in ("add", "remove", "list")) != 1:
        raise UsageError("Command must include exactly one action: --list, --add, --remove. ")
    for name, others in _ALONE.items():
        options.refuse(name, others)
    _check_roles(options)
    try:
        acls.check(options)
    except UsageError:
        raise
    except ToolError:
        # As Kafka: a value that cannot be read fails the action, with its message.
        return


def _check_roles(options: Options) -> None:
    if options.has("principal") and not options.has("list"):
        raise UsageError("The --principal option is only available if --list is set")
    if options.has("producer") and not options.has("topic"):
        raise UsageError("With --producer you must specify a --topic")
    if options.has("idempotent") and not options.has("producer"):
        raise UsageError("The --idempotent option is only available if --producer is set")
    others = options.has("cluster") or options.has("transactional-id")
    is_whole = options.has("topic") and options.has("group")
    if options.has("consumer") and (not is_whole or (others and not options.has("producer"))):
        raise UsageError(
            "With --consumer you must specify a --topic and a --group and no --cluster or "
            "--transactional-id option should be specified."
        )
