"""The transactional clients of a plan, and the topics that they use.

Two producers, one of which also reads; two that share a transactional id, one that dies in a
transaction, and two loops that copy a topic with the offsets of their group in the transaction. A
consumer reads what is committed. Producers without transactions write to one of the topics, too;
the first of them is idempotent.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.transactions import ReadValue, SentTransaction
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.sim.checks.history import History
from minikafka.sim.drive.committed_reader import CommittedReader
from minikafka.sim.drive.group_workload import is_stable
from minikafka.sim.drive.plan import Plan, rack_of
from minikafka.sim.drive.transactional_clients import Address, TransactionalClient
from minikafka.sim.drive.transform_loop import ReadingProducer, TransformLoop, TransformMember
from minikafka.sim.drive.workload import ClientConnections, SimProducer
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import US_PER_MS

PLAIN, INPUT, OUTPUT = "txn", "in", "out"
"""The topics: written by all producers, read by the loops, and written by the loops."""
TOPICS = (PLAIN, INPUT, OUTPUT)
GROUP = "loop"
PARTITIONS = 2
"""The number of partitions of each of them, and of `__transaction_state` (`Plan.given`)."""
_PRODUCERS = ("x1", "x2")
_ZOMBIES = ("z1", "z2")
_MORTAL = "d"
LOOPS = ("l1", "l2")
"""The names of the loops, which are their transactional ids."""
_MEMBERS = ("m1", "m2")
_READER = "xr"
_PLAIN_WRITERS = ("w1", "w2")
HOSTS = (*_PRODUCERS, *_ZOMBIES, _MORTAL, *LOOPS, *_MEMBERS, _READER, *_PLAIN_WRITERS)
"""The machines of the clients."""
_RETRY_MS = 300
_PLAIN_PACE_MS = 400
_ZOMBIE_AFTER_MS = (500, 5_000)
_DIES_IN = (2, 8)


def partitions_of(topic: str) -> list[TopicPartition]:
    """Return the partitions of one of the topics."""
    return [TopicPartition(topic, index) for index in range(PARTITIONS)]


@dataclass(slots=True)
class TransactionalWorkload:
    """The transactional clients of a run. What they read goes into `history`.

    `plain` has the writes of the producers without transactions.
    """

    plan: Plan
    cluster: SimCluster
    history: History
    connections: Callable[[str], ClientConnections]
    is_deposed: Callable[[Address], bool]
    finalized_version: Callable[[], int | None]
    clients: list[TransactionalClient] = field(default_factory=list)
    plain: History = field(default_factory=History)
    _plain_writers: list[SimProducer] = field(default_factory=list)
    _members: list[TransformMember] = field(default_factory=list)
    _reader: CommittedReader | None = None
    _is_over: bool = False

    def create_topics(self) -> None:
        """Create the topics. Retention may remove only what the loops do not read."""
        kept = [CreatableTopicConfig("retention.bytes", "-1")]
        request = CreateTopicsRequest(
            topics=[
                CreatableTopic(
                    name=name,
                    num_partitions=PARTITIONS,
                    replication_factor=self.plan.cluster.replication_factor,
                    configs=[] if name == PLAIN else kept,
                )
                for name in TOPICS
            ],
            timeout_ms=10_000,
        )
        answer = self.cluster.client("admin").ask(request, CreateTopicsResponse)
        assert all(each.error_code == ErrorCode.NONE for each in answer.topics), answer

    def start(self) -> None:
        """Start all clients; the second one of a shared transactional id starts later."""
        rng = self.cluster.world.rng("transactions")
        plain = partitions_of(PLAIN)
        first, second = _PRODUCERS
        self._add(self._producer(first, first, [*plain, *partitions_of(INPUT)]))
        self._add(self._reading_producer(second, [*plain, *partitions_of(INPUT)]))
        first, second = _ZOMBIES
        self._add(self._producer(first, "zombie", plain))
        late = self._producer(second, "zombie", plain)
        after_ms = rng.randint(*_ZOMBIE_AFTER_MS)
        self.cluster.world.after(after_ms * US_PER_MS, partial(self._add, late))
        mortal = self._producer(_MORTAL, "mortal", plain)
        mortal.dies_at = rng.randint(*_DIES_IN)
        self._add(mortal)
        for name, member_name in zip(LOOPS, _MEMBERS, strict=True):
            self._add(self._loop(name, member_name))
        for name in _PLAIN_WRITERS[: self.plan.load.plain_writers]:
            writer = SimProducer(
                self.connections(name), self.plain, name, plain, acks=-1,
                idempotent=name == _PLAIN_WRITERS[0], interval_ms=_PLAIN_PACE_MS,
            )  # fmt: skip
            self._plain_writers.append(writer)
            writer.start()
        self._reader = CommittedReader(
            self.connections(_READER), self.partitions, self._has_read, self._pace_ms,
            rack=rack_of(self.plan, _READER),
        )  # fmt: skip
        self._reader.start()

    @property
    def partitions(self) -> list[TopicPartition]:
        """All partitions of the topics."""
        return [where for topic in TOPICS for where in partitions_of(topic)]

    @property
    def transactions(self) -> list[SentTransaction]:
        """The transactions of all clients."""
        return [each for client in self.clients for each in client.transactions]

    def slow_down(self, interval_ms: int) -> None:
        """Let clients begin a transaction about every `interval_ms`, and members stay."""
        for client in self.clients:
            client.pace_ms = max(client.pace_ms, 2 * interval_ms)
        for member in self._members:
            member.leaves = False
        for writer in self._plain_writers:
            writer.interval_ms = max(writer.interval_ms, interval_ms)

    def stop_writing(self) -> None:
        """Stop the producers and the loops."""
        self._is_over = True
        for writer in self._plain_writers:
            writer.running = False
        for client in self.clients:
            client.running = False
        for member in self._members:
            member.running = False

    def stop_reading(self) -> None:
        """Stop the consumer."""
        if self._reader is not None:
            self._reader.running = False

    def group_is_stable(self) -> bool:
        """Return True if the loops share all partitions, with recent heartbeats."""
        return is_stable(self._members, PARTITIONS, self.cluster.world.now_ms)

    @property
    def _pace_ms(self) -> int:
        return self.plan.load.transaction_pace_ms

    def _add(self, client: TransactionalClient) -> None:
        if not self._is_over:
            self.clients.append(client)
            client.start()

    def _settings(self, name: str, transactional_id: str) -> dict[str, Any]:
        return {
            "connections": self.connections(name),
            "name": name,
            "transactional_id": transactional_id,
            "version": self.plan.load.transaction_version,
            "timeout_ms": self.plan.load.transaction_timeout_ms,
            "pace_ms": self._pace_ms,
            "retry_ms": _RETRY_MS,
            "finalized_version": self.finalized_version,
            "on_initialized": self.history.initialized,
        }

    def _producer(
        self, name: str, transactional_id: str, partitions: list[TopicPartition]
    ) -> TransactionalClient:
        return TransactionalClient(partitions=partitions, **self._settings(name, transactional_id))

    def _reading_producer(self, name: str, partitions: list[TopicPartition]) -> ReadingProducer:
        return ReadingProducer(
            partitions=partitions, sources=partitions_of(OUTPUT), **self._settings(name, name)
        )

    def _loop(self, name: str, member_name: str) -> TransformLoop:
        member = TransformMember(
            self.connections(member_name), self.history, GROUP, member_name, partitions_of(INPUT)
        )
        self._members.append(member)
        member.start()
        return TransformLoop(
            partitions=partitions_of(OUTPUT),
            source=INPUT,
            group=GROUP,
            member=member,
            is_deposed=self.is_deposed,
            **self._settings(name, name),
        )

    def _has_read(self, read: ReadValue) -> None:
        self.history.read(read.where, read.offset, read.value.encode())
