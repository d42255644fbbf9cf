"""The client of a loop with kafka-python."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from queue import Empty, SimpleQueue

from kafka import (
    ConsumerRebalanceListener,
    KafkaConsumer,
    KafkaProducer,
    OffsetAndMetadata,
    TopicPartition,
)
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.errors import KafkaError

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
from minikafka.harness.clients.producer_client import CLOSE_TIMEOUT_S, END_TIMEOUT_S, NotEndedError

_POLL_MS = 100
_FETCH_TIMEOUT_MS = 20_000


class _Rebalances(ConsumerRebalanceListener):  # type: ignore[misc]
    """Tells the loop about partitions that move."""

    def __init__(
        self,
        on_revoke: Callable[[Iterable[TopicPartition]], None],
        on_assign: Callable[[Iterable[TopicPartition]], None],
    ) -> None:
        self._on_revoke = on_revoke
        self._on_assign = on_assign

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Forget what was gathered of these partitions."""
        self._on_revoke(revoked)

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Let the loop go back to the committed offsets."""
        self._on_assign(assigned)

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        """Forget what was gathered of these partitions."""
        self._on_revoke(lost)


class PythonLoop:
    """A loop's consumer and producer with kafka-python."""

    def __init__(self, task: LoopTask) -> None:
        """Start the producer, and join the group.

        Raises:
            LoopFailedError: if the coordinator of the transactional id does not answer.
        """
        self._task = task
        self._taken: list[LoopInput] = []
        self._is_reassigned = False
        servers = task.bootstrap_servers.split(",")
        name = f"minikafka-verify-loop-{task.loop}"
        try:
            self._producer = KafkaProducer(
                bootstrap_servers=servers,
                **login.for_kafka_python(),
                client_id=name,
                acks="all",
                enable_idempotence=True,
                transactional_id=task.transactional_id,
                transaction_timeout_ms=TRANSACTION_TIMEOUT_MS,
                linger_ms=5,
                request_timeout_ms=10_000,
                metadata_max_age_ms=5_000,
                max_block_ms=int(END_TIMEOUT_S * 1000),
            )
            self._producer.init_transactions()
            self._consumer = KafkaConsumer(
                bootstrap_servers=servers,
                **login.for_kafka_python(),
                client_id=name,
                group_id=task.group,
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                isolation_level="read_committed",
                partition_assignment_strategy=(RangePartitionAssignor,),
                session_timeout_ms=SESSION_TIMEOUT_MS,
                heartbeat_interval_ms=HEARTBEAT_INTERVAL_MS,
                request_timeout_ms=10_000,
                metadata_max_age_ms=5_000,
                fetch_max_wait_ms=200,
            )
            self._consumer.subscribe(
                task.topics, listener=_Rebalances(self._on_revoke, self._on_assign)
            )
        except KafkaError as error:
            raise LoopFailedError(repr(error)) from error

    def gather(self, wait_s: float, most: int) -> list[LoopInput]:
        """Poll, and keep what was polled unless its partition is revoked meanwhile."""
        until_s = time.monotonic() + wait_s
        try:
            while len(self._taken) < most and time.monotonic() < until_s:
                self._repeat_forgotten_join()
                polled = self._consumer.poll(_POLL_MS, max_records=most - len(self._taken))
                if self._is_reassigned:
                    # kafka-python 3.0.12 keeps the position of a partition that was revoked and
                    # assigned again, although its inputs were forgotten.
                    self._is_reassigned = False
                    self.rewind()
                    continue
                for at, records in polled.items():
                    number = self._task.number(at.topic, at.partition)
                    self._taken += [
                        loop_input(number, row.offset, row.value, row.key, row.headers)
                        for row in records
                    ]
        except KafkaError as error:
            raise LoopFailedError(repr(error)) from error
        taken, self._taken = self._taken, []
        return taken

    def _repeat_forgotten_join(self) -> None:
        """Join again if kafka-python 3.0.12 has forgotten that it did.

        The assignment takes its reason to join away if that was a change of metadata. If a poll
        ends between the assignment and the answer to SyncGroup, no later poll asks for the answer:
        the consumer has no partition and sends no heartbeat.
        """
        coordinator = self._consumer._coordinator  # noqa: SLF001 - not reported elsewhere
        join = coordinator._join_task  # noqa: SLF001
        if join is not None and join.is_done and not coordinator.need_rejoin():
            print("kafka-python has forgotten that it joined; it joins again", file=sys.stderr)
            coordinator.request_rejoin()

    def transact(self, outputs: Mapping[int, Sequence[bytes]], offsets: Mapping[int, int]) -> None:
        """Write and flush the outputs, and send the offsets with the group metadata."""
        placed = {
            TopicPartition(*self._task.place(number)): OffsetAndMetadata(offset, "", -1)
            for number, offset in offsets.items()
        }
        metadata = self._consumer.group_metadata()

        def work() -> None:
            self._producer.begin_transaction()
            for number, values in outputs.items():
                for value in values:
                    self._producer.send(self._task.output, value=value, partition=number)
            self._producer.flush()
            self._producer.send_offsets_to_transaction(placed, metadata)

        self._within("outputs and offsets", work)

    def commit(self) -> None:
        """Commit, with a timeout."""
        self._within("commit", self._producer.commit_transaction)

    def abort(self) -> None:
        """Abort, with a timeout."""
        try:
            self._within("abort", self._producer.abort_transaction)
        except NotEndedError as error:
            raise LoopFailedError(str(error)) from error

    def _within(self, name: str, work: Callable[[], object]) -> None:
        """Do one step in a separate thread, since kafka-python would wait forever."""
        said: SimpleQueue[BaseException | None] = SimpleQueue()

        def run() -> None:
            try:
                work()
            except KafkaError as error:
                said.put(error)
            else:
                said.put(None)

        threading.Thread(target=run, daemon=True).start()
        try:
            error = said.get(timeout=END_TIMEOUT_S)
        except Empty:
            # The thread still uses the producer.
            raise LoopFailedError(f"{name}: no answer before the timeout") from None
        if error is None:
            return
        manager = self._producer._transaction_manager  # noqa: SLF001 - not reported elsewhere
        if manager.has_fatal_error():
            raise LoopFailedError(repr(error)) from error
        raise NotEndedError(repr(error)) from error

    def rewind(self) -> None:
        """Seek every assigned partition to its committed offset."""
        try:
            for at in self._consumer.assignment():
                offset = self._consumer.committed(at, timeout_ms=_FETCH_TIMEOUT_MS)
                if offset is None:
                    self._consumer.seek_to_beginning(at)
                else:
                    self._consumer.seek(at, offset)
        except (KafkaError, AssertionError) as error:  # it asserts that the partition is assigned
            raise LoopFailedError(repr(error)) from error

    def reached(self) -> dict[int, int]:
        """Return the positions, which also move over the markers of transactions."""
        found = {}
        try:
            for at in self._consumer.assignment():
                position = self._consumer.position(at, timeout_ms=_POLL_MS)
                if position is not None:
                    found[self._task.number(at.topic, at.partition)] = position
        except KafkaError as error:
            raise LoopFailedError(repr(error)) from error
        return found

    def close(self) -> None:
        """Close the producer with a timeout, and leave the group."""
        try:
            self._producer.close(timeout=CLOSE_TIMEOUT_S)
        except KafkaError as error:  # it flushes first
            print(f"the producer did not close cleanly: {error!r}", file=sys.stderr)
        try:
            self._consumer.close(autocommit=False, timeout_ms=int(CLOSE_TIMEOUT_S * 1000))
        except KafkaError as error:
            print(f"the consumer did not close cleanly: {error!r}", file=sys.stderr)

    def _on_revoke(self, partitions: Iterable[TopicPartition]) -> None:
        gone = {self._task.number(it.topic, it.partition) for it in partitions}
        self._taken = [row for row in self._taken if row.partition not in gone]

    def _on_assign(self, partitions: Iterable[TopicPartition]) -> None:
        self._on_revoke(partitions)
        self._is_reassigned = True
