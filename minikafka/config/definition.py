"""Typed configuration keys: one row a key, and the errors that name what was wrong.

A key is written once, with its type, default, allowed values and how it may be changed. Lookups go
through the key (`config[REPLICA_LAG_TIME_MAX_MS]`), so that a type checker knows the type of every
value. DescribeConfigs, the documentation tables and the validators read the same rows.

Source of names, types, defaults and ranges: `KafkaConfig`, `LogConfig`, `GroupConfig`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Generic, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ConfigType(IntEnum):
    """The type of a value, with the number that DescribeConfigs sends (`ConfigDef.Type`)."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class Update(Enum):
    """Who may change a value while a broker runs (`DynamicBrokerConfig` update modes)."""

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"
    CLUSTER_WIDE = "cluster-wide"


class ConfigError(ValueError):
    """A configuration that cannot be used; `str()` names key, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Valid:
    """A test of a parsed value, and the words that describe what passes it."""

    allowed: str
    accepts: Callable[[object], bool]


def at_least(low: int) -> Valid:
    """Numbers from `low` on."""
    return Valid(f"at least {low}", lambda value: isinstance(value, (int, float)) and value >= low)


def between(low: float, high: float) -> Valid:
    """Numbers from `low` to `high`, both included."""
    return Valid(
        f"between {low} and {high}",
        lambda value: isinstance(value, (int, float)) and low <= value <= high,
    )


def one_of(*names: str) -> Valid:
    """One of these words; of a list, each of its items."""
    return Valid(
        "one of " + ", ".join(names),
        lambda value: all(
            item in names for item in (value if isinstance(value, tuple) else (value,))
        ),
    )


def non_empty() -> Valid:
    """Text or a list with something in it."""
    return Valid("not empty", bool)


def either(first: Valid, second: Valid) -> Valid:
    """What one of two tests passes."""
    return Valid(
        f"{first.allowed}, or {second.allowed}",
        lambda value: first.accepts(value) or second.accepts(value),
    )


REQUIRED = object()
"""The default of a key that must be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key(Generic[T_co]):
    """One configuration key.

    `default` is the parsed default (`REQUIRED` where there is none). `synonyms` names the broker
    keys that give a topic key its default, first match first, each with the factor that turns the
    broker's unit into the topic's. `ignored` marks a key of Kafka that has no meaning here.
    `spellings` are other ways to write a value, in lower case, each with the one that is shown.
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
        """Whether a value must be given."""
        return self.default is REQUIRED

    @property
    def sensitive(self) -> bool:
        """Whether the value must never be shown."""
        return self.type is ConfigType.PASSWORD

    @property
    def allowed(self) -> str:
        """What a value may be, in words."""
        kind = _KIND_WORDS[self.type]
        return f"{kind}, {self.valid.allowed}" if self.valid else kind

    def spelling(self, text: str) -> str:
        """`text` as it is shown: in the key's own spelling, where it has one."""
        return self.spellings.get(text.strip().lower(), text) if self.spellings else text

    def parse(self, text: str) -> T_co:
        """The value that `text` stands for.

        Raises:
            ConfigError: naming the key, the text and what is allowed.
        """
        try:
            value = _PARSERS[self.type](self.spelling(text).strip())
        except ValueError:
            raise self.refusal(text) from None
        if self.valid is not None and not self.valid.accepts(value):
            raise self.refusal(text)
        return value  # type: ignore[return-value]

    def refusal(self, text: str) -> ConfigError:
        """The error for a value that is not allowed."""
        shown = "[hidden]" if self.sensitive else repr(text)
        return ConfigError(f"{self.name}: invalid value {shown}; allowed: {self.allowed}")

    def text(self, value: object) -> str | None:
        """How DescribeConfigs shows `value`; None for no value."""
        if value is None or value is REQUIRED:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, tuple):
            return ",".join(value)
        return str(value)


_KIND_WORDS = {
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
    limit = 1 << (bits - 1)

    def parse(text: str) -> int:
        digits = text[1:] if text[:1] in "+-" else text
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError(text)
        value = int(text)
        if not -limit <= value < limit:
            raise ValueError(text)
        return value

    return parse


def parse_list(text: str) -> tuple[str, ...]:
    """The items of a comma-separated list, stripped; no items for empty text."""
    return tuple(item for item in (part.strip() for part in text.split(",")) if item)


_PARSERS: dict[ConfigType, Callable[[str], object]] = {
    ConfigType.BOOLEAN: _parse_bool,
    ConfigType.STRING: str,
    ConfigType.INT: _integer(32),
    ConfigType.SHORT: _integer(16),
    ConfigType.LONG: _integer(64),
    ConfigType.DOUBLE: float,
    ConfigType.LIST: parse_list,
    ConfigType.CLASS: str,
    ConfigType.PASSWORD: str,
}


class KeyTable:
    """The keys of one scope, by name; refuses a name twice."""

    def __init__(self, scope: str, keys: Iterable[Key[object]]) -> None:
        """Index `keys`; their order is the order of every listing."""
        self.scope = scope
        self._by_name: dict[str, Key[object]] = {}
        for key in keys:
            assert key.name not in self._by_name, f"{key.name} is defined twice"
            self._by_name[key.name] = key

    def __iter__(self) -> Iterator[Key[object]]:
        return iter(self._by_name.values())

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def get(self, name: str) -> Key[object] | None:
        """The key of this name, or None."""
        return self._by_name.get(name)

    def unknown(self, name: str) -> ConfigError:
        """The error for a name that is no key, with the nearest names that are."""
        return ConfigError(f"{name}: unknown {self.scope} configuration{self.nearest(name)}")

    def nearest(self, name: str) -> str:
        """A question that names the keys most like `name`, to end an error with; may be empty."""
        import difflib  # noqa: PLC0415 - only a refusal needs it, start-up does not

        near = difflib.get_close_matches(name, self._by_name, n=2, cutoff=0.75)
        return f"; did you mean {' or '.join(near)}?" if near else ""
