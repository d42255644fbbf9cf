"""What a run's producers are like: every choice in one place, for the command line to offer."""

from dataclasses import dataclass
from typing import Literal

Acks = Literal["0", "1", "all"]
ACKS: tuple[Acks, ...] = ("0", "1", "all")

CLIENTS = ("confluent-kafka", "aiokafka", "kafka-python")
"""librdkafka, and two that are written in Python."""

_SIZE_MAX_BYTES = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadOptions:
    """The choices (SPEC S1).

    Each of `clients` is one producer process with an equal share of the rate; one that is named
    twice is two. `size_min_bytes` and `size_max_bytes` bound the payload, between which sizes are
    drawn. `key_skew` is the exponent of a Zipf distribution of keys; with 0 keys and partitions are
    drawn evenly, above it the partition follows the key, so that some are busier than others.
    """

    clients: tuple[str, ...] = ("confluent-kafka", "aiokafka")
    acks: Acks = "all"
    idempotent: bool = True
    size_min_bytes: int = 60
    size_max_bytes: int = 340
    key_skew: float = 0.0

    def problems(self) -> list[str]:
        """One sentence for each choice that cannot be; empty if all can."""
        found = [
            f"{client!r} is no client; there are {', '.join(CLIENTS)}."
            for client in self.clients
            if client not in CLIENTS
        ]
        if not self.clients:
            found.append("At least one client must write.")
        if self.acks not in ACKS:
            found.append(f"acks is {self.acks!r}, and must be one of {', '.join(ACKS)}.")
        if self.idempotent and self.acks != "all":
            found.append(f"An idempotent producer needs acks=all, and acks is {self.acks}.")
        if not 0 <= self.size_min_bytes <= self.size_max_bytes <= _SIZE_MAX_BYTES:
            found.append(
                f"Sizes from {self.size_min_bytes} to {self.size_max_bytes} bytes: they must rise,"
                f" and lie between 0 and {_SIZE_MAX_BYTES}."
            )
        if not 0 <= self.key_skew <= _SKEW_MAX:
            found.append(f"The key skew is {self.key_skew}, and must lie between 0 and 5.")
        return found


_SKEW_MAX = 5
