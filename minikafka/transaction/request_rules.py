"""What a request does to a transactional id without a transition in progress.

Each decision returns the next state, or None if there is nothing to write. The caller has answered
CONCURRENT_TRANSACTIONS already if a transition is in progress.

Source: `TransactionCoordinator`, KIP-98, KIP-360, KIP-890.
"""

from collections.abc import Callable
from typing import NamedTuple

from minikafka.common.errors import (
    ConcurrentTransactionsError,
    ErrorCode,
    InvalidProducerIdMappingError,
    InvalidTxnStateError,
    ProducerFencedError,
)
from minikafka.common.ids import TopicPartition
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import (
    EPOCH_BUMP_FROM,
    LAST_EPOCH,
    NO_EPOCH,
    Transaction,
    is_exhausted,
)
from minikafka.transaction.transitions import (
    ended,
    fenced,
    with_new_producer_id,
    with_next_epoch,
    with_partitions,
)


class ProducerName(NamedTuple):
    """A producer id with the epoch that its producer has."""

    producer_id: int
    epoch: int


class Decision(NamedTuple):
    """The time of a decision, the transaction version of the cluster, a source of producer ids."""

    now_ms: int
    version: int
    take_producer_id: Callable[[], int]
    """Raises CoordinatorLoadInProgressError while this broker has none."""


def initialize(
    now: Transaction, expected: ProducerName | None, timeout_ms: int, decision: Decision
) -> Transaction:
    """Decide InitProducerId for an id that exists; an ongoing transaction is aborted.

    Raises:
        ConcurrentTransactionsError: the last transaction is ending.
        ProducerFencedError: the producer named a producer id or an epoch that is not valid any
            more.
    """
    if expected is not None and not (
        expected.producer_id == now.producer_id
        or (expected.producer_id == now.previous_producer_id and is_exhausted(expected.epoch))
    ):
        raise ProducerFencedError
    if now.state.is_prepared:
        raise ConcurrentTransactionsError
    if now.state is TransactionState.ONGOING:
        return fenced(now, decision.version, decision.now_ms)
    epoch = None if expected is None else expected.epoch
    # No producer gets the last epoch: a marker for it could have no newer one.
    was_fenced = now.producer_epoch == LAST_EPOCH and epoch == now.last_epoch
    if now.is_exhausted and (epoch in (None, now.producer_epoch) or was_fenced):
        return with_new_producer_id(
            now,
            decision.take_producer_id(),
            NO_EPOCH if epoch is None else epoch,
            timeout_ms=timeout_ms,
            now_ms=decision.now_ms,
        )
    return with_next_epoch(now, epoch, timeout_ms, decision.now_ms)


def add_partitions(
    now: Transaction,
    producer: ProducerName,
    partitions: frozenset[TopicPartition],
    client_version: int,
    now_ms: int,
) -> Transaction | None:
    """Decide AddPartitionsToTxn and AddOffsetsToTxn.

    Raises:
        InvalidProducerIdMappingError, ProducerFencedError, ConcurrentTransactionsError
    """
    _require_producer(now, producer)
    if now.state is TransactionState.ONGOING and partitions <= now.partitions:
        return None
    return with_partitions(now, partitions, client_version, now_ms)


def verify_partition(
    now: Transaction, producer: ProducerName, partition: TopicPartition
) -> ErrorCode:
    """Return the code for a partition that must be in the transaction already (KIP-890).

    Raises:
        InvalidProducerIdMappingError, ProducerFencedError, ConcurrentTransactionsError
    """
    _require_producer(now, producer)
    is_in = partition in now.partitions
    return ErrorCode.NONE if is_in else ErrorCode.TRANSACTION_ABORTABLE


def _require_producer(now: Transaction, producer: ProducerName) -> None:
    require_producer(now, producer)
    if now.state.is_prepared:
        raise ConcurrentTransactionsError


def require_producer(now: Transaction, producer: ProducerName) -> None:
    """Check that a producer has the current producer id and epoch.

    Raises:
        InvalidProducerIdMappingError, ProducerFencedError
    """
    if now.producer_id != producer.producer_id:
        raise InvalidProducerIdMappingError
    if now.producer_epoch != producer.epoch:
        raise ProducerFencedError


def end(
    now: Transaction, producer: ProducerName, *, is_commit: bool, now_ms: int
) -> Transaction | None:
    """Decide EndTxn of a client without transaction version 2 (EndTxn v0-4).

    Raises:
        InvalidProducerIdMappingError, ProducerFencedError, ConcurrentTransactionsError
        InvalidTxnStateError: there is no transaction, or it ends in the opposite way.
    """
    require_producer(now, producer)
    if now.state is TransactionState.ONGOING:
        return ended(now, is_commit=is_commit, client_version=0, now_ms=now_ms)
    if _ends_as(now) is not is_commit:
        raise InvalidTxnStateError
    if now.state.is_prepared:
        raise ConcurrentTransactionsError
    return None


def end_with_epoch_bump(
    now: Transaction, producer: ProducerName, *, is_commit: bool, decision: Decision
) -> Transaction | None:
    """Decide EndTxn of a client with transaction version 2 (EndTxn v5).

    A client whose request was carried out has the epoch before the current one; if its producer id
    was used up, it has the last epoch of the previous producer id.

    Raises:
        InvalidProducerIdMappingError, ProducerFencedError, ConcurrentTransactionsError
        InvalidTxnStateError: there is nothing to commit, or it was ended in the opposite way.
    """
    was_last_epoch = (
        producer == (now.previous_producer_id, LAST_EPOCH - 1) and now.producer_epoch == 0
    )
    if now.producer_id != producer.producer_id and not was_last_epoch:
        raise InvalidProducerIdMappingError
    was_last_request = was_last_epoch or now.producer_epoch == producer.epoch + 1
    _require_end_epoch(now, producer, was_last_request=was_last_request)
    state = now.state
    if state.is_prepared:
        if _ends_as(now) is is_commit:
            raise ConcurrentTransactionsError
        raise InvalidTxnStateError
    if state is not TransactionState.ONGOING:
        if was_last_request and state is not TransactionState.EMPTY:
            if _ends_as(now) is not is_commit:
                raise InvalidTxnStateError
            if now.producer_epoch == LAST_EPOCH:
                # The answer would give the producer that epoch (`initialize`).
                raise ProducerFencedError
            return None
        if is_commit:
            raise InvalidTxnStateError
    next_id = decision.take_producer_id() if now.is_exhausted else -1
    return ended(
        now,
        is_commit=is_commit,
        client_version=EPOCH_BUMP_FROM,
        now_ms=decision.now_ms,
        next_producer_id=next_id,
    )


def _require_end_epoch(now: Transaction, producer: ProducerName, *, was_last_request: bool) -> None:
    is_current = now.producer_epoch == producer.epoch
    if now.state.is_prepared:
        is_valid = was_last_request
    elif now.state in (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT):
        is_valid = was_last_request or is_current
    else:
        is_valid = is_current
    if not is_valid:
        raise ProducerFencedError


def _ends_as(now: Transaction) -> bool | None:
    """Return True for a commit, False for an abort, None for a transaction without an outcome."""
    if now.state in (TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT):
        return True
    if now.state in (TransactionState.PREPARE_ABORT, TransactionState.COMPLETE_ABORT):
        return False
    return None
