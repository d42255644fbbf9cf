import pytest

from minikafka.cli.main import main
from minikafka.commands import demo_elr
from minikafka.harness.faults.elr_schedules import ElrState, ScheduleOutcome
from minikafka.harness.plan.settings import HarnessError

STEPS = [
    ("write with acks=all", "2 records are acknowledged"),
    ("all is over", "leader 1, ISR [1]"),
]


def outcome(*read):
    found = dict(zip(read, range(9), strict=False))
    led = "node 101 leads the quorum, epoch 1"
    return ScheduleOutcome({"record-0": 0, "record-1": 1}, 0, found, [], led, STEPS)


KEPT = outcome("record-0", "record-1")
LOST = outcome("record-1")


@pytest.mark.parametrize(
    ("without", "with_elr", "status"), [(LOST, KEPT, 0), (KEPT, KEPT, 1), (LOST, LOST, 1)]
)
def test_status_says_whether_elr_made_the_difference(
    monkeypatch, capsys, without, with_elr, status
):
    monkeypatch.setattr(demo_elr, "_both_sides", lambda *_: (without, with_elr))
    assert main(["demo-elr"]) == status
    printed = capsys.readouterr().out
    assert "without ELR" in printed
    assert "leader 1, ISR" in printed
    assert "Without ELR node 101 leads the quorum, epoch 1; with ELR" in printed


def test_what_stands_in_the_way_is_one_line(monkeypatch, capsys):
    def fail(*_):
        raise HarnessError("events-0 is nowhere.")

    monkeypatch.setattr(demo_elr, "_both_sides", fail)
    assert main(["demo-elr"]) == 2
    assert capsys.readouterr().err == "minikafka demo-elr: events-0 is nowhere.\n"


def test_a_port_that_is_none_is_refused(capsys):
    assert main(["demo-elr", "--base-port", "70000"]) == 3
    assert "out of range" in capsys.readouterr().err


def test_a_record_at_another_offset_is_lost():
    """E13: what was acknowledged must be where it was acknowledged."""
    assert LOST.lost == ["record-0", "record-1"]
    assert KEPT.lost == []


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (ElrState(-1, (3,), (), (3,)), "no leader, ISR [3]"),
        (ElrState(2, (2,), (1, 3), ()), "leader 2, ISR [2], ELR [1, 3]"),
    ],
)
def test_states_in_words(state, text):
    assert str(state) == text
