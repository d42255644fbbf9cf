"""The join of what was acknowledged with what was read: every broken promise, as Spark DataFrames.

Two questions, each one shuffle: by identity (producer, sequence) and by position (partition,
offset). Nothing is collected to the driver but a bounded number of findings.

Judged is the promise of acks=all with an idempotent producer (SPEC S2):
- acknowledged: in the log exactly once, at the acknowledged offset, with the content sent;
- failed: not there;
- unknown (no answer, or an answer that leaves it open): there once or not at all.

One fault may show as several kinds: a swap is two `moved` and a `reordered`, a duplicate is a
`reordered` as well. `lost` and `skipped` say where to look: the log does not have the record any
more, or it does, and the stream was never given it.
"""

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

from minikafka.harness.records import record_name
from minikafka.harness.stream import OBSERVED_SCHEMA
from minikafka.harness.verdict_file import KINDS

LEDGER_SCHEMA = (
    "pid bigint, seq bigint, partition int, crc bigint, size int, send_us bigint, status string,"
    " ack_offset bigint, ack_us bigint, timestamp_ms bigint"
)


@dataclass(frozen=True, slots=True)
class Observed:
    """Both reads, as frames of `OBSERVED_SCHEMA`, and whether the stream got to the end.

    A stream that was cut short skipped nothing: what it did not read is not held against the
    cluster.
    """

    streamed: DataFrame
    reread: DataFrame
    stream_is_complete: bool


def empty_observed(spark: SparkSession) -> DataFrame:
    """A read that brought nothing."""
    return spark.createDataFrame([], OBSERVED_SCHEMA)


def seen_rows(observed: Observed) -> DataFrame:
    """One row for each distinct (partition, offset, identity, content), with the reads it was in.

    A row that Spark itself delivered twice within one read is one row here.
    """
    reads = observed.streamed.withColumn("read", F.lit(0)).unionByName(
        observed.reread.withColumn("read", F.lit(1))
    )
    return reads.groupBy("partition", "offset", "pid", "seq", "crc").agg(
        F.max(F.col("read") == 0).alias("in_stream"),
        F.max(F.col("read") == 1).alias("in_reread"),
    )


def by_identity(
    ledger: DataFrame, seen: DataFrame, *, stream_is_complete: bool, summary: Observation
) -> DataFrame:
    """The findings that a record's own history shows; fills `summary` on the way."""
    sides = ledger.select(
        "pid",
        "seq",
        "status",
        F.col("crc").alias("sent_crc"),
        F.when(F.col("status") == "acked", _place("partition", "ack_offset")).alias("ack_place"),
    ).unionByName(
        seen.select(
            "pid",
            "seq",
            F.col("crc").alias("seen_crc"),
            F.when(F.col("in_stream"), _place("partition", "offset")).alias("stream_place"),
            F.when(F.col("in_reread"), _place("partition", "offset")).alias("reread_place"),
        ),
        allowMissingColumns=True,
    )
    records = (
        sides.groupBy("pid", "seq")
        .agg(
            *(F.max(name).alias(name) for name in ("status", "sent_crc", "ack_place")),
            *(_extent(name) for name in ("seen_crc", "stream_place", "reread_place")),
        )
        .observe(summary, *_summary_columns())
    )
    kinds = F.array_compact(F.array(*_identity_kinds(stream_is_complete=stream_is_complete)))
    seen_place = F.coalesce("reread_place.first", "stream_place.first")
    return records.select(
        F.explode(kinds).alias("kind"),
        "pid",
        "seq",
        F.coalesce(seen_place, F.col("ack_place"))["partition"].alias("partition"),
        F.coalesce(seen_place, F.col("ack_place"))["offset"].alias("offset"),
        F.greatest("stream_place.count", "reread_place.count").alias("severity"),
        F.to_json(F.struct("status", "sent_crc", "ack_place", "seen_crc", *_PLACES)).alias(
            "detail"
        ),
    )


_PLACES = ("stream_place", "reread_place")


def _place(partition: str, offset: str) -> Column:
    return F.struct(F.col(partition).alias("partition"), F.col(offset).alias("offset"))


def _extent(name: str) -> Column:
    """Of a column: how many values, the least, and the greatest."""
    return F.struct(
        F.count(name).alias("count"), F.min(name).alias("first"), F.max(name).alias("last")
    ).alias(name)


def _count_when(condition: Column) -> Column:
    return F.count(F.when(condition, 1))


