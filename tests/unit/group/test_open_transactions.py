"""The groups of each open transaction."""

from minikafka.group.offsets import GroupOffsets
from minikafka.group.open_transactions import OpenTransactions
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue


def value(offset):
    return OffsetCommitValue(offset, 0, "", 0, -1)


def test_a_transaction_ends_in_all_its_groups():
    open_transactions = OpenTransactions()
    groups = {name: GroupOffsets() for name in ("a", "b", "c")}
    for name in ("a", "b"):
        open_transactions.write(7, (name, groups[name]), ("t", 0), value(5), 1)
    open_transactions.write(8, ("c", groups["c"]), ("t", 0), value(6), 1)
    ended = open_transactions.end(7, is_commit=True)
    assert list(ended.groups) == ["a", "b"]
    assert len(open_transactions) == 1
    assert groups["a"].committed == {}
    ended.committed()
    assert [groups[name].committed for name in ("a", "b", "c")] == [
        {"t": {0: value(5)}}, {"t": {0: value(5)}}, {},
    ]  # fmt: skip


def test_the_end_of_an_unknown_transaction_changes_nothing():
    ended = OpenTransactions().end(7, is_commit=True)
    assert ended.groups == {}
    ended.committed()
