"""`kafka-leader-election.py`: elect leaders of partitions.

Options, output and exit status are those of Kafka's `LeaderElectionCommand`, with the election
types of ElectLeaders v3. Options that clash are rejected (A6).
"""

import argparse
import sys
from collections.abc import Mapping

from minikafka.admin.client import AdminClient, AdminError
from minikafka.cli._options import declare
from minikafka.commands.connection import connect
from minikafka.commands.election_json import ElectionFile
from minikafka.commands.leader_election import elect
from minikafka.commands.options import FAILED, Options, ToolError, UsageError
from minikafka.commands.reassignment_json import read_file
from minikafka.common.election_type import ElectionType
from minikafka.common.ids import TopicPartition

_OTHER_NAMES = {
    "LONGEST_LOG_PROACTIVE": ElectionType.LONGEST_LOG_AGGRESSIVE,
    "LONGEST_LOG_AGRESSIVE": ElectionType.LONGEST_LOG_AGGRESSIVE,
}
_SELECTIONS = ("topic", "all-topic-partitions", "path-to-json-file")
_FLAGS = {
    "all-topic-partitions": "every partition eligible for this election type: without leader, or"
    " with PREFERRED not led by its first replica",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "required: servers to ask first"),
    "admin.config": ("FILE", "other name of --command-config"),
    "command-config": ("FILE", "properties of the client"),
    "election-type": (
        "TYPE",
        "required, in any case: one of " + ", ".join(it.name for it in ElectionType),
    ),
    "topic": ("NAME", "the topic of the partition"),
    "partition": ("ID", "with --topic: the partition"),
    "path-to-json-file": (
        "FILE",
        '{"partitions":[{"topic","partition"},...]}, each with "desiredLeader" for DESIGNATION',
    ),
}
_DEFAULT_TIMEOUT_MS = 30_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Elect leaders; return the exit status."""
    options = Options(vars(args))
    try:
        _check(options)
        kind = _election_type(options.value("election-type") or "")
        wanted = _wanted(options, kind)
        client = _connect(options)
    except UsageError as error:
        print(error, "Try --help.", sep="\n", file=sys.stderr)
        return FAILED
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
    with client:
        return elect(client, kind, wanted)


def _check(options: Options) -> None:
    """Raise a UsageError if options conflict."""
    missing = [name for name in ("bootstrap-server", "election-type") if not options.has(name)]
    if missing:
        raise UsageError(f"Missing required option(s): {', '.join(missing)}")
    chosen = [name for name in _SELECTIONS if options.has(name)]
    if len(chosen) != 1:
        given = f" ({', '.join(f'--{name}' for name in chosen)} are given)" if chosen else ""
        names = ", ".join(_SELECTIONS)
        raise UsageError(f"One and only one of the following options is required: {names}{given}")
    if options.has("topic") and not options.has("partition"):
        raise UsageError("Missing required option(s): partition")
    if options.has("partition") and not options.has("topic"):
        raise UsageError(f"Option partition is only allowed if topic is used, not {chosen[0]}")
    if options.has("admin.config") and options.has("command-config"):
        raise UsageError("--admin.config and --command-config are two names of one option")


def _election_type(text: str) -> ElectionType:
    name = text.upper()
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    try:
        return ElectionType[name]
    except KeyError:
        raise UsageError(
            f"Cannot parse argument '{text}' of option election-type; the types are"
            f" {', '.join(it.name for it in ElectionType)}"
        ) from None


def _wanted(options: Options, kind: ElectionType) -> Mapping[TopicPartition, int | None] | None:
    """Return the partitions, with their leaders for a designation; None for all eligible ones."""
    designation = kind is ElectionType.DESIGNATION
    path = options.value("path-to-json-file")
    if designation and path is None:
        clash = "topic" if options.has("topic") else "all-topic-partitions"
        raise UsageError(
            f'Option "[{clash}]" can\'t be used with election type DESIGNATION: the leaders are'
            " named in the file of --path-to-json-file"
        )
    if path is not None:
        asked = ElectionFile(read_file(path), designation=designation)
        if asked.has_minimal_replicas:
            print(f'{path}: "minimalReplicas" has no meaning and is ignored', file=sys.stderr)
        return asked.leaders
    topic = options.value("topic")
    if topic is None:
        return None
    partition = options.integer("partition")
    assert partition is not None, "--topic requires --partition"
    if partition < 0:
        raise ToolError(f"Cannot parse argument '{partition}' of option partition: it is negative")
    return {TopicPartition(topic, partition): None}


def _connect(options: Options) -> AdminClient:
    files = options.values("command-config")
    if options.has("admin.config"):
        print(
            "Option --admin.config has been deprecated and will be removed in a future version."
            " Use --command-config instead."
        )
        files = options.values("admin.config")
    given: dict[str, list[str] | bool | None] = {
        "bootstrap-server": options.values("bootstrap-server"),
        "command-config": files,
    }
    return connect(Options(given), default_timeout_ms=_DEFAULT_TIMEOUT_MS)
