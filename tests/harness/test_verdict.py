"""Each kind of broken promise on a handful of rows, and nothing else found on any of them."""

import json

import pytest

from minikafka.harness.inject import Victim, is_found, tamper
from minikafka.harness.settings import INJECTIONS
from minikafka.harness.stream import OBSERVED_SCHEMA
from minikafka.harness.verdict import (
    KINDS,
    LEDGER_SCHEMA,
    Observed,
    empty_observed,
    judge,
    summarise,
)

# What a producer sent to its partition: record n was acknowledged at offset 10 + n.
LEDGER = [(n, "acked", 10 + n) for n in range(5)] + [(5, "failed", None), (6, "unknown", None)]
LOG = [(10 + n, n) for n in range(5)]


def ledger_rows(pid, rows):
    return [
        (pid, seq, pid, 100 + seq, 9, 0, status, offset, None, None) for seq, status, offset in rows
    ]


def read_rows(pid, rows):
    """Rows are (offset, seq) with the content that was sent, or (offset, seq, checksum)."""
    return [(pid, row[0], 0, pid, row[1], [*row, 100 + row[1]][2], 9) for row in rows]


def frame(spark, rows, schema):
    return spark.createDataFrame(rows, schema) if rows else empty_observed(spark)


@pytest.fixture
def judged(spark, tmp_path):
    """Judge rows as they are; what was found, and the summary's counts."""

    def run(ledger, stream, reread, *, complete=True):
        observed = Observed(
            frame(spark, stream, OBSERVED_SCHEMA), frame(spark, reread, OBSERVED_SCHEMA), complete
        )
        sent = spark.createDataFrame(ledger, LEDGER_SCHEMA)
        counts = judge(sent, observed, str(tmp_path / "findings"))
        return spark.read.parquet(str(tmp_path / "findings")), counts

    return run


def without(rows, seq):
    return [row for row in rows if row[1] != seq]


CASES = {
    "everything as promised": (LOG, LOG, {}),
    "unknown and there": ([*LOG, (15, 6)], [*LOG, (15, 6)], {}),
    "the same row delivered twice by spark": ([*LOG, LOG[2]], LOG, {}),
    "lost": (without(LOG, 3), without(LOG, 3), {"lost": [(3, 13)]}),
    "lost after it was shown": (LOG, without(LOG, 3), {"lost": [(3, 13)]}),
    "skipped": (without(LOG, 2), LOG, {"skipped": [(2, 12)]}),
    "vanished": ([*LOG, (15, 6)], LOG, {"vanished": [(6, 15)]}),
    "duplicated": (
        [*LOG, (15, 4)],
        [*LOG, (15, 4)],
        {"duplicated": [(4, 14)]},
    ),
    "an unknown one duplicated": (
        LOG,
        [*LOG, (15, 6), (16, 6)],
        {"duplicated": [(6, 15)]},
    ),
    "an earlier one again at the end": (
        [*LOG, (15, 1)],
        [*LOG, (15, 1)],
        {"duplicated": [(1, 11)], "reordered": [(1, 15)]},
    ),
    "swapped": (
        [(10, 0), (11, 2), (12, 1), (13, 3), (14, 4)],
        [(10, 0), (11, 2), (12, 1), (13, 3), (14, 4)],
        {"moved": [(1, 12), (2, 11)], "reordered": [(1, 12)]},
    ),
    "changed": (
        [*without(LOG, 0), (10, 0, 7)],
        [*without(LOG, 0), (10, 0, 7)],
        {"changed": [(0, 10)]},
    ),
    "moved": (
        [*without(LOG, 4), (19, 4)],
        [*without(LOG, 4), (19, 4)],
        {"moved": [(4, 19)]},
    ),
    "phantom": ([*LOG, (15, 99)], [*LOG, (15, 99)], {"phantom": [(99, 15)]}),
    "garbage": (
        [*LOG, (15, -1, 3)],
        [*LOG, (15, -1, 3)],
        {"phantom": [(-1, 15)], "reordered": [(-1, 15)]},
    ),
    "failed but read": ([*LOG, (15, 5)], [*LOG, (15, 5)], {"failed_but_read": [(5, 15)]}),
    "two contents at one offset": (
        [*without(LOG, 4), (14, 6)],
        LOG,
        {"skipped": [(4, 14)], "vanished": [(6, 14)], "two_contents": [(4, 14)]},
    ),
    "an offset whose content changed": (
        [*without(LOG, 4), (14, 4, 8)],
        LOG,
        {"changed": [(4, 14)], "two_contents": [(4, 14)]},
    ),
}


