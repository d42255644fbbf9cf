"""Keys refuse what is not allowed, and say so with name, value and range."""

import pytest

from minikafka.config.definition import (
    ConfigError,
    ConfigType,
    Key,
    KeyTable,
    at_least,
    between,
    one_of,
)

COUNT: Key[int] = Key(name="some.count", type=ConfigType.INT, default=3, valid=at_least(1))
RATIO: Key[float] = Key(name="some.ratio", type=ConfigType.DOUBLE, default=0.5, valid=between(0, 1))
FLAG: Key[bool] = Key(name="some.flag", type=ConfigType.BOOLEAN, default=False)
POLICY: Key[tuple[str, ...]] = Key(
    name="some.policy", type=ConfigType.LIST, default=("a",), valid=one_of("a", "b")
)
SECRET: Key[str] = Key(name="some.secret", type=ConfigType.PASSWORD, default=None)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        (COUNT, "7", 7),
        (COUNT, " +7 ", 7),
        (RATIO, "0.25", 0.25),
        (FLAG, "TRUE", True),
        (FLAG, "false", False),
        (POLICY, "a, b", ("a", "b")),
        (POLICY, "", ()),
    ],
)
def test_values_are_parsed_by_their_type(key, text, value):
    assert key.parse(text) == value


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (COUNT, "0"),
        (COUNT, "seven"),
        (COUNT, "1.5"),
        (COUNT, "2147483648"),
        (COUNT, ""),
        (COUNT, "1_000"),
        (RATIO, "1.01"),
        (FLAG, "yes"),
        (POLICY, "a,c"),
    ],
)
def test_refused_value_is_named_with_what_is_allowed(key, text):
    with pytest.raises(ConfigError) as caught:
        key.parse(text)
    assert key.name in str(caught.value)
    assert repr(text) in str(caught.value)
    assert key.allowed in str(caught.value)


def test_a_secret_is_not_shown_when_it_is_refused():
    assert "hunter2" not in str(SECRET.refusal("hunter2"))


def test_values_are_shown_as_kafka_shows_them():
    assert FLAG.text(value=True) == "true"
    assert POLICY.text(("a", "b")) == "a,b"
    assert COUNT.text(None) is None


def test_unknown_name_is_refused_with_the_nearest_known_one():
    table = KeyTable("broker", (COUNT, RATIO))
    assert "did you mean some.count?" in str(table.unknown("some.cuont"))
    assert "did you mean" not in str(table.unknown("entirely.different.words"))


def test_a_name_stands_in_a_table_once():
    with pytest.raises(AssertionError, match="some.count"):
        KeyTable("broker", (COUNT, COUNT))
