"""Broker Request Sender: sends the active controller's GetReplicaLogInfo requests to brokers.

Each broker has one queue. Partitions that are queued in one turn go out in one request, with at
most 2000 partitions in a request and one request in flight for each broker; partitions that are
queued meanwhile go out with the next request (U2). Responses, errors and timeouts arrive as events
inside `Node.step`, through `rpc/calls`; the response to a request of a former leadership of this
controller is ignored.

A broker that closes the connection is asked for its APIs: Apache Kafka does not have this one. Such
a broker cannot answer, and is asked again when its registration changes.

A partition stays in the queue until it is answered or `drop`ped: after a failed request or a
rejected answer it is sent again, after a backoff that grows to 2 s. A partition is in a broker's
queue at most once, so the queues hold at most the replicas of the partitions under recovery.

Source: KIP-966 "Broker Request Sender"; docs/rules.md U2, U4, R3.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.events import CLOSED_BY_PEER
from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.common.request_limits import MAX_REPLICA_LOG_INFOS
from minikafka.common.timers import Timer
from minikafka.controller.ports import Controller
from minikafka.messages import get_replica_log_info as messages
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.metadata.broker_registration import Endpoint
from minikafka.rpc.calls import Calls
from minikafka.rpc.client_connection import NODE_SOFTWARE_NAME, SOFTWARE_VERSION

_log = logging.getLogger("minikafka.controller")
_VERSION = 0
_API_VERSIONS_VERSION = 3
_TIMEOUT_MS = 10_000
_FIRST_BACKOFF_MS = 50
_LAST_BACKOFF_MS = 2000
_STUCK_AFTER_MS = 6 * _TIMEOUT_MS
_PURPOSE = "replica-log-info"


class LogInfoAnswer(NamedTuple):
    """The answer of one broker: its broker epoch, and a row for each partition."""

    broker_id: int
    broker_epoch: int
    rows: list[tuple[TopicIdPartition, messages.PartitionLogInfo]]


class AnswerHandler(Protocol):
    """The owner of the requests."""

    def answered(self, answer: LogInfoAnswer) -> Iterable[TopicIdPartition]:
        """Handle an answer; return the partitions that the broker must be asked about again."""

    def muted(self, broker_id: int) -> None:
        """Handle a broker that turns out to be unable to answer."""


@dataclass(slots=True, eq=False, repr=False)
class _Queue:
    """The partitions to ask one broker about; each is either waiting or asked, never both."""

    waiting: dict[TopicIdPartition, None] = field(default_factory=dict)
    asked: dict[TopicIdPartition, None] = field(default_factory=dict)
    in_flight: bool = False
    is_doubted: bool = False
    """True if the broker must list the API before it is asked again."""
    moved_ms: int = 0
    timer: Timer | None = None
    backoff_ms: int = 0


@dataclass(slots=True, eq=False, repr=False)
class BrokerRequestSender:
    """The request queues of one active controller; `stop` clears them for the next leadership."""

    env: Environment
    calls: Calls
    controller: Controller
    handler: AnswerHandler
    requests_sent: int = 0
    _queues: dict[int, _Queue] = field(default_factory=dict)
    _leadership: int = 0
    _mute: dict[int, None] = field(default_factory=dict)
    _warned: dict[int, None] = field(default_factory=dict)

    def stop(self) -> None:
        """Clear every queue; responses that are still in flight will be ignored."""
        for queue in self._queues.values():
            _cancel(queue)
        self._queues, self._mute, self._warned = {}, {}, {}
        self._leadership += 1

    def ask(self, broker_id: int, partition: TopicIdPartition) -> None:
        """Ask a broker about its replica, unless it is being asked already or cannot answer."""
        if broker_id in self._mute:
            return
        queue = self._queues.get(broker_id)
        if queue is None:
            queue = self._queues[broker_id] = _Queue(moved_ms=self.env.clock.monotonic_ms)
        if partition not in queue.asked and partition not in queue.waiting:
            queue.waiting[partition] = None
            self._schedule(broker_id, queue)

    def drop(self, broker_id: int, partition: TopicIdPartition) -> None:
        """Stop asking a broker about a partition."""
        queue = self._queues.get(broker_id)
        if queue is None:
            return
        queue.waiting.pop(partition, None)
        queue.asked.pop(partition, None)

    def restart_stuck(self) -> None:
        """U7: send again what an unforeseen failure left in a queue without a request in flight."""
        now_ms = self.env.clock.monotonic_ms
        for broker_id, queue in self._queues.items():
            if now_ms - queue.moved_ms >= _STUCK_AFTER_MS:
                _log.warning(
                    "GetReplicaLogInfo requests to broker %d made no progress for %d ms; "
                    "sending them again",
                    broker_id,
                    now_ms - queue.moved_ms,
                )
                queue.waiting = {**queue.asked, **queue.waiting}
                queue.asked, queue.in_flight = {}, False
                queue.moved_ms = now_ms
                self.wake(broker_id)

    def is_asking(self, broker_id: int, partition: TopicIdPartition) -> bool:
        """True if a request for the partition is queued or in flight, or would be useless."""
        queue = self._queues.get(broker_id)
        return broker_id in self._mute or (
            queue is not None and (partition in queue.waiting or partition in queue.asked)
        )

    def is_mute(self, broker_id: int) -> bool:
        """True if a broker does not have the API."""
        return broker_id in self._mute

    def wake(self, broker_id: int) -> None:
        """End the backoff of a broker that may be reachable again: send its queue now."""
        self._mute.pop(broker_id, None)
        queue = self._queues.get(broker_id)
        if queue is not None:
            _cancel(queue)
            queue.backoff_ms = 0
            self._schedule(broker_id, queue)

    @property
    def pending(self) -> int:
        """The number of partitions that are not answered yet, over all brokers."""
        return sum(len(queue.waiting) + len(queue.asked) for queue in self._queues.values())

    def _schedule(self, broker_id: int, queue: _Queue) -> None:
        # One turn later, so that all partitions of one metadata change go into one request.
        if queue.timer is None and not queue.in_flight:
            queue.timer = self.env.after(queue.backoff_ms, lambda: self._send(broker_id, queue))

    def _send(self, broker_id: int, queue: _Queue) -> None:
        queue.timer = None
        queue.moved_ms = self.env.clock.monotonic_ms
        if not queue.waiting:
            # Everything was dropped meanwhile.
            if self._queues.get(broker_id) is queue:
                del self._queues[broker_id]
            return
        endpoint = self.controller.broker_endpoint(broker_id)
        if endpoint is None:
            self._back_off(broker_id, queue)
            return
        if queue.is_doubted:
            self._ask_for_api(broker_id, queue, endpoint)
            return
        batch = list(queue.waiting)[:MAX_REPLICA_LOG_INFOS]
        for partition in batch:
            del queue.waiting[partition]
            queue.asked[partition] = None
        queue.in_flight = True
        self.requests_sent += 1
        leadership = self._leadership

        def done(response: Any | None, why: str) -> None:
            if leadership == self._leadership:
                self._answered(broker_id, queue, response, why)

        self.calls.send(
            Channel(endpoint.host, endpoint.port, _PURPOSE),
            _request(broker_id, batch),
            _VERSION,
            timeout_ms=_TIMEOUT_MS,
            on_done=done,
        )

    def _ask_for_api(self, broker_id: int, queue: _Queue, endpoint: Endpoint) -> None:
        """Ask whether the broker has the API; without an answer, ask again after a backoff."""
        queue.in_flight = True
        leadership = self._leadership

        def done(response: Any | None, _: str) -> None:
            if leadership != self._leadership:
                return
            queue.in_flight = False
            if response is None:
                self._back_off(broker_id, queue)
                return
            queue.is_doubted = False
            if any(row.api_key == ApiKey.GET_REPLICA_LOG_INFO for row in response.api_keys):
                self._schedule(broker_id, queue)
            else:
                self._mark_mute(broker_id)

        request = ApiVersionsRequest(
            client_software_name=NODE_SOFTWARE_NAME, client_software_version=SOFTWARE_VERSION
        )
        channel = Channel(endpoint.host, endpoint.port, _PURPOSE)
        self.calls.send(
            channel, request, _API_VERSIONS_VERSION, timeout_ms=_TIMEOUT_MS, on_done=done
        )

    def _mark_mute(self, broker_id: int) -> None:
        self._queues.pop(broker_id, None)
        self._mute[broker_id] = None
        if broker_id not in self._warned:
            self._warned[broker_id] = None
            _log.warning(
                "broker %d does not have GetReplicaLogInfo (it is not minikafka): unclean "
                "recoveries count its replicas as not having answered in time",
                broker_id,
            )
        self.handler.muted(broker_id)

    def _answered(self, broker_id: int, queue: _Queue, response: Any | None, why: str) -> None:
        asked, queue.asked = queue.asked, {}
        queue.in_flight = False
        if response is None or response.error_code:
            if response is not None:
                why = error_of(response.error_code).code.name
            if not queue.backoff_ms:
                _log.info("GetReplicaLogInfo to broker %d failed: %s", broker_id, why)
            queue.is_doubted = response is None and why == CLOSED_BY_PEER
            queue.waiting = {**asked, **queue.waiting}
            self._back_off(broker_id, queue)
            return
        self._warned.pop(broker_id, None)
        rows = [(at, row) for at, row in _rows(response) if at in asked]
        served = [
            (at, row) for at, row in rows if row.error_code != ErrorCode.REQUEST_LIMIT_REACHED
        ]
        for at, _ in served:
            del asked[at]
        # Partitions without an answer go first; rejected ones go last, after a backoff.
        queue.waiting = {**asked, **queue.waiting}
        again = list(self.handler.answered(LogInfoAnswer(broker_id, response.broker_epoch, served)))
        for at in again:
            queue.waiting.setdefault(at)
        if len(again) < len(served) or not (asked or served):
            queue.backoff_ms = 0
            if len(queue.waiting) > len(again):
                self._schedule(broker_id, queue)
                return
        if queue.waiting:
            self._back_off(broker_id, queue)
        elif self._queues.get(broker_id) is queue and queue.timer is None:
            del self._queues[broker_id]

    def _back_off(self, broker_id: int, queue: _Queue) -> None:
        _cancel(queue)
        queue.backoff_ms = min(max(2 * queue.backoff_ms, _FIRST_BACKOFF_MS), _LAST_BACKOFF_MS)
        self._schedule(broker_id, queue)


def _cancel(queue: _Queue) -> None:
    if queue.timer is not None:
        queue.timer.cancel()
        queue.timer = None


def _request(
    broker_id: int, partitions: Iterable[TopicIdPartition]
) -> messages.GetReplicaLogInfoRequest:
    topics: dict[Uuid, messages.TopicPartitions] = {}
    for at in partitions:
        topic = topics.setdefault(at.topic_id, messages.TopicPartitions(topic_id=at.topic_id))
        topic.partitions.append(at.partition)
    return messages.GetReplicaLogInfoRequest(
        broker_id=broker_id, topic_partitions=list(topics.values())
    )


def _rows(
    response: messages.GetReplicaLogInfoResponse,
) -> Iterable[tuple[TopicIdPartition, messages.PartitionLogInfo]]:
    seen: dict[TopicIdPartition, None] = {}
    for topic in response.topic_partition_log_info_list:
        for row in topic.partition_log_info:
            at = TopicIdPartition(topic.topic_id, row.partition)
            if at not in seen:
                seen[at] = None
                yield at, row
