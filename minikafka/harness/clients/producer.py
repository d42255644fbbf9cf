"""One producer process, with a real client, a rate and a ledger.

    python -m minikafka.harness.clients.producer TASK        TASK is a `ProducerTask` as JSON

It writes until its standard input closes or its time is over, then waits for outstanding answers,
and exits with status 0. A record without an answer by then is unknown. Standard output stays empty;
counters go to the task's events file about four times a second.

A client that fails is replaced by another instance, and the ledger has the place: order is promised
within an instance, and the outcomes of records that the old one had in flight are unknown. A
command (`command_client`) is not replaced.
"""

import gc
import json
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from minikafka.harness.clients.command_client import write_by_command
from minikafka.harness.clients.ledger import ABORTED, LedgerWriter
from minikafka.harness.clients.libraries import make_client
from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.clients.producer_client import (
    ClientGaveUpError,
    DeliveryReport,
    NotEndedError,
    ProducerClient,
    transactional_id,
    write_report,
)
from minikafka.harness.lines import EventLog, wall_ms

_TICK_S = 0.02
_INSTANCES_MAX = 20
_PAUSE_S = 1.0
_COLLECT_EVERY = 50_000
"""Threshold of the garbage collector. Many thousands of records exist at a time, without cycles; a
collection every 700 objects would take as long as handing the records to the client."""
_TRANSACTION_S = 0.3
_ABORTED_OF = 5
"""One of this many transactions is aborted: the 2nd, the 7th, …"""


class RecordWriter(Protocol):
    """Writes with one instance of a client."""

    def turn(self, *, more: bool) -> None:
        """Send what is due if `more`, and take answers."""


@dataclass(slots=True)
class PlainWriter:
    """The writer without transactions: each answer is a record's outcome."""

    outbox: Outbox
    client: ProducerClient

    def turn(self, *, more: bool) -> None:
        """Send and take answers.

        Raises:
            ClientGaveUpError: if the client cannot write any more.
        """
        if more:
            self.client.send(self.outbox.batch())
        for answer in self.client.answers(_TICK_S):
            write_report(self.outbox, answer)
        self.outbox.settle(self.outbox.take())
        self.outbox.report()


@dataclass(slots=True)
class TransactionWriter:
    """The writer with transactions, some of which it aborts on purpose.

    The outcomes of records are known when their transaction has ended.
    """

    outbox: Outbox
    client: ProducerClient
    _count: int = 0
    _began_s: float = 0.0
    _began_ms: int = 0
    _record_count: int = 0
    _out: dict[int, None] = field(default_factory=dict)
    _answers: list[DeliveryReport] = field(default_factory=list)

    def turn(self, *, more: bool) -> None:
        """Send within the open transaction, or end it when it is old enough.

        Raises:
            ClientGaveUpError: if the client cannot write any more, or the transaction's outcome is
                unknown.
        """
        try:
            self._turn(more=more)
        except ClientGaveUpError:
            if self._began_ms:
                self._report("unknown")
            raise

    def _turn(self, *, more: bool) -> None:
        is_old = bool(self._began_s) and time.monotonic() - self._began_s >= _TRANSACTION_S
        if more and not is_old:
            self._send()
        for answer in self.client.answers(_TICK_S):
            self._out.pop(answer.seq, None)
            self._answers.append(answer)
        if self._began_s and (is_old or not more) and not self._out:
            self._end()
        self.outbox.report()

    def _send(self) -> None:
        if not self._began_s:
            self.client.begin()
            self._began_s = time.monotonic()
            self._began_ms = wall_ms()
        records = self.outbox.batch()
        self._record_count += len(records)
        self._out.update(dict.fromkeys(record.seq for record in records))
        self.client.send(records)

    def _end(self) -> None:
        answers, self._answers, self._began_s = self._answers, [], 0.0
        is_whole = not any(answer.error for answer in answers)
        self._count += 1
        commit = is_whole and self._count % _ABORTED_OF != 2 % _ABORTED_OF
        try:
            self.client.end(commit=commit)
        except NotEndedError as error:
            # The next instance decides the outcome when it takes over the transactional id.
            raise ClientGaveUpError(f"the outcome of a transaction is unknown: {error}") from error
        self._report("committed" if commit else "aborted")
        for answer in answers:
            if commit:
                write_report(self.outbox, answer)
            else:
                self.outbox.failed(answer.seq, ABORTED, definite=True)
        self.outbox.settle(self.outbox.take())

    def _report(self, outcome: str) -> None:
        """Write the event of a transaction that has ended."""
        task = self.outbox.task
        self.outbox.events.write(
            "transaction",
            id=transactional_id(task),
            name=f"p{task.pid}",
            began_at_ms=self._began_ms,
            outcome=outcome,
            records=self._record_count,
        )
        self._began_ms = self._record_count = 0


def write(outbox: Outbox, connect: Callable[[Outbox], ProducerClient] = make_client) -> str:
    """Write until the task is over, with up to `_INSTANCES_MAX` client instances.

    Return "", or the last error if no instance could write to the end. The last instance waits for
    outstanding answers.
    """
    why = ""
    for instance in range(_INSTANCES_MAX):
        if instance:
            time.sleep(_PAUSE_S)
        if instance and outbox.is_over:
            return ""
        try:
            client = connect(outbox)
        except ClientGaveUpError as error:
            why = str(error)
            outbox.renew(why)
            continue
        try:
            if outbox.task.transactions:
                _drive(outbox, TransactionWriter(outbox, client))
            else:
                _drive(outbox, PlainWriter(outbox, client))
        except ClientGaveUpError as error:
            why = str(error)
            print(f"the client failed: {why}", file=sys.stderr)
            outbox.renew(why)
        else:
            return ""
        finally:
            client.close()
    return why


def _drive(outbox: Outbox, writer: RecordWriter) -> None:
    while not outbox.is_over:
        writer.turn(more=True)
    deadline_s = time.monotonic() + outbox.task.drain_s
    while not outbox.is_settled and time.monotonic() < deadline_s:
        writer.turn(more=False)


def main(argument: str) -> int:
    """Run the task given as JSON; return 1 if no client instance could write to the end."""
    gc.set_threshold(_COLLECT_EVERY)
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
            timestamps=task.timestamps,
        )
        outbox = Outbox(task, ledger, EventLog(Path(task.events)))
        if task.command:
            # So that the command is killed when the run is aborted.
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
            why = write_by_command(outbox)
        elif why := write(outbox):
            why = f"all {_INSTANCES_MAX} client instances failed, the last one: {why}"
        outbox.finish()
        if why:
            outbox.events.write("producer_failed", pid=task.pid, client=task.client, reason=why)
            print(why, file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
