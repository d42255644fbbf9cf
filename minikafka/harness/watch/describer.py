"""Leaders, ISR and ELR of a run's topics by DescribeTopicPartitions (KIP-966), from any broker.

After a second without an answer the next bootstrap server is asked: a paused broker accepts
connections and stays silent.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.partition_states import read_leaders
from minikafka.common.errors import ErrorCode
from minikafka.harness.clients import login

_TIMEOUT_S = 1.0


class UnsupportedError(Exception):
    """The cluster does not support DescribeTopicPartitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionView:
    """One partition as a broker described it.

    `leader` is None if there is none; `elr` and `last_known_elr` are None if they are unknown.
    """

    leader: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None

    def as_json(self) -> dict[str, object]:
        """Return plain values, without unknown ones and without replicas, which do not change."""
        values = dataclasses.asdict(self)
        del values["replicas"]
        return {name: it for name, it in values.items() if it is not None or name == "leader"}


class Describer:
    """Describes a few topics repeatedly over one connection."""

    def __init__(self, bootstrap_servers: str, topics: Sequence[str]) -> None:
        """Do not connect yet."""
        self._servers = bootstrap_servers.split(",")
        self._topics = list(topics)
        self._client: AdminClient | None = None

    def ask(self, width: int) -> dict[int, PartitionView] | None:
        """Return every partition, by its number through all topics; None without an answer.

        `width` is the number of partitions of each topic.

        Raises:
            UnsupportedError: if the cluster does not support the request.
        """
        try:
            if self._client is None:
                self._client = AdminClient(
                    ",".join(self._servers),
                    client_id="minikafka-verify",
                    timeout_s=_TIMEOUT_S,
                    security=login.for_tools(),
                )
            states = read_leaders(self._client, self._topics)
        except AdminError as error:
            if error.code == ErrorCode.UNSUPPORTED_VERSION:
                raise UnsupportedError(str(error)) from None
            self.close()
            self._servers.append(self._servers.pop(0))
            return None
        return {
            self._topics.index(state.name.topic) * width + state.name.partition: PartitionView(
                leader=state.leader if state.leader >= 0 else None,
                replicas=state.replicas,
                isr=tuple(sorted(state.isr)),
                elr=tuple(sorted(state.elr)),
                last_known_elr=tuple(sorted(state.last_known_elr)),
            )
            for state in states
        }

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()
        self._client = None
