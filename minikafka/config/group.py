"""Configuration keys of groups, and the bounds that the broker sets for their values.

Source: `GroupConfig`, `GroupConfigManager`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from minikafka.config import consumer_group_keys as broker_keys
from minikafka.config.definition import (
    ConfigError,
    ConfigType,
    Key,
    KeyTable,
    Update,
    ValueNotAllowedError,
    at_least,
)
from minikafka.config.values import Config


class GroupSetting(NamedTuple):
    """A key of groups, the broker's key for all groups, and the bounds that the broker sets."""

    of_group: Key[int]
    of_broker: Key[int]
    least: Key[int]
    most: Key[int]


def _of_group(of_broker: Key[int], least: int) -> Key[int]:
    return Key(
        name=of_broker.name.removeprefix("group."),
        type=ConfigType.INT,
        default=of_broker.default,
        valid=at_least(least),
        update=Update.CLUSTER_WIDE,
        synonyms=((of_broker.name, 1),),
        doc=of_broker.doc,
    )


SESSION_TIMEOUT: Final = GroupSetting(
    _of_group(broker_keys.SESSION_TIMEOUT_MS, 1),
    broker_keys.SESSION_TIMEOUT_MS,
    broker_keys.MIN_SESSION_TIMEOUT_MS,
    broker_keys.MAX_SESSION_TIMEOUT_MS,
)
HEARTBEAT_INTERVAL: Final = GroupSetting(
    _of_group(broker_keys.HEARTBEAT_INTERVAL_MS, 1),
    broker_keys.HEARTBEAT_INTERVAL_MS,
    broker_keys.MIN_HEARTBEAT_INTERVAL_MS,
    broker_keys.MAX_HEARTBEAT_INTERVAL_MS,
)
ASSIGNMENT_INTERVAL: Final = GroupSetting(
    _of_group(broker_keys.ASSIGNMENT_INTERVAL_MS, 0),
    broker_keys.ASSIGNMENT_INTERVAL_MS,
    broker_keys.MIN_ASSIGNMENT_INTERVAL_MS,
    broker_keys.MAX_ASSIGNMENT_INTERVAL_MS,
)
_SETTINGS: Final = (SESSION_TIMEOUT, HEARTBEAT_INTERVAL, ASSIGNMENT_INTERVAL)

GROUP_KEYS = KeyTable("group", [setting.of_group for setting in _SETTINGS])


def check_group_value(name: str, text: str) -> str | None:
    """Describe the error in a value of a group by itself, in Kafka's words; None if it has none."""
    key = GROUP_KEYS.get(name)
    if key is None:
        return f"Unknown group config name: {name}{GROUP_KEYS.nearest(name)}"
    try:
        key.parse(text)
    except ValueNotAllowedError as error:
        assert key.valid is not None, name
        bound = f"Value must be {key.valid.allowed}"
        return f"Invalid value {error.value} for configuration {name}: {bound}"
    except ConfigError:
        return f"Invalid value {text} for configuration {name}: Not a number of type INT"
    return None


def check_group_bounds(config: Config, values: Mapping[str, str]) -> str | None:
    """Describe the first value of a group that the broker's bounds do not allow."""
    for setting in _SETTINGS:
        value = setting.of_group.parse_stored(values.get(setting.of_group.name))
        if value is None:
            continue
        if value < config[setting.least]:
            bound = f"greater than or equal to {setting.least.name}"
        elif value > config[setting.most]:
            bound = f"less than or equal to {setting.most.name}"
        else:
            continue
        return f"{setting.of_group.name} must be {bound}"
    return None


def group_value(setting: GroupSetting, config: Config, own: Mapping[str, str]) -> int:
    """Return the value that holds for a group: its own within the bounds, else the broker's.

    A stored value that cannot be parsed, from a log that another program wrote, has no effect.
    """
    value = setting.of_group.parse_stored(own.get(setting.of_group.name))
    if value is None:
        return config[setting.of_broker]
    return max(config[setting.least], min(config[setting.most], value))
