"""The join of what was acknowledged with what was read: every broken promise, as Spark DataFrames.

Two questions, each one shuffle: by identity (producer, sequence) and by position (partition,
offset). Nothing is collected to the driver but a bounded number of findings.

Judged is what was promised (SPEC S2), and the ledger says with which acks and idempotence:
- acknowledged with acks=all: in the log, at the acknowledged offset, with the content sent. With
  less, absence is counted (`unpromised_absent`) and is no finding;
- failed: not there;
- unknown (no answer, or an answer that leaves it open): there or not at all, never changed.
An idempotent producer's record is there at most once, and in order; without idempotence a client's
own retry may repeat or overtake, which is counted (`repeated`) and no finding.

One fault may show as several kinds: a swap is two `moved` and a `reordered`, a duplicate is a
`reordered` as well. `lost` and `skipped` say where to look: the log does not have the record any
more, or it does, and the stream was never given it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

from minikafka.harness.records import record_name
from minikafka.harness.stream import OBSERVED_SCHEMA
from minikafka.harness.verdict_file import KINDS
from minikafka.harness.verdict_time import ELECTION_SCHEMA, beside

LEDGER_SCHEMA = (
    "pid bigint, seq bigint, partition int, crc bigint, size int, send_us bigint, status string,"
    " ack_offset bigint, ack_us bigint, timestamp_ms bigint, acks string, idempotent boolean"
)

ACKS = ("0", "1", "all")
PERCENTILES = (0.5, 0.9, 0.99, 0.999, 1.0)


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
        F.min(F.when(F.col("read") == 0, F.col("read_ms"))).alias("read_ms"),
    )


def by_identity(
    ledger: DataFrame, seen: DataFrame, *, stream_is_complete: bool, summary: Observation
) -> DataFrame:
    """The findings that a record's own history shows; fills `summary` on the way."""
    sides = ledger.select(
        "pid",
        "seq",
        *_LEDGER_ONLY,
        F.col("crc").alias("sent_crc"),
        F.when(F.col("ack_offset").isNotNull(), _place("partition", "ack_offset")).alias(
            "ack_place"
        ),
    ).unionByName(
        seen.select(
            "pid",
            "seq",
            "read_ms",
            F.col("crc").alias("seen_crc"),
            F.when(F.col("in_stream"), _place("partition", "offset")).alias("stream_place"),
            F.when(F.col("in_reread"), _place("partition", "offset")).alias("reread_place"),
        ),
        allowMissingColumns=True,
    )
    records = (
        sides.groupBy("pid", "seq")
        .agg(
            *(F.max(name).alias(name) for name in (*_LEDGER_ONLY, "sent_crc", "ack_place")),
            F.min("read_ms").alias("read_ms"),
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
        F.col("ack_us").alias("at_us"),
    )


_LEDGER_ONLY = ("status", "acks", "idempotent", "send_us", "ack_us")
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
    weak = (F.col("status") == "acked") & (F.col("acks") != "all")
    return [
        _count_when(F.col("status") == "acked").alias("acknowledged"),
        _count_when(F.col("status") == "failed").alias("failed"),
        _count_when(unknown & found).alias("unknown_found"),
        _count_when(unknown & ~found).alias("unknown_absent"),
        F.coalesce(F.sum("stream_place.count"), F.lit(0)).alias("read_by_stream"),
        F.coalesce(F.sum("reread_place.count"), F.lit(0)).alias("read_afresh"),
        _count_when(weak & (F.col("reread_place.count") == 0)).alias("unpromised_absent"),
        _count_when(~F.col("idempotent") & (F.col("reread_place.count") > 1)).alias("repeated"),
        *(_latency(acks, name) for acks in ACKS for name in _LATENCIES),
    ]


_LATENCIES = {
    "send_to_ack": "ack_us - send_us",
    "send_to_read": "read_ms * 1000 - send_us",
}


def _latency(acks: str, name: str) -> Column:
    """Percentiles in microseconds of what was acknowledged with these acks; null if nothing was."""
    of_these = (F.col("acks") == acks) & (F.col("status") == "acked")
    value = F.when(of_these, F.expr(_LATENCIES[name]))
    # As JSON: an observation hands an array back as an object of the JVM.
    return F.to_json(F.percentile_approx(value, list(PERCENTILES))).alias(f"{name}/{acks}")


def _identity_kinds(*, stream_is_complete: bool) -> list[Column]:
    in_ledger = F.col("status").isNotNull()
    acked = F.col("status") == "acked"
    promised = acked & (F.col("acks") == "all")
    once = in_ledger & F.col("idempotent")
    streamed = F.col("stream_place.count")
    reread = F.col("reread_place.count")

    def is_elsewhere(read: str) -> Column:
        # Among more than two copies the acknowledged one may be neither the first nor the last.
        ends = (F.col(f"{read}.first"), F.col(f"{read}.last"))
        count = F.col(f"{read}.count")
        can_tell = (count > 0) & (F.col("idempotent") | (count <= len(ends)))
        return can_tell & ~F.col("ack_place").isin(*ends)

    def differs(end: str) -> Column:
        return F.coalesce(F.col(f"seen_crc.{end}") != F.col("sent_crc"), F.lit(False))

    conditions = {
        "lost": promised & (reread == 0),
        "skipped": acked & (reread > 0) & (streamed == 0) & F.lit(stream_is_complete),
        "vanished": F.coalesce(~promised, F.lit(True)) & (streamed > 0) & (reread == 0),
        "duplicated": once & ((reread > 1) | (streamed > 1)),
        "changed": in_ledger & (differs("first") | differs("last")),
        "moved": promised & (is_elsewhere("stream_place") | is_elsewhere("reread_place")),
        "phantom": ~in_ledger,
        "failed_but_read": (F.col("status") == "failed") & (reread + streamed > 0),
    }
    return [F.when(condition, kind) for kind, condition in conditions.items()]


class Workings(NamedTuple):
    """What is to be known of the producers beside their ledgers.

    `renewals` are (producer, first record) of each further instance of a client: order is promised
    within an instance. With `transactions` offsets are also taken by what marks their ends.
    """

    renewals: Sequence[tuple[int, int]] = ()
    transactions: bool = False

    def instance(self) -> Column:
        """Of a row with pid and seq: the number of the client's instance."""
        count: Column = F.lit(0)
        for pid, first_seq in self.renewals:
            is_later = (F.col("pid") == pid) & (F.col("seq") >= first_seq)
            count = count + is_later.cast("int")
        return count


def by_position(
    ledger: DataFrame,
    seen: DataFrame,
    workings: Workings = Workings(),  # noqa: B008 - a value
) -> DataFrame:
    """The findings that one place in the log, or the order of a partition, shows.

    The log of a topic without transactions and compaction has no holes: every offset between two
    records held one. Of a gap, the record after it is named, and the first offset that is missing.
    """
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
        Window.partitionBy("partition", "pid", "instance")
        .orderBy("offset")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    unordered = F.broadcast(ledger.where(~F.col("idempotent")).select("pid").distinct())
    reordered = (
        seen.where("in_reread")
        .join(unordered, "pid", "left_anti")
        .withColumn("instance", workings.instance())
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
    below = Window.partitionBy("partition").orderBy("offset")
    missing = F.col("offset") - F.col("last_offset") - 1
    gap = (
        seen.where("in_reread")
        .withColumn("last_offset", F.lag("offset").over(below))
        .where(missing > 0)
        .select(
            F.lit("gap").alias("kind"),
            "pid",
            "seq",
            "partition",
            (F.col("last_offset") + 1).alias("offset"),
            missing.alias("severity"),
            F.to_json(F.struct((F.col("offset") - 1).alias("last_missing"))).alias("detail"),
        )
    )
    found = two_contents.unionByName(reordered)
    return found if workings.transactions else found.unionByName(gap)


class Summary(NamedTuple):
    """What was counted on the way.

    `latency_ms` has, by measure (send_to_ack, send_to_read) and acks, a value for each of
    `PERCENTILES`; a pair that had no record is left out. `send_to_read` ends when Spark's task held
    the record, so it has the stream's trigger interval in it.
    """

    counts: dict[str, int]
    latency_ms: dict[str, dict[str, list[float]]]


def judge(
    ledger: DataFrame,
    observed: Observed,
    findings: str,
    *,
    elected: DataFrame | None = None,
    workings: Workings = Workings(),  # noqa: B008 - a value
    more: Sequence[DataFrame] = (),
) -> Summary:
    """Write every finding to the folder `findings`; return what was counted.

    `elected` (`verdict_time.elections`) is put beside what was lost; `more` are findings of others.
    """
    summary = Observation("summary")
    seen = seen_rows(observed).cache()
    found = by_identity(
        ledger, seen, stream_is_complete=observed.stream_is_complete, summary=summary
    ).unionByName(by_position(ledger, seen, workings), allowMissingColumns=True)
    for others in more:
        found = found.unionByName(others, allowMissingColumns=True)
    if elected is None:
        elected = ledger.sparkSession.createDataFrame([], ELECTION_SCHEMA)
    beside(found, elected).write.mode("error").parquet(findings)
    seen.unpersist()
    return _split(summary.get)


def _split(values: dict[str, Any]) -> Summary:
    counts = {name: value for name, value in values.items() if "/" not in name}
    latency_ms: dict[str, dict[str, list[float]]] = {}
    for name, value in values.items():
        measure, _, acks = name.partition("/")
        if acks and value is not None:
            latency_ms.setdefault(measure, {})[acks] = [us / 1000 for us in json.loads(value)]
    return Summary(counts, latency_ms)


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
    beside_it = {"election": json.loads(row["election"])} if row["election"] else {}
    return {
        "record": record_name(row["pid"], row["seq"]),
        "partition": row["partition"],
        "offset": row["offset"],
        "severity": row["severity"],
        "detail": row["detail"],
        **beside_it,
    }
