"""The watcher, which polls leaders, ISR, ELR and high watermarks of partitions twice a second.

It runs in its own thread and uses librdkafka's admin client, and the project's admin client for
the ELR, which librdkafka does not support. Changes become events, and so do high watermarks
(`watermarks` judges them). Requests are sent one after another, so answers are in the order of
their requests.

Partitions are numbered through all topics of a run: of `width` partitions each, number n is
partition n mod width of topic n div width.
"""

import contextlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, OffsetSpec

from minikafka.common.ids import TopicPartition as TopicPartitionId
from minikafka.harness.clients import login
from minikafka.harness.clusters.replicas import Expected
from minikafka.harness.lines import EventLog, wall_ms
from minikafka.harness.plan.settings import HarnessError
from minikafka.harness.plan.workload_options import APPEND_TIME, SENT_TIME
from minikafka.harness.watch.describer import Describer, PartitionView, UnsupportedError

_PERIOD_S = 0.5
_TIMESTAMP_TYPE = "message.timestamp.type"
_REQUEST_TIMEOUT_S = 2.0
_CREATE_TIMEOUT_S = 30.0
_PASSING = (
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NOT_CONTROLLER,
    KafkaError.INVALID_REPLICATION_FACTOR,
)
"""Errors of a cluster that has just started, which may disappear a moment later."""


def _advice(code: int, topic: NewTopic) -> str:
    if code != KafkaError.INVALID_REPLICATION_FACTOR:
        return ""
    return (
        f". The run takes it that the cluster has {topic.replication_factor} brokers; give its"
        " number by --nodes, and --min-isr."
    )


