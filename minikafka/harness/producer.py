"""One producer process: a real client, a rate, a ledger.

    python -m minikafka.harness.producer TASK        TASK is a `ProducerTask` as JSON

It writes until its standard input closes or its time is over, then waits for the answers that are
still out, and ends with status 0. Whatever has no answer by then is unknown. Standard output
carries nothing; counters go to the task's events file about four times a second.

The order that the ledger asks for (see there) is kept in two places only: `Outbox.batch` announces
before a record is handed over, `Outbox.settle` syncs before a record is counted.
"""

import asyncio
import dataclasses
import json
import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from aiokafka import AIOKafkaProducer
from aiokafka.errors import (
    InvalidTopicError,
    KafkaError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
)
from confluent_kafka import KafkaError as RdKafkaError
from confluent_kafka import KafkaException, Message, Producer

from minikafka.harness.ledger import NO_OFFSET, Acknowledged, LedgerWriter
from minikafka.harness.lines import EventLog
from minikafka.harness.records import Record, RecordFactory
from minikafka.harness.workload_options import Acks

_TICK_S = 0.02
_STATUS_EVERY_S = 0.25
_IN_FLIGHT_MAX = 20_000
"""Records sent and not answered; beyond it nothing more is sent, as a full client would do."""

_COUNTERS = ("acked", "failed", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerTask:
    """What one producer process is to do. `rate` is its own share, in records a second."""

    run: str
    pid: int
    client: str
    bootstrap_servers: str
    topic: str
    topic_id: str
    partitions: int
    seed: int
    rate: float
    seconds: float
    drain_s: float
    ledger: str
    events: str
    acks: Acks = "all"
    idempotent: bool = True
    size_min_bytes: int = 60
    size_max_bytes: int = 340
    key_skew: float = 0.0

    def to_json(self) -> str:
        """The task as the process takes it on its command line."""
        return json.dumps(dataclasses.asdict(self))


def now_us() -> int:
    """Wall time in microseconds."""
    return time.time_ns() // 1000


@dataclass(slots=True)
class Outcomes:
    """What became of records since the last time they were settled."""

    acked: list[Acknowledged] = field(default_factory=list)
    failed: dict[str, list[int]] = field(default_factory=dict)
    unknown: dict[str, list[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.acked or self.failed or self.unknown)


@dataclass(slots=True)
class Outbox:
    """Between client and ledger: what to send next, and what became of what was sent."""

    task: ProducerTask
    ledger: LedgerWriter
    events: EventLog
    _factory: RecordFactory = field(init=False)
    _started: float = field(default_factory=time.monotonic)
    _sent_count: int = 0
    _out: dict[int, None] = field(default_factory=dict)
    _outcomes: Outcomes = field(default_factory=Outcomes)
    _counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTERS, 0))
    _status_at: float = 0.0

    def __post_init__(self) -> None:
        task = self.task
        self._factory = RecordFactory(
            seed=task.seed,
            pid=task.pid,
            partitions=task.partitions,
            sizes=(task.size_min_bytes, task.size_max_bytes),
            key_skew=task.key_skew,
        )

    @property
    def is_settled(self) -> bool:
        """Whether every record sent has an outcome."""
        return not self._out

    @property
    def is_over(self) -> bool:
        """Whether the task's time has passed or the parent closed our standard input."""
        if time.monotonic() - self._started >= self.task.seconds:
            return True
        readable, _, _ = select.select([sys.stdin], [], [], 0)
        return bool(readable)

    def batch(self) -> list[Record]:
        """The records that are due by now, announced in the ledger; none while too many are out."""
        due = int((time.monotonic() - self._started) * self.task.rate) - self._sent_count
        due = min(due, _IN_FLIGHT_MAX - len(self._out))
        if due <= 0:
            return []
        base_us = now_us()
        records = [self._factory.make(base_us) for _ in range(due)]
        self._sent_count += due
        self.ledger.sent(
            records[0].seq,
            base_us,
            partitions=[record.partition for record in records],
            after_us=[0] * due,
            crcs=[record.crc for record in records],
            sizes=[len(record.value) for record in records],
        )
        self._out.update(dict.fromkeys(record.seq for record in records))
        return records

    def acked(self, seq: int, offset: int | None, timestamp_ms: int | None) -> None:
        """The client says that the record is in the log; with acks=0 that it was sent, no more."""
        del self._out[seq]
        # Nobody tells an offset with acks=0, and a client may make one up.
        at = NO_OFFSET if offset is None or self.task.acks == "0" else max(offset, NO_OFFSET)
        self._outcomes.acked.append(Acknowledged(seq, at, now_us(), timestamp_ms or 0))

    def failed(self, seq: int, error: str, *, definite: bool) -> None:
        """The client gave up; `definite` if the record can not be in the log."""
        del self._out[seq]
        by_error = self._outcomes.failed if definite else self._outcomes.unknown
        by_error.setdefault(error, []).append(seq)

    def give_up(self) -> None:
        """Whatever is still out has no known outcome."""
        if self._out:
            self._outcomes.unknown.setdefault("no answer before the end", []).extend(self._out)
            self._out.clear()

    def take(self) -> Outcomes:
        """The outcomes since the last call, to be settled; in the thread that reports them."""
        taken, self._outcomes = self._outcomes, Outcomes()
        return taken

    def settle(self, outcomes: Outcomes) -> None:
        """Put outcomes into the ledger, sync it, and only then count them."""
        if not outcomes:
            return
        at_us = now_us()
        if outcomes.acked:
            self.ledger.acked(outcomes.acked)
        for error, seqs in outcomes.failed.items():
            self.ledger.failed(at_us, seqs, error)
        for error, seqs in outcomes.unknown.items():
            self.ledger.unknown(at_us, seqs, error)
        self.ledger.sync()
        self._counts["acked"] += len(outcomes.acked)
        self._counts["failed"] += sum(map(len, outcomes.failed.values()))
        self._counts["unknown"] += sum(map(len, outcomes.unknown.values()))

    def report(self, *, final: bool = False) -> None:
        """Write the counters to the events file, if some time has passed since the last line."""
        if not final and time.monotonic() - self._status_at < _STATUS_EVERY_S:
            return
        self._status_at = time.monotonic()
        counts = {**self._counts, "sent": self._sent_count}
        self.events.write(
            "produced", pid=self.task.pid, client=self.task.client, final=final, **counts
        )

    def finish(self) -> None:
        """Close the ledger's account."""
        self.give_up()
        self.settle(self.take())
        self.ledger.end(now_us())
        self.ledger.sync()
        self.report(final=True)


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
"""Errors after which a record is certainly not in the log. All others, time-outs before all, leave
it open: a request may have been executed though its answer was lost."""


