"""Offsets of open transactions, by producer and partition."""

from minikafka.group.transactional_offsets import TransactionalOffsets
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue

AT = ("t", 0)


def value(offset):
    return OffsetCommitValue(offset, 0, "", 0, -1)


def test_partition_is_unstable_until_all_its_transactions_are_over():
    offsets = TransactionalOffsets()
    for producer_id in (7, 8):
        offsets.write(producer_id, AT, value(producer_id), producer_id)
    for producer_id in (7, 8):
        assert offsets.is_unstable(AT)
        ended = offsets.end(producer_id)
        assert ended[AT].value.offset == producer_id
        assert offsets.is_unstable(AT)
        offsets.end_committed(ended)
    assert not offsets.is_unstable(AT)
    assert not offsets


def test_a_replaced_offset_keeps_its_partition_unstable():
    offsets = TransactionalOffsets()
    offsets.write(7, AT, value(1), 10)
    offsets.write(8, AT, value(2), 20)
    assert [each.offset for each in offsets.replace(AT, 15)] == [1]
    assert offsets.replace(AT, 15) == []
    assert offsets.get(7, AT) is None
    assert offsets.get(8, AT).offset == 2
    assert list(offsets.partitions()) == [AT]
    assert offsets.end(7)[AT].value is None


def test_a_replaced_offset_can_be_written_again():
    offsets = TransactionalOffsets()
    offsets.write(7, AT, value(1), 10)
    offsets.replace(AT, 15)
    offsets.write(7, AT, value(3), 20)
    ended = offsets.end(7)
    assert ended[AT].value.offset == 3
    offsets.end_committed(ended)
    assert not offsets


def test_the_end_of_an_unknown_transaction_has_no_offsets():
    assert TransactionalOffsets().end(7) == {}


class Visited(tuple):
    """A partition that counts how often it is looked up."""

    __slots__ = ()
    count = 0

    def __hash__(self):
        Visited.count += 1
        return super().__hash__()


def test_a_commit_visits_only_open_producers_of_its_own_partition(monkeypatch):
    offsets = TransactionalOffsets()
    for producer_id in range(1_000):
        offsets.write(producer_id, ("t", producer_id % 100), value(1), 10)
    offsets.write(7_000, AT, value(2), 10)
    monkeypatch.setattr(Visited, "count", 0)
    assert len(offsets.replace(Visited(AT), 20)) == 11
    assert Visited.count <= 5 * 11
    monkeypatch.setattr(Visited, "count", 0)
    assert offsets.replace(Visited(AT), 30) == []
    assert Visited.count == 1
