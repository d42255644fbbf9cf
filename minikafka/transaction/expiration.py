"""The abort of transactions that have timed out, and the removal of unused transactional ids.

The ids are searched in slices, so that other work can run between them. A transaction whose outcome
is decided is never aborted by its timeout.

Source: `TransactionCoordinator.abortTimedOutTransactions`,
`TransactionStateManager.removeExpiredTransactionalIds`.
"""

import logging
from collections.abc import Iterator
from typing import Final

from minikafka.common.errors import KafkaError
from minikafka.transaction.shard import TransactionEntry, TransactionShard
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction
from minikafka.transaction.transitions import fenced

_log = logging.getLogger("minikafka.transaction")
_TOMBSTONES_A_BATCH: Final = 500
_SEEN_US: Final = 0.5
_ABORTED_US: Final = 100
_REMOVED_US: Final = 10


def has_timed_out(transaction: Transaction, now_ms: int) -> bool:
    """True if an ongoing transaction is older than its timeout."""
    return (
        transaction.state is TransactionState.ONGOING
        and transaction.started_ms + transaction.timeout_ms < now_ms
    )


def has_expired(transaction: Transaction, now_ms: int, expiration_ms: int) -> bool:
    """True if an id without a transaction was not used for `expiration_ms`."""
    return transaction.state.is_idle and transaction.updated_ms <= now_ms - expiration_ms


def abort_timed_out(shard: TransactionShard) -> Iterator[float]:
    """Abort transactions that have timed out, with a higher epoch; yield the costs."""
    for entry in list(shard.entries.values()):
        if not shard.shard.serves:
            return
        now_ms = shard.services.env.clock.wall_ms
        current = entry.current
        if current is None or entry.pending is not None or not has_timed_out(current, now_ms):
            yield _SEEN_US
            continue
        try:
            shard.write(entry, fenced(current, shard.services.version, now_ms))
        except KafkaError as error:
            _log.info(
                "[Transaction %s] has timed out and cannot be aborted yet: %s",
                entry.transactional_id,
                error,
            )
        else:
            _log.info(
                "[Transaction %s] is aborted: it was open for more than %d ms",
                entry.transactional_id,
                current.timeout_ms,
            )
        yield _ABORTED_US


def remove_expired(shard: TransactionShard, expiration_ms: int) -> Iterator[float]:
    """Remove ids that are not used any more; yield the costs."""
    expired: list[TransactionEntry] = []
    for entry in list(shard.entries.values()):
        if not shard.shard.serves:
            return
        if _is_unused(entry, shard.services.env.clock.wall_ms, expiration_ms):
            expired.append(entry)
            if len(expired) == _TOMBSTONES_A_BATCH:
                yield _remove(shard, expired, expiration_ms)
                expired = []
        yield _SEEN_US
    if expired and shard.shard.serves:
        yield _remove(shard, expired, expiration_ms)


def _remove(shard: TransactionShard, found: list[TransactionEntry], expiration_ms: int) -> float:
    # A request may have used an id since it was found.
    now_ms = shard.services.env.clock.wall_ms
    unused = [each for each in found if _is_unused(each, now_ms, expiration_ms)]
    for some in shard.journal.batches(unused, shard.tombstone, len(unused)):
        try:
            shard.remove(some)
        except KafkaError as error:
            _log.info("expired transactional ids cannot be removed yet: %s", error)
        else:
            _log.info("removing %d expired transactional ids", len(some))
    return len(unused) * _REMOVED_US


def _is_unused(entry: TransactionEntry, now_ms: int, expiration_ms: int) -> bool:
    current = entry.current
    return (
        current is not None
        and entry.pending is None
        and has_expired(current, now_ms, expiration_ms)
    )
