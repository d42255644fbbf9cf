"""The limit for verifications of transactions, over all logs of a broker.

A guard lives until its append, or a marker; a producer that is verified and writes nothing leaves
it. Unlike Kafka (row B1), which keeps as many as clients create, for a day.
"""

from dataclasses import dataclass, field
from typing import Final

from minikafka.log.producers.verification import VerificationGuard
from minikafka.replica.partition import Partition

MAX_GUARDS: Final = 50_000
"""About 20 MB."""


@dataclass(slots=True, eq=False, repr=False)
class VerificationGuards:
    """The guards of verifications, the oldest first."""

    _guards: dict[VerificationGuard, tuple[Partition, int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._guards)

    def add(self, guard: VerificationGuard, partition: Partition, producer_id: int) -> None:
        """Note a guard of a producer; the oldest one of the broker is dropped for lack of room.

        An append that still waits for the coordinator then gets INVALID_TXN_STATE.
        """
        self._guards[guard] = (partition, producer_id)
        if len(self._guards) > MAX_GUARDS:
            oldest = next(iter(self._guards))
            where, whose = self._guards.pop(oldest)
            where.log.producers.end_verification(whose, oldest)

    def settle(self, guard: VerificationGuard) -> None:
        """Forget a guard if its append, or a marker, has ended it."""
        found = self._guards.get(guard)
        if found is not None:
            partition, producer_id = found
            if not partition.log.producers.is_current(producer_id, guard):
                del self._guards[guard]
