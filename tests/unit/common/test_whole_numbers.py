"""Whole numbers as options and files have them."""

import pytest

from minikafka.common.whole_numbers import INT64_MAX, INT64_MIN, is_whole_number, whole_number


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("007", 7), ("+1", 1), ("2147483647", 2**31 - 1)]
)
def test_a_number_of_the_range_is_read(text, number):
    assert whole_number(text) == number


def test_the_range_includes_both_ends():
    assert whole_number(str(INT64_MIN), INT64_MIN, INT64_MAX) == INT64_MIN
    assert whole_number(str(INT64_MAX), INT64_MIN, INT64_MAX) == INT64_MAX


@pytest.mark.parametrize(
    "text",
    ["", "-", "x", "1_0", " 1", "1 ", "1\n", "\u00b2", "\u0661", "1.0", "-1", "2147483648"],
)
def test_other_texts_are_refused_with_the_range(text):
    with pytest.raises(ValueError, match="is not a whole number from 0 to 2147483647"):
        whole_number(text)


def test_a_text_that_python_does_not_convert_is_refused_and_shown_in_part():
    with pytest.raises(ValueError, match=r"^'9{40}\.\.\.' is not a whole number from 0 to 5$"):
        whole_number("9" * 10_000, 0, 5)
    assert is_whole_number("9" * 10_000)
