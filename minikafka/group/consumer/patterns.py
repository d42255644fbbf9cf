"""Subscriptions by pattern: which topics match.

Patterns have the syntax of RE2, whose matching takes linear time; a pattern matches whole names.
The library is imported when the first pattern comes.

Source: `TopicRegexResolver`, `Utils.throwIfRegularExpressionIsInvalid`; KIP-848.
"""

import logging
from collections.abc import Callable, Generator, Iterable
from typing import Any, Final

from minikafka.common.errors import InvalidRegularExpressionError

_log = logging.getLogger("minikafka.group")
_MAX_BYTES: Final = 1 << 20
"""The memory of one compiled pattern; larger ones are refused."""
_NAME_US: Final = 0.5
_NAMES_AT_A_TIME: Final = 20
_COMPILE_US: Final = 200
_WORDS: Final = (
    ("missing ]", "missing closing ]"),
    ("missing )", "missing closing )"),
    ("no argument for repetition operator", "missing argument to repetition operator"),
    ("bad repetition operator", "invalid nested repetition operator"),
    ("invalid repetition size", "invalid repeat count"),
    ("invalid escape sequence", "invalid escape sequence"),
    ("invalid character class range", "invalid character class range"),
    ("invalid named capture group", "invalid named capture"),
    ("duplicate capture group name", "duplicate capture group name"),
    ("invalid perl operator", "invalid or unsupported Perl syntax"),
    ("trailing \\", "trailing backslash at end of expression"),
)
"""What the library says about a wrong pattern, and what Kafka's says."""


def require_valid(pattern: str) -> None:
    """Check a pattern.

    Raises:
        InvalidRegularExpressionError: it is not valid, or patterns are not available.
    """
    fault = fault_of(pattern)
    if fault is not None:
        raise InvalidRegularExpressionError(
            f"SubscribedTopicRegex `{pattern}` is not a valid regular expression: {fault}."
        )


def fault_of(pattern: str) -> str | None:
    """Return what is wrong with a pattern; None if it is valid.

    Raises:
        InvalidRegularExpressionError: patterns are not available.
    """
    compiled = _compile(pattern)
    return compiled if isinstance(compiled, str) else None


def matching(
    patterns: Iterable[str], names: Iterable[str]
) -> Generator[float, None, dict[str, frozenset[str]]]:
    """Return the names that match each pattern; yield the cost of each piece of work.

    A pattern that another broker accepted and that is not valid here matches nothing.
    """
    known = list(names)
    found: dict[str, frozenset[str]] = {}
    for pattern in patterns:
        try:
            match = _compile(pattern)
        except InvalidRegularExpressionError as error:
            match = str(error)
        if isinstance(match, str):
            _log.warning("the pattern %r matches no topic: %s", pattern, match)
            found[pattern] = frozenset()
            continue
        yield _COMPILE_US
        topics = []
        for count, name in enumerate(known):
            if match(name):
                topics.append(name)
            if not count % _NAMES_AT_A_TIME:
                yield _NAMES_AT_A_TIME * _NAME_US
        found[pattern] = frozenset(topics)
    return found


def _compile(pattern: str) -> Callable[[str], Any] | str:
    """Return the function that matches names, or what is wrong with the pattern."""
    try:
        import re2  # noqa: PLC0415 - an extra, which most brokers do not need
    except ImportError:
        raise InvalidRegularExpressionError(
            f"SubscribedTopicRegex `{pattern}` cannot be used: this broker has no library for "
            "patterns (pip install 'minikafka[patterns]')."
        ) from None
    options = re2.Options()
    options.max_mem = _MAX_BYTES
    options.log_errors = False
    try:
        match: Callable[[str], Any] = re2.compile(pattern, options).fullmatch
    except re2.error as error:
        return _fault(error.args[0])
    return match


def _fault(said: bytes | str) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    for ours, theirs in _WORDS:
        if text.startswith(ours):
            return theirs
    return text
