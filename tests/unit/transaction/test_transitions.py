"""Each transition changes exactly what Kafka's does."""

import pytest

from minikafka.common.errors import ProducerFencedError
from minikafka.common.faults import InvariantViolation
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction
from minikafka.transaction.transitions import (
    completed,
    created,
    dead,
    ended,
    fenced,
    with_new_producer_id,
    with_next_epoch,
    with_partitions,
)
from tests.worlds.transaction_world import at

S = TransactionState


def value(state=S.EMPTY, epoch=3, **changes):
    return Transaction(
        producer_id=10, previous_producer_id=10, producer_epoch=epoch, timeout_ms=5, state=state,
        updated_ms=100, **changes,
    )  # fmt: skip


def test_a_new_id_begins_with_epoch_0():
    new = created(10, 5, 100)
    assert new == value(epoch=0)


def test_the_next_epoch_ends_what_was_before():
    before = value(S.COMPLETE_COMMIT, started_ms=50, client_version=2, last_epoch=2)
    after = with_next_epoch(before, None, 9, 200)
    assert (after.state, after.producer_epoch, after.last_epoch) == (S.EMPTY, 4, -1)
    assert (after.timeout_ms, after.started_ms, after.updated_ms) == (9, -1, 200)
    assert after.client_version == 2


def test_a_producer_that_names_its_epoch_may_repeat_the_request():
    after = with_next_epoch(value(), 3, 5, 200)
    assert (after.producer_epoch, after.last_epoch) == (4, 3)
    again = with_next_epoch(after, 3, 5, 300)
    assert (again.producer_epoch, again.last_epoch) == (4, 3)


@pytest.mark.parametrize("expected", [1, 2, 4])
def test_a_producer_with_another_epoch_is_fenced(expected):
    with pytest.raises(ProducerFencedError):
        with_next_epoch(value(), expected, 5, 200)


def test_an_exhausted_epoch_is_not_raised():
    with pytest.raises(ProducerFencedError):
        with_next_epoch(value(epoch=32766), 32766, 5, 200)


@pytest.mark.parametrize("last_epoch", [32766, -1])
def test_a_new_producer_id_begins_with_epoch_0(last_epoch):
    before = value(epoch=32766)
    after = with_new_producer_id(before, 11, last_epoch, timeout_ms=6, now_ms=200)
    assert (after.producer_id, after.producer_epoch, after.last_epoch) == (11, 0, last_epoch)
    assert after.previous_producer_id == 10


def test_the_first_partition_begins_a_transaction():
    first = with_partitions(value(), [at(0)], 2, 200)
    second = with_partitions(first, [at(1)], 2, 300)
    assert (second.state, second.started_ms, second.updated_ms) == (S.ONGOING, 200, 300)
    assert second.partitions == {at(0), at(1)}
    assert second.client_version == 2


@pytest.mark.parametrize(("version", "epoch", "client_version"), [(0, 4, 0), (1, 4, 0), (2, 4, 2)])
def test_a_fence_raises_the_epoch_once(version, epoch, client_version):
    after = fenced(value(S.ONGOING, started_ms=50, partitions=frozenset((at(0),))), version, 200)
    assert (after.state, after.producer_epoch) == (S.PREPARE_ABORT, epoch)
    assert (after.client_version, after.started_ms) == (client_version, 50)
    assert after.partitions == {at(0)}


def test_a_fence_never_exceeds_the_last_epoch():
    for version in (0, 2):
        assert fenced(value(S.ONGOING, epoch=32767), version, 200).producer_epoch == 32767


@pytest.mark.parametrize(("version", "epoch", "last"), [(0, 3, -1), (2, 4, 3)])
def test_an_end_raises_the_epoch_from_version_2_on(version, epoch, last):
    before = value(S.ONGOING, started_ms=50)
    after = ended(before, is_commit=True, client_version=version, now_ms=200)
    assert (after.state, after.producer_epoch, after.last_epoch) == (S.PREPARE_COMMIT, epoch, last)
    assert after.started_ms == 50


def test_an_abort_without_partitions_starts_when_it_ends():
    after = ended(value(), is_commit=False, client_version=2, now_ms=200)
    assert (after.state, after.started_ms) == (S.PREPARE_ABORT, 200)


def test_a_completed_transaction_has_no_partitions():
    before = value(S.PREPARE_COMMIT, partitions=frozenset((at(0),)), started_ms=50)
    after = completed(before, 200)
    assert (after.state, after.partitions, after.producer_epoch) == (
        S.COMPLETE_COMMIT, frozenset(), 3
    )  # fmt: skip
    assert (after.started_ms, after.updated_ms) == (50, 200)


def test_the_next_producer_id_takes_over_at_the_end():
    before = ended(
        value(S.ONGOING, epoch=32766), is_commit=False, client_version=2, now_ms=200,
        next_producer_id=11,
    )  # fmt: skip
    assert (before.producer_id, before.producer_epoch) == (10, 32767)
    after = completed(before, 300)
    assert (after.producer_id, after.producer_epoch) == (11, 0)
    assert (after.previous_producer_id, after.next_producer_id) == (10, -1)
    assert (after.state, after.last_epoch) == (S.COMPLETE_ABORT, 32766)


def test_only_an_unused_id_dies():
    assert dead(value(S.COMPLETE_ABORT)).state is S.DEAD
    with pytest.raises(InvariantViolation):
        dead(value(S.ONGOING))
