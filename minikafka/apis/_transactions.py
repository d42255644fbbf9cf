"""Common parts of the transaction APIs: waits for writes, and error codes by version."""

from minikafka.common.errors import ErrorCode
from minikafka.config import transaction_keys
from minikafka.coordinator.journal import Write
from minikafka.serving.context import BrokerContext
from minikafka.serving.steps import Steps, wait_until

PRODUCER_FENCED_FROM = 2
"""The version of AddPartitionsToTxn, AddOffsetsToTxn and EndTxn that has PRODUCER_FENCED."""


def await_transition(ctx: BrokerContext, transactional_id: str) -> Steps[None]:
    """Wait while a transition of an id is in progress, for a short time.

    Unlike Kafka (row T5): the next request of a producer usually arrives while the markers of its
    transaction are written. CONCURRENT_TRANSACTIONS would let the client sleep for its backoff.
    """
    entry = ctx.broker.transactions.in_transition(transactional_id)
    if entry is not None:
        limit_ms = ctx.broker.local.config[transaction_keys.RETRY_BACKOFF_MAX_MS]
        yield from wait_until((entry,), lambda: entry.pending is None, ctx.deadline_ms(limit_ms))


def await_commit(write: Write | None) -> Steps[ErrorCode]:
    """Wait until a record is committed, has failed or has timed out; return the result."""
    if write is None:
        return ErrorCode.NONE
    yield from wait_until((write.key,), write.settled, write.deadline_ms)
    write.expire()
    return write.code or ErrorCode.NONE


def code_for(code: int, version: int, fenced_from: int = PRODUCER_FENCED_FROM) -> int:
    """Return the code for a client: versions before `fenced_from` have no PRODUCER_FENCED."""
    if code == ErrorCode.PRODUCER_FENCED and version < fenced_from:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code
