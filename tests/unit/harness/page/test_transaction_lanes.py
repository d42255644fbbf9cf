"""S5: the lanes of transactions."""

from minikafka.harness.page import state_spans
from minikafka.harness.page.axis import Axis
from minikafka.harness.page.transaction_lanes import lanes

AXIS = Axis(1_000, 61_000)


def transaction(name, began_ms, ended_ms, outcome="committed", records=5):
    return {
        "event": "transaction", "id": f"id-{name}", "name": name, "began_at_ms": began_ms,
        "at_ms": ended_ms, "outcome": outcome, "records": records,
    }  # fmt: skip


def coordinator(name, at_ms, leader):
    return {"event": "coordinator", "id": f"id-{name}", "at_ms": at_ms, "leader": leader}


def test_a_run_without_transactions_has_no_lane():
    assert lanes([coordinator("p1", 0, 1)], AXIS) == []


def test_each_transactional_id_has_a_row_and_each_transaction_a_span():
    [lane] = lanes(
        [
            transaction("loop 1", 2_000, 2_300, "aborted"),
            transaction("p2", 1_500, 3_000, "unknown", 1_234),
            transaction("p1", 500, 1_200),
            transaction("p1", 300, 900),  # before the first record
            transaction("p1", 60_000, 70_000),  # after the end of the axis
        ],
        AXIS,
    )
    assert lane["rows"] == ["p1", "p2", "loop 1"]
    assert lane["spans"] == [
        {"r": 2, "a": 1.0, "b": 1.3, "c": "transaction-aborted", "l": "aborted, 5 records"},
        {"r": 1, "a": 0.5, "b": 2.0, "c": "transaction-unknown", "l": "unknown, 1,234 records"},
        {"r": 0, "a": 0.0, "b": 0.2, "c": "transaction-committed", "l": "committed, 5 records"},
    ]
    assert [row["name"] for row in lane["legend"]] == ["committed", "aborted", "unknown"]


def test_too_many_transactions_are_joined_by_time_and_none_is_left_out(monkeypatch):
    monkeypatch.setattr(state_spans, "SPANS_MAX", 10)
    events = [
        transaction("p1", 1_000 + 20 * n, 1_010 + 20 * n, "aborted" if n == 4 else "committed")
        for n in range(12)
    ]
    [lane] = lanes(events, AXIS)
    assert [(span["l"], span["c"]) for span in lane["spans"]] == [
        ("3 committed", "transaction-committed"),
        ("2 committed, 1 aborted", "transaction-aborted"),
        ("3 committed", "transaction-committed"),
        ("3 committed", "transaction-committed"),
    ]
    assert lane["note"] == "transactions of a short time are drawn as one bar"


def test_the_coordinator_of_each_transactional_id_is_a_span_until_it_moves():
    events = [
        transaction("p1", 2_000, 2_300),
        *(coordinator("p1", 500, 1), coordinator("p1", 3_000, None), coordinator("p1", 4_000, 2)),
        coordinator("other", 500, 3),
    ]
    _, lane = lanes(events, AXIS)
    assert [(span["a"], span["b"], span["l"]) for span in lane["spans"]] == [
        (0.0, 2.0, "1"), (2.0, 3.0, "none"), (3.0, 60.0, "2"),
    ]  # fmt: skip
    assert lane["rows"] == ["p1"]
