"""The configuration that holds for one consumer group: its own, else the broker's.

Source: `GroupConfigManager`, `GroupConfig`.
"""

from typing import Final, NamedTuple

from minikafka.config import consumer_group_keys as broker_keys
from minikafka.config.definition import Key
from minikafka.config.group import (
    CONSUMER_ASSIGNMENT_INTERVAL_MS,
    CONSUMER_HEARTBEAT_INTERVAL_MS,
    CONSUMER_SESSION_TIMEOUT_MS,
)
from minikafka.config.values import Config
from minikafka.metadata.image import RESOURCE_GROUP, MetadataImage


class GroupSettings(NamedTuple):
    """Values of one group."""

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int


class _Setting(NamedTuple):
    """A key of groups, the broker's key for all groups, and the bounds that the broker sets."""

    of_group: Key[int]
    of_broker: Key[int]
    least: Key[int]
    most: Key[int]


_SETTINGS: Final = (
    _Setting(
        CONSUMER_SESSION_TIMEOUT_MS,
        broker_keys.SESSION_TIMEOUT_MS,
        broker_keys.MIN_SESSION_TIMEOUT_MS,
        broker_keys.MAX_SESSION_TIMEOUT_MS,
    ),
    _Setting(
        CONSUMER_HEARTBEAT_INTERVAL_MS,
        broker_keys.HEARTBEAT_INTERVAL_MS,
        broker_keys.MIN_HEARTBEAT_INTERVAL_MS,
        broker_keys.MAX_HEARTBEAT_INTERVAL_MS,
    ),
    _Setting(
        CONSUMER_ASSIGNMENT_INTERVAL_MS,
        broker_keys.ASSIGNMENT_INTERVAL_MS,
        broker_keys.MIN_ASSIGNMENT_INTERVAL_MS,
        broker_keys.MAX_ASSIGNMENT_INTERVAL_MS,
    ),
)


def settings_of(group_id: str, config: Config, image: MetadataImage) -> GroupSettings:
    """Return the values of a group."""
    own = image.config(RESOURCE_GROUP, group_id)
    found = []
    for setting in _SETTINGS:
        text = own.get(setting.of_group.name)
        if text is None:
            found.append(config[setting.of_broker])
        else:
            least, most = config[setting.least], config[setting.most]
            found.append(max(least, min(most, int(text))))
    return GroupSettings(*found)