@dataclass(slots=True)
class ClusterWatcher:
    """Watches the topics of a run; `topic` may be several names, separated by commas."""

    bootstrap_servers: str
    topic: str
    events: EventLog
    width: int = 1
    partitions: dict[int, PartitionView] = field(default_factory=dict)
    high_watermarks: dict[int, int] = field(default_factory=dict)
    describer: Describer | None = field(init=False)
    _topics: list[str] = field(init=False)
    _admin: AdminClient = field(init=False)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._topics = self.topic.split(",")
        self.describer = Describer(self.bootstrap_servers, self._topics)
        self._admin = AdminClient(
            {
                "bootstrap.servers": self.bootstrap_servers,
                **login.for_librdkafka(),
                "client.id": "minikafka-verify-watcher",
                "socket.timeout.ms": 4_000,
                "log_level": 0,
            }
        )
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def create_topic(
        self,
        partitions: int,
        replication_factor: int,
        min_isr: int,
        more: Mapping[str, str] | None = None,
    ) -> str:
        """Create the topics, wait until every replica is in the ISR, and return the topics' ids.

        An existing topic is used if it fits (see `require_fitting`). `more` is further
        configuration of a new topic.

        Raises:
            HarnessError: if the cluster refuses, or the replicas are not in sync in time.
        """
        self.width = partitions
        config = {"min.insync.replicas": str(min_isr), **(more or {})}
        for name in self._topics:
            topic = NewTopic(name, partitions, replication_factor, config=config)
            self._create(topic)
        if not self.wait_whole(_CREATE_TIMEOUT_S):
            raise HarnessError(
                f"topic {self.topic} was created, but not all of its replicas are in sync."
            )
        return self.topic_id(_CREATE_TIMEOUT_S)

    def _create(self, topic: NewTopic) -> None:
        """Create one topic, with retries after local errors of the client and temporary errors."""
        if self.require_fitting(topic.topic, topic.num_partitions):
            return
        deadline_ms = wall_ms() + _CREATE_TIMEOUT_S * 1000
        tries = 0
        while True:
            tries += 1
            futures = self._admin.create_topics([topic], request_timeout=_CREATE_TIMEOUT_S / 3)
            try:
                futures[topic.topic].result()
            except KafkaException as error:
                code = error.args[0].code()
                if code == KafkaError.TOPIC_ALREADY_EXISTS and tries > 1:
                    return  # an earlier attempt, which got no answer, created it
                may_pass = code < 0 or code in _PASSING
                if not may_pass or wall_ms() >= deadline_ms or self._stop.wait(0.5):
                    raise HarnessError(
                        f"topic {topic.topic} could not be created: {error}{_advice(code, topic)}"
                    ) from error
            else:
                return

    def require_fitting(self, name: str, partitions: int) -> bool:
        """Return True if the topic exists and fits, False if it does not exist.

        Raises:
            HarnessError: if the number of partitions differs from the run's, or it has records.
        """
        try:
            found = self._admin.describe_topics(TopicCollection([name]), request_timeout=10)
            count = len(found[name].result().partitions)
        except KafkaException:
            return False  # if it is another error, the creation will fail and report it
        if count != partitions:
            raise HarnessError(
                f"topic {name}: the number of partitions is {count}, expected {partitions}; give"
                f" --partitions {count}, or another --topic."
            )
        if self._holds_records(name, count):
            raise HarnessError(
                f"topic {name} already has records, which are in no ledger of this run; name an"
                " empty topic with --topic."
            )
        return True

    def _holds_records(self, name: str, count: int) -> bool:
        bounds = []
        for spec in (OffsetSpec.earliest(), _LATEST):
            asked = {TopicPartition(name, number): spec for number in range(count)}
            answers = self._admin.list_offsets(asked, request_timeout=10)
            try:
                bounds.append({it.partition: answers[it].result().offset for it in answers})
            except KafkaException as error:
                raise HarnessError(f"topic {name}: cannot list its offsets: {error}") from error
        return bounds[0] != bounds[1]

    def timestamps(self) -> str:
        """Return the source of the timestamps of the topics' records.

        The result is `APPEND_TIME` if any topic has message.timestamp.type=LogAppendTime, else
        `SENT_TIME`.

        Raises:
            HarnessError: if the cluster does not return the configuration.
        """
        resources = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in self._topics]
        answers = self._admin.describe_configs(resources, request_timeout=10)
        try:
            kinds = [answers[each].result()[_TIMESTAMP_TYPE].value for each in resources]
        except KafkaException as error:
            raise HarnessError(
                f"topic {self.topic}: cannot describe its configuration: {error}"
            ) from error
        return APPEND_TIME if "LogAppendTime" in kinds else SENT_TIME

    def topic_id(self, patience_s: float) -> str:
        """Return the topics' ids, separated by commas; empty if a topic does not exist.

        A broker whose metadata lags may not know a topic yet, so the request is repeated for up to
        `patience_s`.

        Raises:
            HarnessError: if the cluster does not answer.
        """
        deadline_ms = wall_ms() + patience_s * 1000
        while True:
            try:
                found = self._ask_topic_id()
            except HarnessError:
                if wall_ms() >= deadline_ms:
                    raise
                self._refresh()
            else:
                if found or wall_ms() >= deadline_ms:
                    return found
            self._stop.wait(0.2)

    def _ask_topic_id(self) -> str:
        try:
            answers = self._admin.describe_topics(
                TopicCollection(self._topics), request_timeout=_REQUEST_TIMEOUT_S
            )
            return ",".join(str(answers[name].result().topic_id) for name in self._topics)
        except KafkaException as error:
            if error.args[0].name() == "UNKNOWN_TOPIC_OR_PART":
                return ""
            raise HarnessError(f"topic {self.topic} could not be described: {error}") from error

    def start(self) -> None:
        """Start the watcher's thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the watcher's thread and close its connection."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self.describer is not None:
            self.describer.close()

    def leader_of(self, partition: int) -> int | None:
        """The leader at the last poll; None if there was none."""
        view = self.partitions.get(partition)
        return view.leader if view else None

    @property
    def is_whole(self) -> bool:
        """True if every replica was in sync at the last poll."""
        views = list(self.partitions.values())
        return len(views) == self.width * len(self._topics) and all(
            set(view.isr) == set(view.replicas) for view in views
        )

    def wait_whole(self, timeout_s: float) -> bool:
        """Wait until every replica is in sync; False after the timeout."""
        deadline_ms = wall_ms() + timeout_s * 1000
        while True:
            if self.look() and self.is_whole:
                return True
            if wall_ms() >= deadline_ms or self._stop.wait(0.2):
                return False

    def look(self) -> bool:
        """Poll leaders, ISR and ELR once; False if there was no answer."""
        views = self._ask()
        if not views:
            return False
        for number, view in sorted(views.items()):
            if self.partitions.get(number) != view:
                self.partitions[number] = view
                self.events.write("partition", partition=number, **view.as_json())
        return True

    def _ask(self) -> dict[int, PartitionView] | None:
        if self.describer is not None:
            try:
                return self.describer.ask(self.width)
            except UnsupportedError:
                self.describer = None
        found: dict[int, PartitionView] = {}
        for index, name in enumerate(self._topics):
            try:
                described = self._admin.list_topics(name, timeout=_REQUEST_TIMEOUT_S)
            except KafkaException:
                return None
            for number, partition in sorted(described.topics[name].partitions.items()):
                found[index * self.width + number] = PartitionView(
                    leader=partition.leader if partition.leader >= 0 else None,
                    replicas=tuple(partition.replicas),
                    isr=tuple(sorted(partition.isrs)),
                )
        return found

    def expected(self) -> dict[TopicPartitionId, Expected]:
        """Return the last polled ISR and high watermark of every partition."""
        return {
            TopicPartitionId(self._topics[number // self.width], number % self.width): Expected(
                view.isr, self.high_watermarks.get(number, 0)
            )
            for number, view in self.partitions.items()
        }

    def look_at_ends(self) -> None:
        """Poll the high watermark of every partition once, and write an event."""
        numbers = {
            TopicPartition(self._topics[number // self.width], number % self.width): number
            for number in sorted(self.partitions)
        }
        if not numbers:
            return
        asked = dict.fromkeys(numbers, _LATEST)
        answers = self._admin.list_offsets(asked, request_timeout=_REQUEST_TIMEOUT_S)
        seen: dict[int, int] = {}
        is_stale = False
        for partition, future in answers.items():
            try:
                end = future.result().offset
            except KafkaException:
                is_stale = True  # no leader now: no high watermark was seen, so none went back
                continue
            if end >= 0:  # librdkafka returns a negative number if the broker returned no offset
                seen[numbers[partition]] = end
        if seen:
            self.high_watermarks.update(seen)
            self.events.write("high_watermarks", ends=seen)
        if is_stale:
            self._refresh()

    def _refresh(self) -> None:
        """Make the client fetch metadata: for ListOffsets it keeps using the leaders it knows."""
        with contextlib.suppress(KafkaException):
            self._admin.list_topics(timeout=_REQUEST_TIMEOUT_S)

    def _run(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            if self.look():
                self.look_at_ends()


_LATEST = OffsetSpec.latest()
