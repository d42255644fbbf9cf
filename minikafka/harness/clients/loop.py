"""One consume-transform-produce loop, in its own process.

    python -m minikafka.harness.clients.loop TASK        TASK is a `LoopTask` as JSON

The loop reads the topics of the run at read_committed as a member of the loops' group. For each
input it writes one output with the input's place and digest, and sends the offsets of the inputs in
the transaction of the outputs. Some transactions are aborted on purpose; after an abort the loop
goes back to the committed offsets. A client that fails is replaced by another instance with the
same transactional id, which ends the transaction of the old one.

It runs until its standard input closes, and exits with status 0.
"""

import contextlib
import json
import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.harness.clients.ledger import FrameWriter
from minikafka.harness.clients.loop_client import (
    LoopClient,
    LoopFailedError,
    LoopInput,
    LoopTask,
    positions,
)
from minikafka.harness.clients.loop_log import (
    ABORTED,
    COMMITTED,
    UNKNOWN,
    LoopLog,
    Output,
    input_runs,
)
from minikafka.harness.clients.offsets_topic import promise_commits
from minikafka.harness.clients.producer_client import NotEndedError
from minikafka.harness.lines import EventLog, wall_ms

_GATHER_S = 0.3
_INPUTS_MAX = 2_000
_ABORTED_OF = 5
"""One of this many transactions is aborted: the 2nd, the 7th, …"""
_INSTANCES_MAX = 50
_PAUSE_S = 1.0
_STATUS_EVERY_S = 0.5


def make_loop(task: LoopTask) -> LoopClient:
    """Create the client that the task names.

    Raises:
        LoopFailedError: if it cannot start.
    """
    if task.client == "kafka-python":
        from minikafka.harness.clients.python_loop import PythonLoop

        return PythonLoop(task)
    from minikafka.harness.clients.confluent_loop import ConfluentLoop

    return ConfluentLoop(task)


@dataclass(slots=True)
class Loop:
    """The transactions of a loop, through all client instances."""

    task: LoopTask
    log: LoopLog
    events: EventLog
    _number: int = field(init=False)
    _counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((COMMITTED, ABORTED, UNKNOWN, "inputs"), 0)
    )
    _status_at_s: float = 0.0

    def __post_init__(self) -> None:
        self._number = self.task.first_number - 1

    def turn(self, client: LoopClient) -> None:
        """Gather inputs, and transform them in one transaction.

        Raises:
            LoopFailedError: if the client cannot go on.
        """
        inputs = client.gather(_GATHER_S, _INPUTS_MAX)
        if inputs:
            self._transform(client, inputs)
        self._report(client, is_idle=not inputs)

    def _transform(self, client: LoopClient, inputs: list[LoopInput]) -> None:
        self._number += 1
        self.log.begun(self._number, input_runs([row[:2] for row in inputs]))
        began_ms = wall_ms()
        outcome = UNKNOWN
        try:
            outcome = self._transact(client, inputs)
        finally:
            self.log.ended(self._number, outcome)
            self._counts[outcome] += 1
            self._counts["inputs"] += len(inputs) if outcome == COMMITTED else 0
            self.events.write(
                "transaction",
                id=self.task.transactional_id,
                name=f"loop {self.task.loop}",
                began_at_ms=began_ms,
                outcome=outcome,
                records=len(inputs),
            )
        if outcome != COMMITTED:
            client.rewind()

    def _transact(self, client: LoopClient, inputs: list[LoopInput]) -> str:
        outputs: dict[int, list[bytes]] = {}
        for row in inputs:
            output = Output(row.partition, row.offset, self.task.loop, self._number, row.crc)
            outputs.setdefault(row.partition, []).append(output.pack())
        try:
            client.transact(outputs, positions(inputs))
        except NotEndedError as error:
            print(f"transaction {self._number} is aborted: {error}", file=sys.stderr)
            client.abort()
            return ABORTED
        if self._number % _ABORTED_OF == 2 % _ABORTED_OF:
            client.abort()
            return ABORTED
        try:
            client.commit()
        except NotEndedError as error:
            # The client then aborts what is open; it does not say what became of the commit.
            print(f"commit of transaction {self._number}: {error}", file=sys.stderr)
            client.abort()
            return UNKNOWN
        return COMMITTED

    def _report(self, client: LoopClient, *, is_idle: bool) -> None:
        if time.monotonic() - self._status_at_s < _STATUS_EVERY_S:
            return
        self._status_at_s = time.monotonic()
        # While records come, nothing is at its end.
        reached = client.reached() if is_idle else {}
        self.events.write(
            "loop", loop=self.task.loop, client=self.task.client, reached=reached, **self._counts
        )


def run(
    loop: Loop,
    is_over: Callable[[], bool],
    connect: Callable[[LoopTask], LoopClient] = make_loop,
    pause: Callable[[float], None] = time.sleep,
) -> str:
    """Run until `is_over`, with up to `_INSTANCES_MAX` client instances.

    Return "", or the last error if no instance could run to the end.
    """
    why = ""
    for instance in range(_INSTANCES_MAX):
        if instance:
            pause(_PAUSE_S)
        with contextlib.ExitStack() as parts:
            try:
                client = connect(loop.task)
                parts.callback(client.close)
                while not is_over():
                    loop.turn(client)
            except LoopFailedError as error:
                why = str(error)
            else:
                return ""
        print(f"the client failed: {why}", file=sys.stderr)
        loop.log.renewed(why)
        loop.events.write("loop_renewed", loop=loop.task.loop, reason=why)
        if is_over():
            return ""
    return why


def main(argument: str) -> int:
    """Run the task given as JSON; return 1 if no client instance could run to the end."""
    task = LoopTask(**json.loads(argument))
    events = EventLog(Path(task.events))
    if task.offsets_min_isr:
        problem = promise_commits(task.bootstrap_servers, task.group, task.offsets_min_isr)
        if problem:
            note = f"min.insync.replicas of commits is not set: {problem}"
            events.write("loop_note", note=note)
    with FrameWriter(Path(task.log)) as frames:
        log = LoopLog(frames)
        log.header(
            run=task.run,
            loop=task.loop,
            client=task.client,
            transactional_id=task.transactional_id,
        )
        why = run(Loop(task, log, events), _is_closed)
        log.end()
    if why:
        print(f"all {_INSTANCES_MAX} client instances failed, the last one: {why}", file=sys.stderr)
    return 1 if why else 0


def _is_closed() -> bool:
    """True if the parent closed standard input."""
    readable, _, _ = select.select([sys.stdin], [], [], 0)
    return bool(readable)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
