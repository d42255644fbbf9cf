"""The join of the ledgers with the records read: every broken promise, as Spark DataFrames.

There are two joins, each with one shuffle: by identity (producer, sequence) and by position
(partition, offset). Only a bounded number of findings is collected to the driver.

What was promised is judged (S2); the ledger has the acks and idempotence of each record:
- acknowledged with acks=all: the record is in the log at the acknowledged offset, with the value,
  key, headers, size and timestamp that were sent. With other acks, absence is not a finding but is
  counted (`unpromised_absent`);
- failed: the record is not in the log;
- unknown (no answer, or an inconclusive one): the record is in the log or not, but never changed.
A record of an idempotent producer is in the log at most once, and in order. Without idempotence a
client's retry may repeat or reorder records, which is not a finding but is counted (`repeated`).

One failure may show as several kinds: a swap is two `moved` and a `reordered`, a duplicate is a
`reordered` as well. `lost` means that the log no longer has the record; `skipped` means that the
log has it, but the stream never delivered it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

from minikafka.harness.clients.ledger_table import STATUSES
from minikafka.harness.clients.records import record_name
from minikafka.harness.verdict.time_checks import ELECTION_SCHEMA, beside
from minikafka.harness.verdict.verdict_file import KINDS

OBSERVED_SCHEMA = (
    "partition int, offset bigint, timestamp_ms bigint, pid bigint, seq bigint, crc bigint,"
    " size int, read_ms bigint"
)
"""The columns of a record that was read."""

LEDGER_SCHEMA = (
    "pid bigint, seq bigint, partition int, crc bigint, size int, send_us bigint, status string,"
    " ack_offset bigint, ack_us bigint, timestamp_ms bigint, acks string, idempotent boolean,"
    " sent_ms bigint"
)

ACKS = ("0", "1", "all")
PERCENTILES = (0.5, 0.9, 0.99, 0.999, 1.0)


@dataclass(frozen=True, slots=True)
class Observed:
    """Both reads, as frames of `OBSERVED_SCHEMA`.

    If the stream did not reach the end (`stream_is_complete`), records that it did not read are not
    findings. `stream_ends` has the end of its last batch by partition: a record with an unknown
    outcome may have been appended later.
    """

    streamed: DataFrame
    reread: DataFrame
    stream_is_complete: bool
    stream_ends: Mapping[int, int] = field(default_factory=dict)


def empty_observed(spark: SparkSession) -> DataFrame:
    """Return a read without records."""
    return spark.createDataFrame([], OBSERVED_SCHEMA)


def seen_rows(observed: Observed) -> DataFrame:
    """Return one row for each distinct (partition, offset, identity, content), with its reads.

    A record that Spark delivered twice within one read is one row here. `is_due` is true if the
    record is in the second read and before the end of the stream.
    """
    spark = observed.reread.sparkSession
    ends = spark.createDataFrame(
        list(observed.stream_ends.items()), "partition int, stream_end bigint"
    )
    reads = observed.streamed.withColumn("read", F.lit(0)).unionByName(
        observed.reread.withColumn("read", F.lit(1))
    )
    return (
        reads.groupBy("partition", "offset", "pid", "seq", "crc")
        .agg(
            F.max(F.col("read") == 0).alias("in_stream"),
            F.max(F.col("read") == 1).alias("in_reread"),
            F.min(F.when(F.col("read") == 0, F.col("read_ms"))).alias("read_ms"),
            *(side for name in _SHOWN for side in _ends(name, name)),
        )
        .join(F.broadcast(ends), "partition", "left")
        .withColumn("is_due", F.expr("in_reread and coalesce(offset < stream_end, false)"))
        .drop("stream_end")
    )


_SHOWN = ("size", "timestamp_ms")
"""The columns of a record that are compared besides its checksum."""


def _ends(least: str, greatest: str) -> list[Column]:
    """Return the columns with the least and the greatest value, named after `least`."""
    name = least.removesuffix("_first")
    return [F.min(least).alias(f"{name}_first"), F.max(greatest).alias(f"{name}_last")]


def by_identity(
    ledger: DataFrame, seen: DataFrame, *, stream_is_complete: bool, summary: Observation
) -> DataFrame:
    """Return the findings from each record's history; fills `summary` as a side effect."""
    sides = ledger.select(
        "pid",
        "seq",
        _code("status", STATUSES),
        _code("acks", ACKS),
        *_LEDGER_ONLY,
        F.col("crc").alias("sent_crc"),
        F.col("size").alias("sent_size"),
        "sent_ms",
        F.when(F.col("ack_offset").isNotNull(), _pack("ack_offset")).alias("ack_place"),
    ).unionByName(
        seen.select(
            "pid",
            "seq",
            "read_ms",
            "is_due",
            *(f"{name}_{end}" for name in _SHOWN for end in ("first", "last")),
            F.col("crc").alias("seen_crc"),
            F.when(F.col("in_stream"), _pack("offset")).alias("stream_place"),
            F.when(F.col("in_reread"), _pack("offset")).alias("reread_place"),
        ),
        allowMissingColumns=True,
    )
    # Numbers only: with strings or structs in the aggregates Spark would sort instead of hash.
    once = ("status", "acks", *_LEDGER_ONLY, "sent_crc", "sent_size", "sent_ms", "ack_place")
    records = (
        sides.groupBy("pid", "seq")
        .agg(
            *(F.max(name).alias(name) for name in once),
            F.min("read_ms").alias("read_ms"),
            F.max("is_due").alias("is_due"),
            *(side for name in _SHOWN for side in _ends(f"{name}_first", f"{name}_last")),
            *(column for name in _EXTENTS for column in _extent(name)),
        )
        .withColumns({"status": _named_code("status", STATUSES), "acks": _named_code("acks", ACKS)})
        .observe(summary, *_summary_columns())
    )
    kinds = F.array_compact(F.array(*_identity_kinds(stream_is_complete=stream_is_complete)))
    place = _unpack(F.coalesce("reread_place_first", "stream_place_first", "ack_place"))
    detail = F.struct(
        "status",
        "sent_crc",
        "sent_size",
        "sent_ms",
        *(f"{name}_{end}" for name in _SHOWN for end in ("first", "last")),
        _unpack(F.col("ack_place")).alias("ack_place"),
        _extent_struct("seen_crc", lambda value: value),
        _extent_struct("stream_place", _unpack),
        _extent_struct("reread_place", _unpack),
    )
    return records.select(
        F.explode(kinds).alias("kind"),
        "pid",
        "seq",
        place["partition"].alias("partition"),
        place["offset"].alias("offset"),
        F.greatest("stream_place_count", "reread_place_count").alias("severity"),
        F.to_json(detail).alias("detail"),
        F.col("ack_us").alias("at_us"),
    )


