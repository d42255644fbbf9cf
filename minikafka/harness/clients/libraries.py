"""The client libraries that producers write with, behind one interface.

A client takes records and returns `DeliveryReport`s, both in the caller's thread.
`ClientGaveUpError` means that it can write no more. Another instance must take over; it knows
nothing of the records that the first one had in flight. A client with an idempotent producer fails
this way after an unclean election.
"""

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol, TypeVar

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError
from confluent_kafka import KafkaError as RdKafkaError
from confluent_kafka import KafkaException, Message, Producer

from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.clients.records import NumberedRecord
from minikafka.harness.plan.workload_options import Acks

_DELIVERY_TIMEOUT_S = 60.0
_END_TIMEOUT_S = 20.0
_CLOSE_TIMEOUT_S = 2.0
_T = TypeVar("_T")


class ClientGaveUpError(Exception):
    """The client cannot write any more; the message says why."""


class NotEndedError(Exception):
    """The outcome of a transaction is unknown; the message says why."""


class DeliveryReport(NamedTuple):
    """The outcome of one record: its offset and timestamp, or the name of its error.

    `definite` is True if the record is certainly not in the log.
    """

    seq: int
    error: str
    definite: bool
    offset: int | None
    timestamp_ms: int | None


class ProducerClient(Protocol):
    """A producer client."""

    def send(self, records: Sequence[NumberedRecord]) -> None:
        """Hand records to the client.

        Raises:
            ClientGaveUpError: if it cannot write any more.
        """

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Wait, and return the answers that have arrived.

        Raises:
            ClientGaveUpError: if it cannot write any more.
        """

    def begin(self) -> None:
        """Begin a transaction.

        Raises:
            ClientGaveUpError: if it cannot write any more.
        """

    def end(self, *, commit: bool) -> None:
        """Commit or abort the transaction.

        Raises:
            NotEndedError: if its outcome is unknown; the client must not be used any more.
        """

    def close(self) -> None:
        """Close the client without waiting for answers."""


def make_client(outbox: Outbox) -> ProducerClient:
    """Create the client that the task names.

    Raises:
        ClientGaveUpError: if it cannot start.
    """
    match outbox.task.client:
        case "aiokafka":
            return AioClient(outbox)
        case "kafka-python":
            return PythonClient(outbox)
        case _:
            return ConfluentClient(outbox)


def _acks_value(acks: Acks) -> int | str:
    """Return `acks` in the form that the clients written in Python expect."""
    return acks if acks == "all" else int(acks)


def _transactional_id(task: ProducerTask) -> str | None:
    return f"minikafka-verify-{task.run}-{task.pid}" if task.transactions else None


# librdkafka ------------------------------------------------------------------------------------

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
            "client.id": f"minikafka-verify-{task.pid}",
            "acks": task.acks,
            "enable.idempotence": task.idempotent,
            "compression.type": task.compression,
            "message.max.bytes": task.message_max_bytes,
            "linger.ms": 5,
            "message.timeout.ms": int(_DELIVERY_TIMEOUT_S * 1000),
            "socket.timeout.ms": 10_000,
            "reconnect.backoff.max.ms": 1_000,
            "topic.metadata.refresh.interval.ms": 5_000,
            "error_cb": self._on_error,
        }
        transactional_id = _transactional_id(task)
        if transactional_id:
            config |= {"transactional.id": transactional_id, "transaction.timeout.ms": 60_000}
        self._producer = Producer(config)
        if transactional_id:
            self._transact(lambda: self._producer.init_transactions(_END_TIMEOUT_S))

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
        deadline_s = time.monotonic() + _END_TIMEOUT_S
        while True:
            try:
                work(max(0.1, deadline_s - time.monotonic()))
            except KafkaException as error:
                if error.args[0].retriable() and time.monotonic() < deadline_s:
                    continue
                raise NotEndedError(error.args[0].name()) from error
            return

    def close(self) -> None:
        """Drop the queued records."""
        self._producer.purge()
        with contextlib.suppress(KafkaException):  # the fatal error again
            self._producer.poll(0)

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


# aiokafka --------------------------------------------------------------------------------------

_DEFINITE_PY_ERRORS = frozenset(
    {
        "MessageSizeTooLargeError",
        "RecordListTooLargeError",
        "InvalidTopicError",
        "TopicAuthorizationFailedError",
    }
)
"""Names of both clients written in Python: aiokafka took its error classes from kafka-python."""

_LOST_COUNT = "OutOfOrderSequenceNumber"
"""aiokafka increments its sequence after a batch that timed out; every later batch is refused."""


def _refused(seq: int, error: BaseException) -> DeliveryReport:
    name = type(error).__name__
    return DeliveryReport(seq, name, name in _DEFINITE_PY_ERRORS, offset=None, timestamp_ms=None)


def _confirmed(seq: int, metadata: Any) -> DeliveryReport:
    # With acks=0 the client gets no response and knows no offset.
    at = getattr(metadata, "offset", None)
    stamp = getattr(metadata, "timestamp", None)
    return DeliveryReport(seq, "", definite=False, offset=at, timestamp_ms=stamp)


def _collect(queue: "SimpleQueue[DeliveryReport]", wait_s: float) -> list[DeliveryReport]:
    time.sleep(wait_s)
    found = []
    while True:
        try:
            found.append(queue.get_nowait())
        except Empty:
            return found


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
            "client_id": f"minikafka-verify-{task.pid}",
            "acks": _acks_value(task.acks),
            "enable_idempotence": task.idempotent,
            "compression_type": None if task.compression == "none" else task.compression,
            "max_request_size": task.message_max_bytes,
            "linger_ms": 5,
            "request_timeout_ms": 10_000,
            "metadata_max_age_ms": 5_000,
            "transactional_id": _transactional_id(task),
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
        producer._message_accumulator._batch_ttl = _DELIVERY_TIMEOUT_S  # noqa: SLF001
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
                self._answers.put(_refused(record.seq, error))
                continue
            task = asyncio.create_task(self._await_one(future, record.seq))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _await_one(self, future: "asyncio.Future[object]", seq: int) -> None:
        try:
            metadata = await future
        except KafkaError as error:
            self._answers.put(_refused(seq, error))
        else:
            self._answers.put(_confirmed(seq, metadata))

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Wait, and return the answers that have arrived."""
        found = _collect(self._answers, wait_s)
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
            self._do(asyncio.wait_for(work, _END_TIMEOUT_S))
        except (KafkaError, TimeoutError) as error:
            raise NotEndedError(type(error).__name__) from error

    def close(self) -> None:
        """Stop the client; print a line if it does not stop cleanly."""
        try:
            self._do(asyncio.wait_for(self._stop(), _CLOSE_TIMEOUT_S))
        except (TimeoutError, KafkaError) as error:
            print(f"the client did not stop cleanly: {error!r}", file=sys.stderr)
        self._end_loop()

    async def _stop(self) -> None:
        for task in self._waiting:
            task.cancel()
        await self._producer.stop()

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_TIMEOUT_S)
        if not self._thread.is_alive():
            self._loop.close()