def produce_with_confluent(outbox: Outbox) -> None:
    """Write with confluent-kafka (librdkafka) until the task is over."""
    producer = Producer(
        {
            "bootstrap.servers": outbox.task.bootstrap_servers,
            "client.id": f"minikafka-verify-{outbox.task.pid}",
            "acks": outbox.task.acks,
            "enable.idempotence": outbox.task.idempotent,
            "linger.ms": 5,
            "message.timeout.ms": 60_000,
            "socket.timeout.ms": 10_000,
            "reconnect.backoff.max.ms": 1_000,
            "topic.metadata.refresh.interval.ms": 5_000,
        }
    )
    while not outbox.is_over:
        for record in outbox.batch():
            _produce_one(producer, outbox, record)
        producer.poll(_TICK_S)
        outbox.settle(outbox.take())
        outbox.report()
    deadline = time.monotonic() + outbox.task.drain_s
    while not outbox.is_settled and time.monotonic() < deadline:
        producer.poll(_TICK_S)
        outbox.settle(outbox.take())
        outbox.report()


def _produce_one(producer: Producer, outbox: Outbox, record: Record) -> None:
    try:
        producer.produce(
            outbox.task.topic,
            value=record.value,
            key=record.key,
            partition=record.partition,
            headers=record.headers,
            on_delivery=_delivery_callback(outbox, record.seq),
        )
    except BufferError as error:
        outbox.failed(record.seq, f"local queue full: {error}", definite=True)


def _delivery_callback(outbox: Outbox, seq: int) -> Callable[[RdKafkaError | None, Message], None]:
    def delivered(error: RdKafkaError | None, message: Message) -> None:
        if error is None:
            outbox.acked(seq, message.offset(), message.timestamp()[1])
        else:
            outbox.failed(seq, error.name(), definite=error.code() in _DEFINITE_RD_ERRORS)

    return delivered


# aiokafka --------------------------------------------------------------------------------------

_DEFINITE_AIO_ERRORS = (
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    InvalidTopicError,
    TopicAuthorizationFailedError,
)


async def produce_with_aiokafka(outbox: Outbox) -> None:
    """Write with aiokafka until the task is over."""
    producer = AIOKafkaProducer(
        bootstrap_servers=outbox.task.bootstrap_servers.split(","),
        client_id=f"minikafka-verify-{outbox.task.pid}",
        acks=_acks_value(outbox.task.acks),
        enable_idempotence=outbox.task.idempotent,
        linger_ms=5,
        request_timeout_ms=10_000,
        metadata_max_age_ms=5_000,
    )
    await producer.start()
    sends: set[asyncio.Task[None]] = set()
    try:
        while not outbox.is_over:
            for record in outbox.batch():
                await _send_one(producer, outbox, record, sends)
            await asyncio.sleep(_TICK_S)
            await asyncio.to_thread(outbox.settle, outbox.take())
            outbox.report()
        deadline = time.monotonic() + outbox.task.drain_s
        while not outbox.is_settled and time.monotonic() < deadline:
            await asyncio.sleep(_TICK_S)
            await asyncio.to_thread(outbox.settle, outbox.take())
            outbox.report()
        for task in sends:
            task.cancel()
    finally:
        await _stop(producer)


