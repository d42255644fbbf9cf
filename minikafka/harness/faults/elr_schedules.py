"""The two failures that eligible leader replicas solve (E13), as runnable schedules.

Both take replicas away one after the other, until the last one loses power and its unflushed data.
The others return before it does. With ELR one of them becomes the leader, since it is known to have
every committed record. Without ELR the partition waits for the replica that lost records.

A broker behind a network partition is a paused process here (SIGSTOP): it receives and sends
nothing, and continues when the network heals (SIGCONT). librdkafka writes records with acks=all,
the schedule remembers which were acknowledged, and everything is read back at the end.

Source: KIP-966, "Motivation" and "Eligible Leader Replicas".
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.topics import create_topic
from minikafka.harness.clusters.power_cut import Loss, cut_power
from minikafka.harness.plan.settings import HarnessError
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)

TOPIC = "events"
_POLL_S = 0.05
_TIMEOUT_S = 60.0
_LAST = "the-end"


class BreakableNodes(Protocol):
    """Brokers that can be taken away and brought back; `testing.nodes.Nodes` is one."""

    @property
    def running(self) -> Sequence[int]:
        """The brokers whose processes exist."""

    def port(self, node: int) -> int:
        """The port on loopback on which a broker listens."""

    def log_dirs(self, node: int) -> Sequence[Path]:
        """The log directories of a broker."""

    def kill(self, *nodes: int) -> None:
        """Kill brokers with SIGKILL."""

    def start(self, *nodes: int) -> None:
        """Start brokers again with the same directories."""

    def pause(self, *nodes: int) -> None:
        """Pause brokers with SIGSTOP."""

    def resume(self, *nodes: int) -> None:
        """Resume brokers with SIGCONT."""


class ElrState(NamedTuple):
    """A partition as DescribeTopicPartitions shows it, ids sorted; `leader` is -1 without one."""

    leader: int
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    offline: tuple[int, ...]

    def __str__(self) -> str:
        leader = "no leader" if self.leader < 0 else f"leader {self.leader}"
        elr = f", ELR {list(self.elr)}" if self.elr else ""
        return f"{leader}, ISR {list(self.isr)}{elr}"


@dataclass(slots=True)
class ScheduleOutcome:
    """The steps of a schedule, the acknowledged records, and the records read at the end."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    read: dict[str, int] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
    quorum: str = ""
    steps: list[tuple[str, str]] = field(default_factory=list)
    """(action, state of the partition after it)."""

    @property
    def lost(self) -> list[str]:
        """The acknowledged records that are not at the offset that was acknowledged."""
        return [name for name, at in self.acknowledged.items() if self.read.get(name) != at]