_LEDGER_ONLY = ("idempotent", "send_us", "ack_us")
_EXTENTS = ("seen_crc", "stream_place", "reread_place")
_OFFSET_BITS = 44
_STRETCH = 4_096


def _pack(offset: str) -> Column:
    """Pack a place in the log into one number: partition in the high bits, offset in the low."""
    return F.shiftleft(F.col("partition").cast("bigint"), _OFFSET_BITS).bitwiseOR(F.col(offset))


def _unpack(place: Column) -> Column:
    """Unpack a place into a struct; null for null."""
    return F.when(
        place.isNotNull(),
        F.struct(
            F.shiftright(place, _OFFSET_BITS).cast("int").alias("partition"),
            place.bitwiseAND((1 << _OFFSET_BITS) - 1).alias("offset"),
        ),
    )


def _code(name: str, names: Sequence[str]) -> Column:
    """Map a column of names to their indexes in `names`; null for null."""
    codes = F.lit(None).cast("int")
    for code, each in enumerate(names):
        codes = F.when(F.col(name) == each, code).otherwise(codes)
    return codes.alias(name)


def _named_code(name: str, names: Sequence[str]) -> Column:
    """Map a column of indexes back to names."""
    return F.get(F.array(*map(F.lit, names)), F.col(name))


def _extent(name: str) -> list[Column]:
    """Return the columns with the number of values, the least and the greatest one."""
    return [
        F.count(name).alias(f"{name}_count"),
        F.min(name).alias(f"{name}_first"),
        F.max(name).alias(f"{name}_last"),
    ]


