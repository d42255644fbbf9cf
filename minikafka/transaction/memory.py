"""The estimated memory of a transactional id.

Requests that end a transaction need no more memory, so that the bound never rejects them.
"""

from typing import Final

from minikafka.transaction.transaction import Transaction

ID_BYTES: Final = 800
PARTITION_BYTES: Final = 400


def size_bytes(transactional_id: str, transaction: Transaction) -> int:
    """Return the estimated memory of a transactional id."""
    return ID_BYTES + 2 * len(transactional_id) + PARTITION_BYTES * len(transaction.partitions)
