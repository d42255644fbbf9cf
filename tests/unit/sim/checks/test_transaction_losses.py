"""Losses of transactions are excused by what elections and retention have removed, and no wider."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.committed_records import UNCLEAN_ELECTION, Lost
from minikafka.sim.checks.decision_checks import DecisionChecks, Owner
from minikafka.sim.checks.history import History
from minikafka.sim.checks.log_batches import BatchIdentity
from minikafka.sim.checks.log_scan import StoredMarker
from minikafka.sim.checks.transaction_losses import TransactionLosses

A, B = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.fixture
def losses():
    """An election has removed x and y at 4 and 5 of A, and the marker of producer 7 at 6."""
    checkers = Checkers(History(), 2, elr_enabled=True)
    checkers.replicas.of(A).lost += [
        Lost(BatchIdentity(4, 5, 11, 0), (b"x", b"y"), UNCLEAN_ELECTION, 1),
        Lost(BatchIdentity(6, 6, 12, 0), (b"\0\0",), UNCLEAN_ELECTION, 1),
    ]
    checkers.transactions.markers[A] = {
        (6, 12): StoredMarker(6, 12, 7, 0, is_commit=True, has_new_epoch=True),
        (6, 13): StoredMarker(6, 13, 8, 0, is_commit=True, has_new_epoch=True),
        (9, 12): StoredMarker(9, 12, 9, 0, is_commit=True, has_new_epoch=True),
    }
    return TransactionLosses(checkers)


def test_a_lost_record_is_excused_at_its_offset_with_its_value(losses):
    assert losses.record(A, 4, "x")
    assert losses.record(A, 5, "y")
    assert not losses.record(A, 5, "x")
    assert not losses.record(A, 3, "x")
    assert not losses.record(B, 4, "x")
    assert losses.checkers.coverage.excuses["transaction: lost record"] == 2


def test_a_lost_value_and_a_lost_offset(losses):
    assert losses.value(A, "x")
    assert not losses.value(A, "z")
    assert not losses.value(B, "x")
    assert [offset for offset in range(9) if losses.offset(A, offset)] == [4, 5, 6]
    assert not losses.offset(B, 4)


def test_only_the_marker_that_was_lost_is_excused(losses):
    """Another batch at its offset, or with its checksum, was not."""
    assert losses.marker(A, 7)
    assert not losses.marker(A, 8)
    assert not losses.marker(A, 9)
    assert not losses.marker(B, 7)
    assert losses.any_marker(A)
    assert not losses.any_marker(B)


def test_retention_excuses_records_below_a_log_start_offset(losses):
    losses.checkers.retention.trimmed[B] = 3
    assert losses.record(B, 2, "any")
    assert not losses.record(B, 3, "any")


def test_readers_do_not_see_what_an_open_transaction_holds_back(losses):
    losses.held_back[A] = 8
    assert losses.is_held_back(A, 8)
    assert not losses.is_held_back(A, 7)
    assert not losses.is_held_back(B, 8)


def test_offsets_of_groups_are_lost_with_their_own_topic_only(losses):
    lost = losses.checkers._internal_may_be_lost
    assert not losses.group_offsets()
    lost.add(TopicPartition("__transaction_state", 0))
    assert not losses.group_offsets()
    lost.add(TopicPartition("__consumer_offsets", 0))
    assert losses.group_offsets()


class Coordinators:
    """Two coordinators that lack committed records: 0 of "a" and "b", 1 of "c"."""

    def __init__(self, monkeypatch, losses):
        self.partitions = [TopicPartition("__transaction_state", index) for index in range(2)]
        self.losses = losses
        self.known = losses.checkers.transactions.decisions
        self.missing = dict(zip(self.partitions, (frozenset("ab"), frozenset("c")), strict=True))
        monkeypatch.setattr(DecisionChecks, "coordinated", self.partitions)
        monkeypatch.setattr(DecisionChecks, "lost_ids", lambda _, where: self.missing[where])

    def lost(self):
        self.losses.forget()
        return [name for name in "abcd" if self.losses.decisions(name)]


@pytest.fixture
def coordinators(monkeypatch, losses):
    return Coordinators(monkeypatch, losses)


def test_decisions_are_lost_by_id_and_only_where_an_election_permits_it(coordinators):
    losses, (first, second) = coordinators.losses, coordinators.partitions
    assert coordinators.lost() == []
    losses.checkers._internal_may_be_lost.add(first)
    assert coordinators.lost() == ["a", "b"]
    coordinators.missing[first] = frozenset("b")
    assert coordinators.lost() == ["b"]
    losses.checkers._internal_may_be_lost.add(second)
    assert coordinators.lost() == ["b", "c"]
    assert losses.checkers.coverage.excuses["transaction: lost decision"] == 5


def test_decisions_about_a_producer_are_those_about_its_owner(coordinators):
    losses, (first, _) = coordinators.losses, coordinators.partitions
    losses.checkers._internal_may_be_lost.add(first)
    coordinators.known.owners.update({7: Owner("a", first), 8: Owner("d", first)})
    assert [each for each in (7, 8, 9) if losses.decisions_about(each)] == [7]


def test_decisions_that_nothing_permits_to_lose_are_named(coordinators):
    losses, (first, second) = coordinators.losses, coordinators.partitions
    assert losses.unexcused_decisions() == {first: ["a", "b"], second: ["c"]}
    losses.checkers._internal_may_be_lost.add(first)
    assert losses.unexcused_decisions() == {second: ["c"]}
    coordinators.known.unread[second] = None
    assert losses.unexcused_decisions() == {}


def test_later_losses_are_found_after_forget(losses):
    assert not losses.value(B, "late")
    losses.checkers.replicas.of(B).lost.append(
        Lost(BatchIdentity(0, 0, 1, 0), (b"late",), UNCLEAN_ELECTION, 1)
    )
    assert not losses.value(B, "late")
    losses.forget()
    assert losses.value(B, "late")