# kafka-python ----------------------------------------------------------------------------------


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
                client_id=f"minikafka-verify-{task.pid}",
                acks=_acks_value(task.acks),
                enable_idempotence=task.idempotent,
                compression_type=None if task.compression == "none" else task.compression,
                max_request_size=task.message_max_bytes,
                linger_ms=5,
                request_timeout_ms=10_000,
                delivery_timeout_ms=int(_DELIVERY_TIMEOUT_S * 1000),
                metadata_max_age_ms=5_000,
                transactional_id=_transactional_id(task),
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
                self._answers.put(_refused(record.seq, error))
                continue
            self._listen(future, record.seq)

    def _listen(self, future: Any, seq: int) -> None:
        future.add_callback(lambda metadata: self._answers.put(_confirmed(seq, metadata)))
        future.add_errback(lambda error: self._answers.put(_refused(seq, error)))

    def answers(self, wait_s: float) -> list[DeliveryReport]:
        """Wait, and return the answers that have arrived."""
        found = _collect(self._answers, wait_s)
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
            error = said.get(timeout=_END_TIMEOUT_S)
        except Empty:
            raise NotEndedError("no answer before the timeout") from None
        if error is not None:
            raise NotEndedError(type(error).__name__) from error

    def close(self) -> None:
        """Close the client, with a timeout."""
        self._producer.close(timeout=_CLOSE_TIMEOUT_S)
