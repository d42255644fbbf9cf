"""The verdict of `python -m tests.mixed` names each kind of broken promise."""

import pytest

from tests.mixed.ledger import Ledger, Transactions


def ledger():
    return Ledger(
        sent=[(0, b"a"), (0, b"b"), (1, b"c"), (0, b"d")],
        acknowledged={(0, 0): b"a", (0, 1): b"b", (1, 0): b"c"},
    )


KEPT = {0: [(0, b"a"), (1, b"b")], 1: [(0, b"c")]}


def test_acknowledged_records_in_order_at_their_offsets_are_right():
    assert ledger().problems(KEPT, KEPT) == []


def test_a_record_without_an_acknowledgement_may_be_in_the_log_and_need_not_be_delivered():
    assert ledger().problems({0: [*KEPT[0], (2, b"d")], 1: KEPT[1]}, KEPT) == []


def test_a_consumer_may_get_a_record_twice():
    delivered = {0: [*KEPT[0], *KEPT[0]], 1: KEPT[1]}
    assert ledger().problems(KEPT, delivered) == []


@pytest.mark.parametrize(
    ("read", "named"),
    [
        ({0: [(0, b"a")], 1: [(0, b"c")]}, "b'b' is not at 0:1, but None"),
        ({0: [(0, b"a"), (2, b"b")], 1: [(0, b"c")]}, "b'b' is not at 0:1"),
        ({0: [(0, b"a"), (1, b"x")], 1: [(0, b"c")]}, "b'x' was never sent"),
        ({0: [(0, b"a"), (1, b"b"), (2, b"b")], 1: [(0, b"c")]}, "b'b' was read 2 times"),
        ({0: [(1, b"b"), (0, b"a")], 1: [(0, b"c")]}, "offsets do not rise"),
        ({0: [(0, b"b"), (1, b"a")], 1: [(0, b"c")]}, "not in the order of sending"),
    ],
)
def test_a_wrong_log_is_named(read, named):
    assert any(named in problem for problem in ledger().problems(read, KEPT))


@pytest.mark.parametrize("rows", [[(0, b"a")], [(0, b"a"), (1, b"x")]])
def test_a_record_that_the_consumer_did_not_get_is_named(rows):
    (problem,) = ledger().problems(KEPT, {0: rows, 1: KEPT[1]})
    assert "at (0, 1) was not delivered" in problem


def test_a_record_that_was_acknowledged_without_an_offset_must_be_there():
    unplaced = ledger()
    unplaced.unplaced.append(b"d")
    whole = {0: [*KEPT[0], (2, b"d")], 1: KEPT[1]}
    assert unplaced.problems(whole, whole) == []
    assert unplaced.problems(whole, KEPT) == ["acknowledged record b'd' was not delivered"]
    lost, _ = unplaced.problems(KEPT, KEPT)
    assert lost == "acknowledged record b'd' is lost"


def test_a_failed_record_is_named():
    failing = ledger()
    failing.failed.append((b"d", "timed out"))
    assert failing.problems(KEPT, KEPT) == ["record b'd' failed: timed out"]


TRANSACTIONS = Transactions(
    committed={1: [b"a", b"b"]}, aborted={2: [b"c"]}, unknown={3: [b"d", b"e"]}
)


@pytest.mark.parametrize("read", [[b"a", b"b"], [b"a", b"b", b"d", b"e"]])
def test_whole_transactions_are_right(read):
    assert TRANSACTIONS.problems(read) == []


@pytest.mark.parametrize(
    ("read", "named"),
    [
        ([b"a"], "b'b' of committed transaction 1 is lost"),
        ([b"a", b"b", b"b"], "b'b' was read 2 times"),
        ([b"a", b"b", b"c"], "b'c' of aborted transaction 2 was read"),
        ([b"a", b"b", b"d"], "1 of 2 records of transaction 3 were read"),
    ],
)
def test_a_torn_transaction_is_named(read, named):
    assert any(named in problem for problem in TRANSACTIONS.problems(read))
