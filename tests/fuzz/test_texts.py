"""The fuzzer of texts: it finds planted faults, and none in the parsers of logins."""

import time

import pytest

from tests.fuzz.text_targets import TARGETS, Target
from tests.fuzz.texts import Found, Outcome, fuzz

INPUTS = 3_000


@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.name)
def test_odd_texts_end_in_documented_errors(target):
    outcome = fuzz(target, INPUTS, 1)
    assert isinstance(outcome, Outcome), outcome
    assert outcome.accepted > 0


def planted(parse, errors=(ValueError,)):
    return Target("planted", parse, errors, (b"key=value",), (b"=", b"\xff"))


def test_an_error_that_is_not_documented_is_found():
    def parse(data):
        if b"==" in data:
            raise KeyError("two")

    found = fuzz(planted(parse), INPUTS, 1)
    assert isinstance(found, Found)
    assert b"==" in found.text
    assert found.what == "KeyError('two')"


def test_an_error_without_words_is_found():
    def parse(data):
        if len(data) > 20:
            raise ValueError

    assert fuzz(planted(parse), INPUTS, 1).what == "its error says nothing"


def test_a_slow_input_and_a_refused_one_are_found():
    def slow(data):
        if data.count(b"\xff") > 3:
            end_s = time.process_time() + 0.3
            while time.process_time() < end_s:
                pass

    def refusing(_):
        raise ValueError("no")

    assert "it took" in fuzz(planted(slow), INPUTS, 1).what
    assert "it refuses what it must accept" in fuzz(planted(refusing), INPUTS, 1).what
