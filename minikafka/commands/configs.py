"""Describe and alter configurations of topics, brokers, groups and users.

Source: `ConfigCommand`.
"""

import re
import sys
from collections.abc import Mapping

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.configs import (
    ConfigEntry,
    Resource,
    ResourceType,
    alter_configs,
    broker_ids,
    configured_names,
    describe_configs,
)
from minikafka.admin.groups import list_all_groups
from minikafka.admin.topics import list_topics
from minikafka.commands.config_entities import (
    BROKERS,
    GROUPS,
    TOPICS,
    USERS,
    Entity,
    checked_entity,
)
from minikafka.commands.connection import read_properties
from minikafka.commands.java_order import hash_map_order
from minikafka.commands.options import Options, ToolError
from minikafka.commands.scram_users import alter_user, check_changes, describe_users
from minikafka.common.errors import ErrorCode
from minikafka.config.definition import ConfigSource

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


def run(options: Options, client: AdminClient) -> None:
    """Do the one action of the options, and print its result.

    Raises:
        ToolError: options conflict.
        AdminError: the cluster does not answer, or rejects the request.
    """
    entity = checked_entity(options)
    if options.has("alter"):
        _alter(entity, options, client)
    else:
        _describe(entity, options, client)


def print_error(message: str) -> None:
    """Print an error of `run` on standard error."""
    print(f"Error while executing config command: {message}", file=sys.stderr)


def _alter(entity: Entity, options: Options, client: AdminClient) -> None:
    add, delete = parse_changes(options)
    assert entity.name is not None, "checked before"
    if entity.type == USERS:
        alter_user(client, entity.name, add, delete)
        return
    try:
        alter_configs(client, Resource(_TYPES[entity.type], entity.name), add, delete)
    except AdminError as error:
        if entity.type == TOPICS and error.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise ToolError(f"topic {entity.name} does not exist") from None
        raise
    kind = entity.type.removesuffix("s")
    if entity.name:
        print(f"Completed updating config for {kind} {entity.name}.")
    else:
        print(f"Completed updating default config for {entity.type} in the cluster.")


def _describe(entity: Entity, options: Options, client: AdminClient) -> None:
    if entity.type == USERS:
        describe_users(client, entity.name)
        return
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
    groups = sorted(it.group_id for it in list_all_groups(client))
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


def check_alteration(entity: Entity, options: Options) -> None:
    """Check the values to set and the names to remove, before the cluster is asked.

    Raises:
        ToolError: they cannot be used.
    """
    add, delete = parse_changes(options)
    if entity.type == USERS:
        check_changes(entity.name or "", add, delete)


def parse_changes(options: Options) -> tuple[Mapping[str, str], list[str]]:
    """Return the values to set and the names to remove.

    Raises:
        ToolError: the values are not in the form key=val, or their file cannot be read.
    """
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
