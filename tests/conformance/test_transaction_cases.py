"""The transaction coordinator answers what Apache Kafka 4.3.1 answers, in every version and state.

The leaders of the partitions are the test's; everything else is the real one. See
record_transaction_cases.py for where the answers come from.
"""

import json
from pathlib import Path

import pytest

from minikafka.common.errors import ErrorCode
from tests.conformance.transaction_cases import (
    PENDING,
    STATES,
    cases,
    play,
    play_others,
    play_pending,
    text_of,
)
from tests.worlds.transaction_api import Asked
from tests.worlds.transaction_world import TransactionWorld

RECORDED = json.loads((Path(__file__).parent / "data" / "transaction_cases.json").read_text())
UNSUPPORTED_PATTERNS = ("(?i)LIST-A", "\\p{L}+-a", "list-a\\b", "[[:alpha:]]+-a")
"""Patterns of row G9 in docs/compatibility.md."""


RECORDED_PENDING = json.loads(
    (Path(__file__).parent / "data" / "pending_transactions.json").read_text()
)


def as_json(value):
    return json.loads(json.dumps(value))


@pytest.fixture
def ask():
    world = TransactionWorld()
    # So that a transaction is older than 0 ms when it is listed.
    return Asked(world, each_takes_ms=1)


@pytest.mark.parametrize("state", STATES)
def test_answers_and_states_are_kafka_s(ask, state):
    different = {}
    for number, case in enumerate(cases()):
        key = text_of(case)
        if case.state == state:
            answers = as_json(play(ask, case, f"case {number}"))
            if answers != RECORDED[key]:
                different[key] = (RECORDED[key], answers)
    assert different == {}


def test_other_answers_are_kafka_s(ask):
    answers = as_json(play_others(ask))
    different = {
        key: (RECORDED[key], answer)
        for key, answer in answers.items()
        if answer != RECORDED[key] and not key.endswith(UNSUPPORTED_PATTERNS)
    }
    assert different == {}


def test_unsupported_patterns_are_an_error(ask):
    codes = [
        answer[0] for key, answer in play_others(ask).items() if key.endswith(UNSUPPORTED_PATTERNS)
    ]
    assert set(codes) == {ErrorCode.INVALID_REGULAR_EXPRESSION}


def test_every_recorded_answer_is_compared(ask):
    assert set(RECORDED) == {text_of(case) for case in cases()} | set(play_others(ask))


@pytest.mark.parametrize("name", PENDING)
def test_answers_while_a_transaction_ends_are_kafka_s(name):
    world = TransactionWorld()

    def no_leader():
        world.leaders = dict.fromkeys(world.leaders, -1)
        world.change_image()

    answers = as_json(play_pending(Asked(world, writes_markers=False), name, no_leader))
    assert answers == RECORDED_PENDING[name]
