"""The proof that a transaction includes a partition, for the first append of the transaction there.

The coordinator decides whether a partition belongs to a transaction. Its answer may arrive after
the marker that ends that transaction. So the question starts with a guard, which a marker removes:
an append with a removed guard is rejected. Source: `VerificationStateEntry`, KIP-890.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(slots=True, eq=False)
class VerificationGuard:
    """One verification of a producer; guards are compared by identity.

    `lowest_sequence` is the lowest of the batches that were verified with this epoch.
    """

    producer_epoch: int
    lowest_sequence: int
    bumps_epochs: bool
    """True if the coordinator bumps the epoch of the producer after each transaction (TV2)."""
    began_ms: int = 0
    """The time of the first verification (monotonic)."""

    def cover(self, producer_epoch: int, sequence: int) -> None:
        """Note another batch that the guard is for."""
        if producer_epoch > self.producer_epoch:
            self.producer_epoch, self.lowest_sequence = producer_epoch, sequence
        elif producer_epoch == self.producer_epoch:
            self.lowest_sequence = min(self.lowest_sequence, sequence)


NOT_VERIFIED: Final = VerificationGuard(-1, -1, bumps_epochs=False)
"""The guard of an append that nothing was verified for: the transaction must be ongoing."""
UNCHECKED: Final = VerificationGuard(-1, -1, bumps_epochs=False)
"""The guard of an append while verification is disabled in the configuration."""
