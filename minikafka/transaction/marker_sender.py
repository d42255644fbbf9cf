"""Sends the markers of transactions that end to the leaders of their partitions.

Each broker has one queue, with one WriteTxnMarkers request in flight and at most 5000 partitions in
a request; transactions that end meanwhile go out with the next request. A partition stays in a
queue until its leader has written the marker, or until its topic is deleted. After a failure it is
sent again, to the leader of that time, after a backoff that grows to 2 s. Partitions without a
known leader are in a queue without a broker, and those of an internal topic that is not known: it
is not deleted, but the metadata of this broker is behind.

Source: `TransactionMarkerChannelManager`, `TransactionMarkerRequestCompletionHandler`.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.common.timers import Timer
from minikafka.messages import write_txn_markers as messages
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.features import METADATA_VERSION
from minikafka.metadata.local_broker import BrokerView
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.transaction")
_PURPOSE = "transaction-markers"
_MAX_PARTITIONS: Final = 5_000
_FIRST_BACKOFF_MS: Final = 50
_LAST_BACKOFF_MS: Final = 2_000
_NO_BROKER: Final = -1
VERSION_2_FROM: Final = 28
"""The metadata.version from which every broker has WriteTxnMarkers v2: 4.2-IV0."""

_WRITTEN = frozenset(
    (
        ErrorCode.NONE,
        # As Kafka: a log that cannot have markers has no records of the transaction either.
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ErrorCode.UNSUPPORTED_VERSION,
    )
)
_SUPERSEDED = frozenset(
    (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED)
)
_EXPECTED = frozenset(
    (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.KAFKA_STORAGE_ERROR,
    )
)


@dataclass(slots=True, eq=False)
class EndMarkers:
    """The markers of one transaction; `on_written` gets the partitions that need none any more."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    is_commit: bool
    coordinator_epoch: int
    transaction_version: int
    on_written: Callable[[frozenset[TopicPartition]], None]
    is_dropped: bool = False
    """True if no more markers may be sent: this broker is not the coordinator any more."""


Marked = dict[EndMarkers, dict[TopicPartition, None]]


@dataclass(slots=True, eq=False)
class _MarkerQueue:
    """The partitions to send to one broker; each is either waiting or sent, never both."""

    broker_id: int
    waiting: Marked = field(default_factory=dict)
    in_flight: bool = False
    timer: Timer | None = None
    backoff_ms: int = 0


