"""The Spark process of a run: session, stream, second read, verdict (S2).

    python -m minikafka.harness.spark.job JOB        JOB is a `SparkJob` as JSON

Commands are JSON lines on standard input: `{"do": "stream", …}`, then `stop` and `start` of the
query any number of times, then `{"do": "finish"}`. If the process is killed, another one takes over
and continues from the checkpoint. Answers go to the run's Spark events file, standard error and
output to a log. When standard input closes early, the process ends: its parent is gone.

Answers: `session` (ready), `stream`, `progress`, `judged` (counts, findings), `gave_up` (reason).
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.clients.ledger_table import read_ledgers, write_parquet
from minikafka.harness.lines import EventLog
from minikafka.harness.part_process import commands
from minikafka.harness.plan.settings import HarnessError, RunFiles, SparkJob
from minikafka.harness.spark.engine import SparkEngine
from minikafka.harness.spark.jars import chosen
from minikafka.harness.spark.session import bundled_jars, make_session
from minikafka.harness.spark.stream import TopicStream, read_again
from minikafka.harness.verdict.judging import case_of, judge_files
from minikafka.harness.verdict.stream_files import StreamOrigin, stream_ends

_WATCH_EVERY_S = 0.5
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


def run(job: SparkJob, files: RunFiles, events: EventLog) -> None:
    """Execute commands until the verdict is done or standard input closes."""
    spark = start_session(job, files, events)
    stream: TopicStream | None = None
    for command in commands(_WATCH_EVERY_S):
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
    case = case_of(
        tables,
        streamed=files.streamed,
        stream_is_complete=is_complete,
        stream_ends=stream_ends(files.checkpoint, stream.origin),
        transactions=job.transactions,
        inject=job.inject,
        seed=job.seed,
    )
    events.write(
        "judged",
        **judge_files(SparkEngine(stream.spark), files, stream.origin, case),
        stream_is_complete=is_complete,
        stream_problem=stream.problem,
        data_loss=stream.data_loss,
    )


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
