"""The decisions about requests that need a history which few clients have.

All other combinations of states, versions and producers are compared with Apache Kafka in
tests/conformance/test_transaction_cases.py.
"""

import pytest

from minikafka.common.errors import (
    ConcurrentTransactionsError,
    InvalidProducerIdMappingError,
    InvalidTxnStateError,
    ProducerFencedError,
)
from minikafka.transaction import request_rules
from minikafka.transaction.request_rules import Decision, ProducerName
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction

S = TransactionState
DECISION = Decision(200, 2, lambda: 11)


def value(state, epoch=3, producer_id=10, previous=10, **changes):
    return Transaction(
        producer_id=producer_id, previous_producer_id=previous, producer_epoch=epoch,
        timeout_ms=5, state=state, updated_ms=100, **changes,
    )  # fmt: skip


def test_an_exhausted_epoch_gets_a_new_producer_id():
    after = request_rules.initialize(value(S.EMPTY, epoch=32766), None, 5, DECISION)
    assert (after.producer_id, after.producer_epoch) == (11, 0)
    again = request_rules.initialize(
        value(S.EMPTY, epoch=32766), ProducerName(10, 32766), 5, DECISION
    )
    assert (again.producer_id, again.last_epoch) == (11, 32766)


def test_a_request_that_got_a_new_producer_id_may_be_repeated():
    now = value(S.EMPTY, epoch=0, producer_id=11, previous=10, last_epoch=32766)
    after = request_rules.initialize(now, ProducerName(10, 32766), 5, DECISION)
    assert (after.producer_id, after.producer_epoch) == (11, 0)


def test_no_producer_gets_the_epoch_behind_which_no_marker_can_be():
    """A timeout has raised it. The LSO would stay where its next transaction begins."""
    now = value(S.COMPLETE_ABORT, epoch=32767, last_epoch=32766)
    producer = ProducerName(10, 32766)
    after = request_rules.initialize(now, producer, 5, DECISION)
    assert (after.producer_id, after.producer_epoch) == (11, 0)
    assert request_rules.initialize(after, producer, 5, DECISION).producer_id == 11
    with pytest.raises(ProducerFencedError):
        request_rules.end_with_epoch_bump(now, producer, is_commit=False, decision=DECISION)
    with pytest.raises(InvalidTxnStateError):
        request_rules.end_with_epoch_bump(now, producer, is_commit=True, decision=DECISION)


@pytest.mark.parametrize("producer", [(10, 5), (9, 32766), (10, 32767)])
def test_a_former_producer_id_is_fenced(producer):
    now = value(S.EMPTY, epoch=0, producer_id=11, previous=10, last_epoch=32766)
    with pytest.raises(ProducerFencedError):
        request_rules.initialize(now, ProducerName(*producer), 5, DECISION)


@pytest.mark.parametrize("state", [S.PREPARE_COMMIT, S.PREPARE_ABORT])
def test_nothing_begins_while_a_transaction_ends(state):
    now = value(state)
    with pytest.raises(ConcurrentTransactionsError):
        request_rules.initialize(now, None, 5, DECISION)
    with pytest.raises(ConcurrentTransactionsError):
        request_rules.add_partitions(now, ProducerName(10, 3), frozenset(), 2, 200)


@pytest.mark.parametrize("state", [S.PREPARE_COMMIT, S.PREPARE_ABORT])
@pytest.mark.parametrize("is_commit", [True, False])
def test_a_decided_outcome_stays(state, is_commit):
    same = is_commit is (state is S.PREPARE_COMMIT)
    expected = ConcurrentTransactionsError if same else InvalidTxnStateError
    with pytest.raises(expected):
        request_rules.end(value(state), ProducerName(10, 3), is_commit=is_commit, now_ms=200)
    with pytest.raises(expected):
        request_rules.end_with_epoch_bump(
            value(state), ProducerName(10, 2), is_commit=is_commit, decision=DECISION
        )
    with pytest.raises(ProducerFencedError):
        request_rules.end_with_epoch_bump(
            value(state), ProducerName(10, 3), is_commit=is_commit, decision=DECISION
        )


def test_the_end_of_the_last_epoch_takes_a_new_producer_id():
    after = request_rules.end_with_epoch_bump(
        value(S.ONGOING, epoch=32766), ProducerName(10, 32766), is_commit=True, decision=DECISION
    )
    assert after is not None
    assert (after.producer_epoch, after.next_producer_id) == (32767, 11)


@pytest.mark.parametrize(
    ("state", "is_commit"), [(S.COMPLETE_COMMIT, True), (S.COMPLETE_ABORT, False)]
)
def test_the_end_of_the_last_epoch_may_be_repeated(state, is_commit):
    now = value(state, epoch=0, producer_id=11, previous=10)
    producer = ProducerName(10, 32766)
    assert (
        request_rules.end_with_epoch_bump(now, producer, is_commit=is_commit, decision=DECISION)
        is None
    )
    with pytest.raises(InvalidTxnStateError):
        request_rules.end_with_epoch_bump(now, producer, is_commit=not is_commit, decision=DECISION)
    with pytest.raises(InvalidProducerIdMappingError):
        request_rules.end_with_epoch_bump(
            now, ProducerName(10, 32765), is_commit=is_commit, decision=DECISION
        )
