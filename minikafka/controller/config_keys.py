"""Validation of the configuration values that a resource may get, by the key tables.

Source: `ControllerConfigurationValidator`, `DynamicBrokerConfig`.
"""

from minikafka.common.errors import InvalidConfigError, InvalidRequestError
from minikafka.config.broker import UNCLEAN_RECOVERY_MANAGER_ENABLED, UNCLEAN_RECOVERY_TIMEOUT_MS
from minikafka.config.client_metrics import (
    CLIENT_METRICS_KEYS,
    INTERVAL_MS,
    MATCH,
    MAX_INTERVAL_MS,
    MIN_INTERVAL_MS,
    bad_match,
)
from minikafka.config.definition import (
    ConfigError,
    ConfigType,
    Key,
    KeyTable,
    Update,
    at_least,
)
from minikafka.config.group import GROUP_KEYS, check_group_value
from minikafka.config.sasl_keys import SASL_KEYS, sasl_key
from minikafka.config.ssl_keys import RELOADED_KEYS
from minikafka.config.topic import TOPIC_KEYS
from minikafka.config.values import broker_keys, check_topic_values, listener_key
from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_CLIENT_METRICS,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
)

# These exist only as dynamic configuration; no properties file may name them (`QuotaConfig`).
DYNAMIC_ONLY = KeyTable(
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

# A node reads these at its start only. Unlike Kafka (row K5), which stores them: a password that
# is removed without effect would still open the door.
_OF_LOGINS = frozenset(key.name for key in SASL_KEYS)
# Controllers decide by these, so each of them must see the same value.
_OF_THE_CLUSTER = (UNCLEAN_RECOVERY_MANAGER_ENABLED.name, UNCLEAN_RECOVERY_TIMEOUT_MS.name)


def find_key(resource_type: int, name: str) -> Key[object] | None:
    """Return the key of this name for a resource type, or None if the type has no such key."""
    if resource_type == RESOURCE_TOPIC:
        return TOPIC_KEYS.get(name)
    if resource_type == RESOURCE_GROUP:
        return GROUP_KEYS.get(name)
    if resource_type == RESOURCE_CLIENT_METRICS:
        return CLIENT_METRICS_KEYS.get(name)
    assert resource_type == RESOURCE_BROKER
    return broker_keys().get(name) or DYNAMIC_ONLY.get(name)


def check_value(resource_type: int, resource_name: str, name: str, value: str) -> None:
    """Check that a key of a resource may be set to a value.

    As Kafka, brokers accept unknown keys (of plug-ins), and errors of their keys are
    INVALID_REQUEST (`ConfigAdminManager.validateBrokerConfigChange`).

    Raises:
        InvalidConfigError: the key of a topic or group does not exist, or does not accept the
            value; a value of a subscription is malformed.
        InvalidRequestError: the key of a broker is read-only, cannot be set at this level (one
            broker or all brokers), or does not accept the value; the key of a subscription does
            not exist, or its interval is out of range.
    """
    if resource_type == RESOURCE_TOPIC:
        error = check_topic_values([(name, value)])
        if error is not None:
            raise InvalidConfigError(error)
    elif resource_type == RESOURCE_BROKER:
        _check_broker_value(resource_name, name, value)
    elif resource_type == RESOURCE_CLIENT_METRICS:
        _check_subscription(name, value)
    else:
        error = check_group_value(name, value)
        if error is not None:
            raise InvalidConfigError(error)


def _check_broker_value(resource_name: str, name: str, value: str) -> None:
    if sasl_key(name) in _OF_LOGINS:
        raise InvalidRequestError(f"Cannot update these configs dynamically: [{name}]")
    key = find_key(RESOURCE_BROKER, name) or broker_keys().get(listener_key(name))
    if key is None:
        return
    is_of_listener = key.name != name
    if key.update is Update.READ_ONLY:
        raise InvalidRequestError(f"Cannot update these configs dynamically: [{name}]")
    if key.name in RELOADED_KEYS and not is_of_listener:
        raise InvalidRequestError(
            "These security configs can be dynamically updated only per-listener using the "
            f"listener prefix: [{name}]"
        )
    if not resource_name and _is_of_one_broker(key):
        raise InvalidRequestError(
            f"Cannot update these configs at default cluster level, broker id must be specified: "
            f"[{name}]"
        )
    if resource_name and name in _OF_THE_CLUSTER:
        raise InvalidRequestError(f"{name}: can only be set for the cluster, not for one broker")
    try:
        key.parse(value)
    except ConfigError:
        shown = "[hidden]" if key.sensitive else value
        raise InvalidRequestError(
            f"Invalid value {shown} for configuration {name}: allowed: {key.allowed}"
        ) from None


def _check_subscription(name: str, value: str) -> None:
    """As Kafka, with its texts (`ClientMetricsConfigs.validateProperties`)."""
    key = CLIENT_METRICS_KEYS.get(name)
    if key is None:
        raise InvalidRequestError(f"Unknown client metrics configuration: {name}")
    try:
        parsed = key.parse(value)
    except ConfigError:
        raise InvalidConfigError(
            f"Invalid value {value} for configuration {name}: Not a number of type INT"
            if key.type is ConfigType.INT
            else f"Configuration '{name}' values must not be empty."
        ) from None
    if key is INTERVAL_MS:
        assert isinstance(parsed, int)
        if not MIN_INTERVAL_MS <= parsed <= MAX_INTERVAL_MS:
            raise InvalidRequestError(
                f"Invalid value {value} for {name}, interval must be between {MIN_INTERVAL_MS} "
                f"and {MAX_INTERVAL_MS} (1 hour)"
            )
    item = bad_match(value) if key is MATCH else None
    if item is not None:
        raise InvalidConfigError(f"Illegal client matching pattern: {item}")


def _is_of_one_broker(key: Key[object]) -> bool:
    return key.update is Update.PER_BROKER and key.name not in DYNAMIC_ONLY
