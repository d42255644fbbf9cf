"""JAAS texts, and errors that do not show a password."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.config.jaas import JaasError, parse_jaas

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def test_options_of_a_module():
    module = parse_jaas(
        f'{_PLAIN} required\n  username="admin" // the broker itself\n'
        "  password='a\\'b c' user_alice=wonder;"
    )
    assert module.name == _PLAIN
    assert module.short_name == "PlainLoginModule"
    assert module.options == {"username": "admin", "password": "a'b c", "user_alice": "wonder"}
    assert "wonder" not in repr(module)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has 0 login modules"),
        ("m required; n required;", "has 2 login modules"),
        ("m", "control flag"),
        ("m needed;", "control flag"),
        ("m required", "semicolon"),
        ('m required password="s3cret"', "semicolon"),
        ("m required password;", "no value"),
        ("m required password=;", "missing"),
        ("m required password=12s3cret;", "quotes"),
        ('m required password="s3cret;', "quotes"),
        ('m required a="s3cret" =;', "after option a"),
        ("; m required;", "expected the name"),
        ('m required a=b password="x"s3cret";', "the option after option password has no value"),
        ("m required password=x;s3cret;", "a value with a semicolon needs quotes"),
    ],
)
def test_errors_name_what_is_wrong_and_no_value(text, reason):
    with pytest.raises(JaasError, match=reason) as caught:
        parse_jaas(text)
    assert "s3cret" not in str(caught.value)


@given(st.text(alphabet="ab \"'\\=;/*\n1é", max_size=60))
def test_any_text_is_parsed_or_refused(text):
    with contextlib.suppress(JaasError):
        parse_jaas(text)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.text(max_size=20)))
def test_quoted_values_are_kept(options):
    def quoted(value):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r") + '"'

    text = " ".join(["m required", *(f"{key}={quoted(it)}" for key, it in options.items())]) + ";"
    assert parse_jaas(text).options == options
