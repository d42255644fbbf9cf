"""The Spark process of a run: session, stream, second read, verdict (S2).

    python -m minikafka.harness.spark.job JOB        JOB is a `SparkJob` as JSON

Commands are JSON lines on standard input: `{"do": "stream", …}`, then `stop` and `start` of the
query any number of times, then `{"do": "finish"}`. If the process is killed, another one takes over
and continues from the checkpoint. Answers go to the run's Spark events file, standard error and
output to a log. When standard input closes early, the process ends: its parent is gone.

Answers: `session` (ready), `stream`, `progress`, `judged` (counts, findings), `gave_up` (reason).
"""

import dataclasses
import json
import os
import selectors
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.clients.ledger_table import read_ledgers, write_parquet
from minikafka.harness.clients.poll_log import POLL_SCHEMA, read_poll_log
from minikafka.harness.lines import EventLog
from minikafka.harness.plan.injections import Injection
from minikafka.harness.plan.settings import HarnessError, RunFiles, SparkJob
from minikafka.harness.spark import tamper
from minikafka.harness.spark.jars import chosen
from minikafka.harness.spark.session import bundled_jars, make_session
from minikafka.harness.spark.stream import StreamOrigin, TopicStream, read_again, stream_ends
from minikafka.harness.verdict import time_checks
from minikafka.harness.verdict.isolation import compare
from minikafka.harness.verdict.join import (
    LEDGER_SCHEMA,
    OBSERVED_SCHEMA,
    PERCENTILES,
    Observed,
    Workings,
    empty_observed,
    judge,
    summarise,
)
from minikafka.harness.verdict.polls import judge_polls, repeated
from minikafka.harness.verdict.verdict_file import READER_KINDS

_WATCH_EVERY_S = 0.5
_EXAMPLES = 10
_UNAVAILABLE_US = 1_000_000
_SMALL_RECORDS = 500_000


def start_session(job: SparkJob, files: RunFiles, events: EventLog) -> SparkSession:
    """Start Spark with the connector, remember its jars, and warm up."""

    def on_phase(name: str) -> None:
        events.write("phase", name=name)

    with chosen(os.environ, Path.home(), job.jars, on_phase) as source:
        spark = make_session(
            job.master,
            files.root / "spark",
            source.spark_conf(),
            is_small=job.records <= _SMALL_RECORDS,
        )
        spark.sparkContext.setLogLevel("WARN")
        source.remember(spark.sparkContext.getConf().get("spark.jars") or "", bundled_jars())
    _warm_up(spark, files.root / "spark" / "warm-up")
    events.write(
        "session", spark=spark.version, java=_java_version(spark), cached=bool(source.jars)
    )
    return spark


def _warm_up(spark: SparkSession, folder: Path) -> None:
    """Load the classes of shuffle and parquet while the cluster starts."""
    numbers = spark.range(1_000)
    numbers.groupBy((numbers["id"] % 7).alias("k")).count().write.mode("overwrite").parquet(
        str(folder)
    )
    spark.read.parquet(str(folder)).count()


def _java_version(spark: SparkSession) -> str:
    return str(spark.sparkContext._jvm.System.getProperty("java.version"))  # noqa: SLF001


def commands() -> Iterator[dict[str, Any] | None]:
    """Yield commands, and None after each half second without one; end with standard input."""
    buffer = b""
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        while True:
            if not selector.select(_WATCH_EVERY_S):
                yield None
                continue
            data = os.read(sys.stdin.fileno(), 65_536)
            if not data:
                return
            *whole, buffer = (buffer + data).split(b"\n")
            yield from map(json.loads, whole)


def run(job: SparkJob, files: RunFiles, events: EventLog) -> None:
    """Execute commands until the verdict is done or standard input closes."""
    spark = start_session(job, files, events)
    stream: TopicStream | None = None
    for command in commands():
        if command is None:
            if stream is not None:
                stream.watch()
        elif command["do"] == "stream":
            origin = StreamOrigin(command["bootstrap_servers"], command["topic"], command["width"])
            stream = TopicStream(spark, origin, files, events, instance=job.instance)
            stream.start()
        elif command["do"] == "stop" and stream is not None:
            stream.stop()
        elif command["do"] == "start" and stream is not None:
            stream.start()
        elif command["do"] == "finish" and stream is not None:
            finish(job, files, events, stream)
            break
    spark.stop()


def finish(job: SparkJob, files: RunFiles, events: EventLog, stream: TopicStream) -> None:
    """Drain the stream, read every topic again, judge, and answer."""
    is_complete = stream.drain()
    events.write("phase", name="reading everything afresh")
    read_again(stream.spark, stream.origin, files.reread_uncommitted, "read_uncommitted")
    read_again(stream.spark, stream.origin, files.reread)
    events.write("phase", name="joining with the ledger")
    tables = read_ledgers(files.ledgers)
    write_parquet(tables, files.ledger_table)
    observed = Observed(
        read_observed(stream.spark, files.streamed),
        read_observed(stream.spark, files.reread),
        is_complete,
        stream_ends(files.checkpoint, stream.origin),
    )
    victim = tamper.choose_victim(tables, job.seed) if job.inject else None
    case = Case(
        observed=observed,
        uncommitted=read_observed(stream.spark, files.reread_uncommitted),
        group=group_of(stream.spark, files),
        workings=Workings(
            [(table.pid, first) for table in tables for first in table.renewals],
            job.transactions,
        ),
        tampering=Tampering(job.inject, victim) if job.inject and victim else None,
    )
    events.write(
        "judged",
        **judge_files(stream.spark, files, stream.origin, case),
        stream_is_complete=is_complete,
        stream_problem=stream.problem,
        data_loss=stream.data_loss,
    )


