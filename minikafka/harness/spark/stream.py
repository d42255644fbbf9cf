"""The two reads by Spark: as a stream during the faults, and as a batch after everything is healed.

Only the digest of a record leaves the JVM (columns of `OBSERVED_SCHEMA`). The stream alone proves
nothing: Spark's source silently skips gaps, and it detects neither a truncation nor a topic that
was deleted and created again. The proof is both reads, joined with the ledger.

Client settings: short timeouts and many retries, since a request stays bound to the former leader
until its timeout. `failOnDataLoss` stays on: each report of data loss by Spark is a finding.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it
from pyspark.sql.streaming import StreamingQuery

from minikafka.harness.clients import login
from minikafka.harness.clients.records import DIGEST_COLUMNS
from minikafka.harness.lines import EventLog
from minikafka.harness.plan.settings import RunFiles
from minikafka.harness.verdict.stream_files import StreamCommit, StreamOrigin, last_commit
from minikafka.harness.verdict.time_checks import first_partition

_CLIENT_OPTIONS = {
    "failOnDataLoss": "true",
    "includeHeaders": "true",
    "kafka.isolation.level": "read_committed",
    "kafka.request.timeout.ms": "4000",
    "kafka.default.api.timeout.ms": "10000",
    "kafka.metadata.max.age.ms": "5000",
    "kafka.socket.connection.setup.timeout.ms": "2000",
    "kafka.max.poll.records": "10000",
    "fetchOffset.numRetries": "30",
    "fetchOffset.retryIntervalMs": "1000",
    "groupIdPrefix": "minikafka-verify",
}

_RESTARTS_MAX = 5

_COMPLAINTS = ("KAFKA_DATA_LOSS", "Some data may have been lost")
"""The words with which Spark's driver and executors report data loss."""


def _observed(source: DataFrame, topic: str, width: int) -> DataFrame:
    return source.select(
        (F.expr(first_partition(topic, width)) + F.col("partition")).alias("partition"),
        "offset",
        (F.unix_micros("timestamp") / 1000).cast("bigint").alias("timestamp_ms"),
        *(F.expr(sql).alias(name) for name, sql in DIGEST_COLUMNS.items()),
        F.expr(_NOW_MS).alias("read_ms"),
    )


_NOW_MS = "cast(java_method('java.lang.System', 'currentTimeMillis') as bigint)"
"""The executor's wall clock when it makes the row; Spark's functions return the batch's start."""


def read_again(
    spark: SparkSession, origin: StreamOrigin, target: Path, isolation: str = "read_committed"
) -> None:
    """Read every topic from its first offset to its end, and store the digests."""
    source = (
        spark.read.format("kafka")
        .options(**{**_CLIENT_OPTIONS, **login.for_spark(), "kafka.isolation.level": isolation})
        .option("kafka.bootstrap.servers", origin.bootstrap_servers)
        .option("subscribe", origin.topic)
        .option("startingOffsets", "earliest")
        .option("endingOffsets", "latest")
        .load()
    )
    _observed(source, origin.topic, origin.width).write.mode("error").parquet(str(target))


