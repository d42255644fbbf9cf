"""The outbox between a producer's client and its ledger.

Only two places keep the order that the ledger requires (see there): `Outbox.batch` writes records
to the ledger before the client gets them, and `Outbox.settle` syncs before records are counted.
"""

import os
import select
import sys
import time
from dataclasses import dataclass, field

from minikafka.harness.clients.ledger import NO_OFFSET, Acknowledged, LedgerWriter
from minikafka.harness.clients.records import NumberedRecord, RecordFactory
from minikafka.harness.lines import EventLog
from minikafka.harness.part_process import PartTask
from minikafka.harness.plan.workload_options import SENT_TIME, Acks

_STATUS_EVERY_S = 0.25
_IN_FLIGHT_MAX = 20_000
_IN_FLIGHT_MAX_BYTES = 32 << 20
"""Limits of records without an answer. At a limit nothing is sent, as if the client were full."""

_COUNTERS = ("acked", "failed", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerTask(PartTask):
    """The task of one producer process.

    `rate` (records per second) and `bytes_per_s` are the share of this producer. `topic` may be
    several names, separated by commas, each with `partitions` partitions; the partitions of a run
    are numbered through all of its topics. `command` is a command line that writes instead of a
    library, and `stderr` the file for its standard error.
    """

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
    size_distribution: str = "uniform"
    key_skew: float = 0.0
    compression: str = "none"
    bytes_per_s: float = 0.0
    message_max_bytes: int = 1_000_000
    transactions: bool = False
    timestamps: str = SENT_TIME
    command: str = ""
    stderr: str = ""

    @property
    def topics(self) -> list[str]:
        """The names of the topics."""
        return self.topic.split(",")


def now_us() -> int:
    """Wall time in microseconds."""
    return time.time_ns() // 1000


@dataclass(slots=True)
class Outcomes:
    """The outcomes of records since the last settlement."""

    acked: list[Acknowledged] = field(default_factory=list)
    failed: dict[str, list[int]] = field(default_factory=dict)
    unknown: dict[str, list[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.acked or self.failed or self.unknown)


@dataclass(slots=True)
class Outbox:
    """The records to send next, and the outcomes of those that were sent."""

    task: ProducerTask
    ledger: LedgerWriter
    events: EventLog
    _factory: RecordFactory = field(init=False)
    _started: float = field(default_factory=time.monotonic)
    _sent_count: int = 0
    _sent_bytes: int = 0
    _out: dict[int, int] = field(default_factory=dict)
    _out_bytes: int = 0
    _outcomes: Outcomes = field(default_factory=Outcomes)
    _counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTERS, 0))
    _status_at: float = 0.0

    def __post_init__(self) -> None:
        task = self.task
        self._factory = RecordFactory(
            seed=task.seed,
            pid=task.pid,
            partitions=task.partitions * len(task.topics),
            sizes=(task.size_min_bytes, task.size_max_bytes),
            distribution=task.size_distribution,
            key_skew=task.key_skew,
        )

    @property
    def is_settled(self) -> bool:
        """True if every record sent has an outcome."""
        return not self._out

    @property
    def is_over(self) -> bool:
        """True if the task's time has passed or the parent closed standard input."""
        return time.monotonic() - self._started >= self.task.seconds or self.is_closed

    @property
    def is_closed(self) -> bool:
        """True if the parent closed standard input."""
        readable, _, _ = select.select([sys.stdin], [], [], 0)
        return bool(readable)

    def first(self) -> NumberedRecord:
        """Make the first record before any other is due, and write it to the ledger as sent."""
        base_us = now_us()
        record = self._factory.make(base_us)
        self._announce([record], base_us)
        return record

    def await_start(self) -> bool:
        """Report that the client is ready, and wait until the parent starts the writing.

        The parent writes a byte to standard input. The rate and the task's time count from then.
        Return False if it closed standard input instead.
        """
        self.events.write("producer_ready", pid=self.task.pid)
        has_started = bool(os.read(sys.stdin.fileno(), 1))
        self._started = time.monotonic()
        return has_started

    def batch(self) -> list[NumberedRecord]:
        """Make the records that are due now, and write them to the ledger as sent.

        Return none while too many records have no answer.
        """
        elapsed_s = time.monotonic() - self._started
        due = int(elapsed_s * self.task.rate) - self._sent_count
        due = min(due, _IN_FLIGHT_MAX - len(self._out))
        room_bytes = _IN_FLIGHT_MAX_BYTES - self._out_bytes
        if self.task.bytes_per_s:
            allowed = int(elapsed_s * self.task.bytes_per_s) - self._sent_bytes
            room_bytes = min(room_bytes, allowed)
        base_us = now_us()
        records: list[NumberedRecord] = []
        while len(records) < due and room_bytes > 0:
            record = self._factory.make(base_us)
            records.append(record)
            room_bytes -= len(record.value)
        if records:
            self._announce(records, base_us)
        return records

    def _announce(self, records: list[NumberedRecord], base_us: int) -> None:
        sizes = [len(record.value) for record in records]
        self.ledger.sent(
            records[0].seq,
            base_us,
            partitions=[record.partition for record in records],
            after_us=[0] * len(records),
            crcs=[record.crc for record in records],
            sizes=sizes,
        )
        self._sent_count += len(records)
        self._sent_bytes += sum(sizes)
        self._out_bytes += sum(sizes)
        self._out.update({record.seq: len(record.value) for record in records})

    def place(self, partition: int) -> tuple[str, int]:
        """Return the topic and the number within it of one of the run's partitions."""
        index, number = divmod(partition, self.task.partitions)
        return self.task.topics[index], number

    def acked(self, seq: int, offset: int | None, timestamp_ms: int | None) -> None:
        """Note that the client reported success; with acks=0 this only means that it was sent."""
        self._out_bytes -= self._out.pop(seq)
        # With acks=0 there is no response with an offset, and a client may make one up.
        at = NO_OFFSET if offset is None or self.task.acks == "0" else max(offset, NO_OFFSET)
        self._outcomes.acked.append(Acknowledged(seq, at, now_us(), timestamp_ms or 0))

    def failed(self, seq: int, error: str, *, definite: bool) -> None:
        """Note that the client reported an error; `definite` if the record is not in the log."""
        self._out_bytes -= self._out.pop(seq)
        by_error = self._outcomes.failed if definite else self._outcomes.unknown
        by_error.setdefault(error, []).append(seq)

    def give_up(self, why: str = "no answer before the end") -> None:
        """Mark all records without an answer as unknown."""
        if self._out:
            self._outcomes.unknown.setdefault(why, []).extend(self._out)
            self._out.clear()
            self._out_bytes = 0

    def renew(self, why: str) -> None:
        """Note that a new client instance takes over; records without an answer are unknown."""
        self.give_up(why)
        self.settle(self.take())
        self.ledger.renewed(now_us(), self._sent_count, why)
        self.ledger.sync()
        self.events.write("producer_renewed", pid=self.task.pid, reason=why)

    def take(self) -> Outcomes:
        """Return the outcomes since the last call, which must then be settled.

        Call it in the thread that reports the outcomes.
        """
        taken, self._outcomes = self._outcomes, Outcomes()
        return taken

    def settle(self, outcomes: Outcomes) -> None:
        """Write outcomes to the ledger, sync it, and only then count them."""
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
        """Write the remaining outcomes and the last entry of the ledger."""
        self.give_up()
        self.settle(self.take())
        self.ledger.end(now_us())
        self.ledger.sync()
        self.report(final=True)
