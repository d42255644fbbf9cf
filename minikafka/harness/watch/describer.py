"""Leaders, ISR and ELR of a run's topics by DescribeTopicPartitions (KIP-966), from any broker.

Whoever does not answer within a second is left for the next bootstrap server: a broker that is
stopped takes connections and stays silent.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.partition_states import read_leaders
from minikafka.common.errors import ErrorCode

_TIMEOUT_S = 1.0


class UnsupportedError(Exception):
    """The cluster does not have this request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionView:
    """One partition as a broker described it.

    `leader` is None where there is none; `elr` and `last_known_elr` where nobody could be asked.
    """

    leader: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None

    def as_json(self) -> dict[str, object]:
        """Plain values, without replicas, which do not change in a run, and what was not told."""
        values = dataclasses.asdict(self)
        del values["replicas"]
        return {name: it for name, it in values.items() if it is not None or name == "leader"}


class Describer:
    """Asks for a few topics, again and again; keeps its connection."""

    def __init__(self, bootstrap_servers: str, topics: Sequence[str]) -> None:
        """Nothing is asked yet."""
        self._servers = bootstrap_servers.split(",")
        self._topics = list(topics)
        self._client: AdminClient | None = None

    def ask(self, width: int) -> dict[int, PartitionView] | None:
        """Every partition, numbered through all topics of `width`; None if no answer came.

        Raises:
            UnsupportedError: if the cluster cannot be asked.
        """
        try:
            if self._client is None:
                self._client = AdminClient(
                    ",".join(self._servers), client_id="minikafka-verify", timeout_s=_TIMEOUT_S
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
        """Give the connection up."""
        if self._client is not None:
            self._client.close()
        self._client = None
