"""The value of a transactional id."""

from minikafka.transaction.transaction import is_exhausted
from minikafka.transaction.transitions import created, with_partitions
from tests.worlds.transaction_world import at


def test_the_last_epoch_is_only_for_the_coordinator():
    assert [is_exhausted(epoch) for epoch in (0, 32765, 32766, 32767)] == [
        False, False, True, True
    ]  # fmt: skip


def test_partitions_have_a_repeatable_order():
    now = with_partitions(created(1, 5, 7), [at(3), at(0), at(1, "a")], 2, 8)
    assert now.sorted_partitions == [at(1, "a"), at(0), at(3)]
