"""Each kind of finding on a few rows, and no other finding on any of them."""

import json
from dataclasses import replace

import pytest

from minikafka.harness.clients.poll_log import POLL_SCHEMA
from minikafka.harness.plan.injections import EXPECTED_KIND, INJECTIONS, OF_THE_READER
from minikafka.harness.verdict.isolation import compare
from minikafka.harness.verdict.join import KINDS, Workings, summarise
from minikafka.harness.verdict.polls import judge_polls
from minikafka.harness.verdict.relations import (
    ENDS_SCHEMA,
    LEDGER_SCHEMA,
    OBSERVED_SCHEMA,
    SAMPLE_SCHEMA,
)
from minikafka.harness.verdict.tamper import (
    Victim,
    is_found,
    is_regression_found,
    tamper_ledger,
    tamper_polls,
    tamper_reread,
    tamper_samples,
    tamper_stream,
    tamper_uncommitted,
)
from minikafka.harness.verdict.time_checks import regressions
from minikafka.harness.verdict.verdict_file import READER_KINDS
from tests.mutation import applied, mutation
from tests.worlds.judged_rows import PROMISED, findings, judge_rows, ledger_rows, read_rows

# What a producer sent to its partition: record n was acknowledged at offset 10 + n.
LEDGER = [(n, "acked", 10 + n) for n in range(5)]
LEDGER += [(5, "failed", None), (6, "unknown", None), (7, "unknown", None)]
LOG = [(10 + n, n) for n in range(5)]


@pytest.fixture
def judged(engine, tmp_path):
    """Judge rows as they are; what was found, and the summary's counts."""

    def run(ledger, stream, reread, *, complete=True):
        summary = judge_rows(
            engine, tmp_path / "findings", ledger, stream, reread, complete=complete
        )
        return findings(engine), summary.counts

    return run


def without(rows, seq):
    return [row for row in rows if row[1] != seq]


