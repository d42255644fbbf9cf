"""The configuration that holds for one consumer group: its own, else the broker's.

Source: `GroupConfigManager`, `GroupConfig`.
"""

from typing import NamedTuple

from minikafka.config.consumer_group_keys import ASSIGNOR_CLASSES, ASSIGNORS
from minikafka.config.group import (
    ASSIGNMENT_INTERVAL,
    HEARTBEAT_INTERVAL,
    SESSION_TIMEOUT,
    group_value,
)
from minikafka.config.values import Config
from minikafka.metadata.image import RESOURCE_GROUP, MetadataImage


class GroupSettings(NamedTuple):
    """Values of one group."""

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int


def assignor_names(config: Config) -> tuple[str, ...]:
    """Return the names of the configured assignors; the first one is the default."""
    names = (ASSIGNOR_CLASSES.get(each, each) for each in config[ASSIGNORS])
    return tuple(dict.fromkeys(names))


def settings_of(group_id: str, config: Config, image: MetadataImage) -> GroupSettings:
    """Return the values of a group."""
    own = image.config(RESOURCE_GROUP, group_id)
    return GroupSettings(
        group_value(SESSION_TIMEOUT, config, own),
        group_value(HEARTBEAT_INTERVAL, config, own),
        group_value(ASSIGNMENT_INTERVAL, config, own),
    )
