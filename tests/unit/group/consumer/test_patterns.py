"""Patterns match whole names, in linear time."""

import builtins
import time

import pytest

from minikafka.common.errors import InvalidRegularExpressionError
from minikafka.group.consumer.patterns import matching, require_valid

NAMES = ["orders", "orders-eu", "xorders", "a" * 249]


def found(*patterns):
    computing = matching(patterns, NAMES)
    try:
        while True:
            next(computing)
    except StopIteration as end:
        return end.value


@pytest.mark.parametrize(
    ("pattern", "topics"),
    [
        ("orders", {"orders"}),
        ("orders.*", {"orders", "orders-eu"}),
        (".*", set(NAMES)),
        ("(?i)ORDERS", {"orders"}),
        ("^$", set()),
    ],
)
def test_a_pattern_matches_whole_names(pattern, topics):
    assert found(pattern) == {pattern: topics}


# Apache Kafka 4.3.1 says the same.
@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("a[", "missing closing ]"),
        ("(", "missing closing )"),
        ("*a", "missing argument to repetition operator"),
        ("a{1001}", "invalid repeat count"),
        ("\\8", "invalid escape sequence"),
        ("[z-a]", "invalid character class range"),
        ("a**", "invalid nested repetition operator"),
        ("(?z)", "invalid or unsupported Perl syntax"),
        ("\\", "trailing backslash at end of expression"),
    ],
)
def test_a_wrong_pattern_is_refused_with_its_reason(pattern, why):
    with pytest.raises(InvalidRegularExpressionError) as refused:
        require_valid(pattern)
    assert refused.value.message == (
        f"SubscribedTopicRegex `{pattern}` is not a valid regular expression: {why}."
    )


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|a)*c", "(" * 200 + "a" + ")*" * 200])
def test_no_pattern_explodes(pattern):
    begun_s = time.process_time()
    found(pattern)
    # Each of them takes a backtracking matcher longer than the age of the universe.
    assert time.process_time() - begun_s < 5


def test_a_pattern_that_is_not_valid_here_matches_nothing():
    assert found("a[", "orders") == {"a[": frozenset(), "orders": {"orders"}}


def test_a_broker_without_the_library_says_so(monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name == "re2":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InvalidRegularExpressionError, match=r"pip install 'minikafka\[patterns\]'"):
        require_valid("a")
