"""Which replica a consumer with a rack reads from (KIP-392)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.messages.fetch import PartitionData

if TYPE_CHECKING:
    from minikafka.sim.drive.workload import ClientConnections

_KEPT_MS = 5_000
"""`metadata.max.age.ms` in clients; shorter here, so that consumers change replicas often."""


class _Preferred(NamedTuple):
    broker: int
    leader: tuple[str, int] | None
    """The leader that has named it."""
    until_ms: int


@dataclass(slots=True, eq=False)
class ReadReplicas:
    """The preferred replica of each partition, as the Java client keeps it.

    A consumer returns to the leader after an error or a lost connection, when the leader changes,
    and after some time.
    """

    connections: "ClientConnections"
    rack: str = ""
    named: int = 0
    """The number of responses that named a replica."""
    _preferred: dict[TopicPartition, _Preferred] = field(default_factory=dict)

    def address(self, where: TopicPartition) -> tuple[str, int] | None:
        """Return the broker to fetch a partition from; None while no leader is known."""
        connections = self.connections
        leader = connections.leaders.get(where)
        known = self._preferred.get(where)
        if known is None:
            return leader
        if known.leader != leader or connections.world.now_ms > known.until_ms:
            del self._preferred[where]
            return leader
        return connections.brokers.get(known.broker, leader)

    def learn(self, where: TopicPartition, answer: PartitionData) -> bool:
        """Return True if a response names another replica, and remember that."""
        if answer.preferred_read_replica < 0:
            return False
        self.named += 1
        self._preferred[where] = _Preferred(
            answer.preferred_read_replica,
            self.connections.leaders.get(where),
            self.connections.world.now_ms + _KEPT_MS,
        )
        return True

    def forget(self, where: TopicPartition) -> bool:
        """Return to the leader; return False if the consumer reads there already."""
        return self._preferred.pop(where, None) is not None
