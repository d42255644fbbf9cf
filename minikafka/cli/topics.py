"""`kafka-topics.py`: create, delete, list, describe and alter topics.

Options, output and exit status are those of Kafka's `TopicCommand`.
"""

import argparse
import sys

from minikafka.cli._options import declare, run_tool
from minikafka.commands import topics
from minikafka.commands.options import Options, ToolError, UsageError

_ACTIONS = ("list", "describe", "create", "alter", "delete")
_REPORTS = (
    "under-replicated-partitions",
    "under-min-isr-partitions",
    "at-min-isr-partitions",
    "unavailable-partitions",
)
_FLAGS = {
    "create": "create a topic",
    "delete": "delete topics",
    "list": "list the topics",
    "describe": "show topics, their partitions and replicas",
    "alter": "add partitions to topics",
    "under-replicated-partitions": "describe only partitions whose ISR lacks a replica",
    "under-min-isr-partitions": "describe only partitions whose ISR is under the minimum",
    "at-min-isr-partitions": "describe only partitions whose ISR is just the minimum",
    "unavailable-partitions": "describe only partitions without a live leader",
    "topics-with-overrides": "describe only topics with configurations of their own",
    "if-exists": "with --alter, --delete, --describe: a missing topic is no error",
    "if-not-exists": "with --create: a topic that is there already is no error",
    "exclude-internal": "with --list, --describe: leave internal topics out",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "required: servers to ask first"),
    "command-config": ("FILE", "properties of the client"),
    "topic": ("NAME", "the topic; except with --create a regular expression, or several with ','"),
    "topic-id": ("ID", "the topic to describe, by its id"),
    "config": ("NAME=VALUE", "with --create: a configuration; may be given several times"),
    "delete-config": ("NAME", "not supported any more"),
    "partitions": ("N", "how many partitions the topic gets, or has afterwards"),
    "replication-factor": ("N", "with --create: how many replicas a partition gets"),
    "replica-assignment": ("ID:ID,ID:ID,...", "the replicas of each partition"),
    "partition-size-limit-per-response": ("N", "how many partitions one answer may describe"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    return run_tool(args, _check, topics.run, topics.print_error)


def _check(options: Options) -> None:
    """Raise a ToolError if options conflict (`TopicCommandOptions.checkArgs`)."""
    if sum(options.has(action) for action in _ACTIONS) != 1:
        raise UsageError(
            "Command must include exactly one action: "
            "--list, --describe, --create, --alter or --delete"
        )
    if options.has("delete-config"):
        print("--delete-config is not supported any more: see kafka-configs", file=sys.stderr)
    if not options.has("bootstrap-server"):
        raise ToolError("--bootstrap-server must be specified")
    _check_required(options)
    _check_combinations(options)


def _check_required(options: Options) -> None:
    if options.has("describe") and options.has("if-exists"):
        if not options.has("topic") and not options.has("topic-id"):
            raise UsageError("--topic or --topic-id is required to describe a topic")
        if options.has("topic") and options.has("topic-id"):
            print(
                "Only topic id will be used when both --topic and --topic-id are specified"
                " and topicId is not Uuid.ZERO_UUID"
            )
    if not options.has("list") and not options.has("describe"):
        options.require("topic")
    if options.has("alter"):
        if options.has("config"):
            raise UsageError(
                'Option combination "[[config], [bootstrap-server]]" can\'t be used with option'
                ' "[alter]" (To alter topic configurations, the kafka-configs tool can be used.)'
            )
        options.require("partitions")


def _check_combinations(options: Options) -> None:
    belongs_to = {
        "config": ("alter", "create"),
        "partitions": ("alter", "create"),
        "replication-factor": ("create",),
        "replica-assignment": ("alter", "create"),
        **dict.fromkeys(_REPORTS, ("describe",)),
        "topics-with-overrides": ("describe",),
        "if-exists": ("alter", "delete", "describe"),
        "if-not-exists": ("create",),
        "exclude-internal": ("list", "describe"),
    }
    for name, actions in belongs_to.items():
        options.refuse(name, [action for action in _ACTIONS if action not in actions])
    if options.has("create"):
        options.refuse("replica-assignment", ("partitions", "replication-factor"))
    for report in _REPORTS:
        options.refuse(report, ("topics-with-overrides",))