class Tampering(NamedTuple):
    """An injection and the record that it changes."""

    injection: Injection
    victim: tamper.Victim


class GroupReads(NamedTuple):
    """The polls, ends and counts of the consumer group; see `judge_polls`."""

    polls: DataFrame
    ends: Mapping[int, int]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything that is judged, except the ledgers."""

    observed: Observed
    uncommitted: DataFrame
    group: GroupReads | None
    workings: Workings
    tampering: Tampering | None = None

    def tampered(self) -> "Case":
        """Return the case with its injection applied."""
        if self.tampering is None:
            return self
        group = self.group
        if group is not None:
            group = group._replace(polls=tamper.tamper_polls(group.polls, *self.tampering))
        return dataclasses.replace(
            self,
            observed=tamper.tamper(self.observed, *self.tampering),
            uncommitted=tamper.tamper_uncommitted(self.uncommitted, *self.tampering),
            group=group,
        )


def group_of(spark: SparkSession, files: RunFiles) -> GroupReads | None:
    """Read the poll log of a run's consumer group; None if the run had no group."""
    if not files.poll_log.exists():
        return None
    table = read_poll_log(files.poll_log)
    files.polls.mkdir(exist_ok=True)
    pq.write_table(table.rows, files.polls / "polls.parquet")
    polls = spark.read.schema(POLL_SCHEMA).parquet(str(files.polls))
    return GroupReads(polls, table.ends, table.counts)


def judge_files(
    spark: SparkSession, files: RunFiles, origin: StreamOrigin, original: Case
) -> dict[str, Any]:
    """Return the fields of the answer `judged` that follow from the files of the run."""
    ledger = spark.read.schema(LEDGER_SCHEMA).parquet(str(files.ledger_table))
    logs = [str(path) for path in (files.events, files.spark_events) if path.exists()]
    happened = time_checks.read_events(spark, logs).cache()
    samples = time_checks.samples(happened, origin.topic, origin.width)
    case, tampering = original.tampered(), original.tampering
    if tampering is not None:
        ledger = tamper.tamper_ledger(ledger, *tampering)
        samples = tamper.tamper_samples(samples, *tampering)
    observed = case.observed
    isolation = compare(
        ledger, observed.reread, case.uncommitted, transactions=case.workings.transactions
    )
    more = [isolation.findings]
    if case.group is not None:
        more.append(judge_polls(case.group.polls, observed.reread, case.group.ends))
    counts, latency_ms = judge(
        ledger,
        observed,
        str(files.findings),
        elected=time_checks.elections(happened),
        workings=case.workings,
        more=more,
    )
    regressions = [row.asDict() for row in time_checks.watermark_regressions(samples).collect()]
    windows = time_checks.unavailability(ledger, _UNAVAILABLE_US)
    found = spark.read.parquet(str(files.findings))
    answer: dict[str, Any] = {
        "counts": counts,
        "promises": summarise(found, _EXAMPLES),
        "latency_ms": latency_ms,
        "percentiles": PERCENTILES,
        "regressions": regressions,
        "windows": time_checks.summarise_windows(windows),
        "isolation": isolation.counts,
        "group_repeated": 0 if case.group is None else repeated(case.group.polls),
        "group_is_complete": case.group is not None and bool(case.group.ends),
        "group_counts": {} if case.group is None else dict(case.group.counts),
        "injected": [],
        "injected_found": False,
    }
    not_judged = [] if case.group is not None else [*READER_KINDS]
    not_judged += ["gap"] if case.workings.transactions else []
    for kind in not_judged:
        answer["promises"][kind]["count"] = None
    happened.unpersist()
    if tampering is not None:
        injection, victim = tampering
        answer["injected"] = [victim.name]
        answer["injected_found"] = (
            tamper.is_regression_found(regressions, victim)
            if injection == "watermark"
            else tamper.is_found(found, injection, victim)
        )
    return answer


def read_observed(spark: SparkSession, folder: Path) -> Any:
    """Return a read's rows. Spark gets the folder, since its list of committed files is there."""
    if not folder.exists():
        return empty_observed(spark)
    return spark.read.schema(OBSERVED_SCHEMA).parquet(str(folder))


def main(arguments: Sequence[str]) -> int:
    """Run the job given as JSON; return 0, or 2 if it failed."""
    job = SparkJob(**json.loads(arguments[0]))
    files = RunFiles(Path(job.root))
    events = EventLog(files.spark_events)
    events.repair()
    try:
        run(job, files, events)
    except (HarnessError, LedgerDamagedError, PySparkException, Py4JError) as error:
        events.write("gave_up", reason=" ".join(str(error).split())[:2_000])
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
