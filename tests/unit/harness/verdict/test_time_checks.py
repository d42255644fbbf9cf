"""Elections, high watermarks and unavailability out of the files that a run leaves."""

import pytest

from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.verdict.relations import LEDGER_SCHEMA
from minikafka.harness.verdict.time_checks import (
    elections,
    regressions,
    samples,
    summarise_windows,
    unavailability,
)
from minikafka.harness.watch import watermarks


def look(at_ms, partition, leader, isr):
    return {
        "at_ms": at_ms, "event": "partition", "partition": partition, "leader": leader, "isr": isr
    }  # fmt: skip


def ends(at_ms, **by_partition):
    named = {name.removeprefix("p"): end for name, end in by_partition.items()}
    return {"at_ms": at_ms, "event": "high_watermarks", "ends": named}


def progress(at_ms, latest):
    source = {"startOffset": None, "endOffset": latest, "latestOffset": latest}
    return {"at_ms": at_ms, "event": "progress", "progress": {"sources": [source]}}


EVENTS = [
    look(10, 0, 1, [1, 2]),
    look(11, 1, 2, [2, 3]),
    look(20, 0, None, [2]),
    ends(25, p0=7, p1=4),
    look(30, 0, 2, [2]),  # from 1, with no leader between: in the ISR
    look(40, 0, None, [2]),
    look(50, 0, 3, [3]),  # not in it
    look(60, 0, 3, [1, 3]),  # no election
    look(51, 2, 1, [1, 2]),
    look(52, 2, None, []),
    look(53, 2, 3, [3]),  # perhaps from the ELR
    look(54, 3, 1, [1]),
    {**look(55, 3, None, []), "elr": [2]},
    look(56, 3, 2, [2]),  # from the ELR
    look(57, 4, 1, [1]),
    {**look(58, 4, None, []), "elr": []},
    look(59, 4, 2, [2]),  # not from it
    ends(65, p0=5, p1=4),
    ends(70, p0=6),
    {"at_ms": 80, "event": "phase", "name": "writing", "leader": None},
]
SPARK_EVENTS = [
    progress(30, {"t": {"0": 9, "1": 1}}),
    progress(40, None),
    progress(50, {"t": {"0": 9, "1": 2}}),
    progress(60, {"t": {"0": 9, "1": 1}, "u": {"0": 1}}),
]


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    for name, events in (("events", EVENTS), ("spark", SPARK_EVENTS)):
        for event in events:
            EventLog(folder / name).append(event)
    return [folder / "events", folder / "spark"]


@pytest.fixture
def events(engine, logs):
    engine.events("looks", "watermarks", logs)
    return engine


def test_an_election_is_unclean_if_the_leader_was_in_neither_isr_nor_elr(events):
    rows = [tuple(row.values()) for row in events.rows(elections())]
    assert sorted(rows, key=lambda row: row[1]) == [
        (0, 30, 2, 1, False),
        (0, 50, 3, 2, True),
        (2, 53, 3, 1, None),
        (3, 56, 2, 1, False),
        (4, 59, 2, 1, True),
    ]


def test_high_watermarks_that_went_back_are_those_that_the_other_check_finds(events, logs):
    """H7: one check runs in the engine and one without, on the same events."""
    events.view("samples", samples("t"))
    rows = regressions(events)
    assert [(row["witness"], row["partition"], row["before"], row["after"]) for row in rows] == [
        ("spark", 1, 2, 1),
        ("watcher", 0, 7, 5),
    ]
    seen = watermarks.samples([event for path in logs for event in Tail(path).read()], "t")
    assert sorted(map(repr, (row.as_json() for row in watermarks.regressions(seen)))) == sorted(
        map(repr, rows)
    )


def test_an_event_without_what_its_kind_has_counts_for_nothing(engine, tmp_path):
    """Events that another version wrote, or that were damaged, are judged again."""
    log = EventLog(tmp_path / "events")
    for event in (
        {"event": "partition"},
        {"event": "high_watermarks"},
        {"event": "progress"},
        {"event": "progress", "progress": {}},
    ):
        log.append(event)
    engine.events("looks", "watermarks", [tmp_path / "events"])
    assert [row["leader"] for row in engine.rows("select leader from looks")] == [None]
    assert engine.rows("select end_offset from watermarks") == []


def test_a_window_lasts_from_the_first_request_to_the_next_response(engine):
    def row(seq, partition, send_s, ack_s, acks="all"):
        status = "unknown" if ack_s is None else "acked"
        times = (int(send_s * 1e6), status, 0, ack_s and int(ack_s * 1e6), 0)
        return (1, seq, partition, 0, 9, *times, acks, True, None)

    rows = [
        row(0, 0, 1.0, 1.1),
        row(1, 0, 5.0, 5.1),  # no request in between
        row(2, 0, 6.0, 9.0),
        row(3, 0, 7.0, None),
        row(4, 0, 8.9, 9.0),
        row(5, 0, 20.0, 22.0),
        row(6, 0, 21.0, 21.5, "0"),  # answered by the client alone
        row(7, 1, 30.0, 34.0),  # slow, and others were answered meanwhile
        *(row(8 + n, 1, 30.1 + n / 2, 30.2 + n / 2) for n in range(8)),
        row(20, 2, 40.0, None),
        row(21, 2, 43.0, None),
    ]
    engine.values("ledger", rows, LEDGER_SCHEMA)
    assert summarise_windows(engine, unavailability(engine, 1_000_000)) == {
        "0": {"windows": 2, "total_ms": 5000, "longest_ms": 3000, "began_at_ms": 6000},
        "2": {"windows": 1, "total_ms": 3000, "longest_ms": 3000, "began_at_ms": 40_000},
    }
