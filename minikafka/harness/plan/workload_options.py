"""What a run's producers are like: every choice in one place, for the command line to offer."""

from dataclasses import dataclass
from typing import Literal

Acks = Literal["0", "1", "all"]
ACKS: tuple[Acks, ...] = ("0", "1", "all")

SENT_TIME, APPEND_TIME = "sent", "append"
"""Whose the timestamps of a topic's records are: the client's, or the broker's."""

CLIENTS = ("confluent-kafka", "aiokafka", "kafka-python")
"""librdkafka, and two that are written in Python."""

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
DISTRIBUTIONS = ("uniform", "log-uniform")

SIZE_MAX_BYTES = 1 << 20
_PRODUCERS_MAX = 32
_SKEW_MAX = 5
_PER_RECORD_BYTES = 200
"""Identity, key, headers and framing, generously."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadOptions:
    """The choices (SPEC S1).

    Each of `clients` is one producer process with an equal share of the rate; one that is named
    twice is two. `size_min_bytes` and `size_max_bytes` bound the payload, between which sizes are
    drawn: evenly, or by "log-uniform" so that each order of magnitude is as frequent as another.
    `key_skew` is the exponent of a Zipf distribution of keys; with 0 keys and partitions are drawn
    evenly, above it the partition follows the key, so that some are busier than others.
    `bytes_per_s` bounds the payload of all producers beside their rate; 0 is no bound. With
    `transactions` records are written in transactions, some of which are aborted.
    """

    clients: tuple[str, ...] = ("confluent-kafka", "aiokafka")
    acks: Acks = "all"
    idempotent: bool = True
    compression: str = "none"
    size_min_bytes: int = 60
    size_max_bytes: int = 340
    size_distribution: str = "uniform"
    key_skew: float = 0.0
    bytes_per_s: int = 0
    transactions: bool = False

    def problems(self) -> list[str]:
        """One sentence for each choice that cannot be; empty if all can."""
        found = [
            f"{client!r} is no client; there are {', '.join(CLIENTS)}."
            for client in self.clients
            if client not in CLIENTS
        ]
        if not 1 <= len(self.clients) <= _PRODUCERS_MAX:
            found.append(
                f"At least one client must write, and at most {_PRODUCERS_MAX}; there are"
                f" {len(self.clients)}."
            )
        found += [
            f"{what} is {value!r}, and must be one of {', '.join(choices)}."
            for what, value, choices in (
                ("acks", self.acks, ACKS),
                ("The compression", self.compression, COMPRESSIONS),
                ("The distribution of sizes", self.size_distribution, DISTRIBUTIONS),
            )
            if value not in choices
        ]
        if self.idempotent and self.acks != "all":
            found.append(f"An idempotent producer needs acks=all, and acks is {self.acks}.")
        if self.transactions and not self.idempotent:
            found.append("Transactions need idempotence.")
        if not 0 <= self.size_min_bytes <= self.size_max_bytes <= SIZE_MAX_BYTES:
            found.append(
                f"Sizes from {self.size_min_bytes} to {self.size_max_bytes} bytes: they must rise,"
                f" and lie between 0 and {SIZE_MAX_BYTES}."
            )
        if not 0 <= self.key_skew <= _SKEW_MAX:
            found.append(f"The key skew is {self.key_skew:g}, and must lie between 0 and 5.")
        if self.bytes_per_s < 0:
            found.append(f"--bytes is {self.bytes_per_s}, and must not be negative.")
        return found

    @property
    def message_max_bytes(self) -> int:
        """A bound on one record with all that is around it, for clients and topics to allow."""
        return max(1_000_000, self.size_max_bytes + _PER_RECORD_BYTES)

    def words(self) -> list[str]:
        """The options of the command line that give these choices; none for the defaults."""
        defaults = WorkloadOptions()
        words = []
        if self.clients != defaults.clients:
            words += [word for client in self.clients for word in ("--client", client)]
        for option, value, default in (
            ("--acks", self.acks, defaults.acks),
            ("--idempotence", _on_or_off(self.idempotent), _on_or_off(self.acks == "all")),
            ("--compression", self.compression, defaults.compression),
            ("--size-min", self.size_min_bytes, defaults.size_min_bytes),
            ("--size-max", self.size_max_bytes, defaults.size_max_bytes),
            ("--size-distribution", self.size_distribution, defaults.size_distribution),
            ("--key-skew", self.key_skew, defaults.key_skew),
            ("--bytes", self.bytes_per_s, defaults.bytes_per_s),
        ):
            if value != default:
                words += [option, f"{value:g}" if isinstance(value, float) else str(value)]
        return [*words, *(["--transactions"] if self.transactions else [])]


def _on_or_off(value: object) -> str:
    return "on" if value else "off"
