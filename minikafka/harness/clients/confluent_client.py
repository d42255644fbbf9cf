"""A producer client with confluent-kafka, which is librdkafka."""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

from confluent_kafka import KafkaError as RdKafkaError
from confluent_kafka import KafkaException, Message, Producer

from minikafka.harness.clients import login
from minikafka.harness.clients.outbox import Outbox
from minikafka.harness.clients.producer_client import (
    DELIVERY_TIMEOUT_S,
    END_TIMEOUT_S,
    ClientGaveUpError,
    DeliveryReport,
    NotEndedError,
    transactional_id,
)
from minikafka.harness.clients.records import NumberedRecord

_DEFINITE_RD_ERRORS = frozenset(
    {
        RdKafkaError.MSG_SIZE_TOO_LARGE,
        RdKafkaError.RECORD_LIST_TOO_LARGE,
        RdKafkaError.INVALID_RECORD,
        RdKafkaError.TOPIC_AUTHORIZATION_FAILED,
        RdKafkaError.CLUSTER_AUTHORIZATION_FAILED,
        RdKafkaError.TOPIC_EXCEPTION,
        RdKafkaError._PURGE_QUEUE,  # noqa: SLF001 - librdkafka's local codes begin with an underscore
        RdKafkaError._UNKNOWN_PARTITION,  # noqa: SLF001
    }
)
"""Errors after which a record is certainly not in the log. After any other error, such as a
timeout, the record may be in the log: the request may have been executed and its answer lost."""


class ConfluentClient:
    """confluent-kafka, which is librdkafka."""

    def __init__(self, outbox: Outbox) -> None:
        """Connect; with transactions, wait for the coordinator."""
        task = outbox.task
        self._outbox = outbox
        self._answers: list[DeliveryReport] = []
        self._fatal = ""
        config: dict[str, Any] = {
            "bootstrap.servers": task.bootstrap_servers,
            **login.for_librdkafka(),
            "client.id": f"minikafka-verify-{task.pid}",
            "acks": task.acks,
            "enable.idempotence": task.idempotent,
            "compression.type": task.compression,
            "message.max.bytes": task.message_max_bytes,
            "linger.ms": 5,
            "message.timeout.ms": int(DELIVERY_TIMEOUT_S * 1000),
            "socket.timeout.ms": 10_000,
            "reconnect.backoff.max.ms": 1_000,
            "topic.metadata.refresh.interval.ms": 5_000,
            "error_cb": self._on_error,
        }
        identity = transactional_id(task)
        if identity:
            config |= {"transactional.id": identity, "transaction.timeout.ms": 60_000}
        self._producer = Producer(config)
        if identity:
            self._transact(lambda: self._producer.init_transactions(END_TIMEOUT_S))

    def send(self, records: Sequence[NumberedRecord]) -> None:
        """Add the records to librdkafka's queue."""
        for record in records:
            topic, partition = self._outbox.place(record.partition)
            try:
                self._producer.produce(
                    topic,
                    value=record.value,
                    key=record.key,
                    partition=partition,
                    headers=record.headers,
                    timestamp=record.timestamp_ms,
                    on_delivery=self._delivery_callback(record.seq),
                )
            except BufferError as error:
                name = f"local queue full: {error}"
                self._answers.append(
                    DeliveryReport(record.seq, name, definite=True, offset=None, timestamp_ms=None)
                )
            except KafkaException as error:
                raise ClientGaveUpError(str(error)) from error

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Serve callbacks, and return the answers that they delivered."""
        try:
            self._producer.poll(wait_s)
        except KafkaException as error:
            self._fatal = str(error)
        found, self._answers = self._answers, []
        if self._fatal and not found:
            raise ClientGaveUpError(self._fatal)
        return found

    def begin(self) -> None:
        """Begin a transaction; sends nothing."""
        self._transact(self._producer.begin_transaction)

    def end(self, *, commit: bool) -> None:
        """Commit or abort, and retry while the error is retriable."""
        work = self._producer.commit_transaction if commit else self._producer.abort_transaction
        deadline_s = time.monotonic() + END_TIMEOUT_S
        while True:
            try:
                work(max(0.1, deadline_s - time.monotonic()))
            except KafkaException as error:
                if error.args[0].retriable() and time.monotonic() < deadline_s:
                    continue
                raise NotEndedError(error.args[0].name()) from error
            return

    def close(self) -> None:
        """Drop the queued records, and end librdkafka's threads."""
        self._producer.purge()
        with contextlib.suppress(KafkaException):  # the fatal error again
            self._producer.poll(0)
        # It refers to this client by its callbacks: it would live until the cycle is collected.
        del self._producer

    def _transact(self, work: Callable[[], None]) -> None:
        try:
            work()
        except KafkaException as error:
            raise ClientGaveUpError(str(error)) from error

    def _on_error(self, error: RdKafkaError) -> None:
        if error.fatal() or error.code() == RdKafkaError._FATAL:  # noqa: SLF001
            self._fatal = str(error)

    def _delivery_callback(self, seq: int) -> Callable[[RdKafkaError | None, Message], None]:
        def delivered(error: RdKafkaError | None, message: Message) -> None:
            if error is None:
                at, stamp = message.offset(), message.timestamp()[1]
                self._answers.append(DeliveryReport(seq, "", False, at, stamp))
            else:
                definite = error.code() in _DEFINITE_RD_ERRORS
                self._answers.append(DeliveryReport(seq, error.name(), definite, None, None))

        return delivered
