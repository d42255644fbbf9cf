"""The interface of the clients that write records, and what they have in common.

A client takes records and returns `DeliveryReport`s, both in the caller's thread.
`ClientGaveUpError` means that it can write no more. Another instance must take over; it knows
nothing of the records that the first one had in flight. A client with an idempotent producer fails
this way after an unclean election.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.clients.records import NumberedRecord

DELIVERY_TIMEOUT_S = 60.0
END_TIMEOUT_S = 20.0
"""The time in which a transaction must end."""
CLOSE_TIMEOUT_S = 2.0


class ClientGaveUpError(Exception):
    """The client cannot write any more; the message says why."""


class NotEndedError(Exception):
    """The outcome of a transaction is unknown; the message says why."""


class DeliveryReport(NamedTuple):
    """The outcome of one record: its offset and timestamp, or the name of its error.

    `definite` is True if the record is certainly not in the log.
    """

    seq: int
    error: str
    definite: bool
    offset: int | None
    timestamp_ms: int | None


def write_report(outbox: Outbox, report: DeliveryReport) -> None:
    """Give the outcome of one record to the outbox, which writes it to the ledger."""
    if report.error:
        outbox.failed(report.seq, report.error, definite=report.definite)
    else:
        outbox.acked(report.seq, report.offset, report.timestamp_ms)


class ProducerClient(Protocol):
    """A producer client."""

    def send(self, records: Sequence[NumberedRecord]) -> None:
        """Hand records to the client.

        Raises:
            ClientGaveUpError: if it cannot write any more.
        """

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Wait, and return the answers that have arrived.

        Raises:
            ClientGaveUpError: if it cannot write any more.
        """

    def begin(self) -> None:
        """Begin a transaction.

        Raises:
            ClientGaveUpError: if it cannot write any more.
        """

    def end(self, *, commit: bool) -> None:
        """Commit or abort the transaction.

        Raises:
            NotEndedError: if its outcome is unknown; the client must not be used any more.
        """

    def close(self) -> None:
        """Close the client without waiting for answers."""


def transactional_id(task: ProducerTask) -> str | None:
    """Return the transactional id of a producer; None without transactions."""
    return f"minikafka-verify-{task.run}-{task.pid}" if task.transactions else None
