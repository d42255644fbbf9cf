"""The second reader: a consumer group in one process that logs every poll and every commit.

    python -m minikafka.harness.clients.reader TASK        TASK is a `ReaderTask` as JSON

Members are threads with a consumer each. During the run one leaves and another joins, at times
drawn from the seed, so that partitions move between members while brokers fail. When standard input
closes, the group reads to the end of every partition and commits, and the process ends. SIGUSR1
writes what its threads are doing to standard error.

Its evidence is independent of Spark: no consumer of the group goes back without a rebalance,
committed records are not delivered again, and no record is skipped.
"""

import faulthandler
import json
import random
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient as Admin
from confluent_kafka.admin import OffsetSpec

from minikafka.harness.clients import login
from minikafka.harness.clients.ledger import FrameWriter
from minikafka.harness.clients.offsets_topic import promise_commits
from minikafka.harness.clients.poll_log import PollLog, runs
from minikafka.harness.lines import EventLog
from minikafka.harness.part_process import PartTask

_STRATEGIES = {"cooperative": "cooperative-sticky", "eager": "range"}
_POLL_S = 0.2
_POLL_MAX = 1_000
_COMMIT_EVERY_S = 0.5
_DRAIN_S = 60.0
_STATUS_EVERY_S = 1.0
_JOIN_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderTask(PartTask):
    """The task of the process.

    `topic` may be several names, separated by commas, each with `width` partitions.
    `offsets_min_isr` is the min.insync.replicas to set for __consumer_offsets; 0 leaves it as it
    is.
    """

    run: str
    bootstrap_servers: str
    topic: str
    width: int
    protocol: str
    seed: int
    seconds: float
    log: str
    events: str
    offsets_min_isr: int = 0

    @property
    def topics(self) -> list[str]:
        """The names of the topics."""
        return self.topic.split(",")

    @property
    def group(self) -> str:
        """The group's id."""
        return f"minikafka-verify-{self.run}"

    def number(self, at: TopicPartition) -> int:
        """Return a partition's number through all topics."""
        return self.topics.index(at.topic) * self.width + int(at.partition)

    def place(self, partition: int, offset: int) -> TopicPartition:
        """Return the topic partition with this number, at an offset."""
        return TopicPartition(self.topics[partition // self.width], partition % self.width, offset)


@dataclass(slots=True)
class ReaderMember:
    """One consumer of the group, in its own thread."""

    task: ReaderTask
    number: int
    log: PollLog
    leaving: threading.Event = field(default_factory=threading.Event)
    _delivered: list[tuple[int, int, int]] = field(default_factory=list)
    _assignments: dict[int, int] = field(default_factory=dict)
    _positions: dict[int, int] = field(default_factory=dict)
    _consumer: Consumer = field(init=False)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        name = f"member-{self.number}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Join the group."""
        self._consumer = Consumer(
            {
                "bootstrap.servers": self.task.bootstrap_servers,
                **login.for_librdkafka(),
                "client.id": f"minikafka-verify-reader-{self.number}",
                "group.id": self.task.group,
                "partition.assignment.strategy": _STRATEGIES[self.task.protocol],
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
                "check.crcs": True,
                "enable.partition.eof": True,
                "session.timeout.ms": 6_000,
                "heartbeat.interval.ms": 1_500,
                "socket.timeout.ms": 10_000,
                "fetch.wait.max.ms": 200,
                "reconnect.backoff.max.ms": 1_000,
                "topic.metadata.refresh.interval.ms": 5_000,
            }
        )
        self._consumer.subscribe(
            self.task.topics,
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_lost,
        )
        self._thread.start()

    def leave(self) -> None:
        """Commit what was polled, and leave the group."""
        self.leaving.set()
        self._thread.join(_JOIN_S)

    def _run(self) -> None:
        commit_at_s = time.monotonic() + _COMMIT_EVERY_S
        while not self.leaving.is_set():
            self._poll()
            if time.monotonic() >= commit_at_s:
                self._commit(list(self._positions))
                commit_at_s = time.monotonic() + _COMMIT_EVERY_S
        self._commit(list(self._positions))
        self._consumer.close()
        self.log.left(self.number)

    def _poll(self) -> None:
        """Poll records one by one; only this shows with certainty which assignment gave each."""
        wait_s = _POLL_S
        while len(self._delivered) < _POLL_MAX:
            message = self._consumer.poll(wait_s)
            if message is None:
                break
            wait_s = 0
            at = self.task.number(TopicPartition(message.topic(), message.partition()))
            error = message.error()
            if error is None:
                self._delivered.append((at, self._assignments.get(at, 0), message.offset()))
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001
                self.log.reach(at, message.offset())
        self._note_delivered()

    def _note_delivered(self) -> None:
        """Log the records polled so far; called before a rebalance too, to keep the order."""
        delivered, self._delivered = self._delivered, []
        if delivered:
            self.log.polled(self.number, runs(delivered))
            for at, _, offset in delivered:
                if at in self._assignments:
                    self._positions[at] = offset + 1

    def _commit(self, partitions: Sequence[int]) -> None:
        """Commit the positions of these partitions, and wait for the answer."""
        offsets = {at: self._positions.pop(at) for at in partitions if at in self._positions}
        if not offsets:
            return
        asked = [self.task.place(at, offset) for at, offset in offsets.items()]
        try:
            answers = self._consumer.commit(offsets=asked, asynchronous=False)
        except KafkaException as error:
            self.log.refused(self.number, error.args[0].name())
            # Commit them next time, unless newer positions replace them.
            self._positions = {**offsets, **self._positions}
            return
        failed = {self.task.number(it): it.error for it in answers if it.error is not None}
        for at, problem in failed.items():
            self.log.refused(self.number, problem.name())
            self._positions.setdefault(at, offsets[at])
        done = {self.task.number(it): it.offset for it in answers if it.error is None}
        if done:
            self.log.committed(self.number, done)

    def _on_assign(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        self._note_delivered()
        numbers = [self.task.number(it) for it in partitions]
        self._assignments |= self.log.assigned(self.number, numbers)

    def _on_revoke(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        self._note_delivered()
        numbers = [self.task.number(it) for it in partitions]
        self._commit(numbers)
        self._drop(numbers, lost=False)

    def _on_lost(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        self._note_delivered()
        self._drop([self.task.number(it) for it in partitions], lost=True)

    def _drop(self, numbers: Sequence[int], *, lost: bool) -> None:
        for at in numbers:
            self._assignments.pop(at, None)
            self._positions.pop(at, None)
        self.log.revoked(self.number, numbers, lost=lost)


def changes(task: ReaderTask) -> list[tuple[float, str]]:
    """Return the times, in seconds since the start, at which a member leaves and another joins."""
    rng = random.Random(f"reader/{task.seed}")
    return [
        (task.seconds * rng.uniform(0.25, 0.4), "leave"),
        (task.seconds * rng.uniform(0.5, 0.65), "join"),
    ]


def read(
    task: ReaderTask, log: PollLog, events: EventLog, is_over: Callable[[float], bool]
) -> dict[int, int]:
    """Read until `is_over`, then to the end of every partition; return these ends.

    `is_over` waits up to the given seconds. The result is empty if the end was not reached.
    """
    members = [ReaderMember(task, number, log) for number in (1, 2)]
    for member in members:
        member.start()
    began_s = time.monotonic()
    status_at_s = 0.0
    planned = changes(task)
    while not is_over(_POLL_S):
        while planned and time.monotonic() - began_s >= planned[0][0]:
            _, change = planned.pop(0)
            if change == "leave":
                members.pop(0).leave()
            else:
                members.append(ReaderMember(task, len(members) + 2, log))
                members[-1].start()
            events.write("reader", change=change, members=len(members), **log.counts)
        if time.monotonic() >= status_at_s:
            status_at_s = time.monotonic() + _STATUS_EVERY_S
            events.write("reader", change="", members=len(members), **log.counts)
    ends = _drain(task, log, events)
    for member in members:
        member.leave()
    events.write("reader", change="end", members=0, complete=bool(ends), **log.counts)
    return ends


def _drain(task: ReaderTask, log: PollLog, events: EventLog) -> dict[int, int]:
    """Wait until the group has reached the end of every partition; empty if it did not.

    A note then names the partitions.
    """
    deadline_s = time.monotonic() + _DRAIN_S
    servers = {"bootstrap.servers": task.bootstrap_servers, **login.for_librdkafka()}
    admin = Admin({**servers, "log_level": 0})
    ends: dict[int, int] = {}
    while time.monotonic() < deadline_s:
        ends = ends or _ends(task, admin)
        if ends and all(log.reached.get(at, 0) >= end for at, end in ends.items()):
            return ends
        time.sleep(_POLL_S)
    behind = [
        f"{_name(task.place(at, 0))} to {log.reached.get(at, 0)} of {end}"
        for at, end in ends.items()
        if log.reached.get(at, 0) < end
    ]
    did = f"read {', '.join(behind)}" if behind else "could not learn the ends of the partitions"
    note = f"The consumer group {did} within {_DRAIN_S:g} s."
    events.write("reader_note", note=note)
    return {}


def _name(at: TopicPartition) -> str:
    return f"{at.topic}-{at.partition}"


def _ends(task: ReaderTask, admin: Admin) -> dict[int, int]:
    """Return the current end of every partition; empty if one of them cannot be fetched."""
    places = [task.place(at, 0) for at in range(task.width * len(task.topics))]
    answers = admin.list_offsets(dict.fromkeys(places, OffsetSpec.latest()), request_timeout=5)
    try:
        return {task.number(at): answer.result().offset for at, answer in answers.items()}
    except KafkaException:
        return {}


def main(argument: str) -> int:
    """Run the task given as JSON; return 1 if the group did not read to the end."""
    faulthandler.register(signal.SIGUSR1)
    task = ReaderTask(**json.loads(argument))
    events = EventLog(Path(task.events))
    problem = ""
    if task.offsets_min_isr:
        problem = promise_commits(task.bootstrap_servers, task.group, task.offsets_min_isr)
    if problem:
        events.write("reader_note", note=f"min.insync.replicas of commits is not set: {problem}")
    with FrameWriter(Path(task.log)) as frames:
        log = PollLog(frames)
        log.header(run=task.run, group=task.group, protocol=task.protocol)
        ends = read(task, log, events, _is_closed)
        log.end(ends)
    return 0 if ends else 1


def _is_closed(wait_s: float) -> bool:
    """True if the parent closed standard input; waits up to `wait_s`."""
    readable, _, _ = select.select([sys.stdin], [], [], wait_s)
    return bool(readable)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