@dataclass(slots=True, eq=False)
class MarkerSender:
    """The queues of one broker, shared by all its partitions of `__transaction_state`."""

    env: Environment
    calls: Calls
    view: BrokerView
    request_timeout_ms: int
    requests_sent: int = 0
    _queues: dict[int, _MarkerQueue] = field(default_factory=dict)

    def send(self, markers: EndMarkers, partitions: Iterable[TopicPartition]) -> None:
        """Send the markers of a transaction whose outcome is committed in the log."""
        self._route(markers, partitions)

    @property
    def unknown_destinations(self) -> int:
        """The number of transactions with partitions whose leader is not known."""
        queue = self._queues.get(_NO_BROKER)
        return 0 if queue is None else sum(not each.is_dropped for each in queue.waiting)

    def _route(self, markers: EndMarkers, partitions: Iterable[TopicPartition]) -> None:
        gone = []
        for partition in partitions:
            if self._is_deleted(partition):
                gone.append(partition)
            else:
                self._enqueue(self._leader_of(partition), markers, partition)
        if gone:
            _log.info(
                "[Transaction %s] %d partitions are deleted and get no marker",
                markers.transactional_id,
                len(gone),
            )
            markers.on_written(frozenset(gone))

    def _is_deleted(self, partition: TopicPartition) -> bool:
        image = self.view.image
        if image.partition(*partition) is not None:
            return False
        return partition.topic not in INTERNAL_TOPICS or image.topic(partition.topic) is not None

    def _leader_of(self, partition: TopicPartition) -> int:
        registration = self.view.image.partition(*partition)
        leader = _NO_BROKER if registration is None else registration.leader
        return leader if self._endpoint(leader) is not None else _NO_BROKER

    def _endpoint(self, broker_id: int) -> Endpoint | None:
        broker = self.view.image.brokers.get(broker_id)
        return None if broker is None or broker.fenced else self.view.endpoint_of(broker_id)

    def _enqueue(self, broker_id: int, markers: EndMarkers, partition: TopicPartition) -> None:
        queue = self._queues.get(broker_id)
        if queue is None:
            queue = self._queues[broker_id] = _MarkerQueue(broker_id)
            if broker_id == _NO_BROKER:
                queue.backoff_ms = _FIRST_BACKOFF_MS
        queue.waiting.setdefault(markers, {})[partition] = None
        self._schedule(queue)

    def _schedule(self, queue: _MarkerQueue) -> None:
        if queue.timer is None and not queue.in_flight:
            queue.timer = self.env.after(
                queue.backoff_ms,
                self.env.guarded("sending transaction markers", lambda: self._send(queue)),
            )

    def _send(self, queue: _MarkerQueue) -> None:
        queue.timer = None
        batch = _take(queue.waiting)
        moved = self._take_moved(queue, batch)
        endpoint = None if not batch else self._endpoint(queue.broker_id)
        if endpoint is not None:
            self._request(queue, endpoint, batch)
        else:
            _put_back(queue.waiting, batch)
            if moved:
                # Leaders are found again: check the rest soon.
                queue.backoff_ms = 0
            if queue.waiting:
                self._back_off(queue)
            elif self._queues.get(queue.broker_id) is queue:
                del self._queues[queue.broker_id]
        for markers, partitions in moved.items():
            self._route(markers, partitions)

    def _take_moved(self, queue: _MarkerQueue, batch: Marked) -> Marked:
        """Remove and return the partitions that the broker of a queue does not lead any more."""
        moved: Marked = {}
        for markers, partitions in list(batch.items()):
            for partition in list(partitions):
                if self._is_deleted(partition) or self._leader_of(partition) != queue.broker_id:
                    moved.setdefault(markers, {})[partition] = None
                    del partitions[partition]
            if not partitions:
                del batch[markers]
        return moved

    def _request(self, queue: _MarkerQueue, endpoint: Endpoint, batch: Marked) -> None:
        queue.in_flight = True
        self.requests_sent += 1
        self.calls.send(
            Channel(endpoint.host, endpoint.port, _PURPOSE),
            _request_of(batch),
            2 if self.view.image.feature(METADATA_VERSION) >= VERSION_2_FROM else 1,
            timeout_ms=self.request_timeout_ms,
            on_done=lambda response, why: self._answered(queue, batch, response, why),
        )

    def _answered(self, queue: _MarkerQueue, batch: Marked, response: Any | None, why: str) -> None:
        queue.in_flight = False
        if response is None:
            # A second call says that the handling of the response has failed: send all again.
            if not queue.backoff_ms:
                _log.info("WriteTxnMarkers to broker %d failed: %s", queue.broker_id, why)
            _put_back(queue.waiting, batch)
            self._back_off(queue)
            return
        codes = _codes(response)
        written: list[tuple[EndMarkers, frozenset[TopicPartition]]] = []
        has_failed = False
        for markers, partitions in batch.items():
            done, failed = self._judge(queue, markers, partitions, codes)
            if failed:
                has_failed = True
                queue.waiting.setdefault(markers, {}).update(dict.fromkeys(failed))
            if done:
                written.append((markers, frozenset(done)))
        if has_failed:
            self._back_off(queue)
        else:
            queue.backoff_ms = 0
            self._schedule(queue)
        for markers, done_partitions in written:
            if not markers.is_dropped:
                markers.on_written(done_partitions)

    def _judge(
        self,
        queue: _MarkerQueue,
        markers: EndMarkers,
        partitions: Iterable[TopicPartition],
        codes: dict[tuple[int, TopicPartition], int],
    ) -> tuple[list[TopicPartition], list[TopicPartition]]:
        """Return the partitions that have their marker, and those that must be sent again."""
        done, failed = [], []
        for partition in partitions:
            code = codes.get((markers.producer_id, partition))
            if code in _WRITTEN:
                done.append(partition)
            elif code in _SUPERSEDED:
                # As Kafka: a newer coordinator or producer has taken over.
                _log.warning(
                    "[Transaction %s] the leader of %s has a newer epoch than marker epoch %d of "
                    "coordinator epoch %d: no more markers are sent",
                    markers.transactional_id, partition, markers.producer_epoch,
                    markers.coordinator_epoch,
                )  # fmt: skip
                markers.is_dropped = True
            else:
                # Unlike Kafka (row T4): also after a code that no leader should return.
                if code is not None and code not in _EXPECTED:
                    _log.error(
                        "[Transaction %s] broker %d cannot write the marker in %s: %s; retrying",
                        markers.transactional_id, queue.broker_id, partition,
                        error_of(code).code.name,
                    )  # fmt: skip
                failed.append(partition)
        return done, failed

    def _back_off(self, queue: _MarkerQueue) -> None:
        queue.backoff_ms = min(max(2 * queue.backoff_ms, _FIRST_BACKOFF_MS), _LAST_BACKOFF_MS)
        self._schedule(queue)


def _take(waiting: Marked) -> Marked:
    """Remove and return the first partitions, at most as many as a request may have."""
    batch: Marked = {}
    room = _MAX_PARTITIONS
    for markers in list(waiting):
        if not room:
            break
        partitions = waiting.pop(markers)
        if markers.is_dropped:
            continue
        names = list(partitions)
        batch[markers] = dict.fromkeys(names[:room])
        if len(names) > room:
            waiting[markers] = dict.fromkeys(names[room:])
        room -= len(batch[markers])
    return batch


def _put_back(waiting: Marked, batch: Marked) -> None:
    for markers, partitions in batch.items():
        waiting.setdefault(markers, {}).update(partitions)


def _request_of(batch: Marked) -> messages.WriteTxnMarkersRequest:
    rows = []
    for markers, partitions in batch.items():
        topics: dict[str, messages.WritableTxnMarkerTopic] = {}
        for topic, index in partitions:
            row = topics.setdefault(topic, messages.WritableTxnMarkerTopic(topic))
            row.partition_indexes.append(index)
        rows.append(
            messages.WritableTxnMarker(
                producer_id=markers.producer_id,
                producer_epoch=markers.producer_epoch,
                transaction_result=markers.is_commit,
                topics=list(topics.values()),
                coordinator_epoch=markers.coordinator_epoch,
                transaction_version=markers.transaction_version,
            )
        )
    return messages.WriteTxnMarkersRequest(rows)


def _codes(response: messages.WriteTxnMarkersResponse) -> dict[tuple[int, TopicPartition], int]:
    return {
        (marker.producer_id, TopicPartition(topic.name, row.partition_index)): row.error_code
        for marker in response.markers
        for topic in marker.topics
        for row in topic.partitions
    }
