"""A small workload of topic and configuration changes, and the check that none of them is lost.

Every two seconds a topic is created or the configuration of the last one changes. A change is sent
once, over a connection of its own, and counts as acknowledged only with the cluster's answer. After
the faults the cluster must describe every topic whose creation was acknowledged, with the same id,
and the last acknowledged value of its configuration.

A change without an answer may be made at any later time. Its topic is not changed again, so that
either of its last two values is right.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minikafka.admin.client import AdminClient, AdminError, BrokerConnection
from minikafka.admin.configs import Resource, ResourceType, describe_configs
from minikafka.common.errors import ErrorCode
from minikafka.harness.clients import login
from minikafka.harness.lines import EventLog
from minikafka.messages.create_topics import CreatableTopic, CreateTopicsRequest
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.rpc.client_connection import NoCommonVersionError

CHANGE = "change"
"""The event's name. Fields: `topic`, `value` (None for a creation), `outcome`, `why`."""

_PERIOD_S = 2.0
_TIMEOUT_S = 5.0
_CLIENT_ID = "minikafka-verify-changes"
_CHANGES_PER_TOPIC = 4
_CONFIG = "retention.ms"
_FIRST_VALUE = 1_000_000_000
"""Larger than any run: nothing is deleted."""
_COMPARE_TIMEOUT_S = 15.0
_COMPARE_EVERY_S = 0.5
_SET = 0


@dataclass(slots=True)
class ChangedTopic:
    """A topic of the workload.

    `topic_id` is empty until the creation is acknowledged. `values` are the acceptable values of
    its configuration; empty if none is known. It is settled while every change has an answer.
    """

    name: str
    topic_id: str = ""
    changes: int = 0
    values: list[str] = field(default_factory=list)
    is_settled: bool = True


class ChangeRefusedError(Exception):
    """The cluster answered a change with an error; it may have been made nevertheless."""


class MetadataChanges:
    """Makes changes in a thread, and compares them with what the cluster describes."""

    def __init__(self, bootstrap_servers: str, prefix: str, events: EventLog) -> None:
        """Send nothing yet; `start` does. Topics are named `prefix` and a number."""
        self._servers = [_address(server) for server in bootstrap_servers.split(",")]
        self._bootstrap_servers = bootstrap_servers
        self._prefix = prefix
        self._events = events
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="changes", daemon=True)
        self.topics: list[ChangedTopic] = []
        self.counts = {"sent": 0, "acknowledged": 0, "unacknowledged": 0}
        self.lost: list[dict[str, str]] | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; return after the answer to its last change."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            self.change()

    def change(self) -> None:
        """Make the next change: of the last topic, or a new topic."""
        last = self.topics[-1] if self.topics else None
        if last is None or not last.is_settled or last.changes >= _CHANGES_PER_TOPIC:
            topic = ChangedTopic(f"{self._prefix}-{len(self.topics)}")
            self.topics.append(topic)
            self._make(topic, None, lambda: self._create(topic))
        else:
            value = str(_FIRST_VALUE + self.counts["sent"])
            self._make(last, value, lambda: self._alter(last, value))

    def _make(self, topic: ChangedTopic, value: str | None, send: Callable[[], None]) -> None:
        topic.changes += 1
        self.counts["sent"] += 1
        why = ""
        try:
            send()
        except (ChangeRefusedError, NoCommonVersionError, OSError) as error:
            why = str(error)
            topic.is_settled = False
            if value is not None and topic.values:
                topic.values.append(value)
        else:
            topic.values = topic.values if value is None else [value]
        outcome = "unacknowledged" if why else "acknowledged"
        self.counts[outcome] += 1
        self._events.write(CHANGE, topic=topic.name, value=value, outcome=outcome, why=why)

    def _create(self, topic: ChangedTopic) -> None:
        wanted = CreatableTopic(
            name=topic.name,
            num_partitions=1,
            replication_factor=1,  # so that a broker that is away prevents no creation
            assignments=[],
            configs=[],
        )
        [result] = self._ask(CreateTopicsRequest([wanted], int(_TIMEOUT_S * 1000))).topics
        _check(result)
        topic.topic_id = str(result.topic_id)

    def _alter(self, topic: ChangedTopic, value: str) -> None:
        change = AlterConfigsResource(
            ResourceType.TOPIC, topic.name, [AlterableConfig(_CONFIG, _SET, value)]
        )
        [result] = self._ask(IncrementalAlterConfigsRequest(resources=[change])).responses
        _check(result)

    def _ask(self, request: Any) -> Any:
        """Send a request once, to the next server; a repeated one might be made much later."""
        self._servers.append(self._servers.pop(0))
        connection = BrokerConnection(*self._servers[-1], _CLIENT_ID, _TIMEOUT_S)
        try:
            return connection.ask(request)
        finally:
            connection.close()

    def compare(self, wait: Callable[[float], object]) -> None:
        """Set `lost` to a row for each acknowledged change that the cluster does not describe.

        A broker may lag behind the controller, so that a difference counts after 15 s. `wait` waits
        some seconds. `lost` stays None if the cluster does not answer.
        """
        waited_s = 0.0
        while True:
            try:
                with AdminClient(
                    self._bootstrap_servers,
                    client_id=_CLIENT_ID,
                    timeout_s=_TIMEOUT_S,
                    security=login.for_tools(),
                ) as client:
                    self.lost = self._differences(client)
            except AdminError:
                pass
            if self.lost == [] or waited_s >= _COMPARE_TIMEOUT_S:
                return
            wait(_COMPARE_EVERY_S)
            waited_s += _COMPARE_EVERY_S

    def _differences(self, client: AdminClient) -> list[dict[str, str]]:
        made = [topic for topic in self.topics if topic.topic_id]
        if not made:
            return []
        asked = [MetadataRequestTopic(name=topic.name) for topic in made]
        answer = client.ask(MetadataRequest(topics=asked, allow_auto_topic_creation=False))
        ids = {it.name: str(it.topic_id) for it in answer.topics if not it.error_code}
        values = _values(client, [topic.name for topic in made if topic.name in ids])
        return [
            {"topic": topic.name, "message": f"topic {topic.name}: {difference}"}
            for topic in made
            for difference in _differences(topic, ids.get(topic.name), values.get(topic.name))
        ]

    def as_json(self) -> dict[str, object]:
        """Return the verdict's `changes` object."""
        return {**self.counts, "compared": self.lost is not None}


def _differences(topic: ChangedTopic, topic_id: str | None, value: str | None) -> Sequence[str]:
    if topic_id is None:
        return [f"its creation with id {topic.topic_id} was acknowledged, but it does not exist"]
    if topic_id != topic.topic_id:
        return [f"its creation with id {topic.topic_id} was acknowledged, but its id is {topic_id}"]
    if topic.values and value not in topic.values:
        expected = " or ".join(topic.values)
        return [f"{_CONFIG} is {value}, but must be {expected} by the acknowledged changes"]
    return []


def _values(client: AdminClient, names: Sequence[str]) -> Mapping[str, str]:
    resources = [Resource(ResourceType.TOPIC, name) for name in names]
    described = describe_configs(client, resources) if resources else {}
    return {
        resource.name: str(entry.value)
        for resource, entries in described.items()
        for entry in entries
        if entry.name == _CONFIG
    }


def _check(result: Any) -> None:
    if result.error_code != ErrorCode.NONE:
        raise ChangeRefusedError(f"error {result.error_code}: {result.error_message}")


def _address(server: str) -> tuple[str, int]:
    host, _, port = server.strip().rpartition(":")
    return host.strip("[]"), int(port)
