"""The cluster as a client sees it: leaders, ISR and ends of partitions, twice a second.

Uses librdkafka's admin client in a thread of its own. Changes become events, and so do high
watermarks (`watermarks` judges them). Requests are made one after another, so that
two answers are in the order of their questions.
"""

import threading
from dataclasses import dataclass, field

from confluent_kafka import KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from minikafka.harness.lines import EventLog, wall_ms
from minikafka.harness.settings import HarnessError

_PERIOD_S = 0.5
_REQUEST_TIMEOUT_S = 2.0
_CREATE_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionView:
    """One partition as a broker described it; `leader` is None where there is none."""

    leader: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


@dataclass(slots=True)
class Watcher:
    """Follows one topic."""

    bootstrap_servers: str
    topic: str
    events: EventLog
    partitions: dict[int, PartitionView] = field(default_factory=dict)
    high_watermarks: dict[int, int] = field(default_factory=dict)
    _admin: AdminClient = field(init=False)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._admin = AdminClient(
            {
                "bootstrap.servers": self.bootstrap_servers,
                "client.id": "minikafka-verify-watcher",
                "socket.timeout.ms": 4_000,
                "log_level": 0,
            }
        )
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def create_topic(self, partitions: int, replication_factor: int, min_isr: int) -> str:
        """Create the topic and return its id, once every partition has a leader and a full ISR.

        Raises:
            HarnessError: if the cluster refuses, or does not get there in time.
        """
        config = {"min.insync.replicas": str(min_isr)}
        topic = NewTopic(self.topic, partitions, replication_factor, config=config)
        futures = self._admin.create_topics([topic], request_timeout=_CREATE_TIMEOUT_S)
        try:
            futures[self.topic].result()
        except KafkaException as error:
            raise HarnessError(f"topic {self.topic} could not be created: {error}") from error
        if not self.wait_whole(_CREATE_TIMEOUT_S):
            raise HarnessError(
                f"topic {self.topic} was created, but not all of its replicas are in sync."
            )
        return self.topic_id(_CREATE_TIMEOUT_S)

    def topic_id(self, patience_s: float) -> str:
        """The topic's id; empty if no broker asked within the patience knew the topic.

        A broker that lags behind the metadata does not know a topic yet, so one such answer is
        none.

        Raises:
            HarnessError: if the cluster does not say.
        """
        deadline_ms = wall_ms() + patience_s * 1000
        while not (found := self._ask_topic_id()) and wall_ms() < deadline_ms:
            self._stop.wait(0.2)
        return found

    def _ask_topic_id(self) -> str:
        try:
            description = self._admin.describe_topics(
                TopicCollection([self.topic]), request_timeout=10
            )[self.topic].result()
        except KafkaException as error:
            if error.args[0].name() == "UNKNOWN_TOPIC_OR_PART":
                return ""
            raise HarnessError(f"topic {self.topic} could not be described: {error}") from error
        return str(description.topic_id)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._thread.join()

    def leader_of(self, partition: int) -> int | None:
        """The leader at the last look."""
        view = self.partitions.get(partition)
        return view.leader if view else None

    @property
    def is_whole(self) -> bool:
        """Whether every replica was in sync at the last look."""
        views = list(self.partitions.values())
        return bool(views) and all(set(view.isr) == set(view.replicas) for view in views)

    def wait_whole(self, timeout_s: float) -> bool:
        """Wait until every replica is in sync; False if that took too long."""
        deadline_ms = wall_ms() + timeout_s * 1000
        while True:
            fresh = self.look()
            views = self.partitions.values()
            if fresh and views and all(set(view.isr) == set(view.replicas) for view in views):
                return True
            if wall_ms() >= deadline_ms or self._stop.wait(0.2):
                return False

    def look(self) -> bool:
        """Ask once for leaders and ISR; whether an answer came."""
        try:
            described = self._admin.list_topics(self.topic, timeout=_REQUEST_TIMEOUT_S)
        except KafkaException:
            return False
        for number, partition in sorted(described.topics[self.topic].partitions.items()):
            view = PartitionView(
                leader=partition.leader if partition.leader >= 0 else None,
                replicas=tuple(partition.replicas),
                isr=tuple(sorted(partition.isrs)),
            )
            if self.partitions.get(number) != view:
                self.partitions[number] = view
                self.events.write("partition", partition=number, leader=view.leader, isr=view.isr)
        return bool(described.topics[self.topic].partitions)

    def look_at_ends(self) -> None:
        """Ask once for the high watermark of every partition; note any that went back."""
        asked = {TopicPartition(self.topic, number): _LATEST for number in sorted(self.partitions)}
        if not asked:
            return
        answers = self._admin.list_offsets(asked, request_timeout=_REQUEST_TIMEOUT_S)
        seen: dict[int, int] = {}
        for partition, future in answers.items():
            try:
                end = future.result().offset
            except KafkaException:
                continue  # no leader just now: nothing was shown, so nothing can go back
            if end >= 0:  # librdkafka gives a negative one where the broker named no offset
                seen[partition.partition] = end
        if seen:
            self.high_watermarks.update(seen)
            self.events.write("high_watermarks", ends=seen)

    def _run(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            if self.look():
                self.look_at_ends()


_LATEST = OffsetSpec.latest()
