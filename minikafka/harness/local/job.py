"""The local engine's process: a read while records are written, two reads afterwards, a verdict.

    python -m minikafka.harness.local.job JOB        JOB is a `LocalJob` as JSON

Commands are JSON lines on standard input: `{"do": "stream", …}` and then `{"do": "finish"}`. When
standard input closes early, the process ends. Answers go to the run's file of local events, as
those of Spark's process do: `session`, `stream`, `progress`, `judged`, `gave_up`.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
from confluent_kafka import KafkaException

from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.clients.ledger_table import read_ledgers, write_parquet
from minikafka.harness.lines import EventLog, wall_ms
from minikafka.harness.local.engine import LocalEngine
from minikafka.harness.local.task import LocalJob
from minikafka.harness.local.topic_read import TopicRead, read_again
from minikafka.harness.part_process import commands
from minikafka.harness.plan.settings import HarnessError, RunFiles
from minikafka.harness.verdict.judging import case_of, judge_files
from minikafka.harness.verdict.stream_files import StreamOrigin

_CONSUME_S = 0.2
_REPORT_EVERY_S = 1.0
_COMMAND_WAIT_S = 0.02


@dataclass(slots=True)
class LiveRead:
    """The read while records are written; reports its progress every second."""

    read: TopicRead
    events: EventLog
    _batch: int = 0
    _reported_count: int = 0
    _reported_s: float = 0.0

    def look(self) -> None:
        """Read what is there."""
        if not self.read.problem:
            self.read.consume(_CONSUME_S)
        is_new = self.read.count > self._reported_count
        if is_new and time.monotonic() - self._reported_s >= _REPORT_EVERY_S:
            self.report()

    def report(self) -> None:
        """Write the records so far to files, and report their number."""
        self.read.flush()
        self._reported_s = time.monotonic()
        # The form of Spark's reports. There is no `latestOffset`: a consumer's view of the high
        # watermark may go back when the leader changes.
        rows = self.read.count - self._reported_count
        progress = {"batchId": self._batch, "numInputRows": rows, "sources": []}
        self.events.write(
            "progress", progress={**progress, "timestamp": wall_ms()}, witness="local"
        )
        self._batch += 1
        self._reported_count = self.read.count

    def drain(self) -> bool:
        """Read to the end; return False if that failed."""
        is_complete = self.read.drain()
        self.report()
        self.events.write("stream", phase="drained", restarts=0)
        self.read.close()
        return is_complete


def run(job: LocalJob, files: RunFiles, events: EventLog) -> None:
    """Execute commands until the verdict is done or standard input closes."""
    events.write("session", duckdb=duckdb.__version__)
    live: LiveRead | None = None
    for command in commands(_COMMAND_WAIT_S):
        if command is None:
            if live is not None:
                live.look()
        elif command["do"] == "stream":
            origin = StreamOrigin(command["bootstrap_servers"], command["topic"], command["width"])
            live = LiveRead(TopicRead(origin, files.streamed), events)
            events.write("stream", phase="started", restarts=0)
        elif command["do"] == "finish" and live is not None:
            finish(job, files, events, live)
            break


def finish(job: LocalJob, files: RunFiles, events: EventLog, live: LiveRead) -> None:
    """Read to the end, read every topic again, judge, and answer."""
    is_complete = live.drain()
    origin = live.read.origin
    events.write("phase", name="reading everything afresh")
    for target, isolation in (
        (files.reread_uncommitted, "read_uncommitted"),
        (files.reread, "read_committed"),
    ):
        problem = read_again(origin, target, isolation)
        if problem:
            raise HarnessError(f"the second read failed: {problem}.")
    events.write("phase", name="joining with the ledger")
    tables = read_ledgers(files.ledgers)
    write_parquet(tables, files.ledger_table)
    case = case_of(
        tables,
        streamed=files.streamed,
        stream_is_complete=is_complete,
        stream_ends=live.read.ends,
        transactions=job.transactions,
        inject=job.inject,
        seed=job.seed,
    )
    with LocalEngine(files.root / "scratch") as engine:
        answer = judge_files(engine, files, origin, case)
    events.write(
        "judged",
        **answer,
        stream_is_complete=is_complete,
        stream_problem=live.read.problem,
        stream_ends={str(number): end for number, end in live.read.ends.items()},
        data_loss=None,
    )


def main(arguments: Sequence[str]) -> int:
    """Run the job given as JSON; return 0, or 2 if it failed."""
    job = LocalJob(**json.loads(arguments[0]))
    files = RunFiles(Path(job.root))
    events = EventLog(files.local_events)
    events.repair()
    try:
        run(job, files, events)
    except (HarnessError, LedgerDamagedError, KafkaException, duckdb.Error, OSError) as error:
        events.write("gave_up", reason=" ".join(str(error).split())[:2_000])
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
