"""Properties files are read as Java reads them."""

import pytest

from minikafka.config.definition import ConfigError
from minikafka.config.properties import parse_properties


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("a=1\nb = 2\n", {"a": "1", "b": "2"}),
        ("a:1", {"a": "1"}),
        ("a 1", {"a": "1"}),
        ("a = b = c", {"a": "b = c"}),
        ("# a=1\n! b=2\n\n   \nc=3", {"c": "3"}),
        ("a=1,\\\n   2", {"a": "1,2"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("a\\=b=c", {"a=b": "c"}),
        ("a=x\\ty\\u0041", {"a": "x\tyA"}),
        ("a=", {"a": ""}),
        ("a", {"a": ""}),
        ("a=1\na=2", {"a": "2"}),
        ("a=1\\", {"a": "1"}),
        ("a=1\r\nb=2\r\n", {"a": "1", "b": "2"}),
        ("\ufeffa=1", {"a": "1"}),
    ],
)
def test_entries(text, entries):
    assert parse_properties(text, "server.properties") == entries


def test_broken_escape_is_named_with_file_and_line():
    with pytest.raises(ConfigError, match=r"server.properties, line 2: .*\\u"):
        parse_properties("a=1\nb=\\u12", "server.properties")


def test_value_without_key_is_refused():
    with pytest.raises(ConfigError, match="line 1: a value without a key"):
        parse_properties("=1", "server.properties")
