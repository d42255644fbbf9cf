"""The transitions of a transactional id, as functions from one value to the next.

Source: `TransactionMetadata.prepare*`, KIP-360, KIP-890.
"""

from collections.abc import Iterable
from dataclasses import replace

from minikafka.common.errors import ProducerFencedError
from minikafka.common.ids import TopicPartition
from minikafka.transaction.state import TRANSACTION_STATES, TransactionState
from minikafka.transaction.transaction import (
    EPOCH_BUMP_FROM,
    LAST_EPOCH,
    NO_EPOCH,
    NO_TIME_MS,
    Transaction,
)

_NO_PARTITIONS: frozenset[TopicPartition] = frozenset()


def created(producer_id: int, timeout_ms: int, now_ms: int) -> Transaction:
    """Return the state of a new transactional id."""
    return Transaction(
        producer_id=producer_id,
        previous_producer_id=producer_id,
        producer_epoch=0,
        timeout_ms=timeout_ms,
        state=TransactionState.EMPTY,
        updated_ms=now_ms,
    )


def with_next_epoch(
    now: Transaction, expected_epoch: int | None, timeout_ms: int, now_ms: int
) -> Transaction:
    """Return the state after InitProducerId. The producer may name the epoch that it has.

    Raises:
        ProducerFencedError: the producer has neither the current nor the last epoch, or the epoch
            cannot be raised.
    """
    if expected_epoch is not None and expected_epoch not in (now.producer_epoch, now.last_epoch):
        # Unlike Kafka (row W2) also if the current epoch is the last one.
        raise ProducerFencedError
    epoch, last_epoch = now.producer_epoch, now.last_epoch
    if expected_epoch is None or expected_epoch == now.producer_epoch:
        if now.is_exhausted:
            raise ProducerFencedError
        last_epoch = NO_EPOCH if expected_epoch is None else epoch
        epoch += 1
    # Otherwise a producer repeats its last request: it gets the same answer.
    return _emptied(
        now, producer_epoch=epoch, last_epoch=last_epoch, timeout_ms=timeout_ms, updated_ms=now_ms
    )


def with_new_producer_id(
    now: Transaction, producer_id: int, last_epoch: int, *, timeout_ms: int, now_ms: int
) -> Transaction:
    """Return the state after InitProducerId that needs a new producer id.

    `last_epoch` is the epoch that the producer has named, if any: it may repeat the request.
    """
    return _emptied(
        now,
        producer_id=producer_id,
        producer_epoch=0,
        last_epoch=last_epoch,
        timeout_ms=timeout_ms,
        updated_ms=now_ms,
    )


def _emptied(now: Transaction, **changes: int) -> Transaction:
    _require(now, TransactionState.EMPTY)
    empty = replace(
        now,
        previous_producer_id=now.producer_id,
        state=TransactionState.EMPTY,
        partitions=_NO_PARTITIONS,
        started_ms=NO_TIME_MS,
    )
    return replace(empty, **changes)  # type: ignore[arg-type]


def with_partitions(
    now: Transaction, added: Iterable[TopicPartition], client_version: int, now_ms: int
) -> Transaction:
    """Return the state with more partitions; the first ones begin a transaction."""
    _require(now, TransactionState.ONGOING)
    return replace(
        now,
        previous_producer_id=now.producer_id,
        state=TransactionState.ONGOING,
        partitions=now.partitions.union(added),
        started_ms=now_ms if now.state.is_idle else now.started_ms,
        updated_ms=now_ms,
        client_version=client_version,
    )


def fenced(now: Transaction, version: int, now_ms: int) -> Transaction:
    """Return the state in which the coordinator aborts an ongoing transaction.

    The epoch is raised, so that the producer can do nothing more. `version` is the transaction
    version of the cluster.
    """
    _require(now, TransactionState.PREPARE_EPOCH_FENCE)
    fence = replace(now, last_epoch=NO_EPOCH, state=TransactionState.PREPARE_EPOCH_FENCE)
    if version < EPOCH_BUMP_FROM:
        fence = replace(fence, producer_epoch=min(now.producer_epoch + 1, LAST_EPOCH))
    return ended(fence, is_commit=False, client_version=version, now_ms=now_ms)


def ended(
    now: Transaction,
    *,
    is_commit: bool,
    client_version: int,
    now_ms: int,
    next_producer_id: int = -1,
) -> Transaction:
    """Return the state in which the outcome is decided.

    From transaction version 2 on the epoch is raised; the markers have the raised epoch.
    """
    state = TransactionState.PREPARE_COMMIT if is_commit else TransactionState.PREPARE_ABORT
    _require(now, state)
    bumps = client_version >= EPOCH_BUMP_FROM
    return replace(
        now,
        previous_producer_id=now.producer_id,
        next_producer_id=next_producer_id,
        producer_epoch=min(now.producer_epoch + 1, LAST_EPOCH) if bumps else now.producer_epoch,
        last_epoch=now.producer_epoch if bumps else now.last_epoch,
        state=state,
        started_ms=now_ms if now.state.is_idle else now.started_ms,
        updated_ms=now_ms,
        client_version=client_version if bumps else 0,
    )


def started_by(transaction: Transaction, now_ms: int) -> Transaction:
    """Return a transaction that a new coordinator has loaded, with a start in the past.

    If the clock of the former coordinator was ahead, the timeout counts from now.
    Unlike Kafka (row T8), where it counts from a time that comes much later.
    """
    if transaction.started_ms <= now_ms:
        return transaction
    return replace(transaction, started_ms=now_ms)


def completed(now: Transaction, now_ms: int) -> Transaction:
    """Return the state after every partition has its marker."""
    is_commit = now.state is TransactionState.PREPARE_COMMIT
    state = TransactionState.COMPLETE_COMMIT if is_commit else TransactionState.COMPLETE_ABORT
    _require(now, state)
    has_next = now.client_version >= EPOCH_BUMP_FROM and now.next_producer_id >= 0
    return replace(
        now,
        producer_id=now.next_producer_id if has_next else now.producer_id,
        previous_producer_id=now.producer_id,
        next_producer_id=-1,
        producer_epoch=0 if has_next else now.producer_epoch,
        state=state,
        partitions=_NO_PARTITIONS,
        updated_ms=now_ms,
    )


def dead(now: Transaction) -> Transaction:
    """Return the state of an id that is being removed; its record is a tombstone."""
    _require(now, TransactionState.DEAD)
    return replace(now, state=TransactionState.DEAD, partitions=_NO_PARTITIONS)


def _require(now: Transaction, state: TransactionState) -> None:
    TRANSACTION_STATES.require(now.state, state, f"of producer id {now.producer_id}")
