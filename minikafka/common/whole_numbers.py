"""Whole numbers that are given as text: only ASCII digits, and only in a range.

Python's `int` also reads underscores, spaces and the digits of other scripts, which Kafka's tools
and nodes do not; and it fails on texts of more than 4300 digits.
"""

import re

INT16_MAX = 2**15 - 1
INT32_MIN = -(2**31)
INT32_MAX = 2**31 - 1
INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_MAX_DIGITS = 40


def is_whole_number(text: str) -> bool:
    """True if the text is a whole number, of any size."""
    return _WHOLE_NUMBER.fullmatch(text) is not None


def whole_number(text: str, low: int = 0, high: int = INT32_MAX) -> int:
    """Return the number that the text is.

    Raises:
        ValueError: it is none, or not between `low` and `high`; the message says so.
    """
    if is_whole_number(text) and len(text) <= _MAX_DIGITS and low <= int(text) <= high:
        return int(text)
    shown = text if len(text) <= _MAX_DIGITS else f"{text[:_MAX_DIGITS]}..."
    raise ValueError(f"{shown!r} is not a whole number from {low} to {high}")