class ElrSchedule:
    """A cluster, its only partition, and the outcome so far; `say` gets a line for each step."""

    def __init__(self, nodes: BreakableNodes, say: Callable[[str], None]) -> None:
        """Do nothing yet."""
        self.nodes = nodes
        self.outcome = ScheduleOutcome()
        self._say = say
        self._paused: list[int] = []

    def create(self, replicas: Sequence[int], min_isr: int) -> None:
        """Create the topic, with its replicas in this order."""
        with self._client(self._reachable()[0]) as client:
            create_topic(
                client,
                TOPIC,
                assignment=[replicas],
                configs={"min.insync.replicas": str(min_isr)},
            )

    def write(self, count: int) -> str:
        """Write records with acks=all, and remember which of them were acknowledged."""
        first = len(self.outcome.acknowledged) + self.outcome.refused
        failures: list[KafkaError] = []
        producer = self._producer()
        for number in range(first, first + count):
            name = f"record-{number}"
            producer.produce(
                TOPIC, name, partition=0, on_delivery=partial(self._delivered, name, failures)
            )
        if producer.flush(_TIMEOUT_S):
            raise HarnessError(f"no outcome for some records of {first} to {first + count - 1}.")
        self.outcome.refused += len(failures)
        if not failures:
            return f"{count} records are acknowledged"
        return f"{len(failures)} of {count} records are refused: {failures[0].name()}"

    def partition_away(self, node: int) -> None:
        """Cut a broker off from the other brokers and the clients."""
        self.nodes.pause(node)
        self._paused.append(node)

    def heal(self, *nodes: int) -> None:
        """Connect brokers again."""
        self.nodes.resume(*nodes)
        self._paused = [node for node in self._paused if node not in nodes]

    def cut_power(self, node: int) -> str:
        """Kill a broker and drop what it had not flushed."""
        losses = cut_power(partial(self.nodes.kill, node), self.nodes.log_dirs(node))
        self._paused = [other for other in self._paused if other != node]
        self.outcome.losses += losses
        return f"it lost {', '.join(map(str, losses)) or 'nothing'}"

    def reach(self, expected: ElrState) -> ElrState:
        """Return when a reachable broker shows the partition in this state.

        Raises:
            HarnessError: if that does not happen before the timeout.
        """
        found: ElrState | None = None
        deadline_s = time.monotonic() + _TIMEOUT_S
        with self._client(self._reachable()[-1]) as client:
            while (found := _state(client)) != expected:
                if time.monotonic() > deadline_s:
                    raise HarnessError(f"{TOPIC}-0: expected '{expected}', found '{found}'.")
                time.sleep(_POLL_S)
        return expected

    def note(self, what: str, became: object) -> None:
        """Record a step."""
        self.outcome.steps.append((what, str(became)))
        self._say(f"{what}: {became}")

    def read_back(self) -> None:
        """Write one more record, and read everything from the beginning up to it.

        Raises:
            HarnessError: if that record cannot be written or read.
        """
        bootstrap = self._bootstrap()
        producer = self._producer()
        errors: list[KafkaError | None] = []
        producer.produce(TOPIC, _LAST, partition=0, on_delivery=lambda e, _: errors.append(e))
        producer.flush(_TIMEOUT_S)
        if errors != [None]:
            raise HarnessError(f"the last record could not be written: {errors}.")
        consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "read-back"})
        try:
            consumer.assign([TopicPartition(TOPIC, 0, 0)])
            deadline_s = time.monotonic() + _TIMEOUT_S
            while _LAST not in self.outcome.read:
                if time.monotonic() > deadline_s:
                    raise HarnessError("the last record was not read before the timeout.")
                for message in consumer.consume(1000, timeout=0.2):
                    if message.error() is None:
                        self.outcome.read[message.value().decode()] = message.offset()
        finally:
            consumer.close()

    def _delivered(
        self, name: str, failures: list[KafkaError], error: KafkaError | None, message: Message
    ) -> None:
        if error is None:
            self.outcome.acknowledged[name] = message.offset()
        else:
            failures.append(error)

    def _producer(self) -> Producer:
        return Producer(
            {
                "bootstrap.servers": self._bootstrap(),
                "acks": "all",
                # No retries, so that each refusal is reported.
                "retries": 0,
                "message.timeout.ms": int(_TIMEOUT_S * 1000),
            }
        )

    def _reachable(self) -> list[int]:
        return [node for node in self.nodes.running if node not in self._paused]

    def _bootstrap(self) -> str:
        return ",".join(f"127.0.0.1:{self.nodes.port(node)}" for node in self._reachable())

    def _client(self, node: int) -> AdminClient:
        server = f"127.0.0.1:{self.nodes.port(node)}"
        return AdminClient(server, client_id="elr-schedule", timeout_s=_TIMEOUT_S)


