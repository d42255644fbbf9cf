"""A producer client with aiokafka, in a thread with its own event loop."""

import asyncio
import sys
import threading
from collections.abc import Coroutine, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

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

_T = TypeVar("_T")
_LOST_COUNT = "OutOfOrderSequenceNumber"
"""aiokafka increments its sequence after a batch that timed out; every later batch is refused."""


class AioClient:
    """aiokafka, in a thread with its own event loop."""

    def __init__(self, outbox: Outbox) -> None:
        """Connect."""
        task = outbox.task
        self._outbox = outbox
        self._answers: SimpleQueue[DeliveryReport] = SimpleQueue()
        self._has_lost_count = False
        self._waiting: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._options: dict[str, Any] = {
            "bootstrap_servers": task.bootstrap_servers.split(","),
            **login.for_aiokafka(),
            "client_id": f"minikafka-verify-{task.pid}",
            "acks": acks_value(task.acks),
            "enable_idempotence": task.idempotent,
            "compression_type": None if task.compression == "none" else task.compression,
            "max_request_size": task.message_max_bytes,
            "linger_ms": 5,
            "request_timeout_ms": 10_000,
            "metadata_max_age_ms": 5_000,
            "transactional_id": transactional_id(task),
        }
        try:
            self._producer = self._do(self._start())
        except (KafkaError, TimeoutError) as error:
            self._end_loop()
            raise ClientGaveUpError(repr(error)) from error

    async def _start(self) -> AIOKafkaProducer:
        producer = AIOKafkaProducer(**self._options)
        # Without a leader aiokafka drops a batch after the request timeout, its sequence no longer
        # fits, and every later batch is refused. There is no option for this time.
        producer._message_accumulator._batch_ttl = DELIVERY_TIMEOUT_S  # noqa: SLF001
        try:
            await producer.start()
        except KafkaError:
            await producer.stop()
            raise
        return producer

    def _do(self, work: Coroutine[Any, Any, _T], timeout_s: float | None = 60.0) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)

    def send(self, records: Sequence[NumberedRecord]) -> None:
        """Add the records to aiokafka's accumulator; waits while it is full."""
        self._require_alive()
        if records:
            self._do(self._send(records), timeout_s=None)

    async def _send(self, records: Sequence[NumberedRecord]) -> None:
        for record in records:
            topic, partition = self._outbox.place(record.partition)
            try:
                future = await self._producer.send(
                    topic,
                    value=record.value,
                    key=record.key,
                    partition=partition,
                    headers=record.headers,
                    timestamp_ms=record.timestamp_ms,
                )
            except KafkaError as error:
                self._answers.put(refused(record.seq, error))
                continue
            task = asyncio.create_task(self._await_one(future, record.seq))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _await_one(self, future: "asyncio.Future[object]", seq: int) -> None:
        try:
            metadata = await future
        except KafkaError as error:
            self._answers.put(refused(seq, error))
        else:
            self._answers.put(confirmed(seq, metadata))

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Wait, and return the answers that have arrived."""
        found = collect(self._answers, wait_s)
        if not found:
            self._require_alive()
        self._has_lost_count |= any(answer.error == _LOST_COUNT for answer in found)
        return found

    def _require_alive(self) -> None:
        if self._has_lost_count:
            raise ClientGaveUpError(f"aiokafka cannot go on after {_LOST_COUNT}")
        # The sender task ends at a fatal error; aiokafka reports this nowhere else.
        task = self._producer._sender.sender_task  # noqa: SLF001
        if task is None or task.done():
            reason = task and not task.cancelled() and task.exception()
            raise ClientGaveUpError(f"the sender of aiokafka ended: {reason!r}")

    def begin(self) -> None:
        """Begin a transaction; sends nothing."""
        try:
            self._do(self._producer.begin_transaction())
        except KafkaError as error:
            raise ClientGaveUpError(repr(error)) from error

    def end(self, *, commit: bool) -> None:
        """Commit or abort, with a timeout."""
        producer = self._producer
        work = producer.commit_transaction() if commit else producer.abort_transaction()
        try:
            self._do(asyncio.wait_for(work, END_TIMEOUT_S))
        except (KafkaError, TimeoutError) as error:
            raise NotEndedError(type(error).__name__) from error

    def close(self) -> None:
        """Stop the client; print a line if it does not stop cleanly."""
        try:
            self._do(asyncio.wait_for(self._stop(), CLOSE_TIMEOUT_S))
        except (TimeoutError, KafkaError) as error:
            print(f"the client did not stop cleanly: {error!r}", file=sys.stderr)
        self._end_loop()

    async def _stop(self) -> None:
        for task in self._waiting:
            task.cancel()
        await self._producer.stop()

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_TIMEOUT_S)
        if not self._thread.is_alive():
            self._loop.close()
