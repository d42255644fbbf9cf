"""S2: each anomaly of a consumer group's polls, on a few rows."""

import json

import pytest

from minikafka.harness.clients.poll_log import POLL_SCHEMA
from minikafka.harness.verdict.polls import judge_polls, repeated
from minikafka.harness.verdict.relations import ENDS_SCHEMA, OBSERVED_SCHEMA

# (member, kind, assignment, first, last[, rebalances]); of a commit, last is what was committed.
CASES = {
    "one after the other": ([(1, "polled", 1, 0, 4), (1, "polled", 1, 5, 9)], {}),
    "again after a rebalance, uncommitted": (
        [
            (1, "polled", 1, 0, 4),
            (1, "committed", 0, 3, 3),
            (2, "polled", 2, 3, 9),
        ],
        {},
    ),
    "again without a rebalance": (
        [(1, "polled", 1, 0, 4), (1, "polled", 1, 4, 9)],
        {"poll_backward": [(4, 1)]},
    ),
    "the last one again by a client that was rebalanced around it": (
        [
            (1, "polled", 1, 0, 4, 1),
            (1, "committed", 0, 5, 5, 1),
            (1, "polled", 1, 4, 9, 2),
        ],
        {},
    ),
    "the last two again at a rebalance": (
        [(1, "polled", 1, 0, 4, 1), (1, "polled", 1, 3, 9, 2)],
        {"poll_backward": [(3, 2)]},
    ),
    "one before the last again at a rebalance": (
        [
            (1, "polled", 1, 0, 4, 1),
            (1, "committed", 0, 5, 5, 1),
            (1, "polled", 1, 3, 3, 2),
            (1, "polled", 1, 5, 9, 2),
        ],
        {"poll_backward": [(3, 2)], "committed_reread": [(3, 2)]},
    ),
    "the last one again, by another member": (
        [
            (1, "polled", 1, 0, 4, 1),
            (1, "committed", 0, 5, 5, 1),
            (2, "polled", 2, 4, 9, 2),
        ],
        {"committed_reread": [(4, 1)]},
    ),
    "again though it was committed": (
        [(1, "polled", 1, 0, 9), (1, "committed", 0, 10, 10), (2, "polled", 2, 7, 9)],
        {"committed_reread": [(7, 3)]},
    ),
    "committed afterwards": (
        [(1, "polled", 1, 0, 9), (2, "polled", 2, 7, 9), (1, "committed", 0, 10, 10)],
        {},
    ),
    "left out in the middle": (
        [(1, "polled", 1, 0, 3), (1, "polled", 1, 6, 9)],
        {"poll_skip": [(4, 1), (5, 1)]},
    ),
    "left out by one, given to the other": (
        [(1, "polled", 1, 6, 9), (2, "polled", 2, 0, 5)],
        {},
    ),
    "left out at the begin": ([(1, "polled", 1, 1, 9)], {"poll_skip": [(0, 1)]}),
    "left out at the end": ([(1, "polled", 1, 0, 8)], {"poll_skip": [(9, 1)]}),
    "given to no member": ([], {"poll_skip": [(n, 1) for n in range(10)]}),
}


def judged(engine, polls, log, ends):
    engine.values("polls", polls, POLL_SCHEMA)
    engine.values("reread", log, OBSERVED_SCHEMA)
    engine.values("group_ends", ends.items(), ENDS_SCHEMA)
    found = engine.rows(judge_polls(group_is_complete=bool(ends)))
    return sorted(found, key=lambda row: row["offset"])


@pytest.fixture(scope="module")
def found(engine):
    """All cases judged in one run, each in a partition of its own; offset 10 + n is record n."""
    polls, log = [], []
    for partition, (rows, _) in enumerate(CASES.values()):
        polls += [
            (2 * at, 1_000 + at, member, kind, partition, *spans, *(rebalances or [1]))
            for at, (member, kind, *spans) in enumerate(row[:5] for row in rows)
            for rebalances in [rows[at][5:]]
        ]
        log += [(partition, n, 0, partition, 100 + n, 0, 9, 0) for n in range(10)]
    return judged(engine, polls, log, dict.fromkeys(range(len(CASES)), 10))


@pytest.mark.parametrize("name", CASES)
def test_each_case_has_exactly_its_findings(found, name):
    partition = list(CASES).index(name)
    seen = {}
    for row in sorted(found, key=lambda row: row["offset"]):
        if row["partition"] == partition:
            seen.setdefault(row["kind"], []).append((row["offset"], row["severity"]))
            assert (row["pid"], row["seq"]) == (partition, 100 + row["offset"])
    assert seen == CASES[name][1]


def test_a_finding_names_the_member_and_its_offsets(found):
    names = list(CASES)
    told = ("again without a rebalance", "again though it was committed")
    details = {
        row["kind"]: (json.loads(row["detail"]), row["at_us"])
        for row in found
        if names[row["partition"]] in told
    }
    assert details["committed_reread"] == (
        {"member": 2, "assignment": 2, "committed": 10, "last": 9},
        1_002,
    )
    assert details["poll_backward"][0]["before"] == 4


def test_a_group_that_was_cut_short_skipped_nothing_after_its_last_poll(engine):
    log = [(0, n, 0, 1, n, 0, 9, 0) for n in range(9)]
    rows = judged(engine, [(0, 1, 1, "polled", 0, 1, 2, 4, 1)], log, {})
    assert [(row["kind"], row["offset"]) for row in rows] == [("poll_skip", 0), ("poll_skip", 1)]


def test_an_offset_that_is_no_record_has_no_name(engine):
    polls = [(0, 1, 1, "polled", 0, 1, 0, 4, 1), (2, 1, 1, "polled", 0, 1, 4, 4, 1)]
    [row] = judged(engine, polls, [(0, 0, 0, 1, 0, 0, 9, 0)], {0: 5})
    assert (row["kind"], row["offset"], row["pid"], row["seq"]) == ("poll_backward", 4, -1, -1)


def test_records_repeated_at_a_rebalance_are_counted(engine):
    rows = [
        *((0, 1, 1, "polled", 0, 1, 0, 4, 1), (1, 1, 1, "polled", 0, 1, 4, 6, 2)),
        *((2, 1, 1, "polled", 0, 1, 6, 8, 2), (3, 1, 1, "polled", 1, 1, 4, 4, 1)),
    ]
    engine.values("polls", rows, POLL_SCHEMA)
    assert repeated(engine) == 1
