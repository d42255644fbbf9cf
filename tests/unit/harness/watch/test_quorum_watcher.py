"""The active controllers of a run, as they were seen."""

from minikafka.harness.clusters.quorum import QuorumView
from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.watch.quorum_watcher import (
    QuorumWatcher,
    quorum_as_json,
    quorum_terms,
)


def view(leader, epoch):
    return QuorumView(leader, epoch, 10, {1: 10, 2: 10, 3: 10})


def test_each_new_epoch_is_an_event(tmp_path):
    answers = iter([view(1, 3), view(1, 3), None, view(2, 2), view(2, 5)])
    watcher = QuorumWatcher(lambda: next(answers), EventLog(tmp_path / "events.jsonl"))
    for _ in range(5):
        watcher.look()
    events = Tail(tmp_path / "events.jsonl").read()
    assert [(event["leader"], event["epoch"]) for event in events] == [(1, 3), (2, 5)]


def test_two_seconds_without_a_controller_are_one_event(tmp_path):
    answers = iter([None] * 6 + [view(1, 3)] + [None] * 3)
    watcher = QuorumWatcher(lambda: next(answers), EventLog(tmp_path / "events.jsonl"))
    for _ in range(10):
        watcher.look()
    events = Tail(tmp_path / "events.jsonl").read()
    assert [event["event"] for event in events] == ["quorum_waiting", "quorum"]


def test_a_term_ends_when_the_next_controller_is_seen():
    events = [
        {"event": "quorum", "at_ms": 5, "leader": 1, "epoch": 3},
        {"event": "phase", "at_ms": 6},
        {"event": "quorum", "at_ms": 9, "leader": 2, "epoch": 4},
    ]
    first, second = quorum_terms(events)
    assert (first.leader, first.began_at_ms, first.ended_at_ms) == (1, 5, 9)
    assert second.ended_at_ms > 1 << 50
    assert quorum_as_json([1, 2, 3], events) == {
        "voters": [1, 2, 3],
        "leaders": [
            {"at_ms": 5, "leader": 1, "epoch": 3},
            {"at_ms": 9, "leader": 2, "epoch": 4},
        ],
    }
    assert quorum_as_json([], events) == {}


def test_the_thread_polls_until_it_is_stopped(tmp_path):
    watcher = QuorumWatcher(lambda: view(1, 3), EventLog(tmp_path / "events.jsonl"))
    watcher.start()
    watcher.stop()
    assert len(Tail(tmp_path / "events.jsonl").read()) == 1


def test_a_watcher_that_was_not_started_can_be_stopped(tmp_path):
    QuorumWatcher(lambda: None, EventLog(tmp_path / "events.jsonl")).stop()
