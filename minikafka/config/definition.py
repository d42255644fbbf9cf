"""Typed configuration keys, and the errors for bad values.

A key is defined once, with its type, default, allowed values and update mode. Lookups go through
the key (`config[REPLICA_LAG_TIME_MAX_MS]`), so that a type checker knows the type of every value.
DescribeConfigs, the documentation tables and the validators use the same definitions.

Source of names, types, defaults and ranges: `KafkaConfig`, `LogConfig`, `GroupConfig`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import Generic, TypeVar

from minikafka.config import java_text

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ConfigType(IntEnum):
    """The type of a value, with the number that DescribeConfigs sends (`ConfigDef.Type`)."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigSource(IntEnum):
    """The source of a value (`DescribeConfigsResponse.ConfigSource`)."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8


class Update(Enum):
    """The scope in which a running broker's value may be changed (`DynamicBrokerConfig`)."""

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"
    CLUSTER_WIDE = "cluster-wide"


class ConfigError(ValueError):
    """A configuration that cannot be used; `str()` names key, value and the allowed values."""


class ValueNotAllowedError(ConfigError):
    """A parsed value, `value`, that is none of the allowed ones."""

    def __init__(self, message: str, value: object) -> None:
        """Store the value with the message."""
        super().__init__(message)
        self.value = value


@dataclass(frozen=True, slots=True)
class Valid:
    """A check of a parsed value, and a description of the allowed values."""

    allowed: str
    accepts: Callable[[object], bool]
    keeps_empty: bool = False
    """True if empty items of a list are checked, too; otherwise they are dropped before."""
    drops_repeats: bool = False


def at_least(low: int) -> Valid:
    """Allow numbers of at least `low`."""
    return Valid(f"at least {low}", lambda value: isinstance(value, (int, float)) and value >= low)


def between(low: float, high: float) -> Valid:
    """Allow numbers from `low` to `high`, both inclusive."""
    return Valid(
        f"between {low} and {high}",
        # As Kafka (`ConfigDef.Range`): NaN is not below the lowest number.
        lambda value: isinstance(value, (int, float)) and not (value < low or value > high),
    )


def one_of(*names: str) -> Valid:
    """Allow one of these words, or a list of them."""
    return Valid(
        "one of " + ", ".join(names),
        lambda value: all(
            item in names for item in (value if isinstance(value, tuple) else (value,))
        ),
        keeps_empty=True,
    )


def subset_of(*names: str) -> Valid:
    """Allow a list of these words; repeated ones count once."""
    return replace(one_of(*names), drops_repeats=True)


def not_empty(valid: Valid) -> Valid:
    """Allow what `valid` allows, but not an empty list."""
    return replace(
        valid,
        allowed=f"at least {valid.allowed}",
        accepts=lambda value: bool(value) and valid.accepts(value),
    )


def throttled_replicas() -> Valid:
    """Allow a list of partition:broker, or * for all replicas (`ThrottledReplicaListValidator`)."""
    return Valid(
        "* or a list of partition:broker",
        lambda value: (
            value == ("*",) or (isinstance(value, tuple) and all(map(_is_replica, value)))
        ),
        keeps_empty=True,
    )


def _is_replica(item: str) -> bool:
    partition, _, broker = item.partition(":")
    return not item or (item.isascii() and partition.isdigit() and broker.isdigit())


def either(first: Valid, second: Valid) -> Valid:
    """Allow a value that passes one of two checks."""
    return Valid(
        f"{first.allowed}, or {second.allowed}",
        lambda value: first.accepts(value) or second.accepts(value),
    )


