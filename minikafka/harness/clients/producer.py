"""One producer process: a real client, a rate, a ledger.

    python -m minikafka.harness.clients.producer TASK        TASK is a `ProducerTask` as JSON

It writes until its standard input closes or its time is over, then waits for the answers that are
still out, and ends with status 0. Whatever has no answer by then is unknown. Standard output
carries nothing; counters go to the task's events file about four times a second.

A client that gives up is replaced by another instance, and the ledger says where: order is promised
within an instance, and what the old one had in hand is unknown.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from minikafka.harness.clients.ledger import ABORTED, LedgerWriter
from minikafka.harness.clients.libraries import (
    Answer,
    Client,
    ClientGaveUpError,
    NotEndedError,
    make_client,
)
from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.lines import EventLog

_TICK_S = 0.02
_INSTANCES_MAX = 20
_PAUSE_S = 1.0
_COLLECT_EVERY = 50_000
"""Records are tuples, many thousands at a time, and in no cycle: looking for one every 700 objects
takes as long as handing a record over."""
_TRANSACTION_S = 0.3
_ABORTED_OF = 5
"""One of so many transactions is aborted, the second one first."""


class Writer(Protocol):
    """Writes with one instance of a client."""

    def turn(self, *, more: bool) -> None:
        """Send what is due, if there is to be more, and take answers."""


@dataclass(slots=True)
class PlainWriter:
    """Each answer is a record's outcome."""

    outbox: Outbox
    client: Client

    def turn(self, *, more: bool) -> None:
        """Send and take answers.

        Raises:
            ClientGaveUpError: if the client writes no more.
        """
        if more:
            self.client.send(self.outbox.batch())
        for answer in self.client.answers(_TICK_S):
            _report(self.outbox, answer)
        self.outbox.settle(self.outbox.take())
        self.outbox.report()


@dataclass(slots=True)
class TransactionWriter:
    """Outcomes are known when the transaction has ended: some are aborted on purpose."""

    outbox: Outbox
    client: Client
    _count: int = 0
    _began_s: float = 0.0
    _out: dict[int, None] = field(default_factory=dict)
    _answers: list[Answer] = field(default_factory=list)

    def turn(self, *, more: bool) -> None:
        """Send within the transaction under way, or end it when it is old enough.

        Raises:
            ClientGaveUpError: if the client writes no more, or it is not known what became of it.
        """
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
        records = self.outbox.batch()
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
            # What becomes of it is decided when the next instance takes over its id.
            raise ClientGaveUpError(f"the transaction has no known end: {error}") from error
        for answer in answers:
            if commit:
                _report(self.outbox, answer)
            else:
                self.outbox.failed(answer.seq, ABORTED, definite=True)
        self.outbox.settle(self.outbox.take())


def _report(outbox: Outbox, answer: Answer) -> None:
    if answer.error:
        outbox.failed(answer.seq, answer.error, definite=answer.definite)
    else:
        outbox.acked(answer.seq, answer.offset, answer.timestamp_ms)


def write(outbox: Outbox, connect: Callable[[Outbox], Client] = make_client) -> str:
    """Write until the task is over, with as many instances as it takes; why it ended early, or "".

    The last instance waits for the answers that are still out.
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
            print(f"the client gave up: {why}", file=sys.stderr)
            outbox.renew(why)
        else:
            return ""
        finally:
            client.close()
    return why


def _drive(outbox: Outbox, writer: Writer) -> None:
    while not outbox.is_over:
        writer.turn(more=True)
    deadline_s = time.monotonic() + outbox.task.drain_s
    while not outbox.is_settled and time.monotonic() < deadline_s:
        writer.turn(more=False)


def main(argument: str) -> int:
    """Run the task given as JSON; 1 if no instance of the client could go on to the end."""
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
        why = write(outbox)
        outbox.finish()
    if why:
        print(f"given up after {_INSTANCES_MAX} instances: {why}", file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
