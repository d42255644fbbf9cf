"""Operations of tests on a running cluster, without a client library: topics, records, leaders.

The modules that speak Kafka's protocol are imported when they are first used, so that a cluster
starts a fork server first: both processes import at the same time.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from minikafka.testing.clients import Clients
from minikafka.testing.errors import ClusterError
from minikafka.testing.values import Deadline, KafkaRecord, Message, Value

if TYPE_CHECKING:
    from minikafka.admin.client import AdminClient
    from minikafka.admin.partition_states import PartitionState

_TIMEOUT_S = 30.0
_REPORT_S = 1.0
_T = TypeVar("_T")


class KafkaOperations(ABC):
    """Operations on a cluster by Kafka's protocol. Each takes up to 30 seconds."""

    def __init__(self) -> None:
        """Connect when it is needed."""
        self._clients = Clients()

    prefix = ""
    """The prefix of the current test's topic and group names; "" outside of pytest."""
    has_other_users = False
    """True if tests of other processes use the cluster at the same time."""

    @property
    @abstractmethod
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, separated by commas."""

    @abstractmethod
    def state_text(self) -> str:
        """Return the state of the cluster for the report of a failed test."""

    @property
    def crashes(self) -> Sequence[str]:
        """A sentence for each node that has ended by itself."""
        return ()

    @abstractmethod
    def heal(self) -> None:
        """Undo everything that was broken on purpose."""

    def _servers(self) -> str:
        """The servers to ask, those that probably answer."""
        return self.bootstrap_servers

    def create_topic(
        self,
        topic: str,
        partitions: int = 1,
        replication_factor: int | None = None,
        *,
        config: Mapping[str, object] | None = None,
        assignment: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Create a topic, and wait until every broker serves it.

        Without a replication factor it has as many replicas as there are brokers, at most 3.
        `assignment` has the replicas of each partition instead, the preferred leader first.

        Raises:
            ClusterError: the topic exists, or cannot be created, with the cluster's reason.
        """
        from minikafka.testing import partitions as these
        from minikafka.testing.records import await_topic

        with self._asking(f"topic {topic}") as client:
            these.create(
                client, topic, partitions=partitions, replication_factor=replication_factor,
                config=config, assignment=assignment,
            )  # fmt: skip
        wanted = len(assignment) if assignment else partitions
        deadline = Deadline(_TIMEOUT_S)
        for server in self._servers().split(","):
            with self._asking(f"topic {topic} at {server}", server=server) as client:
                await_topic(client, topic, wanted, deadline)

    def delete_topics(self, *topics: str) -> None:
        """Delete topics, and wait until every broker has forgotten them.

        Raises:
            ClusterError: a topic does not exist.
        """
        from minikafka.admin.topics import delete_topics
        from minikafka.testing.records import await_deletion

        with self._asking(f"topics {', '.join(topics)}") as client:
            delete_topics(client, topics)
        deadline = Deadline(_TIMEOUT_S)
        for server in self._servers().split(","):
            with self._asking(f"broker {server}", server=server) as client:
                await_deletion(client, topics, deadline)

    def brokers(self) -> list[int]:
        """Return the ids of the brokers that are alive and not fenced."""
        from minikafka.admin.cluster import describe_cluster

        with self._asking("brokers") as client:
            # Metadata names a broker for some time after it was fenced.
            found = describe_cluster(client, include_fenced=True).nodes
        return [node.node_id for node in found if not node.is_fenced]

    def topics(self) -> list[str]:
        """Return the names of all topics except internal ones."""
        from minikafka.admin.topics import list_topics

        with self._asking("topics") as client:
            return [topic.name for topic in list_topics(client) if not topic.is_internal]

    def groups(self) -> list[str]:
        """Return the names of all groups, of consumers and of share consumers."""
        from minikafka.testing.groups import coordinators

        with self._asking("groups") as client:
            return sorted(coordinators(client))

    def delete_groups(self, *groups: str) -> None:
        """Delete groups without members.

        Raises:
            ClusterError: a group does not exist, or has members.
        """
        from minikafka.testing.groups import coordinators, delete

        with self._asking(f"groups {', '.join(groups)}") as client:
            known = coordinators(client)
            chosen: dict[int, list[str]] = {}
            for group in groups:
                if group in known:
                    chosen.setdefault(known[group], []).append(group)
            refused = delete(client, chosen)
        refused |= {group: "it does not exist" for group in groups if group not in known}
        for group, why in refused.items():
            raise ClusterError(f"group {group}: {why}")

    def leader(self, topic: str, partition: int = 0) -> int | None:
        """Return the leader of a partition; None if it has none."""
        found = self._state(topic, partition).leader
        return None if found < 0 else found

    def isr(self, topic: str, partition: int = 0) -> list[int]:
        """Return the in-sync replicas of a partition."""
        return list(self._state(topic, partition).isr)

    def elr(self, topic: str, partition: int = 0) -> list[int]:
        """Return the eligible leader replicas of a partition."""
        return list(self._state(topic, partition).elr)

    def _state(self, topic: str, partition: int) -> "PartitionState":
        from minikafka.testing.partitions import state_of

        with self._asking(f"{topic}-{partition}") as client:
            return state_of(client, topic, partition)

    def wait_until_in_sync(self, *topics: str, timeout_s: float = _TIMEOUT_S) -> None:
        """Wait until the replicas of all partitions are in sync; of all topics if none is named.

        Raises:
            ClusterError: they are not before the timeout.
        """
        from minikafka.testing.partitions import ids, out_of_sync

        deadline = Deadline(timeout_s)
        for server in self._servers().split(","):
            # Each is asked: after a fault, one may still know the ISR from before it.
            while True:
                with self._asking(f"partitions at {server}", server=server) as client:
                    lacking = out_of_sync(client, topics)
                if not lacking:
                    break
                if not deadline.wait():
                    first = lacking[0]
                    raise ClusterError(
                        f"{first.name} is not in sync after {timeout_s:g} s: replicas "
                        f"{ids(first.replicas)}, ISR {ids(first.isr)}"
                    )

    def elect(
        self,
        topic: str,
        partition: int = 0,
        kind: str = "PREFERRED",
        *,
        leader: int | None = None,
    ) -> None:
        """Elect a leader, and wait until every broker knows it.

        PREFERRED elects the first replica. The other kinds are for a partition without a leader:
        UNCLEAN, LONGEST_LOG_BALANCED, LONGEST_LOG_AGGRESSIVE, and DESIGNATION of a `leader`.

        Raises:
            ClusterError: there is no such kind, or the election was refused, with the reason.
        """
        from minikafka.common.ids import TopicPartition
        from minikafka.testing.partitions import elect

        at = TopicPartition(topic, partition)
        with self._asking(f"election in {at}") as client:
            is_new = elect(client, at, kind, leader)
        if is_new:
            self._await_leader(topic, partition, leader)

    def move_leader(self, topic: str, partition: int = 0, *, to: int) -> None:
        """Let another in-sync replica lead: it becomes the preferred one, and is elected.

        Raises:
            ClusterError: it is not in sync, or the cluster refuses, with the reason.
        """
        from minikafka.common.ids import TopicPartition
        from minikafka.testing.partitions import prefer

        at = TopicPartition(topic, partition)
        with self._asking(f"leader of {at}") as client:
            prefer(client, at, to)
        self.elect(topic, partition)
        self._await_leader(topic, partition, to)

    def _await_leader(self, topic: str, partition: int, expected: int | None) -> None:
        """Wait until every broker knows a new leader."""
        from minikafka.common.ids import TopicPartition
        from minikafka.testing.partitions import await_leader

        deadline = Deadline(_TIMEOUT_S)
        for server in self._servers().split(","):
            with self._asking(f"broker {server}", server=server) as client:
                await_leader(client, TopicPartition(topic, partition), expected, deadline)

    def produce(
        self,
        topic: str,
        *messages: Message,
        partition: int | None = None,
        headers: Mapping[str, Value] | None = None,
        timeout_s: float = _TIMEOUT_S,
    ) -> list[KafkaRecord]:
        """Append records with acks=all; return them with their offsets, in the order given.

        Without a partition, the partition follows from the key as in Kafka's clients; records
        without a key go to the partitions in turn.

        Raises:
            ClusterError: they were not acknowledged.
        """
        from minikafka.testing.records import produce

        with self._asking(f"records for {topic}", timeout_s) as client:
            return produce(
                client, topic, messages, partition=partition, headers=headers or {},
                deadline=Deadline(timeout_s),
            )  # fmt: skip

    def records(
        self,
        topic: str,
        partition: int | None = None,
        *,
        committed: bool = False,
        timeout_s: float = _TIMEOUT_S,
    ) -> list[KafkaRecord]:
        """Return the records of a topic, by partition and offset.

        If only `committed` ones are wanted, those of aborted and open transactions are left out.

        Raises:
            ClusterError: a partition cannot be read.
        """
        return self._read(topic, partition, {}, committed=committed, timeout_s=timeout_s)

    def _read(
        self,
        topic: str,
        partition: int | None,
        starts: Mapping[int, int],
        *,
        committed: bool,
        timeout_s: float,
    ) -> list[KafkaRecord]:
        from minikafka.testing.records import read_topic

        with self._asking(f"records of {topic}", timeout_s) as client:
            return read_topic(
                client, topic, partition, starts, Deadline(timeout_s), committed=committed
            )

    @contextmanager
    def assert_produces(
        self, topic: str, count: int | None = None, *, timeout_s: float = 10.0
    ) -> Iterator[list[KafkaRecord]]:
        """Fail unless records are appended to a topic in the block, or shortly after it.

        Exactly `count` records are expected, or at least one. The list has them after the block.

        Raises:
            AssertionError: they were not appended before the timeout; it shows the state.
        """
        starts = self._ends(topic)
        records: list[KafkaRecord] = []
        yield records
        deadline = Deadline(timeout_s)
        while True:
            records[:] = self._read(topic, None, starts, committed=False, timeout_s=_TIMEOUT_S)
            enough = len(records) >= (1 if count is None else count)
            if enough or not deadline.wait():
                break
        expected = "records" if count is None else f"{count} records"
        if not enough or (count is not None and len(records) != count):
            raise AssertionError(
                f"expected {expected} in topic {topic}, found {len(records)}\n{self.state_text()}"
            )

    def _ends(self, topic: str) -> dict[int, int]:
        """Return the ends of a topic's partitions; empty if the topic does not exist yet."""
        from minikafka.testing.records import end_offsets

        with self._asking(f"topic {topic}") as client:
            return end_offsets(client, topic, Deadline(_TIMEOUT_S))

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """Return the offsets that a consumer group has committed for a topic, by partition."""
        from minikafka.testing.records import committed_offsets

        with self._asking(f"group {group}") as client:
            return committed_offsets(client, group, topic, Deadline(_TIMEOUT_S))

    def seed(self, topics: Mapping[str, Iterable[Message]], *, partitions: int = 1) -> None:
        """Create the topics that do not exist, and append records to them.

        Raises:
            ClusterError: a topic cannot be created, or the records were not acknowledged.
        """
        existing = set(self.topics())
        for topic, messages in topics.items():
            if topic not in existing:
                self.create_topic(topic, partitions)
            self.produce(topic, *messages)

    def wait_for(
        self, condition: Callable[[], _T], timeout_s: float = 10.0, *, what: str = ""
    ) -> _T:
        """Call `condition` until it returns something true, and return that.

        Raises:
            AssertionError: it did not before the timeout; it shows the state.
        """
        deadline = Deadline(timeout_s)
        while True:
            found = condition()
            if found:
                return found
            if not deadline.wait():
                raise AssertionError(self.late_text(what, timeout_s))

    def late_text(self, what: str, timeout_s: float) -> str:
        """Return the text of a wait that failed, with the state."""
        return f"{what or 'the condition'}: not within {timeout_s:g} s\n{self.state_text()}"

    def _partition_table(self) -> str:
        """Return a line for each partition; the reason if no broker answers."""
        from minikafka.testing.partitions import table

        try:
            with self._asking("partitions", _REPORT_S) as client:
                return table(client)
        except ClusterError as error:
            return str(error)

    @contextmanager
    def _asking(
        self, what: str, timeout_s: float = _TIMEOUT_S, *, server: str = ""
    ) -> Iterator["AdminClient"]:
        """Yield a client; its errors are those of the cluster.

        Raises:
            ClusterError: an operation failed.
        """
        from minikafka.admin.client import AdminError

        try:
            with self._clients.taken(server or self._servers(), timeout_s) as client:
                yield client
        except AdminError as error:
            raise ClusterError(f"{what}: {error}") from None