def last_replica_standing(
    nodes: BreakableNodes, *, elr: bool, say: Callable[[str], None] = lambda _: None
) -> ScheduleOutcome:
    """Three replicas, min ISR 2: two are partitioned away, the third loses its power.

    `elr` is True if the cluster has eligible leader replicas. Min ISR 2 must withstand one
    data-losing shutdown (H7).

    Raises:
        HarnessError: if the partition does not go through the states that the rules require.
    """
    run = ElrSchedule(nodes, say)
    run.create([1, 2, 3], min_isr=2)
    everyone = ElrState(1, (1, 2, 3), (), ())
    run.note("three replicas, min.insync.replicas=2", run.reach(everyone))
    run.note("write with acks=all", run.write(100))
    run.partition_away(1)
    run.note("a network partition cuts off broker 1", run.reach(ElrState(2, (2, 3), (), (1,))))
    run.note("write with acks=all", run.write(100))
    run.partition_away(2)
    eligible = (2,) if elr else ()
    run.note(
        "a network partition cuts off broker 2", run.reach(ElrState(3, (3,), eligible, (1, 2)))
    )
    run.note("write with acks=all", run.write(10))
    run.note("broker 3 loses power and its unflushed data", run.cut_power(3))
    run.heal(1, 2)
    state = ElrState(2, (1, 2), (), (3,)) if elr else ElrState(-1, (3,), (), (3,))
    run.note("the network heals: brokers 1 and 2 are back", run.reach(state))
    run.nodes.start(3)
    run.note("broker 3 starts again", run.reach(ElrState(2 if elr else 3, (1, 2, 3), (), ())))
    run.read_back()
    return run.outcome


def worked_example(
    nodes: BreakableNodes, *, elr: bool, say: Callable[[str], None] = lambda _: None
) -> ScheduleOutcome:
    """Four replicas, min ISR 3: the ELR grows to three members, two of them lose their power.

    Min ISR 3 must withstand two data-losing shutdowns (H7).

    Raises:
        HarnessError: if the partition does not go through the states that the rules require.
    """
    run = ElrSchedule(nodes, say)

    def reach(what: str, with_elr: ElrState, without: ElrState) -> None:
        run.note(what, run.reach(with_elr if elr else without))

    run.create([1, 2, 3, 4], min_isr=3)
    everyone = ElrState(1, (1, 2, 3, 4), (), ())
    reach("four replicas, min.insync.replicas=3", everyone, everyone)
    run.note("write with acks=all", run.write(100))
    run.partition_away(1)
    three = ElrState(2, (2, 3, 4), (), (1,))
    reach("broker 1 is cut off, not eligible: the ISR is large enough", three, three)
    run.note("write with acks=all", run.write(100))
    run.partition_away(2)
    offline: tuple[int, ...] = (1, 2)
    reach(
        "broker 2 is cut off", ElrState(3, (3, 4), (2,), offline), ElrState(3, (3, 4), (), offline)
    )
    run.note("write with acks=all", run.write(10))
    run.partition_away(3)
    offline = (1, 2, 3)
    reach("broker 3 is cut off", ElrState(4, (4,), (2, 3), offline), ElrState(4, (4,), (), offline))
    run.note("broker 4 loses power and its unflushed data", run.cut_power(4))
    run.heal(1)
    offline = (2, 3, 4)
    reach(
        "broker 1 is back: it missed records and must not lead",
        ElrState(-1, (), (2, 3, 4), offline),
        ElrState(-1, (4,), (), offline),
    )
    run.note("broker 3, still cut off, loses power as well", run.cut_power(3))
    run.nodes.start(3)
    offline = (2, 4)
    reach(
        "broker 3 starts: it lost records and is no longer eligible",
        ElrState(-1, (), (2, 4), offline),
        ElrState(-1, (4,), (), offline),
    )
    run.heal(2)
    offline = (4,)
    reach(
        "broker 2 is back: it stayed eligible",
        ElrState(2, (1, 2, 3), (), offline),
        ElrState(-1, (4,), (), offline),
    )
    run.nodes.start(4)
    end = (1, 2, 3, 4)
    reach("broker 4 starts again", ElrState(2, end, (), ()), ElrState(4, end, (), ()))
    run.read_back()
    return run.outcome


def _state(client: AdminClient) -> ElrState | None:
    """Return the partition's state; None if the broker does not answer or know the topic yet."""
    request = DescribeTopicPartitionsRequest(topics=[TopicRequest(TOPIC)])
    try:
        (topic,) = client.ask(request).topics
    except AdminError:
        return None
    if topic.error_code:
        return None
    (it,) = topic.partitions
    return ElrState(
        it.leader_id,
        tuple(sorted(it.isr_nodes)),
        tuple(sorted(it.eligible_leader_replicas or ())),
        tuple(sorted(it.offline_replicas)),
    )