def _extent_struct(name: str, shown: Callable[[Column], Column]) -> Column:
    ends = (shown(F.col(f"{name}_{end}")).alias(end) for end in ("first", "last"))
    return F.struct(F.col(f"{name}_count").alias("count"), *ends).alias(name)


def _count_when(condition: Column) -> Column:
    return F.count(F.when(condition, 1))


def _summary_columns() -> list[Column]:
    unknown = F.col("status") == "unknown"
    found = F.col("seen_crc_count") > 0
    weak = (F.col("status") == "acked") & (F.col("acks") != "all")
    return [
        _count_when(F.col("status") == "acked").alias("acknowledged"),
        _count_when(F.col("status") == "failed").alias("failed"),
        _count_when(unknown & found).alias("unknown_found"),
        _count_when(unknown & ~found).alias("unknown_absent"),
        F.coalesce(F.sum("stream_place_count"), F.lit(0)).alias("read_by_stream"),
        F.coalesce(F.sum("reread_place_count"), F.lit(0)).alias("read_afresh"),
        _count_when(weak & (F.col("reread_place_count") == 0)).alias("unpromised_absent"),
        _count_when(~F.col("idempotent") & (F.col("reread_place_count") > 1)).alias("repeated"),
        *(_latency(acks, name) for acks in ACKS for name in _LATENCIES),
    ]


_LATENCIES = {
    "send_to_ack": "ack_us - send_us",
    "send_to_read": "read_ms * 1000 - send_us",
}


def _latency(acks: str, name: str) -> Column:
    """Return percentiles, in microseconds, over records acknowledged with these acks, or null."""
    of_these = (F.col("acks") == acks) & (F.col("status") == "acked")
    value = F.when(of_these, F.expr(_LATENCIES[name]))
    # As JSON, since an observation would return an array as a JVM object.
    return F.to_json(F.percentile_approx(value, list(PERCENTILES))).alias(f"{name}/{acks}")


def _identity_kinds(*, stream_is_complete: bool) -> list[Column]:
    in_ledger = F.col("status").isNotNull()
    acked = F.col("status") == "acked"
    promised = acked & (F.col("acks") == "all")
    once = in_ledger & F.col("idempotent")
    streamed = F.col("stream_place_count")
    reread = F.col("reread_place_count")

    def is_elsewhere(read: str) -> Column:
        # With more than two copies the acknowledged one may be neither the first nor the last.
        ends = (F.col(f"{read}_first"), F.col(f"{read}_last"))
        count = F.col(f"{read}_count")
        can_tell = (count > 0) & (F.col("idempotent") | (count <= len(ends)))
        return can_tell & ~F.col("ack_place").isin(*ends)

    def differs(seen: str, sent: str) -> Column:
        either = [F.col(f"{seen}_{end}") != F.col(sent) for end in ("first", "last")]
        return F.coalesce(either[0] | either[1], F.lit(False))

    is_changed = (
        differs("seen_crc", "sent_crc")
        | differs("size", "sent_size")
        | differs("timestamp_ms", "sent_ms")
    )
    # A record with an unknown outcome that is in the log must be in the stream as well.
    must_stream = acked | ((F.col("status") == "unknown") & F.coalesce("is_due", F.lit(False)))

    conditions = {
        "lost": promised & (reread == 0),
        "skipped": must_stream & (reread > 0) & (streamed == 0) & F.lit(stream_is_complete),
        "vanished": F.coalesce(~promised, F.lit(True)) & (streamed > 0) & (reread == 0),
        "duplicated": once & ((reread > 1) | (streamed > 1)),
        "changed": in_ledger & is_changed,
        "moved": promised & (is_elsewhere("stream_place") | is_elsewhere("reread_place")),
        "phantom": ~in_ledger,
        "failed_but_read": (F.col("status") == "failed") & (reread + streamed > 0),
    }
    return [F.when(condition, kind) for kind, condition in conditions.items()]


