"""Whole numbers as options of argparse."""

import argparse
from collections.abc import Callable

from minikafka.common.whole_numbers import INT32_MAX, INT64_MAX, INT64_MIN, whole_number


def number(low: int = 0, high: int = INT32_MAX) -> Callable[[str], int]:
    """Return a `type` for argparse: a whole number of this range."""

    def parse(text: str) -> int:
        try:
            return whole_number(text, low, high)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


whole = number(INT64_MIN, INT64_MAX)
"""A `type` for argparse: a whole number of 64 bits."""
