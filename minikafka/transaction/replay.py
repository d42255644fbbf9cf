"""Load transactional ids from the log of a `__transaction_state` partition.

Of a transactional id only the last record counts.

Source: `TransactionStateManager.loadTransactionMetadata`.
"""

import logging
from dataclasses import dataclass, field

from minikafka.records.batch import BatchHeader, Buffer
from minikafka.records.reader import read_batch
from minikafka.transaction.records import parse_transaction
from minikafka.transaction.transaction import Transaction

_log = logging.getLogger("minikafka.transaction")


@dataclass(slots=True, eq=False)
class TransactionReplay:
    """The state that was read so far; `next_offset` is the next offset to read."""

    next_offset: int
    transactions: dict[str, Transaction] = field(default_factory=dict)

    def take_in(self, data: Buffer, position: int, header: BatchHeader) -> None:
        """Apply the batch at `position` of `data`.

        Raises:
            CorruptRecordsError, MalformedMessage: the batch has an invalid record.
        """
        if header.is_control:
            return
        for record in read_batch(data, position, header):
            parsed = None if record.key is None else parse_transaction(record.key, record.value)
            if parsed is None:
                _log.warning(
                    "the record at offset %d has no known version of a transaction: skipped",
                    record.offset,
                )
            elif parsed.transaction is None:
                self.transactions.pop(parsed.transactional_id, None)
            else:
                self.transactions[parsed.transactional_id] = parsed.transaction
