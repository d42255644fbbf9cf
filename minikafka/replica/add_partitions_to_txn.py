"""AddPartitionsToTxnManager: asks transaction coordinators whether a transaction has a partition.

A question verifies a partition, or has it added to the transaction (`verify_only`). Questions go to
the leader of the transactional id's partition of `__transaction_state`. Each coordinator has one
queue and one request in flight; the questions that arrive meanwhile go into the next request, which
has one row for each transactional id.

A waiting question of an older producer epoch ends with INVALID_PRODUCER_EPOCH when one of a newer
epoch arrives. CONCURRENT_TRANSACTIONS is asked again for a while if the partition is to be added:
the markers of the previous transaction are being written.

Source: `AddPartitionsToTxnManager`, `ReplicaManager.handleProduceAppend`, KIP-890.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import TRANSACTIONS_TOPIC
from minikafka.config import broker as broker_keys
from minikafka.config import transaction_keys
from minikafka.coordinator.partitioning import partition_of
from minikafka.messages import add_partitions_to_txn as messages
from minikafka.metadata.local_broker import BrokerView
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.replica")
_VERSION = 5
_PURPOSE = "add-partitions-to-txn"
_MAX_QUESTIONS = 2000
"""In one request, which may have 100,000 elements."""

OnAnswer = Callable[[ErrorCode], None]


class Question(NamedTuple):
    """Is `partition` in the ongoing transaction of this producer? Otherwise add it, or reject it.

    Without `knows_abortable`, the client gets INVALID_TXN_STATE instead of TRANSACTION_ABORTABLE.
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    verify_only: bool
    knows_abortable: bool
    partition: TopicPartition


@dataclass(slots=True, eq=False)
class _Asked:
    question: Question
    on_done: OnAnswer
    began_ms: int


