"""`kafka-configs.py`: describe and alter configurations of topics, brokers and groups.

Options, output and exit status are those of Kafka's `ConfigCommand`.
"""

import argparse
import re
import sys
from collections.abc import Mapping

from minikafka.admin.client import AdminClient
from minikafka.admin.configs import (
    ConfigEntry,
    ConfigSource,
    Resource,
    ResourceType,
    alter_configs,
    broker_ids,
    configured_names,
    describe_configs,
    group_ids,
)
from minikafka.admin.topics import list_topics
from minikafka.cli._config_entities import BROKERS, GROUPS, TOPICS, Entity, checked_entity
from minikafka.cli._options import declare, run_tool
from minikafka.commands.connection import read_properties
from minikafka.commands.java_order import hash_map_order
from minikafka.commands.options import Options, ToolError

_FLAGS = {
    "describe": "show configurations",
    "alter": "change a configuration",
    "all": "with --describe: also what is not set dynamically",
    "entity-default": "the default of all brokers",
    "broker-defaults": "the default of all brokers",
    "user-defaults": "not served here",
    "client-defaults": "not served here",
    "ip-defaults": "not served here",
}
_VALUED = {
    "bootstrap-server": ("HOST:PORT,...", "servers to ask first"),
    "bootstrap-controller": ("HOST:PORT,...", "not supported here"),
    "command-config": ("FILE", "properties of the client"),
    "entity-type": ("TYPE", "topics, brokers or groups"),
    "entity-name": ("NAME", "a topic, a broker's id, or a group"),
    "topic": ("NAME", "the topic of this name"),
    "broker": ("ID", "the broker with this id"),
    "group": ("NAME", "the group of this name"),
    "client-metrics": ("NAME", "not served here"),
    "broker-logger": ("ID", "not served here"),
    "user": ("NAME", "not served here"),
    "client": ("NAME", "not served here"),
    "ip": ("ADDRESS", "not served here"),
    "add-config": ("K=V,K=[V,V],...", "values to set"),
    "add-config-file": ("FILE", "a properties file with values to set"),
    "delete-config": ("K,K,...", "names whose values to remove"),
}
_TYPES = {
    TOPICS: ResourceType.TOPIC,
    BROKERS: ResourceType.BROKER,
    GROUPS: ResourceType.GROUP,
}
_DYNAMIC = {
    TOPICS: ConfigSource.DYNAMIC_TOPIC_CONFIG,
    BROKERS: ConfigSource.DYNAMIC_BROKER_CONFIG,
    GROUPS: ConfigSource.DYNAMIC_GROUP_CONFIG,
}
# A comma or an equals sign outside of square brackets.
_OUTSIDE_BRACKETS = r"(?=[^\]]*(?:\[|$))"
_COMMA = re.compile("," + _OUTSIDE_BRACKETS)
_EQUALS = re.compile(r"\s*=\s*" + _OUTSIDE_BRACKETS)
_NO_BRACKETS = str.maketrans("", "", "[]")
_MAX_TOPIC_NAME = 249


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    declare(parser, _FLAGS, _VALUED)


def run(args: argparse.Namespace) -> int:
    """Do one action; return the exit status."""
    return run_tool(args, _check, _act, _failed)


def _failed(message: str) -> None:
    print(f"Error while executing config command: {message}", file=sys.stderr)


def _check(options: Options) -> None:
    entity = checked_entity(options)
    if entity.type == TOPICS and entity.name is not None:
        _check_topic_name(entity.name)
    if options.has("alter"):
        _changes(options)


def _act(options: Options, client: AdminClient) -> None:
    entity = checked_entity(options)
    if options.has("alter"):
        _alter(entity, options, client)
    else:
        _describe(entity, options, client)


