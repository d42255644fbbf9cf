"""Numbers and lists as Java reads and writes them."""

import re

import pytest

from minikafka.config.java_text import double, double_text, integer, items, trim


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"), (0.5, "0.5"), (0.001, "0.001"), (0.0001, "1.0E-4"), (1e7, "1.0E7"),
        (9999999.0, "9999999.0"), (-0.0, "-0.0"), (1.25e-9, "1.25E-9"), (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)  # fmt: skip
def test_text_of_a_double(value, text):
    assert double_text(value) == text


@pytest.mark.parametrize("text", ["0.5", ".5", "5e-1", "0.5f", "0.5D", "0x1p-1", "+0.5"])
def test_double(text):
    assert double(text) == 0.5


@pytest.mark.parametrize("text", ["nan", "inf", "1_0", "0x1", "1e", "."])
def test_no_double(text):
    with pytest.raises(ValueError, match=re.escape(text)):
        double(text)


def test_integer_has_a_size():
    assert integer("+077", 32) == 77
    assert integer("-32768", 16) == -32768
    with pytest.raises(ValueError, match="32768"):
        integer("32768", 16)


def test_items_keep_empty_ones():
    assert items("a , b,,") == ("a", "b", "", "")
    assert items("") == ()


def test_trim_leaves_other_spaces():
    assert trim("\t x\u00a0\n") == "x\u00a0"
