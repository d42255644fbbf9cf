"""Each anomaly of transactions is found, unless exactly its loss is permitted."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.history.transaction_anomalies import (
    aborted_reads,
    broken_copies,
    broken_outcomes,
    repeated_producer_ids,
)
from minikafka.history.transactions import ProducerIdentity, ReadValue, SentTransaction

A, B = TopicPartition("t", 0), TopicPartition("t", 1)
SOURCE, TARGET = TopicPartition("in", 0), TopicPartition("out", 0)


class Permitted:
    """The losses that are named: (partition, offset) of `records`, ids of `decisions`."""

    def __init__(self, records=(), markers=(), values=(), held=None, others=(), decisions=()):
        self.records, self.markers, self.values = records, markers, values
        self.held, self.others, self.lost_decisions = held or {}, others, decisions

    def record(self, where, offset, value):
        return (where, offset) in self.records

    def value(self, where, value):
        return (where, value) in self.values

    def offset(self, where, offset):
        return (where, offset) in self.records

    def marker(self, where, producer_id):
        return (where, producer_id) in self.markers

    def any_marker(self, where):
        return any(each == where for each, _ in self.markers)

    def decisions(self, transactional_id):
        return transactional_id in self.lost_decisions

    def group_offsets(self):
        return "offsets" in self.others

    def is_held_back(self, where, offset):
        return where in self.held and offset >= self.held[where]


def sent(outcome, *, acknowledged=True):
    """A transaction of producer 7 with a at 0 and b at 1 of A, and c at 4 of B."""
    return SentTransaction(
        "T", "id", ProducerIdentity(7, 0), {A: ["a", "b"], B: ["c"]},
        {A: {"a": 0, "b": 1}, B: {"c": 4}}, outcome=outcome, is_acknowledged=acknowledged,
    )  # fmt: skip


WHOLE = {A: {0: "a", 1: "b"}, B: {4: "c"}}
PARTLY = {A: {0: "a", 1: "b"}, B: {}}
NOTHING = {A: {}, B: {}}


def kinds(transaction, visible, losses=None):
    return [each.kind for each in broken_outcomes([transaction], visible, losses or Permitted())]


@pytest.mark.parametrize(
    ("transaction", "visible"),
    [
        (sent("commit"), WHOLE),
        (sent("commit", acknowledged=False), WHOLE),
        (sent("commit", acknowledged=False), NOTHING),
        (sent("abort"), NOTHING),
        (sent(None, acknowledged=False), NOTHING),
    ],
)
def test_whole_or_nothing_is_right(transaction, visible):
    assert kinds(transaction, visible) == []


def test_a_commit_that_was_acknowledged_is_visible():
    assert kinds(sent("commit"), PARTLY) == ["EndTxnCommit"]
    assert kinds(sent("commit"), {A: {0: "b", 1: "a"}, B: {4: "c"}}) == ["EndTxnCommit"]


def test_what_no_client_committed_is_not_visible():
    assert kinds(sent("abort"), PARTLY) == ["AbortedNeverRead"]
    assert kinds(sent("abort", acknowledged=False), WHOLE) == ["AbortedNeverRead"]
    assert kinds(sent(None, acknowledged=False), WHOLE) == ["AbortedNeverRead"]


def test_values_whose_offset_is_not_known_are_found_too():
    unknown = SentTransaction("T", "id", ProducerIdentity(7, 0), {A: ["a"]})
    assert kinds(unknown, {A: {9: "a"}}) == ["AbortedNeverRead"]
    assert kinds(unknown, {A: {9: "b"}}) == []


def test_a_transaction_without_an_answer_is_not_visible_in_part():
    assert kinds(sent("commit", acknowledged=False), PARTLY) == ["TransactionIsWhole"]


@pytest.mark.parametrize(
    ("losses", "is_excused"),
    [
        (Permitted(records=[(B, 4)]), True),
        (Permitted(records=[(B, 3), (A, 4)]), False),
        (Permitted(markers=[(B, 7)]), True),
        (Permitted(markers=[(B, 8)]), False),
        (Permitted(held={B: 4}), True),
        (Permitted(held={B: 5, A: 0}), False),
        (Permitted(decisions=["id"]), True),
        (Permitted(decisions=["other"]), False),
        (Permitted(others=["offsets"]), False),
    ],
)
def test_a_value_may_be_missing_only_if_it_or_its_marker_may(losses, is_excused):
    for acknowledged in (True, False):
        assert (
            kinds(sent("commit", acknowledged=acknowledged), PARTLY, losses) == []
        ) is is_excused


@pytest.mark.parametrize(
    ("losses", "is_excused"),
    [
        (Permitted(records=[(A, 0), (A, 1)]), False),
        (Permitted(markers=[(A, 7)]), True),
        (Permitted(markers=[(B, 7)]), False),
        (Permitted(held={A: 0}), False),
        (Permitted(decisions=["id"]), True),
        (Permitted(decisions=["other"]), False),
    ],
)
def test_an_aborted_value_may_be_visible_only_if_its_marker_was_lost(losses, is_excused):
    assert (kinds(sent("abort"), PARTLY, losses) == []) is is_excused


def test_what_readers_saw_stays_committed():
    read = [ReadValue(A, 0, "a"), ReadValue(A, 1, "b")]
    assert list(aborted_reads(read, WHOLE, Permitted())) == []
    [found] = aborted_reads(read, {A: {0: "a"}}, Permitted())
    assert str(found) == "AbortedNeverRead: t-0 'b' was read at 1"
    assert list(aborted_reads(read, {A: {0: "a"}}, Permitted(records=[(A, 1)]))) == []
    assert list(aborted_reads(read, {A: {0: "a"}}, Permitted(markers=[(A, 3)]))) == []
    assert len(list(aborted_reads(read, {A: {0: "a"}}, Permitted(records=[(B, 1)])))) == 1


def copies(inputs, outputs, losses=None):
    visible = {SOURCE: dict(enumerate(inputs)), TARGET: dict(enumerate(outputs))}
    found = broken_copies(SOURCE, TARGET, ["loop"], visible, losses or Permitted())
    return [each.text for each in found]


def test_outputs_are_the_first_inputs_in_order():
    assert copies("abc", "ab") == []
    assert copies("abc", "") == []


@pytest.mark.parametrize(
    ("outputs", "what"),
    [
        ("aba", ["has 2 copies of 'a'", "has 'a' after 'b'"]),
        ("ba", ["has 'a' after 'b'"]),
        ("ac", ["lacks 'b'"]),
        ("abx", ["has 'x', in-0 does not"]),
    ],
)
def test_outputs_that_are_not_the_inputs(outputs, what):
    found = copies("abc", outputs)
    assert len(found) == len(what)
    assert all(part in text for part, text in zip(what, found, strict=True))


def test_losses_of_inputs_and_outputs():
    assert copies("abc", "ac", Permitted(records=[(SOURCE, 1)])) == []
    assert copies("abc", "ac", Permitted(records=[(SOURCE, 2)])) != []
    assert copies("abc", "ac", Permitted(values=[(TARGET, "b")])) == []
    assert copies("abc", "abx", Permitted(values=[(SOURCE, "x")])) == []
    assert copies("abc", "aa", Permitted(values=[(TARGET, "a")])) != []
    assert copies("abc", "aa", Permitted(others=["offsets"])) == []
    assert copies("abc", "aa", Permitted(decisions=["loop"])) == []
    assert copies("abc", "aa", Permitted(decisions=["other"])) != []
    assert copies("abc", "aa", Permitted(markers=[(TARGET, 1)])) == []
    assert copies("abc", "aa", Permitted(markers=[(A, 1)])) != []


def test_producer_ids_have_one_owner_and_epochs_are_given_once():
    def found(*given, losses=None):
        rows = [(owner, ProducerIdentity(*producer)) for owner, producer in given]
        return [each.text for each in repeated_producer_ids(rows, losses or Permitted())]

    assert found(("a", (1, 0)), ("a", (1, 1)), ("b", (2, 0)), (None, (3, 0))) == []
    assert found(("a", (1, 0)), ("b", (1, 1))) == ["1 was given to a and b"]
    assert found((None, (1, 0)), (None, (1, 0))) == ["1 was given to None and None"]
    assert found(("a", (1, 0)), ("a", (1, 0))) == ["epoch 0 of 1 was given twice"]
    assert found(("a", (1, 0)), ("a", (1, 0)), losses=Permitted(decisions=["a"])) == []
    assert found(("a", (1, 0)), ("a", (1, 0)), losses=Permitted(decisions=["b"])) != []
    assert found(("a", (1, 0)), ("b", (1, 1)), losses=Permitted(decisions=["a", "b"])) != []