class _Row(NamedTuple):
    """The part of a question that a row of the request has, besides partitions."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    verify_only: bool


@dataclass(slots=True, eq=False, repr=False)
class _Queue:
    """The waiting questions of one coordinator node, by transactional id and row."""

    waiting: dict[str, dict[_Row, list[_Asked]]] = field(default_factory=dict)
    in_flight: bool = False
    is_due: bool = False


@dataclass(slots=True, eq=False, repr=False)
class AddPartitionsToTxnManager:
    """The questions of this broker."""

    env: Environment
    calls: Calls
    view: BrokerView
    requests_sent: int = 0
    verifications: int = 0
    """Questions that have their final answer."""
    failures: int = 0
    verification_ms: int = 0
    """The time of all verifications together."""
    _queues: dict[int, _Queue] = field(default_factory=dict)

    def ask(self, question: Question, on_done: OnAnswer) -> None:
        """Ask the coordinator; call back once, after the caller has returned.

        NONE: the transaction is ongoing and has the partition. Otherwise the errors of
        AddPartitionsToTxn, COORDINATOR_NOT_AVAILABLE if no coordinator is known, or
        NETWORK_EXCEPTION if it did not answer.
        """
        self._put(_Asked(question, on_done, self.env.clock.monotonic_ms))

    @property
    def pending(self) -> int:
        """The number of questions that wait for the next request."""
        return sum(len(_everything(queue)) for queue in self._queues.values())

    def _put(self, asked: _Asked) -> None:
        node = self._coordinator(asked.question.transactional_id)
        if node is None:
            self._end_later([asked], ErrorCode.COORDINATOR_NOT_AVAILABLE)
            return
        queue = self._queues.setdefault(node, _Queue())
        row = _Row(*asked.question[:4])
        rows = queue.waiting.setdefault(row.transactional_id, {})
        rivals = [each for each in rows if each.producer_id == row.producer_id]
        if any(each.producer_epoch > row.producer_epoch for each in rivals):
            self._end_later([asked], ErrorCode.INVALID_PRODUCER_EPOCH)
            return
        for each in rivals:
            if each.producer_epoch < row.producer_epoch:
                self._end_later(rows.pop(each), ErrorCode.INVALID_PRODUCER_EPOCH)
        rows.setdefault(row, []).append(asked)
        self._schedule(node, queue)

    def _coordinator(self, transactional_id: str) -> int | None:
        """Return the broker that coordinates a transactional id, or None."""
        topic = self.view.image.topic(TRANSACTIONS_TOPIC)
        if topic is None:
            return None
        index = partition_of(transactional_id, len(topic.partitions))
        registration = topic.partitions.get(index)
        if registration is None or self.view.endpoint_of(registration.leader) is None:
            return None
        return registration.leader

    def _schedule(self, node: int, queue: _Queue) -> None:
        # At the end of the step, so that the questions of one Produce go into one request.
        if not queue.is_due and not queue.in_flight:
            queue.is_due = True
            self.env.after(0, lambda: self._send(node, queue))

    def _send(self, node: int, queue: _Queue) -> None:
        queue.is_due = False
        endpoint = self.view.endpoint_of(node)
        if endpoint is None:
            everything = _everything(queue)
            queue.waiting.clear()
            self._queues.pop(node, None)
            self._end(everything, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            return
        rows = _take_rows(queue)
        if not rows:
            self._queues.pop(node, None)
            return
        queue.in_flight = True
        self.requests_sent += 1

        def done(response: Any | None, why: str) -> None:
            if queue.in_flight:
                queue.in_flight = False
                self._answered(node, rows, response, why)
                self._schedule(node, queue)

        self.calls.send(
            Channel(endpoint.host, endpoint.port, _PURPOSE),
            messages.AddPartitionsToTxnRequest(transactions=_transactions(rows)),
            _VERSION,
            timeout_ms=self.view.config[broker_keys.REQUEST_TIMEOUT_MS],
            on_done=done,
        )

    def _answered(
        self, node: int, rows: dict[_Row, list[_Asked]], response: Any | None, why: str
    ) -> None:
        everything = [each for asked in rows.values() for each in asked]
        if response is None:
            _log.info("AddPartitionsToTxn to broker %d failed: %s", node, why)
            self._end(everything, ErrorCode.NETWORK_EXCEPTION)
            return
        if response.error_code:
            code = error_of(response.error_code).code
            _log.error("broker %d answered AddPartitionsToTxn with %s", node, code.name)
            if code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
                # As Kafka: this error is between brokers, and means nothing to a client.
                code = ErrorCode.INVALID_TXN_STATE
            self._end(everything, code)
            return
        results = _results(response)
        again = []
        for each in everything:
            key = (each.question.transactional_id, each.question.partition)
            # Unlike Kafka (row T6), which takes a missing row for a confirmation.
            code = _code_of(results.get(key, ErrorCode.NETWORK_EXCEPTION))
            if code == ErrorCode.CONCURRENT_TRANSACTIONS and self._may_ask_again(each):
                again.append(each)
            else:
                self._end([each], code)
        if again:
            self.env.after(
                self.view.config[transaction_keys.RETRY_BACKOFF_MS], lambda: self._ask_again(again)
            )

    def _may_ask_again(self, asked: _Asked) -> bool:
        limit_ms = self.view.config[transaction_keys.RETRY_BACKOFF_MAX_MS]
        waited_ms = self.env.clock.monotonic_ms - asked.began_ms
        return not asked.question.verify_only and waited_ms < limit_ms

    def _ask_again(self, again: list[_Asked]) -> None:
        for each in again:
            self._put(each)

    def _end_later(self, asked: list[_Asked], code: ErrorCode) -> None:
        if asked:
            self.env.after(0, lambda: self._end(asked, code))

    def _end(self, asked: Iterable[_Asked], code: ErrorCode) -> None:
        for each in asked:
            self.verifications += 1
            self.failures += code != ErrorCode.NONE
            self.verification_ms += self.env.clock.monotonic_ms - each.began_ms
            each.on_done(_for_client(code, each.question))


def _everything(queue: _Queue) -> list[_Asked]:
    return [each for rows in queue.waiting.values() for asked in rows.values() for each in asked]


def _take_rows(queue: _Queue) -> dict[_Row, list[_Asked]]:
    """Remove the questions of the next request: one row for each transactional id."""
    taken: dict[_Row, list[_Asked]] = {}
    room = _MAX_QUESTIONS
    for transactional_id in list(queue.waiting):
        if room <= 0:
            break
        rows = queue.waiting.pop(transactional_id)
        row = next(iter(rows))
        asked = rows.pop(row)
        taken[row] = asked[:room]
        if len(asked) > room:
            rows[row] = asked[room:]
        room -= len(asked)
        if rows:
            # Behind the other transactional ids.
            queue.waiting[transactional_id] = rows
    return taken


def _transactions(
    rows: dict[_Row, list[_Asked]],
) -> list[messages.AddPartitionsToTxnTransaction]:
    transactions = []
    for row, asked in rows.items():
        topics: dict[str, dict[int, None]] = {}
        for each in asked:
            topic, index = each.question.partition
            topics.setdefault(topic, {})[index] = None
        transactions.append(
            messages.AddPartitionsToTxnTransaction(
                transactional_id=row.transactional_id,
                producer_id=row.producer_id,
                producer_epoch=row.producer_epoch,
                verify_only=row.verify_only,
                topics=[
                    messages.AddPartitionsToTxnTopic(name, list(indexes))
                    for name, indexes in topics.items()
                ],
            )
        )
    return transactions


def _results(
    response: messages.AddPartitionsToTxnResponse,
) -> dict[tuple[str, TopicPartition], int]:
    return {
        (transaction.transactional_id, TopicPartition(topic.name, row.partition_index)): (
            row.partition_error_code
        )
        for transaction in response.results_by_transaction
        for topic in transaction.topic_results
        for row in topic.results_by_partition
    }


def _code_of(number: int) -> ErrorCode:
    return error_of(number).code if number else ErrorCode.NONE


def _for_client(code: ErrorCode, question: Question) -> ErrorCode:
    """Replace errors that the client of a question does not know.

    Source: `AddPartitionsToTxnHandler.onComplete`.
    """
    if code == ErrorCode.PRODUCER_FENCED:
        # As Kafka: the client may abort the transaction and go on with a new epoch.
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if code == ErrorCode.TRANSACTION_ABORTABLE and not question.knows_abortable:
        return ErrorCode.INVALID_TXN_STATE
    return code
