"""The state of one transactional id as a value: what one record of `__transaction_state` says.

Source: `TransactionMetadata`, `TxnTransitMetadata`.
"""

from dataclasses import dataclass
from typing import Final

from minikafka.common.ids import TopicPartition
from minikafka.transaction.state import TransactionState

NO_EPOCH: Final = -1
NO_TIME_MS: Final = -1
LAST_EPOCH: Final = 32767
"""Only the coordinator itself uses it, to fence a producer."""
EPOCH_BUMP_FROM: Final = 2
"""The transaction version in which each transaction has its own epoch (KIP-890)."""
RECORD_VERSION_1_FROM: Final = 1
"""The transaction version in which records have version 1."""

_NO_PARTITIONS: frozenset[TopicPartition] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """The state of a transactional id. `last_epoch` is only in memory.

    `previous_producer_id` is the producer id before the last transition. `next_producer_id` is set
    while a transaction ends whose epoch was the last one of its producer id.
    """

    producer_id: int
    producer_epoch: int
    timeout_ms: int
    state: TransactionState
    updated_ms: int
    previous_producer_id: int = -1
    next_producer_id: int = -1
    last_epoch: int = NO_EPOCH
    partitions: frozenset[TopicPartition] = _NO_PARTITIONS
    started_ms: int = NO_TIME_MS
    client_version: int = 0

    @property
    def is_exhausted(self) -> bool:
        """True if a producer may not get a higher epoch of this producer id."""
        return is_exhausted(self.producer_epoch)

    @property
    def sorted_partitions(self) -> list[TopicPartition]:
        """The partitions in a repeatable order."""
        return sorted(self.partitions)


def is_exhausted(epoch: int) -> bool:
    """True for an epoch after which a producer needs a new producer id."""
    return epoch >= LAST_EPOCH - 1
