"""The memory bound of the transactional ids of a node.

Sizes are estimates. The content of the log is always loaded, even above the bound; a request that
would exceed the bound is rejected with a retriable error. Requests that end a transaction need no
more memory, so that they are never rejected.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from minikafka.common.errors import CoordinatorNotAvailableError
from minikafka.config import transaction_keys
from minikafka.config.values import Config
from minikafka.transaction.transaction import Transaction

ID_BYTES: Final = 800
PARTITION_BYTES: Final = 400

_log = logging.getLogger("minikafka.transaction")


def size_bytes(transactional_id: str, transaction: Transaction) -> int:
    """Return the estimated memory of a transactional id."""
    return ID_BYTES + 2 * len(transactional_id) + PARTITION_BYTES * len(transaction.partitions)


@dataclass(slots=True, eq=False)
class TransactionMemory:
    """The memory that all transactional ids of a node use, and its bound."""

    config: Callable[[], Config]
    held_bytes: int = 0

    def require(self, more_bytes: int) -> None:
        """Check that `more_bytes` more are within the bound.

        Raises:
            CoordinatorNotAvailableError: they are not; the client will retry.
        """
        if more_bytes <= 0:
            return
        # Unlike Kafka (row 112), which has no limit.
        most_bytes = self.config()[transaction_keys.COORDINATOR_MEMORY_BYTES]
        if self.held_bytes + more_bytes > most_bytes:
            _log.warning(
                "a request that would add %d bytes to transactions is rejected with "
                "COORDINATOR_NOT_AVAILABLE: transactions use %d bytes, and "
                "transaction.coordinator.memory.bytes is %d",
                more_bytes, self.held_bytes, most_bytes,
            )  # fmt: skip
            raise CoordinatorNotAvailableError