LOST_3 = {"lost": [(3, 13)], "gap": [(4, 13)]}
CASES = {
    "everything as promised": (LOG, LOG, {}),
    "unknown and there": ([*LOG, (15, 6)], [*LOG, (15, 6)], {}),
    "the same row delivered twice by spark": ([*LOG, LOG[2]], LOG, {}),
    "lost": (without(LOG, 3), without(LOG, 3), LOST_3),
    "lost after it was shown": (LOG, without(LOG, 3), LOST_3),
    "skipped": (without(LOG, 2), LOG, {"skipped": [(2, 12)]}),
    "skipped, of unknown outcome": (
        [*LOG, (16, 7)],
        [*LOG, (15, 6), (16, 7)],
        {"skipped": [(6, 15)]},
    ),
    "of unknown outcome, and appended after the stream had ended": (
        LOG,
        [*LOG, (15, 6), (16, 7)],
        {},
    ),
    "vanished": ([*LOG, (15, 6)], LOG, {"vanished": [(6, 15)]}),
    "duplicated": (
        [*LOG, (15, 4)],
        [*LOG, (15, 4)],
        {"duplicated": [(4, 14)]},
    ),
    "an unknown one duplicated": (
        [*LOG, (15, 6), (16, 6)],
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
    "of another size": (
        [*without(LOG, 0), (10, 0, 100, 8)],
        [*without(LOG, 0), (10, 0, 100, 8)],
        {"changed": [(0, 10)]},
    ),
    "with another timestamp": (
        [*without(LOG, 1), (11, 1, 101, 9, 1001)],
        [*without(LOG, 1), (11, 1, 101, 9, 1001)],
        {"changed": [(1, 11)]},
    ),
    "with another timestamp in the second read only": (
        LOG,
        [*without(LOG, 1), (11, 1, 101, 9, 999)],
        {"changed": [(1, 11)]},
    ),
    "of unknown outcome, with another timestamp": (
        [*LOG, (15, 6, 106, 9, 0)],
        [*LOG, (15, 6, 106, 9, 0)],
        {"changed": [(6, 15)]},
    ),
    "moved": (
        [*without(LOG, 4), (19, 4)],
        [*without(LOG, 4), (19, 4)],
        {"moved": [(4, 19)], "gap": [(4, 14)]},
    ),
    "moved into the log of another producer": (
        [*LOG[:4], (14, 4), (15, 6)],
        [*LOG[:4], (15, 4), (14, 6)],
        {"moved": [(4, 15)], "reordered": [(4, 15)], "two_contents": [(4, 14), (4, 15)]},
    ),
    "a gap that no acknowledgement was in": (
        [*LOG, (17, 6)],
        [*LOG, (17, 6)],
        {"gap": [(6, 15)]},
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


def stream_end(name, streamed, reread):
    """The stream ended before what came later, or where the log ends."""
    read = streamed if "appended after" in name else [*streamed, *reread]
    return max(row[0] for row in read) + 1


def judge_cases(engine, folder):
    """All cases judged in one run, each by a producer and a partition of its own."""
    ledger, stream, reread, ends = [], [], [], {}
    for pid, (name, (streamed, read_again, _)) in enumerate(CASES.items()):
        ledger += ledger_rows(pid, LEDGER)
        stream += read_rows(pid, streamed)
        reread += read_rows(pid, read_again)
        ends[pid] = stream_end(name, streamed, read_again)
    judge_rows(engine, folder, ledger, stream, reread, ends=ends.items())
    return findings(engine)


def found_of(name, rows):
    """The findings of a case: kind → (record, offset)."""
    pid = list(CASES).index(name)
    found = {}
    for row in sorted(rows, key=lambda row: row["seq"]):
        if row["partition"] == pid:
            found.setdefault(row["kind"], []).append((row["seq"], row["offset"]))
    return found


@pytest.fixture(scope="module")
def found_in_cases(engine, tmp_path_factory):
    return judge_cases(engine, tmp_path_factory.mktemp("cases") / "findings")


@pytest.mark.parametrize("name", CASES)
def test_each_case_has_exactly_its_findings(found_in_cases, name):
    """S2."""
    assert found_of(name, found_in_cases) == CASES[name][2]


MUTANTS = [
    mutation(name, ("harness.verdict.join", "_identity_kinds", old, new))
    for name, old, new in (
        ("unknown ones may be skipped", "or (r.status = 'unknown' and", "and (r.status = 'unknown' and"),
        ("timestamps may differ", 'differs("timestamp_ms", "sent_ms")', "'false'"),
        ("sizes may differ", 'differs("size", "sent_size")', "'false'"),
        ("contents may differ", 'differs("seen_crc", "sent_crc")', "'false'"),
    )
] + [
    mutation(
        "what came after the stream is held against it",
        ("harness.verdict.join", "seen_rows", "coalesce(s.offset < e.end_offset, false)", "true"),
    ),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_weakened_comparison_is_noticed(engine, tmp_path, mutant):
    with applied(mutant):
        rows = judge_cases(engine, tmp_path / "findings")
    assert any(found_of(name, rows) != CASES[name][2] for name in CASES)


def test_an_unknown_timestamp_is_not_compared(judged):
    """Ledgers of version 1, and topics with LogAppendTime."""
    sent = [(*row[:-1], None) for row in ledger_rows(1, LEDGER)]
    read = [(*row[:2], 77, *row[3:]) for row in read_rows(1, LOG)]
    assert judged(sent, read, read)[0] == []


def test_every_kind_has_a_case():
    found_elsewhere = {"isolation_difference", *READER_KINDS}
    found = {kind for _, _, expected in CASES.values() for kind in expected}
    assert found | found_elsewhere == set(KINDS)


def test_counts_add_up(judged):
    sent = ledger_rows(1, LEDGER)
    found, counts = judged(sent, read_rows(1, [*LOG, (15, 6)]), read_rows(1, [*LOG, (15, 6)]))
    assert found == []
    assert counts == {
        "acknowledged": 5,
        "failed": 1,
        "unknown_found": 1,
        "unknown_absent": 1,
        "read_by_stream": 6,
        "read_afresh": 6,
        "unpromised_absent": 0,
        "repeated": 0,
    }


def test_a_stream_that_was_cut_short_skipped_nothing(judged):
    found, _ = judged(ledger_rows(1, LEDGER), [], read_rows(1, LOG), complete=False)
    assert found == []


def test_a_log_without_anything_lost_everything(judged):
    found, counts = judged(ledger_rows(1, LEDGER), [], [])
    assert [row["kind"] for row in found] == ["lost"] * 5
    assert counts["read_afresh"] == 0


def test_first_and_worst_are_bounded_and_in_order(engine, judged, tmp_path):
    backward = read_rows(1, [(29 - n, n) for n in range(30)])
    sent = ledger_rows(1, [(n, "acked", 29 - n) for n in range(30)])
    judged(sent, backward, backward)
    promises = summarise(engine, tmp_path / "findings", 10)
    assert list(promises) == list(KINDS)
    reordered = promises.pop("reordered")
    assert reordered["count"] == 29
    assert [row["record"] for row in reordered["first"]] == [f"p1#{n}" for n in range(10)]
    assert [row["severity"] for row in reordered["worst"]] == list(range(29, 19, -1))
    assert json.loads(reordered["worst"][0]["detail"]) == {"highest": 29}
    assert {promise["count"] for promise in promises.values()} == {0}


def test_producers_do_not_order_each_other(judged):
    read = [(0, 10, 0, 1, 5, 105, 9, 1), (0, 11, 0, 2, 4, 104, 9, 1)]
    sent = [
        (1, 5, 0, 105, 9, 0, "acked", 10, None, None, *PROMISED, 0),
        (2, 4, 0, 104, 9, 0, "acked", 11, None, None, *PROMISED, 0),
    ]
    found, _ = judged(sent, read, read)
    assert found == []


# Events that weaker guarantees allow are counted; all others are still findings.
WEAK_READ = [(10, 0), (11, 2), (12, 1), (13, 0), (14, 6, 7), (15, 6), (16, 5)]
WEAK = {
    ("all", False): {"lost": [3, 4], "moved": [1, 2], "failed_but_read": [5], "changed": [6]},
    ("1", False): {"failed_but_read": [5], "changed": [6]},
    ("0", False): {"failed_but_read": [5], "changed": [6]},
}


def test_events_that_no_guarantee_excludes_are_counted_and_no_finding(judged):
    """S1, S2: without idempotence a retry may repeat and overtake; with acks<all a record may go.

    A copy at the acknowledged place is enough; a record that has none there was moved.
    """
    sent, read = [], []
    for pid, guarantee in enumerate(WEAK):
        rows = [row if guarantee[0] != "0" else (*row[:2], None) for row in LEDGER]
        sent += ledger_rows(pid, rows, guarantee)
        read += read_rows(pid, WEAK_READ)
    found, counts = judged(sent, read, read)
    for pid, guarantee in enumerate(WEAK):
        of_pid = {}
        for row in found:
            if row["pid"] == pid:
                of_pid.setdefault(row["kind"], []).append(row["seq"])
        assert of_pid == WEAK[guarantee]
    assert counts["unpromised_absent"] == 4
    assert counts["repeated"] == 6


def test_latency_is_reported_by_acks(engine, tmp_path):
    sent = ledger_rows(1, LEDGER) + ledger_rows(2, LEDGER[:1], ("1", False))
    read = read_rows(1, LOG) + read_rows(2, LOG[:1])
    _, latency_ms = judge_rows(engine, tmp_path / "f", sent, read, read)
    assert latency_ms == {
        "send_to_ack": {"1": [1.0] * 5, "all": [3.0, 5.0, 5.0, 5.0, 5.0]},
        "send_to_read": {"1": [2000.0] * 5, "all": [2000.0] * 5},
    }


def test_a_loss_over_an_unclean_election_is_a_loss_with_the_election_beside_it(engine, tmp_path):
    """S2: a loss is never excused, and its report names the election before it."""
    elections = [
        (1, 2_000, 3, 1, True),  # before the acknowledgement
        (1, 4_000, 1, 3, False),
        (1, 5_000, 2, 1, True),
        (1, 6_000, 3, 2, True),
        (2, 4_500, 9, 8, True),  # of another partition
    ]
    read = read_rows(1, without(LOG, 3))
    judge_rows(engine, tmp_path / "f", ledger_rows(1, LEDGER), read, read, elected=elections)
    promises = summarise(engine, tmp_path / "f", 10)
    [row] = promises["lost"]["first"]
    assert row["record"] == "p1#3"
    assert row["election"] == {"at_ms": 5_000, "leader": 2, "before": 1, "unclean": True}
    assert "election" not in promises["gap"]["first"][0]


ELSEWHERE = ("watermark", "isolation", *OF_THE_READER)
OF_RECORDS = [name for name in INJECTIONS if name not in ELSEWHERE]
VICTIM = Victim(pid=1, seq=1, partition=1, offset=11, next_seq=3, next_offset=13)
OTHER = replace(VICTIM, partition=0, seq=0)


@pytest.fixture(scope="module")
def found_after_injections(engine, tmp_path_factory):
    """All injections judged in one run, each at a producer and a partition of its own."""
    pids = range(len(OF_RECORDS))
    read = [row for pid in pids for row in read_rows(pid, LOG)]
    rows = {
        "ledger": [row for pid in pids for row in ledger_rows(pid, LEDGER)],
        "streamed": read,
        "reread": read,
    }
    changes = {"ledger": tamper_ledger, "streamed": tamper_stream, "reread": tamper_reread}
    for pid, injection in enumerate(OF_RECORDS):
        victim = replace(VICTIM, pid=pid, partition=pid)
        for name, change in changes.items():
            engine.values("original", rows[name], SCHEMAS[name])
            found = engine.rows(change(injection, victim, "original"))
            rows[name] = [tuple(row.values()) for row in found]
    judge_rows(engine, tmp_path_factory.mktemp("injections") / "findings", **rows)
    engine.table("found_after_injections", "select * from findings")
    return "found_after_injections"


SCHEMAS = {"ledger": LEDGER_SCHEMA, "streamed": OBSERVED_SCHEMA, "reread": OBSERVED_SCHEMA}


@pytest.mark.parametrize("injection", OF_RECORDS)
def test_every_injection_is_found_at_its_victim(engine, found_after_injections, injection):
    victim = replace(VICTIM, pid=OF_RECORDS.index(injection))
    assert is_found(engine, found_after_injections, injection, victim)
    assert not is_found(engine, found_after_injections, injection, replace(victim, seq=0))


def test_a_high_watermark_that_is_injected_is_found(engine):
    """H7."""
    seen = [("watcher", 1, 5, 100, 0), ("watcher", 1, 6, 200, 1), ("watcher", 0, 3, 200, 1)]
    engine.values("seen_samples", seen, SAMPLE_SCHEMA)
    engine.view("samples", tamper_samples("loss", VICTIM, "seen_samples"))
    assert regressions(engine) == []
    engine.view("samples", tamper_samples("watermark", VICTIM, "seen_samples"))
    rows = regressions(engine)
    assert [(row["before"], row["after"]) for row in rows] == [(6, 4)]
    assert is_regression_found(rows, VICTIM)
    assert not is_regression_found(rows, OTHER)


@pytest.mark.parametrize("injection", OF_THE_READER)
def test_injections_into_the_groups_log_are_found(engine, injection):
    rows = [
        (0, 1, 1, "polled", 1, 1, 10, 12, 1),
        (2, 1, 1, "polled", 0, 1, 10, 14, 1),
        (4, 1, 1, "polled", 1, 1, 13, 14, 1),
        (6, 1, 1, "committed", 1, 0, 15, 15, 1),
        *((0, 0, 2, "polled", at, 1, 0, 9, 1) for at in (0, 1)),
    ]
    engine.values("polls_of_group", rows, POLL_SCHEMA)
    engine.values("reread", read_rows(1, LOG), OBSERVED_SCHEMA)
    engine.values("group_ends", [(0, 15), (1, 15)], ENDS_SCHEMA)
    engine.view("polls", tamper_polls("loss", VICTIM, "polls_of_group"))
    assert engine.rows(judge_polls(group_is_complete=True)) == []
    engine.view("polls", tamper_polls(injection, VICTIM, "polls_of_group"))
    engine.view("poll_findings", judge_polls(group_is_complete=True))
    assert is_found(engine, "poll_findings", injection, VICTIM)
    kinds = {row["kind"] for row in engine.rows("select * from poll_findings")}
    assert kinds == {EXPECTED_KIND[injection]}


def test_a_difference_of_isolation_that_is_injected_is_found(engine):
    engine.values("reread", read_rows(1, LOG), OBSERVED_SCHEMA)
    engine.values("ledger", ledger_rows(1, LEDGER), LEDGER_SCHEMA)
    for injection, count in (("skip", 0), ("isolation", 1)):
        engine.view("uncommitted", tamper_uncommitted(injection, VICTIM, "reread"))
        engine.view("of_isolation", compare(engine, transactions=False).findings)
        assert len(engine.rows("select * from of_isolation")) == count
    assert is_found(engine, "of_isolation", "isolation", VICTIM)


def test_order_is_promised_within_an_instance_of_a_client(engine, tmp_path):
    """S1: what an instance that gave up still had on its way may come after its successor's."""
    read = read_rows(1, [(10, 2), (11, 0), (12, 1), (13, 3)])
    sent = ledger_rows(1, [(n, "unknown", None) for n in range(4)])
    for number, renewals in enumerate([(), [(1, 2)], [(1, 1)], [(9, 2)]]):
        judge_rows(engine, tmp_path / str(number), sent, read, read, workings=Workings(renewals))
        assert [row["seq"] for row in findings(engine)] == [[0, 1], [], [1], [0, 1]][number]


def test_with_transactions_offsets_that_hold_nothing_are_no_gap(engine, tmp_path):
    read = read_rows(1, [*LOG, (17, 6)])
    with_markers = Workings(transactions=True)
    judge_rows(engine, tmp_path / "f", ledger_rows(1, LEDGER), read, read, workings=with_markers)
    assert findings(engine) == []


def test_every_kind_can_be_injected():
    assert set(EXPECTED_KIND.values()) == {*KINDS, "high_watermark_regression"}