REQUIRED = object()
"""The default of a key that must be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key(Generic[T_co]):
    """One configuration key.

    `default` is the parsed default (`REQUIRED` if there is none). `synonyms` are the broker keys
    that give a topic key its default, in the order of precedence, each with the factor that
    converts the broker's unit to the topic's. `ignored` marks a key of Kafka that has no effect
    here. `spellings` are other ways to write a value, in lower case, each with the canonical one.
    """

    name: str
    type: ConfigType
    default: object
    valid: Valid | None = None
    update: Update = Update.READ_ONLY
    doc: str = ""
    ignored: bool = False
    internal: bool = False
    nullable: bool = False
    synonyms: tuple[tuple[str, int], ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def required(self) -> bool:
        """True if a value must be given."""
        return self.default is REQUIRED

    @property
    def sensitive(self) -> bool:
        """True if the value must never be shown."""
        return self.type in (ConfigType.PASSWORD, ConfigType.UNKNOWN)

    @property
    def allowed(self) -> str:
        """A description of the allowed values."""
        kind = _KIND_WORDS[self.type]
        return f"{kind}, {self.valid.allowed}" if self.valid else kind

    def spelling(self, text: str) -> str:
        """Return `text` in its canonical spelling, if the key has one for it."""
        return self.spellings.get(text.strip().lower(), text) if self.spellings else text

    def parse(self, text: str) -> T_co:
        """Parse and check `text`.

        Raises:
            ValueNotAllowedError: the value has the type, but is not allowed.
            ConfigError: the text is no value of the type.
        """
        try:
            value = _PARSERS[self.type](java_text.trim(self.spelling(text)))
        except ValueError:
            raise ConfigError(self.refusal(text)) from None
        valid = self.valid
        if isinstance(value, tuple) and not (valid is not None and valid.keeps_empty):
            value = tuple(filter(None, value))
        if valid is not None and not valid.accepts(value):
            raise ValueNotAllowedError(self.refusal(text), value)
        if isinstance(value, tuple) and valid is not None and valid.drops_repeats:
            value = tuple(dict.fromkeys(value))
        return value  # type: ignore[return-value]

    def parse_stored(self, text: str | None) -> T_co | None:
        """Parse a value from the metadata log; None if there is none, or it cannot be parsed.

        Another program may have written the log.
        """
        if text is None:
            return None
        try:
            return self.parse(text)
        except ConfigError:
            return None

    def shown(self, text: str) -> str:
        """Return `text` as DescribeConfigs shows it: the text of the parsed value.

        As Kafka. A value that cannot be parsed, from a log that another program wrote, is shown as
        it is.
        """
        try:
            value = self.parse(text)
        except ConfigError:
            return text
        found = self.text(value)
        return text if found is None else found

    def refusal(self, text: str) -> str:
        """The error for a text that cannot be used: key, value and allowed values."""
        shown = "[hidden]" if self.sensitive else repr(text)
        return f"{self.name}: invalid value {shown}; allowed: {self.allowed}"

    def text(self, value: object) -> str | None:
        """Return `value` as DescribeConfigs shows it; None for no value."""
        if value is None or value is REQUIRED:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, tuple):
            return ",".join(value)
        return java_text.double_text(value) if isinstance(value, float) else str(value)


_KIND_WORDS = {
    ConfigType.UNKNOWN: "text",
    ConfigType.BOOLEAN: "true or false",
    ConfigType.STRING: "text",
    ConfigType.INT: "a 32-bit integer",
    ConfigType.SHORT: "a 16-bit integer",
    ConfigType.LONG: "a 64-bit integer",
    ConfigType.DOUBLE: "a number",
    ConfigType.LIST: "a comma-separated list",
    ConfigType.CLASS: "a class name",
    ConfigType.PASSWORD: "text",
}


def _parse_bool(text: str) -> bool:
    lowered = text.lower()
    if lowered not in ("true", "false"):
        raise ValueError(text)
    return lowered == "true"


def _integer(bits: int) -> Callable[[str], object]:
    return lambda text: java_text.integer(text, bits)


def parse_list(text: str) -> tuple[str, ...]:
    """The items of a comma-separated list, stripped; no items for empty text."""
    return tuple(item for item in (part.strip() for part in text.split(",")) if item)


_PARSERS: dict[ConfigType, Callable[[str], object]] = {
    ConfigType.BOOLEAN: _parse_bool,
    ConfigType.STRING: str,
    ConfigType.UNKNOWN: str,
    ConfigType.INT: _integer(32),
    ConfigType.SHORT: _integer(16),
    ConfigType.LONG: _integer(64),
    ConfigType.DOUBLE: java_text.double,
    ConfigType.LIST: java_text.items,
    ConfigType.CLASS: str,
    ConfigType.PASSWORD: str,
}


class KeyTable:
    """The keys of one scope, by name; each name must be unique."""

    def __init__(self, scope: str, keys: Iterable[Key[object]]) -> None:
        """Index `keys`; listings have the same order."""
        self.scope = scope
        self._by_name: dict[str, Key[object]] = {}
        self._places: dict[str, int] = {}
        for key in keys:
            assert key.name not in self._by_name, f"{key.name} is defined twice"
            self._places[key.name] = len(self._by_name)
            self._by_name[key.name] = key

    def __iter__(self) -> Iterator[Key[object]]:
        return iter(self._by_name.values())

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def get(self, name: str) -> Key[object] | None:
        """The key of this name, or None."""
        return self._by_name.get(name)

    def named(self, names: Collection[str]) -> list[Key[object]]:
        """The keys of these names that exist, in the order of listings."""
        found = [name for name in names if name in self._by_name]
        return [self._by_name[name] for name in sorted(found, key=self._places.__getitem__)]

    def unknown(self, name: str) -> ConfigError:
        """The error for an unknown name, with the most similar keys."""
        return ConfigError(f"{name}: unknown {self.scope} configuration{self.nearest(name)}")

    def nearest(self, name: str) -> str:
        """The end of an error text that asks if a similar key was meant; may be empty."""
        import difflib  # noqa: PLC0415 - only errors need it, start-up does not

        near = difflib.get_close_matches(name, self._by_name, n=2, cutoff=0.75)
        return f"; did you mean {' or '.join(near)}?" if near else ""
