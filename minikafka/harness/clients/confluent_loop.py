"""The client of a loop with librdkafka, through confluent-kafka."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)

from minikafka.harness.clients import login
from minikafka.harness.clients.loop_client import (
    HEARTBEAT_INTERVAL_MS,
    SESSION_TIMEOUT_MS,
    TRANSACTION_TIMEOUT_MS,
    LoopFailedError,
    LoopInput,
    LoopTask,
    loop_input,
)
from minikafka.harness.clients.producer_client import END_TIMEOUT_S, NotEndedError

_POLL_S = 0.1
_COMMITTED_TIMEOUT_S = 20.0


class ConfluentLoop:
    """A loop's consumer and producer with librdkafka."""

    def __init__(self, task: LoopTask) -> None:
        """Start the producer, and join the group.

        Raises:
            LoopFailedError: if the coordinator of the transactional id does not answer.
        """
        self._task = task
        self._taken: list[LoopInput] = []
        self._assigned: set[int] = set()
        self._ends: dict[int, int] = {}
        common = {
            "bootstrap.servers": task.bootstrap_servers,
            **login.for_librdkafka(),
            "client.id": f"minikafka-verify-loop-{task.loop}",
            "socket.timeout.ms": 10_000,
            "reconnect.backoff.max.ms": 1_000,
            "topic.metadata.refresh.interval.ms": 5_000,
        }
        self._producer = Producer(
            {
                **common,
                "transactional.id": task.transactional_id,
                "transaction.timeout.ms": TRANSACTION_TIMEOUT_MS,
                "linger.ms": 5,
            }
        )
        self._retried(self._producer.init_transactions)
        self._consumer = Consumer(
            {
                **common,
                "group.id": task.group,
                "partition.assignment.strategy": "range",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
                "session.timeout.ms": SESSION_TIMEOUT_MS,
                "heartbeat.interval.ms": HEARTBEAT_INTERVAL_MS,
                "fetch.wait.max.ms": 200,
            }
        )
        self._consumer.subscribe(
            task.topics,
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_revoke,
        )

    def gather(self, wait_s: float, most: int) -> list[LoopInput]:
        """Poll records one by one, so that a rebalance cannot be between two of them."""
        until_s = time.monotonic() + wait_s
        while len(self._taken) < most and time.monotonic() < until_s:
            message = self._consumer.poll(_POLL_S)
            if message is None:
                continue
            at = self._task.number(message.topic(), message.partition())
            error = message.error()
            if error is None:
                self._ends.pop(at, None)
                self._taken.append(
                    loop_input(
                        at, message.offset(), message.value(), message.key(), message.headers()
                    )
                )
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001
                self._ends[at] = message.offset()
            elif error.fatal():
                raise LoopFailedError(str(error))
        taken, self._taken = self._taken, []
        return taken

    def transact(self, outputs: Mapping[int, Sequence[bytes]], offsets: Mapping[int, int]) -> None:
        """Write and flush the outputs, and send the offsets with the group metadata."""
        placed = [
            TopicPartition(*self._task.place(number), offset) for number, offset in offsets.items()
        ]
        try:
            self._producer.begin_transaction()
            for number, values in outputs.items():
                for value in values:
                    self._produce(number, value)
            if self._producer.flush(END_TIMEOUT_S):
                raise NotEndedError("not every output was acknowledged before the timeout")
        except KafkaException as error:
            raise self._judged(error) from error
        metadata = self._consumer.consumer_group_metadata()
        self._ended(
            lambda left_s: self._producer.send_offsets_to_transaction(placed, metadata, left_s)
        )

    def _produce(self, number: int, value: bytes) -> None:
        until_s = time.monotonic() + END_TIMEOUT_S
        while True:
            try:
                self._producer.produce(self._task.output, value=value, partition=number)
            except BufferError as error:
                if time.monotonic() >= until_s:
                    raise NotEndedError("local queue full") from error
                self._producer.poll(_POLL_S)
            else:
                return

    def commit(self) -> None:
        """Commit, and retry while the error is retriable."""
        self._ended(self._producer.commit_transaction)

    def abort(self) -> None:
        """Abort, and retry while the error is retriable."""
        self._retried(self._producer.abort_transaction)

    def _retried(self, work: Callable[[float], object]) -> None:
        try:
            self._ended(work)
        except NotEndedError as error:
            raise LoopFailedError(str(error)) from error

    def _ended(self, work: Callable[[float], object]) -> None:
        """Do one step of a transaction, and retry while the error is retriable."""
        until_s = time.monotonic() + END_TIMEOUT_S
        while True:
            try:
                work(max(0.1, until_s - time.monotonic()))
            except KafkaException as error:
                if error.args[0].retriable() and time.monotonic() < until_s:
                    continue
                raise self._judged(error) from error
            return

    def _judged(self, error: KafkaException) -> Exception:
        reason = error.args[0]
        if reason.fatal():
            return LoopFailedError(str(reason))
        return NotEndedError(f"{reason.name()}: {reason.str()}")

    def rewind(self) -> None:
        """Seek every assigned partition to its committed offset."""
        try:
            asked = self._consumer.assignment()
            if not asked:
                return
            for row in self._consumer.committed(asked, timeout=_COMMITTED_TIMEOUT_S):
                if row.error is not None:
                    raise LoopFailedError(str(row.error))
                offset = row.offset if row.offset >= 0 else OFFSET_BEGINNING
                self._consumer.seek(TopicPartition(row.topic, row.partition, offset))
        except KafkaException as error:
            raise LoopFailedError(str(error)) from error
        self._ends.clear()

    def reached(self) -> dict[int, int]:
        """Return the ends that the consumer reported, without partitions that have moved."""
        return {number: end for number, end in self._ends.items() if number in self._assigned}

    def close(self) -> None:
        """Drop queued outputs, leave the group, and end librdkafka's threads."""
        self._producer.purge()
        with contextlib.suppress(KafkaException):  # the error that made this instance fail
            self._producer.poll(0)
        del self._producer
        with contextlib.suppress(KafkaException):
            self._consumer.close()
        # It refers to this loop by its callbacks: it would live until the cycle is collected.
        del self._consumer

    def _on_assign(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        self._assigned |= {self._task.number(it.topic, it.partition) for it in partitions}

    def _on_revoke(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        gone = {self._task.number(it.topic, it.partition) for it in partitions}
        self._assigned -= gone
        self._taken = [row for row in self._taken if row.partition not in gone]
        self._ends = {number: end for number, end in self._ends.items() if number not in gone}