@dataclass(slots=True)
class TopicStream:
    """The streaming query of a run, restarted from its checkpoint when it fails.

    `data_loss` has Spark's reports of data loss (error class and message). After such a report the
    query is not restarted, since it would fail in the same way again.
    """

    spark: SparkSession
    origin: StreamOrigin
    files: RunFiles
    events: EventLog
    instance: int = 0
    data_loss: list[str] = field(default_factory=list)
    problem: str = ""
    _start_count: int = 0
    _expected: StreamCommit | None = None
    _query: StreamingQuery | None = None
    _restart_count: int = 0
    _reported: str = ""

    def start(self) -> None:
        """Start the query from its checkpoint; do nothing if it is running."""
        if self._query is not None:
            return
        self._expected = last_commit(self.files.checkpoint)
        source = (
            self.spark.readStream.format("kafka")
            .options(**{**_CLIENT_OPTIONS, **login.for_spark()})
            .option("kafka.bootstrap.servers", self.origin.bootstrap_servers)
            .option("subscribe", self.origin.topic)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", 200_000)
            .load()
        )
        self._query = (
            _observed(source, self.origin.topic, self.origin.width)
            .writeStream.format("parquet")
            .option("path", str(self.files.streamed))
            .option("checkpointLocation", str(self.files.checkpoint))
            .trigger(processingTime="1 second")
            .start()
        )
        self._start_count += 1
        restarts = self.instance + self._start_count - 1
        self.events.write("stream", phase="started", restarts=restarts)

    def stop(self) -> None:
        """Stop the query at once; `start` continues it."""
        if self._query is not None:
            self._report_progress()
            self._query.stop()
            self._query = None
            self.events.write("stream", phase="stopped", restarts=self._start_count)

    def watch(self) -> None:
        """Report new progress; restart the query if it failed."""
        self._report_progress()
        query = self._query
        if query is None or query.isActive:
            return
        self._ended(query.exception())

    def drain(self) -> bool:
        """Read to the current end and stop; return False if that failed."""
        if self._start_count and not self.problem:
            self.start()
        while self._query is not None:
            try:
                self._query.processAllAvailable()
            except StreamingQueryException as error:
                self._ended(error)
                continue
            self._report_progress()
            self._query.stop()
            self._query = None
            self.events.write("stream", phase="drained", restarts=self._restart_count)
            return True
        return False

    def _ended(self, error: StreamingQueryException | None) -> None:
        self._query = None
        reason = _reason(error)
        self.events.write("stream", phase="ended", reason=reason)
        if any(words in reason for words in _COMPLAINTS):
            self.data_loss.append(reason)
            self.problem = "Spark's source reported lost data, and its query ended."
        elif self._restart_count >= _RESTARTS_MAX:
            self.problem = f"the streaming query ended {_RESTARTS_MAX + 1} times; last: {reason}"
        else:
            self._restart_count += 1
            self.start()

    def _report_progress(self) -> None:
        if self._query is None:
            return
        for progress in self._query.recentProgress:
            values = _plain(progress)
            if values["timestamp"] > self._reported:
                self._reported = values["timestamp"]
                self._check_start(values)
                self.events.write("progress", progress=values, witness=self._witness)

    @property
    def _witness(self) -> str:
        """The witness name; each start has its own, since a repeated batch shows old offsets."""
        first = (self.instance, self._start_count) == (0, 1)
        return "spark" if first else f"spark {self.instance + 1}.{self._start_count}"

    def _check_start(self, progress: dict[str, Any]) -> None:
        """Write an event unless the first batch begins where the checkpoint's last one ended."""
        expected, self._expected = self._expected, None
        if expected is None:
            return
        got = progress["sources"][0]["startOffset"] if progress["sources"] else None
        got = json.loads(got) if isinstance(got, str) else got
        if progress["batchId"] != expected.batch + 1 or got != expected.offsets:
            said = (
                f"the checkpoint requires batch {expected.batch + 1} at {expected.offsets}, but the"
                f" query began batch {progress['batchId']} at {got}"
            )
            self.events.write("stream", phase="strayed", reason=said)


def _reason(error: StreamingQueryException | None) -> str:
    if error is None:
        return "ended without an error"
    return " ".join(str(error).split())[:2_000]


def _plain(progress: Any) -> dict[str, Any]:
    """Return the fields of a progress event that the page and the high watermark check need."""
    values = json.loads(progress.json)
    offsets = ("startOffset", "endOffset", "latestOffset")
    return {
        "batchId": values["batchId"],
        "timestamp": values["timestamp"],
        "numInputRows": values["numInputRows"],
        "durationMs": values["durationMs"],
        "sources": [{name: source[name] for name in offsets} for source in values["sources"]],
    }