@pytest.fixture(scope="module")
def found_in_cases(spark, tmp_path_factory):
    """All cases judged in one run, each by a producer and a partition of its own."""
    ledger, stream, reread = [], [], []
    for pid, (streamed, read_again, _) in enumerate(CASES.values()):
        ledger += ledger_rows(pid, LEDGER)
        stream += read_rows(pid, streamed)
        reread += read_rows(pid, read_again)
    observed = Observed(
        spark.createDataFrame(stream, OBSERVED_SCHEMA),
        spark.createDataFrame(reread, OBSERVED_SCHEMA),
        stream_is_complete=True,
    )
    findings = str(tmp_path_factory.mktemp("cases") / "findings")
    judge(spark.createDataFrame(ledger, LEDGER_SCHEMA), observed, findings)
    return spark.read.parquet(findings).collect()


@pytest.mark.parametrize("name", CASES)
def test_exactly_what_happened_is_found(found_in_cases, name):
    """S2."""
    pid = list(CASES).index(name)
    found = {}
    for row in sorted(found_in_cases, key=lambda row: row["seq"]):
        if row["partition"] == pid:
            found.setdefault(row["kind"], []).append((row["seq"], row["offset"]))
    assert found == CASES[name][2]


def test_every_kind_has_a_case():
    assert {kind for _, _, expected in CASES.values() for kind in expected} == set(KINDS)


def test_counts_add_up(judged):
    sent = ledger_rows(1, [*LEDGER, (7, "unknown", None)])
    findings, counts = judged(sent, read_rows(1, [*LOG, (15, 6)]), read_rows(1, [*LOG, (15, 6)]))
    assert findings.isEmpty()
    assert counts == {
        "acknowledged": 5,
        "failed": 1,
        "unknown_found": 1,
        "unknown_absent": 1,
        "read_by_stream": 6,
        "read_afresh": 6,
    }


def test_a_stream_that_was_cut_short_skipped_nothing(judged):
    findings, _ = judged(ledger_rows(1, LEDGER), [], read_rows(1, LOG), complete=False)
    assert findings.isEmpty()


def test_a_log_without_anything_lost_everything(judged):
    findings, counts = judged(ledger_rows(1, LEDGER), [], [])
    assert [row["kind"] for row in findings.collect()] == ["lost"] * 5
    assert counts["read_afresh"] == 0


def test_first_and_worst_are_bounded_and_in_order(judged):
    backward = read_rows(1, [(29 - n, n) for n in range(30)])
    sent = ledger_rows(1, [(n, "acked", 29 - n) for n in range(30)])
    findings, _ = judged(sent, backward, backward)
    promises = summarise(findings, 10)
    assert list(promises) == list(KINDS)
    reordered = promises.pop("reordered")
    assert reordered["count"] == 29
    assert [row["record"] for row in reordered["first"]] == [f"p1#{n}" for n in range(10)]
    assert [row["severity"] for row in reordered["worst"]] == list(range(29, 19, -1))
    assert json.loads(reordered["worst"][0]["detail"]) == {"highest": 29}
    assert {promise["count"] for promise in promises.values()} == {0}


def test_producers_do_not_order_each_other(judged):
    read = [(0, 10, 0, 1, 5, 105, 9), (0, 11, 0, 2, 4, 104, 9)]
    sent = [
        (1, 5, 0, 105, 9, 0, "acked", 10, None, None),
        (2, 4, 0, 104, 9, 0, "acked", 11, None, None),
    ]
    findings, _ = judged(sent, read, read)
    assert findings.isEmpty()


@pytest.mark.parametrize("injection", INJECTIONS)
def test_every_injection_is_found_at_its_victim(spark, tmp_path, injection):
    victim = Victim(pid=1, seq=1, offset=11, next_seq=3, next_offset=13)
    read = spark.createDataFrame(read_rows(1, LOG), OBSERVED_SCHEMA)
    observed = tamper(Observed(read, read, stream_is_complete=True), injection, victim)
    sent = spark.createDataFrame(ledger_rows(1, LEDGER), LEDGER_SCHEMA)
    judge(sent, observed, str(tmp_path / "f"))
    findings = spark.read.parquet(str(tmp_path / "f"))
    assert is_found(findings, injection, victim)
    other = Victim(pid=1, seq=0, offset=10, next_seq=2, next_offset=12)
    assert not is_found(findings, injection, other)