def _alter(entity: Entity, options: Options, client: AdminClient) -> None:
    add, delete = _changes(options)
    assert entity.name is not None, "checked before"
    alter_configs(client, Resource(_TYPES[entity.type], entity.name), add, delete)
    kind = entity.type.removesuffix("s")
    if entity.name:
        print(f"Completed updating config for {kind} {entity.name}.")
    else:
        print(f"Completed updating default config for {entity.type} in the cluster.")


def _describe(entity: Entity, options: Options, client: AdminClient) -> None:
    known = _known(entity.type, client)
    if entity.name is not None and entity.name not in known:
        kind = entity.type.removesuffix("s")
        print(f"The {kind} '{entity.name}' doesn't exist and doesn't have dynamic config.")
        return
    for name in known if entity.name is None else [entity.name]:
        _print_entity(Entity(entity.type, name), options, client)


def _known(entity_type: str, client: AdminClient) -> list[str]:
    """Return all entities of a type in the order of Kafka's tool; brokers with their default."""
    if entity_type == TOPICS:
        return hash_map_order(topic.name for topic in list_topics(client))
    if entity_type == BROKERS:
        return [*map(str, broker_ids(client)), ""]
    groups = group_ids(client)
    return list(dict.fromkeys([*groups, *configured_names(client, ResourceType.GROUP)]))


def _print_entity(entity: Entity, options: Options, client: AdminClient) -> None:
    assert entity.name is not None, "an entity that is printed has a name, or the empty one"
    kind = entity.type.removesuffix("s")
    if not entity.name:
        print(f"Default configs for {entity.type} in the cluster are:")
    elif options.has("all"):
        print(f"All configs for {kind} {entity.name} are:")
    else:
        print(f"Dynamic configs for {kind} {entity.name} are:")
    resource = Resource(_TYPES[entity.type], entity.name)
    source = _DYNAMIC[entity.type] if entity.name else ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
    entries = describe_configs(client, [resource], synonyms=True)[resource]
    for entry in sorted(entries, key=lambda it: it.name):
        if entry.source is source or (options.has("all") and entity.name):
            print(_entry_line(entry))


def _entry_line(entry: ConfigEntry) -> str:
    synonyms = ", ".join(f"{it.source.name}:{it.name}={_shown(it.value)}" for it in entry.synonyms)
    sensitive = str(entry.is_sensitive).lower()
    return f"  {entry.name}={_shown(entry.value)} sensitive={sensitive} synonyms={{{synonyms}}}"


def _shown(value: str | None) -> str:
    return "null" if value is None else value


def _changes(options: Options) -> tuple[Mapping[str, str], list[str]]:
    """Return the values to set and the names to remove."""
    path = options.value("add-config-file")
    added = options.value("add-config")
    add = read_properties(path) if path is not None else {}
    if added is not None:
        add = _parse_values(added)
    removed = [name for text in options.values("delete-config") for name in text.split(",")]
    return add, [name.strip() for name in removed]


def _parse_values(text: str) -> dict[str, str]:
    pairs = [_EQUALS.split(part) for part in _COMMA.split(text)]
    if any(len(pair) != 2 for pair in pairs):
        raise ToolError(
            "requirement failed: Invalid entity config: all configs to be added must be in the"
            ' format "key=val" or  "key=[val1,val2]" to group values which contain commas.'
        )
    return {key.strip(): value.translate(_NO_BRACKETS).strip() for key, value in pairs}


def _check_topic_name(name: str) -> None:
    reason = None
    if not name:
        reason = "the empty string is not allowed"
    elif name in (".", ".."):
        reason = f"'{name}' is not allowed"
    elif len(name) > _MAX_TOPIC_NAME:
        reason = f"the length of '{name}' is longer than the max allowed length {_MAX_TOPIC_NAME}"
    elif not re.fullmatch(r"[a-zA-Z0-9._-]+", name):
        reason = (
            f"'{name}' contains one or more characters other than ASCII alphanumerics,"
            " '.', '_' and '-'"
        )
    if reason is not None:
        raise ToolError(f"Topic name is invalid: {reason}")
