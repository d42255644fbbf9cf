"""The topic, broker, group or user that the options of `kafka-configs.py` name.

Entity types of Kafka that minikafka does not support are rejected with their name.
Source: `ConfigCommandOptions`.
"""

from typing import NamedTuple

from minikafka.commands.options import Options, ToolError, UsageError
from minikafka.common.whole_numbers import whole_number

TOPICS = "topics"
BROKERS = "brokers"
GROUPS = "groups"
USERS = "users"
# As Kafka prints them for an unknown entity type (`BrokerSupportedConfigTypes`).
_KNOWN = (TOPICS, "clients", USERS, BROKERS, "ips", "client-metrics", GROUPS, "broker-loggers")
_SERVED = (TOPICS, BROKERS, GROUPS, USERS)
_WITH_DEFAULT = (USERS, "clients", BROKERS, "ips")

_NAMED = {
    "topic": TOPICS,
    "client": "clients",
    "user": USERS,
    "broker": BROKERS,
    "broker-logger": "broker-loggers",
    "ip": "ips",
    "client-metrics": "client-metrics",
    "group": GROUPS,
}
_DEFAULTS = {
    "client-defaults": "clients",
    "user-defaults": USERS,
    "broker-defaults": BROKERS,
    "ip-defaults": "ips",
}


class Entity(NamedTuple):
    """An entity type and a name: empty for the default of all brokers, None if none is given."""

    type: str
    name: str | None


def checked_entity(options: Options) -> Entity:
    """Return the entity that the options name, after checking the other options.

    Raises:
        ToolError: if options conflict, or the entity type is not supported.
    """
    if options.has("describe") == options.has("alter"):
        raise UsageError("Command must include exactly one action: --describe, --alter")
    options.refuse("describe", ("add-config", "delete-config"))
    types = _types(options)
    _check_servers(options)
    _check_types(types)
    entity_type = types[0]
    names = _names(options)
    if entity_type in (BROKERS, "broker-loggers"):
        _check_broker_ids(entity_type, names)
    if options.has("describe"):
        _check_describe(options, entity_type)
    else:
        _check_alter(options, entity_type, names)
    if len(names) > 1:
        raise ToolError("An entity name must be specified for every entity type")
    if entity_type not in _SERVED or len(types) > 1:
        raise ToolError(
            f"Entity type {','.join(sorted(types))} is not served by this tool, only "
            f"{', '.join(_SERVED)}"
        )
    return Entity(entity_type, names[0] if names else None)


def _types(options: Options) -> list[str]:
    types = options.values("entity-type")
    types += [kind for alias, kind in {**_NAMED, **_DEFAULTS}.items() if options.has(alias)]
    repeated = [kind for kind in dict.fromkeys(types) if types.count(kind) > 1]
    if repeated:
        raise ToolError(f"Duplicate entity type(s) specified: {','.join(repeated)}")
    return types


def _check_servers(options: Options) -> None:
    if options.has("bootstrap-server") and options.has("bootstrap-controller"):
        raise ToolError("Only one of --bootstrap-server or --bootstrap-controller can be specified")
    if options.has("bootstrap-controller"):
        raise ToolError("--bootstrap-controller is not supported here: ask a broker")
    if not options.has("bootstrap-server"):
        raise ToolError("Either --bootstrap-server or --bootstrap-controller must be specified.")


def _check_types(types: list[str]) -> None:
    for kind in types:
        if kind not in _KNOWN:
            raise ToolError(
                f"Invalid entity type {kind}, the entity type must be one of {', '.join(_KNOWN)}"
                " with a --bootstrap-server or --bootstrap-controller argument"
            )
    if not types:
        raise ToolError("At least one entity type must be specified")
    if len(types) > 1 and sorted(types) != ["clients", "users"]:
        raise ToolError("Only 'users' and 'clients' entity types may be specified together")


def _names(options: Options) -> list[str]:
    names = options.values("entity-name")
    names += [""] if options.has("entity-default") else []
    for alias in _NAMED:
        value = options.value(alias)
        names += [] if value is None else [value]
    names += [""] * sum(options.has(alias) for alias in _DEFAULTS)
    return names


def _check_broker_ids(entity_type: str, names: list[str]) -> None:
    for name in names:
        # Kafka takes any number of 32 bits here; a broker id is not negative.
        if name and not _is_broker_id(name):
            raise ToolError(
                f"The entity name for {entity_type} must be a valid integer broker id, "
                f"but it is: {name}"
            )


def _is_broker_id(name: str) -> bool:
    try:
        return whole_number(name) >= 0
    except ValueError:
        return False


def _check_describe(options: Options, entity_type: str) -> None:
    if options.has("entity-default") and entity_type not in _WITH_DEFAULT:
        raise ToolError(f"--entity-default must not be specified with --describe of {entity_type}")


def _check_alter(options: Options, entity_type: str, names: list[str]) -> None:
    if entity_type in _WITH_DEFAULT:
        if not names:
            raise ToolError(
                "An entity-name or default entity must be specified with --alter of"
                " users, clients, brokers or ips"
            )
    elif not any(names):
        raise ToolError(f"An entity name must be specified with --alter of {entity_type}")
    if options.has("add-config") and options.has("add-config-file"):
        raise ToolError("Only one of --add-config or --add-config-file must be specified")
    if not any(map(options.has, ("add-config", "add-config-file", "delete-config"))):
        raise ToolError(
            "At least one of --add-config, --add-config-file, or --delete-config"
            " must be specified with --alter"
        )