async def _send_one(
    producer: AIOKafkaProducer, outbox: Outbox, record: Record, sends: set[asyncio.Task[None]]
) -> None:
    try:
        future = await producer.send(
            outbox.task.topic,
            value=record.value,
            key=record.key,
            partition=record.partition,
            headers=record.headers,
        )
    except KafkaError as error:
        definite = isinstance(error, _DEFINITE_AIO_ERRORS)
        outbox.failed(record.seq, type(error).__name__, definite=definite)
        return
    task = asyncio.create_task(_await_one(future, outbox, record.seq))
    sends.add(task)
    task.add_done_callback(sends.discard)


async def _await_one(future: "asyncio.Future[object]", outbox: Outbox, seq: int) -> None:
    try:
        metadata = await future
    except KafkaError as error:
        definite = isinstance(error, _DEFINITE_AIO_ERRORS)
        outbox.failed(seq, type(error).__name__, definite=definite)
    else:
        # With acks=0 there is nobody who could have told where it is.
        outbox.acked(seq, getattr(metadata, "offset", None), getattr(metadata, "timestamp", None))


async def _stop(producer: AIOKafkaProducer) -> None:
    try:
        await asyncio.wait_for(producer.stop(), timeout=2)
    except (TimeoutError, KafkaError) as error:
        print(f"the client did not stop cleanly: {error!r}", file=sys.stderr)


# kafka-python ----------------------------------------------------------------------------------


def produce_with_kafka_python(outbox: Outbox) -> None:
    """Write with kafka-python until the task is over.

    Its callbacks come in its own thread; they go through a queue, so that the outbox is used by one
    thread alone.
    """
    from kafka import KafkaProducer

    task = outbox.task
    producer = KafkaProducer(
        bootstrap_servers=task.bootstrap_servers.split(","),
        client_id=f"minikafka-verify-{task.pid}",
        acks=_acks_value(task.acks),
        enable_idempotence=task.idempotent,
        linger_ms=5,
        request_timeout_ms=10_000,
        delivery_timeout_ms=60_000,
        metadata_max_age_ms=5_000,
    )
    answers: SimpleQueue[_Answer] = SimpleQueue()
    while not outbox.is_over:
        for record in outbox.batch():
            _send_with_kafka_python(producer, outbox, record, answers)
        time.sleep(_TICK_S)
        _take_answers(outbox, answers)
    deadline = time.monotonic() + task.drain_s
    while not outbox.is_settled and time.monotonic() < deadline:
        time.sleep(_TICK_S)
        _take_answers(outbox, answers)
    producer.close(timeout=2)


class _Answer(NamedTuple):
    """Of kafka-python: about one record; an error, or where it is."""

    seq: int
    error: BaseException | None
    metadata: Any


def _send_with_kafka_python(
    producer: Any, outbox: Outbox, record: Record, answers: "SimpleQueue[_Answer]"
) -> None:
    from kafka.errors import KafkaError as PyKafkaError

    try:
        future = producer.send(
            outbox.task.topic,
            value=record.value,
            key=record.key,
            partition=record.partition,
            headers=record.headers,
        )
    except PyKafkaError as error:
        answers.put(_Answer(record.seq, error, None))
        return
    future.add_callback(lambda metadata: answers.put(_Answer(record.seq, None, metadata)))
    future.add_errback(lambda error: answers.put(_Answer(record.seq, error, None)))


def _take_answers(outbox: Outbox, answers: "SimpleQueue[_Answer]") -> None:
    while not answers.empty():
        seq, error, metadata = answers.get()
        if error is None:
            outbox.acked(seq, metadata.offset, metadata.timestamp)
        else:
            name = type(error).__name__
            outbox.failed(seq, name, definite=name in _DEFINITE_PY_ERRORS)
    outbox.settle(outbox.take())
    outbox.report()


_DEFINITE_PY_ERRORS = frozenset(error.__name__ for error in _DEFINITE_AIO_ERRORS)
"""kafka-python's errors of the same names, since aiokafka has them from there."""


def _acks_value(acks: Acks) -> int | str:
    """As the clients written in Python want it."""
    return acks if acks == "all" else int(acks)


def main(argument: str) -> int:
    """Run the task given as JSON; 1 if the client gave up before the end."""
    task = ProducerTask(**json.loads(argument))
    with LedgerWriter(Path(task.ledger)) as ledger:
        ledger.header(
            run=task.run,
            producer=task.pid,
            client=task.client,
            topic=task.topic,
            topic_id=task.topic_id,
            acks=task.acks,
            idempotent=task.idempotent,
        )
        outbox = Outbox(task, ledger, EventLog(Path(task.events)))
        status = 0
        try:
            _produce(outbox)
        except KafkaException as error:
            # A fatal error of librdkafka, as after an unclean election: it writes no more, and what
            # is still out is unknown.
            print(f"the client gave up: {error}", file=sys.stderr)
            status = 1
        outbox.finish()
    return status


def _produce(outbox: Outbox) -> None:
    match outbox.task.client:
        case "aiokafka":
            asyncio.run(produce_with_aiokafka(outbox))
        case "kafka-python":
            produce_with_kafka_python(outbox)
        case _:
            produce_with_confluent(outbox)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
