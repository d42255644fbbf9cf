"""The options of a run's producers, in one place for the command line."""

from dataclasses import dataclass
from typing import Literal

from minikafka.harness.plan.commands import command_name, command_problem

Acks = Literal["0", "1", "all"]
ACKS: tuple[Acks, ...] = ("0", "1", "all")

SENT_TIME, APPEND_TIME = "sent", "append"
"""The source of the timestamps of a topic's records: the client's send time or the broker."""

CLIENTS = ("confluent-kafka", "aiokafka", "kafka-python")
"""librdkafka's client, and two clients that are written in Python."""

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
DISTRIBUTIONS = ("uniform", "log-uniform")

SIZE_MAX_BYTES = 1 << 20
_PRODUCERS_MAX = 32
_SKEW_MAX = 5
_PER_RECORD_BYTES = 200
"""A generous estimate of the size of identity, key, headers and framing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadOptions:
    """The options of the producers (S1).

    Each of `clients` is one producer process with an equal share of the rate; a client that is
    named twice gets two processes. `client_commands` are command lines of further producers, in any
    language. Payload sizes are drawn between `size_min_bytes` and
    `size_max_bytes`: "uniform", or "log-uniform" so that all orders of magnitude are equally
    frequent. `key_skew` is the exponent of a Zipf distribution of keys. With 0, keys and partitions
    are drawn uniformly; above 0 the partition follows the key, so that some partitions are busier
    than others. `bytes_per_s` limits the payload of all producers in addition to their rate; 0 is
    no limit. With `transactions` records are written in transactions, some of which are aborted,
    and consume-transform-produce loops read them.
    """

    clients: tuple[str, ...] = ("confluent-kafka", "aiokafka")
    client_commands: tuple[str, ...] = ()
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
        """Return one sentence for each invalid option; empty if all are valid."""
        found = [
            f"Unknown client {client!r}; expected one of {', '.join(CLIENTS)}."
            for client in self.clients
            if client not in CLIENTS
        ]
        count = len(self.clients) + len(self.client_commands)
        if not 1 <= count <= _PRODUCERS_MAX:
            found.append(
                f"The number of producers is {count}, but must lie between 1 and {_PRODUCERS_MAX}."
            )
        problems = [command_problem("--client-command", it) for it in self.client_commands]
        found += dict.fromkeys(filter(None, problems))
        if self.client_commands and self.transactions:
            found.append("--client-command cannot be used with --transactions.")
        found += [
            f"{what} is {value!r}, but must be one of {', '.join(choices)}."
            for what, value, choices in (
                ("acks", self.acks, ACKS),
                ("The compression", self.compression, COMPRESSIONS),
                ("The distribution of sizes", self.size_distribution, DISTRIBUTIONS),
            )
            if value not in choices
        ]
        if self.idempotent and self.acks != "all":
            found.append(f"An idempotent producer needs acks=all, but acks is {self.acks}.")
        if self.transactions and not self.idempotent:
            found.append("Transactions need idempotence.")
        if not 0 <= self.size_min_bytes <= self.size_max_bytes <= SIZE_MAX_BYTES:
            found.append(
                f"--size-min is {self.size_min_bytes} and --size-max is {self.size_max_bytes}, but"
                f" 0 <= size-min <= size-max <= {SIZE_MAX_BYTES} bytes is required."
            )
        if not 0 <= self.key_skew <= _SKEW_MAX:
            found.append(f"The key skew is {self.key_skew:g}, but must lie between 0 and 5.")
        if self.bytes_per_s < 0:
            found.append(f"--bytes is {self.bytes_per_s}, but must not be negative.")
        return found

    @property
    def producers(self) -> list[tuple[str, str]]:
        """Return the name and the command line of each producer; a library has no command line."""
        commands = [(command_name(command), command) for command in self.client_commands]
        return [*((client, "") for client in self.clients), *commands]

    @property
    def message_max_bytes(self) -> int:
        """The size limit for one record with its framing, which clients and topics must allow."""
        return max(1_000_000, self.size_max_bytes + _PER_RECORD_BYTES)

    def words(self) -> list[str]:
        """Return the command line's options for these choices, without those at their default."""
        defaults = WorkloadOptions()
        words = []
        # Without these words a run with commands would have no other clients.
        if self.clients != defaults.clients or self.client_commands:
            words += [word for client in self.clients for word in ("--client", client)]
        words += [word for it in self.client_commands for word in ("--client-command", it)]
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