class Workings(NamedTuple):
    """Facts about the producers that the ledger's table does not have.

    `renewals` are (producer, first sequence) of each further client instance: order is promised
    within an instance. With `transactions` the markers at their ends take offsets too.
    """

    renewals: Sequence[tuple[int, int]] = ()
    transactions: bool = False

    def instance(self) -> Column:
        """Return the number of the client instance of a row with pid and seq."""
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
    """Return the findings at one place in the log, and in the order of a partition.

    Without transactions and compaction a log has no gaps: every offset between two records had a
    record. A gap is reported with the record after it and the first missing offset.
    """
    content = F.struct("pid", "seq", "crc")
    crowded = seen.groupBy("partition", "offset").count().where("count > 1").drop("count")
    two_contents = (
        seen.join(F.broadcast(crowded), ["partition", "offset"])
        .groupBy("partition", "offset")
        .agg(F.count("*").alias("severity"), F.min(content).alias("a"), F.max(content).alias("b"))
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
    found = two_contents.unionByName(reordered)
    return found if workings.transactions else found.unionByName(_gaps(seen.where("in_reread")))


def _gaps(read: DataFrame) -> DataFrame:
    """Return the records that come after missing offsets.

    Only ranges of offsets that are not full, or that begin after a gap, are sorted.
    """
    stretch = F.floor(F.col("offset") / _STRETCH)
    in_order = Window.partitionBy("partition").orderBy("stretch")
    extents = (
        read.groupBy("partition", stretch.alias("stretch"))
        .agg(
            F.count_distinct("offset").alias("rows"),
            F.min("offset").alias("first"),
            F.max("offset").alias("last"),
        )
        .withColumn("before", F.lag("last").over(in_order))
        .where(
            (F.col("rows") <= F.col("last") - F.col("first"))
            | (F.col("before") < F.col("first") - 1)
        )
        .select("partition", "stretch", "before")
    )
    below = Window.partitionBy("partition", "stretch").orderBy("offset")
    previous = F.coalesce(F.lag("offset").over(below), F.col("before"))
    missing = F.col("offset") - F.col("last_offset") - 1
    return (
        read.withColumn("stretch", stretch)
        .join(F.broadcast(extents), ["partition", "stretch"])
        .withColumn("last_offset", previous)
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


class VerdictSummary(NamedTuple):
    """The counts and latencies of a run.

    `latency_ms` has, by measure (send_to_ack, send_to_read) and acks, a value for each of
    `PERCENTILES`; a pair without records is left out. `send_to_read` ends when Spark's task has the
    record, so it includes the stream's trigger interval.
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
) -> VerdictSummary:
    """Write every finding to the folder `findings`; return the summary.

    `elected` (of `time_checks.elections`) explains lost records; `more` are findings of other
    checks.
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


def _split(values: dict[str, Any]) -> VerdictSummary:
    counts = {name: value for name, value in values.items() if "/" not in name}
    latency_ms: dict[str, dict[str, list[float]]] = {}
    for name, value in values.items():
        measure, _, acks = name.partition("/")
        if acks and value is not None:
            latency_ms.setdefault(measure, {})[acks] = [us / 1000 for us in json.loads(value)]
    return VerdictSummary(counts, latency_ms)


def summarise(found: DataFrame, examples: int) -> dict[str, dict[str, Any]]:
    """Return by kind its count, the first records (by sequence) and the worst (by severity)."""
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
