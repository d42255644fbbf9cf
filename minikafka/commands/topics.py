"""Create, delete, list, describe and alter topics (Kafka: `TopicCommand`; D4 for `--describe`)."""

import re
import sys
from collections.abc import Mapping, Sequence

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.configs import Resource, ResourceType, broker_ids, describe_configs
from minikafka.admin.topics import (
    REASSIGNMENTS_TIMEOUT_S,
    Reassignment,
    TopicDescription,
    add_partitions,
    create_topic,
    delete_topics,
    describe_topic_by_id,
    describe_topics,
    list_reassignments,
    list_topics,
)
from minikafka.commands.java_order import hash_map_order
from minikafka.commands.options import Options, ToolError
from minikafka.commands.topic_lines import TopicReport, partition_line, topic_line
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, TopicPartition, Uuid
from minikafka.common.whole_numbers import is_whole_number, whole_number

_DEFAULT_PARTITION_LIMIT = 2000
_MAX_REPLICATION_FACTOR = 32767


def run(options: Options, client: AdminClient) -> None:
    """Do the one action of the options, and print its result.

    Raises:
        ToolError: the action cannot be done.
        AdminError: the cluster does not answer, or rejects the request.
    """
    next(action for name, action in _ACTIONS.items() if options.has(name))(options, client)


def print_error(message: str) -> None:
    """Print an error of `run`; as Kafka, on standard output (`TopicCommand.printException`)."""
    print(f"Error while executing topic command : {message}")


def _list(options: Options, client: AdminClient) -> None:
    print("\n".join(_names(options, client)))


def _create(options: Options, client: AdminClient) -> None:
    name = options.value("topic") or ""
    partitions = options.integer("partitions")
    factor = options.integer("replication-factor")
    assignment = _assignment(options)
    configs = _configs(options)
    if "." in name or "_" in name:
        print(
            "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore"
            " ('_') could collide. To avoid issues it is best to use either, but not both."
        )
    if factor is not None and not 1 <= factor <= _MAX_REPLICATION_FACTOR:
        raise ToolError(
            f"The replication factor must be between 1 and {_MAX_REPLICATION_FACTOR} inclusive"
        )
    if partitions is not None and partitions < 1:
        raise ToolError("The partitions must be greater than 0")
    try:
        create_topic(
            client,
            name,
            partitions=partitions,
            replication_factor=factor,
            assignment=assignment,
            configs=configs,
        )
    except AdminError as error:
        if error.code == ErrorCode.TOPIC_ALREADY_EXISTS and options.has("if-not-exists"):
            return
        raise
    print(f"Created topic {name}.")


def _alter(options: Options, client: AdminClient) -> None:
    count = options.integer("partitions")
    assert count is not None, "--alter requires --partitions"
    assignment = _assignment(options)
    names = _existing(options, client)
    if not names:
        return
    # The assignment lists every partition; only the new ones may be sent.
    described = describe_topics(client, names, _DEFAULT_PARTITION_LIMIT) if assignment else []
    present = {topic.name: len(topic.partitions) for topic in described}
    counts = {name: (count, assignment[present.get(name, 0) :]) for name in names}
    add_partitions(client, counts)


def _delete(options: Options, client: AdminClient) -> None:
    names = _existing(options, client)
    if names:
        delete_topics(client, names)


def _describe(options: Options, client: AdminClient) -> None:
    topics = _described(options, client)
    resources = [Resource(ResourceType.TOPIC, topic.name) for topic in topics]
    configs = describe_configs(client, resources) if resources else {}
    report = TopicReport(options, broker_ids(client))
    moving = _moving(client, topics)
    for topic, resource in zip(topics, resources, strict=True):
        entries = {entry.name: entry for entry in configs[resource]}
        first = moving.get(TopicPartition(topic.name, topic.partitions[0].partition))
        if report.shows_topic(list(entries.values())):
            print(topic_line(topic, entries, first))
        min_isr = int(entries["min.insync.replicas"].value or 1)
        for partition in topic.partitions:
            reassignment = moving.get(TopicPartition(topic.name, partition.partition))
            if report.shows_partition(partition, min_isr, reassignment):
                print(partition_line(topic.name, partition, reassignment))


