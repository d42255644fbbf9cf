"""Options and errors that Kafka's tools have in common."""

import argparse

import pytest

from minikafka.cli._numbers import number
from minikafka.cli._options import declare
from minikafka.commands.options import FAILED, Options, ToolError, UsageError


def parse(*words):
    parser = argparse.ArgumentParser()
    declare(parser, {"list": "flag"}, {"topic": ("NAME", "value"), "topic-id": ("ID", "value")})
    return Options(vars(parser.parse_args(words)))


def test_a_flag_and_a_value_are_there_or_not():
    options = parse("--list", "--topic", "a")
    assert (options.has("list"), options.has("topic"), options.has("topic-id")) == (
        True,
        True,
        False,
    )
    assert (options.value("topic"), options.value("topic-id")) == ("a", None)


def test_a_value_may_follow_an_equals_sign():
    assert parse("--topic=a").value("topic") == "a"


def test_a_repeated_option_has_no_single_value():
    options = parse("--topic", "a", "--topic", "b")
    assert options.values("topic") == ["a", "b"]
    with pytest.raises(ToolError, match="multiple arguments for option topic"):
        options.value("topic")


def test_a_number_that_is_none_is_named():
    assert parse("--topic", "7").integer("topic") == 7
    with pytest.raises(ToolError, match="Cannot parse argument 'x' of option topic"):
        parse("--topic", "x").integer("topic")


@pytest.mark.parametrize("text", ["1_0", " 1", "\u00b2", "", "1.0"])
def test_only_ascii_digits_are_a_number(text):
    with pytest.raises(ToolError, match=f"^Cannot parse argument '{text}' of option topic$"):
        parse("--topic", text).integer("topic")


def test_a_number_out_of_range_is_named_with_the_range():
    assert parse("--topic=-2147483648").integer("topic") == -(2**31)
    expected = "option topic: '2147483648' is not a whole number from -2147483648 to 2147483647"
    with pytest.raises(ToolError, match=expected):
        parse("--topic", "2147483648").integer("topic")


@pytest.mark.parametrize("text", ["-1", "6", "1_0", "\u00b2", "", "9" * 5000])
def test_an_option_names_the_range_of_its_number(capsys, text):
    parser = argparse.ArgumentParser()
    parser.add_argument("--id", type=number(0, 5))
    assert parser.parse_args(["--id", "5"]).id == 5
    with pytest.raises(SystemExit):
        parser.parse_args([f"--id={text}"])
    said = capsys.readouterr().err
    assert "argument --id: " in said
    assert "is not a whole number from 0 to 5" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--bogus"], "bogus is not a recognized option"),
        (["--top", "a"], "top is not a recognized option"),
        (["--topic"], "Option topic requires an argument"),
    ],
)
def test_wrong_syntax_ends_with_the_message_on_standard_error(capsys, words, message):
    with pytest.raises(SystemExit) as ended:
        parse(*words)
    assert ended.value.code == FAILED
    output = capsys.readouterr()
    assert output.err.splitlines()[0] == message
    assert output.out == ""


def test_clashing_options_are_both_named():
    options = parse("--list", "--topic", "a")
    with pytest.raises(UsageError) as error:
        options.refuse("topic", ["list"])
    assert str(error.value) == 'Option "[topic]" can\'t be used with option "[list]"'
    options.refuse("topic-id", ["list"])


def test_a_missing_option_is_named():
    with pytest.raises(UsageError, match=r'"\[topic-id\]"'):
        parse("--list").require("topic-id")
