"""Faults of controllers wait for states of the quorum."""

import pytest

from minikafka.harness.clusters.quorum import QuorumView
from minikafka.harness.faults import quorum_waits
from minikafka.harness.faults.quorum_waits import QuorumWaits
from minikafka.harness.plan.settings import HarnessError


def view(leader, epoch, high_watermark=7, **ends):
    return QuorumView(
        leader, epoch, high_watermark, {int(name[1:]): end for name, end in ends.items()}
    )


def waits(*answers, ended=False):
    found = iter(answers)
    return QuorumWaits(lambda: next(found), lambda _: ended)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(quorum_waits, "_EVERY_S", 0.0)


def test_the_leader_is_awaited():
    assert waits(None, view(2, 5)).leader().leader == 2
    with pytest.raises(HarnessError, match="no active controller"):
        waits(None, ended=True).leader()


def test_another_controller_in_a_newer_epoch_is_a_failover():
    before = view(1, 4)
    found = waits(None, view(1, 4), view(1, 6), view(2, 4), view(2, 7)).failover(before)
    assert found is not None
    assert {**found.as_json(), "seconds": 0} == {
        "before": 1, "epoch_before": 4, "after": 2, "epoch_after": 7, "seconds": 0,
    }  # fmt: skip
    assert waits(view(1, 6), ended=True).failover(before) is None


def test_every_voter_must_have_what_is_committed():
    waits(view(1, 4, n1=9, n2=6), view(1, 4, n1=9, n2=7)).all_caught_up()
    with pytest.raises(HarnessError, match="not every controller had all committed metadata"):
        waits(view(1, 4, n1=9, n2=6), ended=True).all_caught_up()


def test_a_voter_that_lost_its_log_must_fetch_more_than_was_committed():
    """The leader remembers the end that the voter had before."""
    answers = [view(1, 4, 7, n2=7), view(1, 4, 8, n2=7), None, view(1, 4, 9, n2=9)]
    assert waits(*answers, ended=True).caught_up(2) == 9


def test_a_voter_that_never_catches_up_is_an_error(monkeypatch):
    monkeypatch.setattr(quorum_waits, "_CAUGHT_UP_TIMEOUT_S", 0.0)
    with pytest.raises(HarnessError, match="node 2 did not catch up"):
        waits(view(1, 4, 7, n2=7), view(1, 4, 7, n2=7)).caught_up(2)
    with pytest.raises(HarnessError, match="node 2 did not catch up"):
        waits(None).caught_up(2)
