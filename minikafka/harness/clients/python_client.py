"""A producer client with kafka-python, which runs callbacks in its own thread."""

import sys
import threading
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Any

from minikafka.harness.clients import login
from minikafka.harness.clients.delivery_queue import (
    acks_value,
    collect,
    confirmed,
    refused,
)
from minikafka.harness.clients.outbox import Outbox
from minikafka.harness.clients.producer_client import (
    CLOSE_TIMEOUT_S,
    DELIVERY_TIMEOUT_S,
    END_TIMEOUT_S,
    ClientGaveUpError,
    DeliveryReport,
    NotEndedError,
    transactional_id,
)
from minikafka.harness.clients.records import NumberedRecord


class PythonClient:
    """kafka-python, which runs callbacks in its own thread."""

    def __init__(self, outbox: Outbox) -> None:
        """Connect."""
        from kafka import KafkaProducer
        from kafka.errors import KafkaError as PyKafkaError

        task = outbox.task
        self._outbox = outbox
        self._error: type[Exception] = PyKafkaError
        self._answers: SimpleQueue[DeliveryReport] = SimpleQueue()
        try:
            self._producer = KafkaProducer(
                bootstrap_servers=task.bootstrap_servers.split(","),
                **login.for_kafka_python(),
                client_id=f"minikafka-verify-{task.pid}",
                acks=acks_value(task.acks),
                enable_idempotence=task.idempotent,
                compression_type=None if task.compression == "none" else task.compression,
                max_request_size=task.message_max_bytes,
                linger_ms=5,
                request_timeout_ms=10_000,
                delivery_timeout_ms=int(DELIVERY_TIMEOUT_S * 1000),
                metadata_max_age_ms=5_000,
                transactional_id=transactional_id(task),
            )
            if task.transactions:
                self._producer.init_transactions()
        except PyKafkaError as error:
            raise ClientGaveUpError(repr(error)) from error

    def send(self, records: Sequence[NumberedRecord]) -> None:
        """Add the records to kafka-python's accumulator."""
        for record in records:
            topic, partition = self._outbox.place(record.partition)
            try:
                future = self._producer.send(
                    topic,
                    value=record.value,
                    key=record.key,
                    partition=partition,
                    headers=record.headers,
                    timestamp_ms=record.timestamp_ms,
                )
            except self._error as error:
                self._answers.put(refused(record.seq, error))
                continue
            self._listen(future, record.seq)

    def _listen(self, future: Any, seq: int) -> None:
        future.add_callback(lambda metadata: self._answers.put(confirmed(seq, metadata)))
        future.add_errback(lambda error: self._answers.put(refused(seq, error)))

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Wait, and return the answers that have arrived."""
        found = collect(self._answers, wait_s)
        manager = self._producer._transaction_manager  # noqa: SLF001 - not reported elsewhere
        if not found and manager is not None and manager.has_fatal_error():
            raise ClientGaveUpError(repr(manager.last_error))
        return found

    def begin(self) -> None:
        """Begin a transaction; sends nothing."""
        try:
            self._producer.begin_transaction()
        except self._error as error:
            raise ClientGaveUpError(repr(error)) from error

    def end(self, *, commit: bool) -> None:
        """Commit or abort in a separate thread, since kafka-python would wait forever."""
        producer = self._producer
        said: SimpleQueue[BaseException | None] = SimpleQueue()

        def work() -> None:
            try:
                (producer.commit_transaction if commit else producer.abort_transaction)()
            except self._error as error:
                said.put(error)
            else:
                said.put(None)

        threading.Thread(target=work, daemon=True).start()
        try:
            error = said.get(timeout=END_TIMEOUT_S)
        except Empty:
            raise NotEndedError("no answer before the timeout") from None
        if error is not None:
            raise NotEndedError(type(error).__name__) from error

    def close(self) -> None:
        """Close the client, with a timeout; print a line if it does not close cleanly."""
        try:
            self._producer.close(timeout=CLOSE_TIMEOUT_S)
        except self._error as error:  # it flushes first
            print(f"the client did not close cleanly: {error!r}", file=sys.stderr)
