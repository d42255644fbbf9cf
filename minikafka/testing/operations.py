"""What tests do with a running cluster, without a client library: topics, records, leaders."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TypeVar

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.elections import elect_leaders
from minikafka.admin.partition_states import PartitionState, read_leaders
from minikafka.admin.reassignments import alter_reassignments
from minikafka.admin.topics import create_topic, delete_topics, list_topics
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.records.builder import NewRecord
from minikafka.testing.clients import Clients
from minikafka.testing.errors import ClusterError
from minikafka.testing.partitioner import partition_of_key
from minikafka.testing.records import (
    Deadline,
    KafkaRecord,
    append,
    await_topic,
    committed_offsets,
    end_offset,
    partition_count,
    read,
)

_TIMEOUT_S = 30.0
_AGREE_S = 5.0
_REPORT_S = 1.0
_NO_LEADER = -1
_T = TypeVar("_T")

Value = bytes | str | None
Message = Value | tuple[Value, Value]
"""A value, or a key and a value; texts are encoded as UTF-8."""


class KafkaOperations(ABC):
    """Operations on a cluster by Kafka's protocol. Each takes up to 30 seconds."""

    def __init__(self) -> None:
        """Connect when it is needed."""
        self._clients = Clients()

    @property
    @abstractmethod
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, separated by commas."""

    @abstractmethod
    def state_text(self) -> str:
        """Return the state of the cluster for the report of a failed test."""

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
        with self._asking(f"topic {topic}") as client:
            create_topic(
                client, topic,
                partitions=None if assignment else partitions,
                replication_factor=None if assignment else replication_factor,
                assignment=assignment or (),
                configs={name: str(value) for name, value in (config or {}).items()},
            )  # fmt: skip
            wanted = len(assignment) if assignment else partitions
        deadline = Deadline(_TIMEOUT_S)
        for server in self._servers().split(","):
            with self._asking(f"topic {topic} at {server}", server=server) as client:
                await_topic(client, topic, wanted, deadline)

    def delete_topics(self, *topics: str) -> None:
        """Delete topics.

        Raises:
            ClusterError: a topic does not exist.
        """
        with self._asking(f"topics {', '.join(topics)}") as client:
            delete_topics(client, topics)

    def topics(self) -> list[str]:
        """Return the names of all topics except internal ones."""
        with self._asking("topics") as client:
            return [topic.name for topic in list_topics(client) if not topic.is_internal]

    def leader(self, topic: str, partition: int = 0) -> int | None:
        """Return the leader of a partition; None if it has none."""
        found = self._state(topic, partition).leader
        return None if found == _NO_LEADER else found

    def isr(self, topic: str, partition: int = 0) -> list[int]:
        """Return the in-sync replicas of a partition."""
        return list(self._state(topic, partition).isr)

    def elr(self, topic: str, partition: int = 0) -> list[int]:
        """Return the eligible leader replicas of a partition."""
        return list(self._state(topic, partition).elr)

    def _state(self, topic: str, partition: int) -> PartitionState:
        with self._asking(f"topic {topic}") as client:
            states = read_leaders(client, [topic])
        for state in states:
            if state.name.partition == partition:
                return state
        raise ClusterError(f"topic {topic} has {len(states)} partitions, no {partition}")

    def wait_until_in_sync(self, *topics: str, timeout_s: float = _TIMEOUT_S) -> None:
        """Wait until the replicas of all partitions are in sync; of all topics if none is named.

        Raises:
            ClusterError: they are not before the timeout.
        """
        deadline = Deadline(timeout_s)
        while True:
            with self._asking("partitions") as client:
                lacking = [
                    state for state in read_leaders(client, topics)
                    if set(state.isr) != set(state.replicas) or state.leader == _NO_LEADER
                ]  # fmt: skip
            if not lacking:
                return
            if not deadline.wait():
                first = lacking[0]
                raise ClusterError(
                    f"{first.name} is not in sync after {timeout_s:g} s: replicas "
                    f"{_ids(first.replicas)}, ISR {_ids(first.isr)}"
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
        if kind.upper() not in ElectionType.__members__:
            kinds = ", ".join(ElectionType.__members__)
            raise ClusterError(f"there is no election {kind!r}; there are {kinds}")
        chosen = ElectionType[kind.upper()]
        at = TopicPartition(topic, partition)
        before = self._state(topic, partition)
        with self._asking(f"election in {at}") as client:
            outcome = elect_leaders(client, chosen, {at: leader})[at]
        if outcome is not None and outcome.code == ErrorCode.ELECTION_NOT_NEEDED:
            if chosen is ElectionType.PREFERRED:
                return
            raise ClusterError(f"{at} has a leader, {before.leader}; see move_leader")
        if outcome is not None:
            raise ClusterError(f"election in {at}: {outcome.message}")
        self._await_leader(at, leader)

    def move_leader(self, topic: str, partition: int = 0, *, to: int) -> None:
        """Let another in-sync replica lead: it becomes the preferred one, and is elected.

        Raises:
            ClusterError: it is not in sync, or the cluster refuses, with the reason.
        """
        at = TopicPartition(topic, partition)
        before = self._state(topic, partition)
        if to not in before.isr:
            raise ClusterError(f"{at}: node {to} is not in the ISR {_ids(before.isr)}")
        order = [to, *(node for node in before.replicas if node != to)]
        with self._asking(f"leader of {at}") as client:
            for refused in alter_reassignments(client, {at: order}).values():
                raise ClusterError(f"leader of {at}: {refused}")
        self.elect(topic, partition)
        self._await_leader(at, to)

    def _await_leader(self, at: TopicPartition, expected: int | None) -> None:
        """Wait until every broker knows a new leader, any one if none is `expected`."""
        deadline = Deadline(_AGREE_S)
        for server in self._servers().split(","):
            while True:
                with self._asking(f"topic {at.topic}", server=server) as client:
                    (found,) = (
                        it.leader for it in read_leaders(client, [at.topic]) if it.name == at
                    )
                if found == expected or (expected is None and found != _NO_LEADER):
                    break
                if not deadline.wait():
                    raise ClusterError(f"the broker at {server} does not know the leader of {at}")

    def produce(
        self,
        topic: str,
        *messages: Message,
        partition: int | None = None,
        headers: Mapping[str, bytes | str | None] | None = None,
        timeout_s: float = _TIMEOUT_S,
    ) -> list[KafkaRecord]:
        """Append records with acks=all; return them with their offsets, in the order given.

        Without a partition, the partition follows from the key as in Kafka's clients; records
        without a key go to the partitions in turn.

        Raises:
            ClusterError: they were not acknowledged.
        """
        deadline = Deadline(timeout_s)
        now_ms = int(time.time() * 1000)
        tags = tuple((name, _bytes(value)) for name, value in (headers or {}).items())
        done: dict[int, KafkaRecord] = {}
        with self._asking(f"records for {topic}", timeout_s) as client:
            partitions = partition_count(client, topic)
            turn = count()
            batches: dict[int, list[tuple[int, NewRecord]]] = {}
            for place, message in enumerate(messages):
                key, value = message if isinstance(message, tuple) else (None, message)
                record = NewRecord(now_ms, _bytes(key), _bytes(value), tags)
                if partition is not None:
                    chosen = partition
                elif record.key is not None:
                    chosen = partition_of_key(record.key, partitions)
                else:
                    chosen = next(turn) % partitions
                batches.setdefault(chosen, []).append((place, record))
            for number, rows in batches.items():
                at = TopicPartition(topic, number)
                first = append(client, at, [record for _, record in rows], deadline)
                for offset, (place, record) in enumerate(rows, first):
                    done[place] = KafkaRecord(
                        topic, number, offset, record.timestamp, record.key, record.value,
                        record.headers,
                    )  # fmt: skip
        return [done[place] for place in sorted(done)]

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
        deadline = Deadline(timeout_s)
        with self._asking(f"records of {topic}", timeout_s) as client:
            every = range(partition_count(client, topic)) if partition is None else (partition,)
            return [
                record
                for number in every
                for record in read(
                    client, TopicPartition(topic, number), deadline,
                    start=starts.get(number, 0), committed=committed,
                )
            ]  # fmt: skip

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
        deadline = Deadline(_TIMEOUT_S)
        with self._asking(f"topic {topic}") as client:
            try:
                partitions = partition_count(client, topic)
            except AdminError as error:
                if error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                    raise
                # The block may create it.
                return {}
            return {
                number: end_offset(client, TopicPartition(topic, number), deadline)
                for number in range(partitions)
            }

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """Return the offsets that a consumer group has committed for a topic, by partition."""
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
        try:
            with self._clients.taken(self._servers(), _REPORT_S) as client:
                states = read_leaders(client, [])
        except AdminError as error:
            return f"partitions are unknown: {error}"
        shown = [
            f"{state.name}: leader {'none' if state.leader == _NO_LEADER else state.leader}, "
            f"replicas {_ids(state.replicas)}, ISR {_ids(state.isr)}"
            + (f", ELR {_ids(state.elr)}" if state.elr else "")
            for state in states
        ]
        return "\n".join(["partitions:", *shown]) if shown else "no partitions"

    @contextmanager
    def _asking(
        self, what: str, timeout_s: float = _TIMEOUT_S, *, server: str = ""
    ) -> Iterator[AdminClient]:
        """Yield a client; its errors are those of the cluster.

        Raises:
            ClusterError: an operation failed.
        """
        try:
            with self._clients.taken(server or self._servers(), timeout_s) as client:
                yield client
        except AdminError as error:
            raise ClusterError(f"{what}: {error}") from None


def _bytes(value: Value) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _ids(nodes: Sequence[int]) -> str:
    return ",".join(map(str, nodes)) or "none"
