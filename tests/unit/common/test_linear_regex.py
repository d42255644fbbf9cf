"""Patterns of clients match what `re` matches, in linear time."""

import re
from random import Random

import pytest

from minikafka.common.linear_regex import BadPatternError, LinearRegex


def pattern(rng, depth=0):
    """A random pattern that means the same in `re`."""
    kind = rng.randrange(9)
    if depth > 3 or kind < 3:
        return rng.choice(["a", "b", ".", "[ab]", "[^a]", r"\d", "a-", "[a-c]", r"\x61", r"\."])
    inner = pattern(rng, depth + 1)
    return (
        f"({inner}|{pattern(rng, depth + 1)})",
        f"(?:{inner}){rng.choice('*+?')}",
        f"({inner}){{{rng.randrange(2)},{1 + rng.randrange(3)}}}",
        f"^{inner}",
        f"{inner}$",
        f"{inner}{pattern(rng, depth + 1)}",
    )[kind - 3]


@pytest.mark.parametrize("seed", range(20))
def test_random_patterns_match_as_in_re(seed):
    rng = Random(seed)
    for _ in range(100):
        text = pattern(rng)
        ours, theirs = LinearRegex(text), re.compile(text)
        for _ in range(8):
            sample = "".join(rng.choice("abc1-.") for _ in range(rng.randrange(6)))
            assert ours.matches(sample) == bool(theirs.fullmatch(sample)), (text, sample)


@pytest.mark.parametrize(
    ("text", "matching", "other"),
    [
        ("", "", "a"),
        (r"\Qa.b\E+", "a.ba.b", "axb"),
        (r"\Aab\z", "ab", "b"),
        (r"a{2,}", "aaa", "a"),
        (r"a{2}", "aa", "aaa"),
        (r"a{x}", "a{x}", "a"),
        (r"[\w.-]+", "a_b-c.1", "a b"),
        (r"[]a]", "]", "b"),
        (r"[^\s\d]", "x", "1"),
        (r"\t\n", "\t\n", "tn"),
        (r"\x{1F600}", "\N{GRINNING FACE}", "x"),
        (r"(?P<name>a)(?<other>b)", "ab", "a"),
        (r"a+?b??", "aab", "b"),
        (".", "\N{GRINNING FACE}", "\n"),
    ],
)
def test_syntax_of_re2(text, matching, other):
    assert LinearRegex(text).matches(matching)
    assert not LinearRegex(text).matches(other)


@pytest.mark.parametrize(
    "text",
    [
        "(", ")", "a)", "[", "[a", "[z-a]", "*", "+a", "a**", "a{3,2}", "a{1001}", "\\", r"\p{L}",
        r"\1", r"\xg1", r"\x{110000}", r"\x{}", "(?i)a", "[[:alpha:]]", "(?P<n", r"[\d-a]a[",
        "(a{100}){100}", "(" * 60 + ")" * 60,
    ],
)  # fmt: skip
def test_invalid_and_unsupported_patterns_are_refused(text):
    with pytest.raises(BadPatternError):
        LinearRegex(text)


def test_a_pattern_that_is_exponential_in_re_is_linear_here():
    assert not LinearRegex("(a*)*" * 10 + "b").matches("a" * 3_000)