def _moving(
    client: AdminClient, topics: list[TopicDescription]
) -> Mapping[TopicPartition, Reassignment]:
    moving = list_reassignments(client, topics) if topics else {}
    if moving is None:
        print(
            "reassignments unknown: no active controller has answered within "
            f"{REASSIGNMENTS_TIMEOUT_S:g} s",
            file=sys.stderr,
        )
        return {}
    return moving


def _described(options: Options, client: AdminClient) -> list[TopicDescription]:
    topic_id = _topic_id(options)
    if topic_id is not None:
        known = [
            topic
            for topic in list_topics(client)
            if not (options.has("exclude-internal") and topic.is_internal)
        ]
        if any(topic.topic_id == topic_id for topic in known):
            return [describe_topic_by_id(client, topic_id)]
        if options.has("if-exists"):
            return []
        raise ToolError(f"TopicId '{topic_id}' does not exist as expected")
    limit = options.integer("partition-size-limit-per-response")
    names = _existing(options, client)
    if not names:
        return []
    described = describe_topics(client, names, _DEFAULT_PARTITION_LIMIT if limit is None else limit)
    by_name = {topic.name: topic for topic in described}
    return [by_name[name] for name in hash_map_order(names, expected=len(names))]


def _topic_id(options: Options) -> Uuid | None:
    text = options.value("topic-id")
    if text is None:
        return None
    try:
        topic_id = Uuid.parse(text)
    except ValueError as error:
        raise ToolError(str(error)) from None
    return None if topic_id == ZERO_UUID else topic_id


def _existing(options: Options, client: AdminClient) -> list[str]:
    """Return the topics that `--topic` names; with `--if-exists` there may be none.

    Raises:
        ToolError: no topic has such a name.
    """
    names = _names(options, client)
    wanted = options.value("topic")
    if wanted and not names and not options.has("if-exists"):
        raise ToolError(f"Topic '{wanted}' does not exist as expected")
    return names


def _names(options: Options, client: AdminClient) -> list[str]:
    pattern = _pattern(options.value("topic"))
    without_internal = options.has("exclude-internal")
    return [
        topic.name
        for topic in list_topics(client)
        if not (without_internal and topic.is_internal)
        and (pattern is None or pattern.fullmatch(topic.name))
    ]


def _pattern(text: str | None) -> re.Pattern[str] | None:
    """Return the pattern of `--topic`: a regular expression, or several separated by commas."""
    if text is None:
        return None
    expression = text.strip().replace(",", "|").replace(" ", "").strip("\"'")
    try:
        return re.compile(expression)
    except re.error:
        raise ToolError(f"{expression} is an invalid regex.") from None


def _configs(options: Options) -> dict[str, str]:
    configs: dict[str, str] = {}
    for text in options.values("config"):
        key, separator, value = text.partition("=")
        if not separator or not value.strip() or "=" in value.rstrip("="):
            raise ToolError(
                "requirement failed: Invalid topic config: "
                'all configs to be added must be in the format "key=val".'
            )
        configs[key.strip()] = value.rstrip("=").strip()
    return configs


def _assignment(options: Options) -> Sequence[Sequence[int]]:
    text = options.value("replica-assignment")
    if not text:
        return []
    assignment: list[list[int]] = []
    for index, part in enumerate(text.rstrip(",").split(",")):
        brokers = [_broker_id(word) for word in part.rstrip(":").split(":")]
        repeated = [broker for broker in dict.fromkeys(brokers) if brokers.count(broker) > 1]
        if repeated:
            raise ToolError(
                "Partition replica lists may not contain duplicate entries: "
                + ",".join(map(str, repeated))
            )
        if assignment and len(brokers) != len(assignment[0]):
            raise ToolError(f"Partition {index} has different replication factor: {brokers}")
        assignment.append(brokers)
    return assignment


def _broker_id(word: str) -> int:
    try:
        return whole_number(word.strip())
    except ValueError as error:
        if is_whole_number(word.strip()):
            raise ToolError(f"--replica-assignment: {error}") from None
        raise ToolError(f'For input string: "{word.strip()}"') from None


_ACTIONS = {
    "list": _list,
    "describe": _describe,
    "create": _create,
    "alter": _alter,
    "delete": _delete,
}
