"""S2: what read_committed and read_uncommitted show, side by side."""

import json

import pytest

from minikafka.harness.verdict.isolation import compare
from minikafka.harness.verdict.relations import LEDGER_SCHEMA, OBSERVED_SCHEMA

STATUS = {0: "acked", 1: "failed", 2: "unknown", 3: "acked"}


@pytest.fixture
def compared(engine):
    """Records by number, which is their offset (or as pairs of both), in both reads."""

    def rows(numbers):
        pairs = [it if isinstance(it, tuple) else (it, it) for it in numbers]
        return [(0, offset, 0, 1, seq, 100 + seq, 9, 0) for offset, seq in pairs]

    def run(committed, uncommitted, *, transactions=False):
        ledger = [
            (1, seq, 0, 100 + seq, 9, 0, status, None, None, None, "all", True, None)
            for seq, status in STATUS.items()
        ]
        engine.values("ledger", ledger, LEDGER_SCHEMA)
        engine.values("reread", rows(committed), OBSERVED_SCHEMA)
        engine.values("uncommitted", rows(uncommitted), OBSERVED_SCHEMA)
        found = compare(engine, transactions=transactions)
        findings = sorted((row["seq"], row["detail"]) for row in engine.rows(found.findings))
        return [(seq, json.loads(detail)["only_in"]) for seq, detail in findings], found.counts

    return run


def test_without_transactions_both_reads_must_be_the_same(compared):
    found, counts = compared([0, 3, (9_000, 7)], [0, 3, (9_000, 7)])
    assert found == []
    assert counts == {
        "read_committed": 3,
        "read_uncommitted": 3,
        "only_committed": 0,
        "only_uncommitted": 0,
        "only_uncommitted_aborted": 0,
    }
    found, _ = compared([0, 3], [0, 1, 2, 3])
    assert found == [(1, "uncommitted"), (2, "uncommitted")]


def test_with_transactions_aborted_records_are_in_one_read_only(compared):
    found, counts = compared([0, 3], [0, 1, 2, 3], transactions=True)
    assert found == []
    assert (counts["only_uncommitted"], counts["only_uncommitted_aborted"]) == (2, 1)
    found, _ = compared([0], [0, 3], transactions=True)
    assert found == [(3, "uncommitted")]  # it was committed


def test_committed_records_are_in_both_reads(compared):
    found, counts = compared([0, 2, 3], [0, 3], transactions=True)
    assert found == [(2, "committed")]
    assert counts["only_committed"] == 1


def test_records_after_the_first_read_are_not_compared(compared):
    found, _ = compared([0, 1, 5], [0, 1])
    assert found == []
