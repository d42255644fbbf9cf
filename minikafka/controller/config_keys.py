"""Validation of the configuration values that a resource may get, by the key tables.

Source: `ControllerConfigurationValidator`, `DynamicBrokerConfig`.
"""

from collections.abc import Mapping

from minikafka.common.errors import InvalidConfigError
from minikafka.config.broker import UNCLEAN_RECOVERY_MANAGER_ENABLED, UNCLEAN_RECOVERY_TIMEOUT_MS
from minikafka.config.definition import (
    ConfigError,
    ConfigType,
    Key,
    KeyTable,
    Update,
    at_least,
)
from minikafka.config.group import GROUP_KEYS
from minikafka.config.topic import TOPIC_KEYS
from minikafka.config.values import broker_keys
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_GROUP, RESOURCE_TOPIC

# These exist only as dynamic configuration; no properties file may name them (`QuotaConfig`).
_DYNAMIC_ONLY = KeyTable(
    "broker",
    [
        Key(
            name=name,
            type=ConfigType.LONG,
            default=(1 << 63) - 1,
            valid=at_least(0),
            update=Update.PER_BROKER,
            ignored=True,
        )
        for name in (
            "leader.replication.throttled.rate",
            "follower.replication.throttled.rate",
            "replica.alter.log.dirs.io.max.bytes.per.second",
        )
    ],
)

# Controllers decide by these, so each of them must see the same value.
_OF_THE_CLUSTER = (UNCLEAN_RECOVERY_MANAGER_ENABLED.name, UNCLEAN_RECOVERY_TIMEOUT_MS.name)


def find_key(resource_type: int, name: str) -> Key[object] | None:
    """Return the key of this name for a resource type, or None if the type has no such key."""
    if resource_type == RESOURCE_TOPIC:
        return TOPIC_KEYS.get(name)
    if resource_type == RESOURCE_GROUP:
        return GROUP_KEYS.get(name)
    assert resource_type == RESOURCE_BROKER
    return broker_keys().get(name) or _DYNAMIC_ONLY.get(name)


def unknown_key(resource_type: int, name: str) -> InvalidConfigError:
    """Return the error for a name that is not a key of this resource type."""
    tables: Mapping[int, KeyTable] = {RESOURCE_TOPIC: TOPIC_KEYS, RESOURCE_GROUP: GROUP_KEYS}
    table = tables.get(resource_type) or broker_keys()
    return InvalidConfigError(str(table.unknown(name)))


def check_value(resource_type: int, resource_name: str, name: str, value: str) -> None:
    """Check that a key of a resource may be set to a value.

    Raises:
        InvalidConfigError: the key does not exist, is read-only, cannot be set at this level
            (one broker or all brokers), or does not accept the value.
    """
    key = find_key(resource_type, name)
    if key is None:
        raise unknown_key(resource_type, name)
    if key.update is Update.READ_ONLY:
        raise InvalidConfigError(f"{name}: can only be set in a broker's properties file")
    if resource_type == RESOURCE_BROKER and not resource_name and _is_of_one_broker(key):
        raise InvalidConfigError(f"{name}: can only be set for one broker, not as a default")
    if resource_type == RESOURCE_BROKER and resource_name and name in _OF_THE_CLUSTER:
        raise InvalidConfigError(f"{name}: can only be set for the cluster, not for one broker")
    try:
        key.parse(value)
    except ConfigError as error:
        raise InvalidConfigError(str(error)) from None


def _is_of_one_broker(key: Key[object]) -> bool:
    return key.update is Update.PER_BROKER and key.name not in _DYNAMIC_ONLY
