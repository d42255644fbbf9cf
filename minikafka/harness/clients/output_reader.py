"""The reader of what the loops wrote, in its own process.

    python -m minikafka.harness.clients.output_reader TASK    TASK is an `OutputTask` as JSON

It reads the output topic at read_committed while the loops run (the first pass). When its standard
input closes, it reads to the end of every partition, and then everything once more with a new
consumer (the second pass). It exits with status 0 if both passes reached the ends.
"""

import dataclasses
import json
import select
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from minikafka.harness.clients import login
from minikafka.harness.clients.ledger import FrameWriter
from minikafka.harness.clients.loop_log import AFRESH, END, HEADER, LIVE, READ, VERSION
from minikafka.harness.part_process import PartTask

_CONSUME_S = 0.2
_CONSUME_MAX = 5_000
_DRAIN_S = 100.0
"""Longer than the timeout of a transaction that a killed loop left open."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OutputTask(PartTask):
    """The task of the process: the output topic, and the number of its partitions."""

    run: str
    bootstrap_servers: str
    output: str
    partitions: int
    log: str


def read_pass(
    consumer: Consumer,
    task: OutputTask,
    frames: FrameWriter,
    number: int,
    is_over: Callable[[], bool],
) -> bool:
    """Read from the beginning until `is_over`, and then to the ends; False if that failed."""
    places = [TopicPartition(task.output, at, OFFSET_BEGINNING) for at in range(task.partitions)]
    consumer.assign(places)
    reached: dict[int, int] = {}
    ends: dict[int, int] = {}
    deadline_s = 0.0
    while True:
        _note(consumer.consume(_CONSUME_MAX, _CONSUME_S), frames, number, reached)
        if not deadline_s and is_over():
            deadline_s = time.monotonic() + _DRAIN_S
        if not deadline_s:
            continue
        ends = ends or _ends(consumer, task)
        is_done = bool(ends) and all(reached.get(at, -1) >= end for at, end in ends.items())
        if is_done or time.monotonic() >= deadline_s:
            frames.append([END, number, ends if is_done else {}])
            frames.sync()
            return is_done


def _note(
    messages: list[Message], frames: FrameWriter, number: int, reached: dict[int, int]
) -> None:
    """Log the records, and note which ends were reached."""
    rows: dict[int, tuple[list[int], list[bytes]]] = {}
    for message in messages:
        at, error = message.partition(), message.error()
        if error is None:
            offsets, values = rows.setdefault(at, ([], []))
            offsets.append(message.offset())
            values.append(message.value() or b"")
        elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001
            reached[at] = message.offset()
    for at, (offsets, values) in rows.items():
        frames.append([READ, number, at, offsets, values])


def _ends(consumer: Consumer, task: OutputTask) -> dict[int, int]:
    """Return the high watermark of every partition; empty if one of them cannot be fetched."""
    ends = {}
    try:
        for at in range(task.partitions):
            _, ends[at] = consumer.get_watermark_offsets(TopicPartition(task.output, at), timeout=5)
    except KafkaException:
        return {}
    return ends


def open_consumer(task: OutputTask) -> Consumer:
    """Return a consumer of its own group, which commits nothing."""
    return Consumer(
        {
            "bootstrap.servers": task.bootstrap_servers,
            **login.for_librdkafka(),
            "client.id": "minikafka-verify-outputs",
            "group.id": f"minikafka-verify-{task.run}-outputs",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "isolation.level": "read_committed",
            "check.crcs": True,
            "enable.partition.eof": True,
            "socket.timeout.ms": 10_000,
            "fetch.wait.max.ms": 200,
            "reconnect.backoff.max.ms": 1_000,
            "topic.metadata.refresh.interval.ms": 5_000,
        }
    )


def read(
    task: OutputTask,
    frames: FrameWriter,
    is_over: Callable[[], bool],
    connect: Callable[[OutputTask], Consumer] = open_consumer,
) -> bool:
    """Read both passes; False if one of them did not reach the ends."""
    whole = True
    passes: Mapping[int, Callable[[], bool]] = {LIVE: is_over, AFRESH: lambda: True}
    for number, over in passes.items():
        consumer = connect(task)
        try:
            whole &= read_pass(consumer, task, frames, number, over)
        finally:
            consumer.close()
    return whole


def main(argument: str) -> int:
    """Run the task given as JSON; return 1 if a pass did not reach the ends."""
    task = OutputTask(**json.loads(argument))
    with FrameWriter(Path(task.log)) as frames:
        frames.append([HEADER, {"version": VERSION, "run": task.run}])
        is_whole = read(task, frames, _is_closed)
    return 0 if is_whole else 1


def _is_closed() -> bool:
    """True if the parent closed standard input."""
    readable, _, _ = select.select([sys.stdin], [], [], 0)
    return bool(readable)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
