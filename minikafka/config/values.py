"""Configuration values: those that a node was started with, and the effective ones of a topic.

Lookup order of a topic key (`ConfigHelper`, `LogConfig`): the value that is set for the topic, the
broker's dynamic value, the cluster's dynamic default, the properties file, the default of the
broker key, the default of the topic key. The first of several broker synonyms with a value wins.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

from minikafka.config import absent_features, broker, java_text
from minikafka.config.authorizer_keys import AUTHORIZER_KEYS
from minikafka.config.broker import BROKER_KEYS
from minikafka.config.cleaner_keys import CLEANER_KEYS
from minikafka.config.consumer_group_keys import CONSUMER_GROUP_KEYS
from minikafka.config.definition import REQUIRED, ConfigError, ConfigSource, Key, KeyTable
from minikafka.config.delegation_token_keys import DELEGATION_TOKEN_KEYS
from minikafka.config.ignored import ignored_keys
from minikafka.config.log_keys import LOG_KEYS
from minikafka.config.sasl_keys import SASL_KEYS, sasl_key
from minikafka.config.topic import MAX_COMPACTION_LAG_MS, MIN_COMPACTION_LAG_MS, TOPIC_KEYS
from minikafka.config.transaction_keys import TRANSACTION_KEYS
from minikafka.config.unknown_keys import judge

T = TypeVar("T")

_BROKER_KEYS = (
    *BROKER_KEYS,
    *LOG_KEYS,
    *CLEANER_KEYS,
    *CONSUMER_GROUP_KEYS,
    *TRANSACTION_KEYS,
    *AUTHORIZER_KEYS,
    *SASL_KEYS,
    *DELEGATION_TOKEN_KEYS,
)
_USED_KEYS = KeyTable("broker", _BROKER_KEYS)


@cache
def broker_keys() -> KeyTable:
    """All broker keys of Kafka, and those that only this project has."""
    # A node without TLS does not need its keys at the start.
    from minikafka.config.ssl_keys import (  # noqa: PLC0415
        SSL_KEYS,
    )

    return KeyTable("broker", (*_BROKER_KEYS, *SSL_KEYS, *ignored_keys()))


class Config:
    """A set of broker configuration values, looked up by key.

    The values must have been checked before, so that a lookup cannot fail.
    """

    __slots__ = ("_parsed", "given")

    def __init__(self, given: Mapping[str, str]) -> None:
        """Take checked text values by key name."""
        self.given = dict(given)
        self._parsed: dict[str, object] = {}

    def __getitem__(self, key: Key[T]) -> T:
        parsed = self._parsed
        value: Any = parsed.get(key.name, parsed)
        if value is parsed:
            text = self.given.get(key.name)
            value = key.default if text is None else key.parse(text)
            if value is REQUIRED:
                raise ConfigError(f"{key.name}: is required and has no default")
            parsed[key.name] = value
        found: T = value
        return found

    def __contains__(self, key: Key[object]) -> bool:
        return key.name in self.given


class Checked(NamedTuple):
    """The result of a check of values: sentences, except `ignored`, which has names of keys."""

    errors: list[str]
    ignored: list[str]
    warnings: list[str]


_LISTENER_KEY = re.compile(r"listener\.name\.[^.]+\.(max\.connection[a-z.]+|ssl\.[a-z.]+)")
_LISTENER_KEYS = frozenset((broker.MAX_CONNECTIONS.name, broker.MAX_CONNECTION_CREATION_RATE.name))


def listener_key(name: str) -> str:
    """Return the key that `listener.name.<listener>.<key>` gives for one listener, or the name."""
    found = _LISTENER_KEY.fullmatch(name)
    if not found:
        return name
    key = found[1]
    return key if key in _LISTENER_KEYS or key in broker_keys() else name


def check_broker_values(given: Mapping[str, str]) -> Checked:
    """Check all given values, so that an operator sees all errors at once."""
    errors: list[str] = []
    ignored: list[str] = []
    warnings: list[str] = []
    for name, text in given.items():
        own = sasl_key(listener_key(name))
        key = _USED_KEYS.get(own) or broker_keys().get(own)
        if key is None:
            judgement = judge(name, broker_keys())
            errors += filter(None, [judgement.error])
            if not absent_features.is_about_security(name):
                warnings += filter(None, [judgement.warning])
            continue
        if key.ignored:
            ignored.append(name)
        try:
            if text.strip() or not key.nullable:
                key.parse(text)
        except ConfigError as error:
            errors.append(name + str(error).removeprefix(key.name))
    errors += absent_features.refusals(given)
    warnings += absent_features.warnings(given)
    return Checked(errors, ignored, warnings)


ALTERNATIVES: Mapping[str, tuple[str, ...]] = {
    names[0]: names[1:]
    for names in (tuple(name for name, _ in key.synonyms) for key in TOPIC_KEYS)
    if len(names) > 1
}
"""Broker keys that have a value by other broker keys, in other units (`log.retention.hours`)."""


class ConfigOrigin(NamedTuple):
    """One place that has a value for a key: its name there, its text, its `ConfigSource`.

    `factor` converts the unit of that place to the unit of the requested key.
    """

    name: str
    text: str | None
    source: ConfigSource
    factor: int = 1

    @property
    def scaled(self) -> str | None:
        """The text in the unit of the requested key; as it is if it is not a number."""
        if self.text is None or self.factor == 1:
            return self.text
        try:
            return str(java_text.integer(java_text.trim(self.text), 64) * self.factor)
        except ValueError:
            return self.text


class ConfigLayers(NamedTuple):
    """The sources of broker values, highest precedence first."""

    dynamic_broker: Mapping[str, str]
    dynamic_default: Mapping[str, str]
    static: Mapping[str, str]

    def broker_origins(self, key: Key[object]) -> list[ConfigOrigin]:
        """All origins of a broker key's value, highest precedence first, the default last."""
        found = [
            ConfigOrigin(key.name, key.spelling(layer[key.name]), source)
            for layer, source in (
                (self.dynamic_broker, ConfigSource.DYNAMIC_BROKER_CONFIG),
                (self.dynamic_default, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
                (self.static, ConfigSource.STATIC_BROKER_CONFIG),
            )
            if key.name in layer
        ]
        if not key.required and key.default is not None:
            found.append(ConfigOrigin(key.name, key.text(key.default), ConfigSource.DEFAULT_CONFIG))
        return found

    def described_broker_origins(self, key: Key[object]) -> list[ConfigOrigin]:
        """The origins that DescribeConfigs lists for a broker key, highest precedence first.

        As Kafka: those of the alternatives, if the key itself has a value.
        """
        found = self.broker_origins(key)
        if found:
            for name in ALTERNATIVES.get(key.name, ()):
                other = _USED_KEYS.get(name)
                assert other is not None, name
                found += self.broker_origins(other)
            found.sort(key=lambda origin: origin.source)
        return found

    def described_origins(
        self, key: Key[object], own: Mapping[str, str], source: ConfigSource
    ) -> list[ConfigOrigin]:
        """The origins that DescribeConfigs lists for a topic's or a group's key, in precedence.

        `source` is the one of `own`, the values of the topic or group itself.
        """
        found = []
        if key.name in own:
            found.append(ConfigOrigin(key.name, key.shown(own[key.name]), source))
        if key.synonyms:
            broker_key = _USED_KEYS.get(key.synonyms[0][0])
            assert broker_key is not None, key.name
            found += self.described_broker_origins(broker_key)
        return found

    def topic_origins(self, key: Key[object], topic: Mapping[str, str]) -> list[ConfigOrigin]:
        """All origins of a topic key's value, highest precedence first; never empty."""
        found = []
        if key.name in topic:
            found.append(
                ConfigOrigin(
                    key.name, key.spelling(topic[key.name]), ConfigSource.DYNAMIC_TOPIC_CONFIG
                )
            )
        defaults: list[ConfigOrigin] = []
        for synonym, factor in key.synonyms:
            broker_key = _USED_KEYS.get(synonym)
            assert broker_key is not None, synonym
            for origin in self.broker_origins(broker_key):
                place = defaults if origin.source == ConfigSource.DEFAULT_CONFIG else found
                place.append(origin._replace(factor=factor))
        found.extend(defaults[:1] if defaults else ())
        if not found:
            found.append(ConfigOrigin(key.name, key.text(key.default), ConfigSource.DEFAULT_CONFIG))
        return found

    def topic_text(self, key: Key[object], topic: Mapping[str, str]) -> str | None:
        """The effective value of a topic key, as DescribeConfigs shows it."""
        text = self.topic_origins(key, topic)[0].scaled
        return None if text is None else key.shown(text)

    def topic_value(self, key: Key[T], topic: Mapping[str, str]) -> T:
        """The effective value of a topic key.

        Unlike Kafka (row O2), a value that cannot be parsed, from a log that another program
        wrote, has no effect.
        """
        for origin in self.topic_origins(cast("Key[object]", key), topic):
            value = key.parse_stored(origin.scaled)
            if value is not None:
                return value
        return cast(T, key.default)

    def broker_config(self) -> Config:
        """The effective broker values; one that cannot be parsed has no effect (row O2)."""
        dynamic = [*self.dynamic_default.items(), *self.dynamic_broker.items()]
        usable = {name: text for name, text in dynamic if _is_usable(name, text)}
        return Config({**self.static, **usable})


def used_broker_key(name: str) -> Key[object] | None:
    """Return the broker key of this name, or the one that it sets for a listener, if it is used."""
    return _USED_KEYS.get(listener_key(name))


def _is_usable(name: str, text: str) -> bool:
    key = used_broker_key(name)
    return key is None or key.parse_stored(text) is not None


def check_topic_conflicts(layers: ConfigLayers, topic: Mapping[str, str]) -> str | None:
    """Describe the first conflict between values of a topic (`LogConfig.validateValues`)."""
    low = layers.topic_value(MIN_COMPACTION_LAG_MS, topic)
    high = layers.topic_value(MAX_COMPACTION_LAG_MS, topic)
    if low <= high:
        return None
    return (
        f"conflict topic config setting {MIN_COMPACTION_LAG_MS.name} ({low}) > "
        f"{MAX_COMPACTION_LAG_MS.name} ({high})"
    )


def check_topic_values(given: Iterable[tuple[str, str | None]]) -> str | None:
    """Describe the first error in topic configuration values; None if there is none."""
    values = list(given)
    without = [name for name, text in values if text is None]
    if without:
        return f"Null value not supported for topic configs: {','.join(without)}"
    for name, text in values:
        assert text is not None
        key = TOPIC_KEYS.get(name)
        # As Kafka: clients and their tests depend on the start of these texts (`ConfigException`).
        if key is None:
            return f"Unknown topic config name: {name}{TOPIC_KEYS.nearest(name)}"
        try:
            key.parse(text)
        except ConfigError:
            return f"Invalid value {text} for configuration {name}: allowed: {key.allowed}"
    return None