def _summary_columns() -> list[Column]:
    unknown = F.col("status") == "unknown"
    found = F.col("seen_crc.count") > 0
    return [
        _count_when(F.col("status") == "acked").alias("acknowledged"),
        _count_when(F.col("status") == "failed").alias("failed"),
        _count_when(unknown & found).alias("unknown_found"),
        _count_when(unknown & ~found).alias("unknown_absent"),
        F.coalesce(F.sum("stream_place.count"), F.lit(0)).alias("read_by_stream"),
        F.coalesce(F.sum("reread_place.count"), F.lit(0)).alias("read_afresh"),
    ]


def _identity_kinds(*, stream_is_complete: bool) -> list[Column]:
    in_ledger = F.col("status").isNotNull()
    acked = F.col("status") == "acked"
    streamed = F.col("stream_place.count")
    reread = F.col("reread_place.count")

    def is_elsewhere(read: str) -> Column:
        ends = (F.col(f"{read}.first"), F.col(f"{read}.last"))
        return (F.col(f"{read}.count") > 0) & ~F.col("ack_place").isin(*ends)

    def differs(end: str) -> Column:
        return F.coalesce(F.col(f"seen_crc.{end}") != F.col("sent_crc"), F.lit(False))

    conditions = {
        "lost": acked & (reread == 0),
        "skipped": acked & (reread > 0) & (streamed == 0) & F.lit(stream_is_complete),
        "vanished": F.coalesce(~acked, F.lit(True)) & (streamed > 0) & (reread == 0),
        "duplicated": in_ledger & ((reread > 1) | (streamed > 1)),
        "changed": in_ledger & (differs("first") | differs("last")),
        "moved": acked & (is_elsewhere("stream_place") | is_elsewhere("reread_place")),
        "phantom": ~in_ledger,
        "failed_but_read": (F.col("status") == "failed") & (reread + streamed > 0),
    }
    return [F.when(condition, kind) for kind, condition in conditions.items()]


def by_position(seen: DataFrame) -> DataFrame:
    """The findings that one place in the log, or the order of a partition, shows."""
    content = F.struct("pid", "seq", "crc")
    two_contents = (
        seen.groupBy("partition", "offset")
        .agg(F.count("*").alias("severity"), F.min(content).alias("a"), F.max(content).alias("b"))
        .where("severity > 1")
        .select(
            F.lit("two_contents").alias("kind"),
            "a.pid",
            "a.seq",
            "partition",
            "offset",
            "severity",
            F.to_json(F.struct("a", "b")).alias("detail"),
        )
    )
    earlier = (
        Window.partitionBy("partition", "pid")
        .orderBy("offset")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    reordered = (
        seen.where("in_reread")
        .withColumn("highest", F.max("seq").over(earlier))
        .where("highest > seq")
        .select(
            F.lit("reordered").alias("kind"),
            "pid",
            "seq",
            "partition",
            "offset",
            (F.col("highest") - F.col("seq")).alias("severity"),
            F.to_json(F.struct("highest")).alias("detail"),
        )
    )
    return two_contents.unionByName(reordered)


def judge(ledger: DataFrame, observed: Observed, findings: str) -> dict[str, Any]:
    """Write every finding to the folder `findings`; return the summary's counts."""
    summary = Observation("summary")
    seen = seen_rows(observed).cache()
    found = by_identity(
        ledger, seen, stream_is_complete=observed.stream_is_complete, summary=summary
    ).unionByName(by_position(seen))
    found.write.mode("error").parquet(findings)
    seen.unpersist()
    counts: dict[str, Any] = summary.get
    return counts


def summarise(found: DataFrame, examples: int) -> dict[str, dict[str, Any]]:
    """Each kind with its count, the first records (by sequence) and the worst (by severity)."""
    found = found.cache()
    counts = {row["kind"]: row["count"] for row in found.groupBy("kind").count().collect()}
    result = {}
    for kind, meaning in KINDS.items():
        rows = found.where(F.col("kind") == kind)
        first = rows.orderBy("seq", "pid", "offset").limit(examples)
        worst = rows.orderBy(F.desc("severity"), "seq", "pid", "offset").limit(examples)
        is_found = kind in counts
        result[kind] = {
            "meaning": meaning,
            "count": counts.get(kind, 0),
            "first": [_named(row) for row in first.collect()] if is_found else [],
            "worst": [_named(row) for row in worst.collect()] if is_found else [],
        }
    found.unpersist()
    return result


def _named(row: Any) -> dict[str, Any]:
    return {
        "record": record_name(row["pid"], row["seq"]),
        "partition": row["partition"],
        "offset": row["offset"],
        "severity": row["severity"],
        "detail": row["detail"],
    }
