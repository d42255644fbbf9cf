"""The findings in the consumer group's poll log, as Spark DataFrames; see `poll_log` for its rows.

There are three kinds. Each needs one partition's history, so one shuffle of a few rows per poll:

- `poll_backward`: within an assignment a member polled an offset that it had already polled;
- `committed_reread`: an offset was polled after the commit of a later one had been confirmed;
- `poll_skip`: a record of the log is between, before or after the polled offsets.

A member that takes over a partition begins at the committed offset. It polls again what others had
polled above that offset, which is not a finding. Nor is it a finding if librdkafka delivers its
last record once more when a cooperative rebalance leaves the partition with its member: it pauses
the partition, and may remember as the position the record that it is just delivering. Brokers have
no part in this (seen against Apache Kafka 4.3.1 without any fault, once in 351 rebalances on a busy
machine). Such repeats are counted (`repeated`); two records, or one without a rebalance, are
findings.
"""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

_NO_RECORD = -1


def judge_polls(polls: DataFrame, log: DataFrame, ends: Mapping[int, int]) -> DataFrame:
    """Return the findings, each with its record.

    `log` are the records of the second read. `ends` are the ends that the group read to, empty if
    it did not: then records after its last poll are not findings.
    """
    polls = _with_repeats(polls)
    in_history = (_backward(polls).unionByName(_reread(polls))).join(
        log.select("partition", "offset", "pid", "seq"), ["partition", "offset"], "left"
    )
    return _finding(in_history).unionByName(_finding(_skipped(polls, log, ends)))


def _finding(rows: DataFrame) -> DataFrame:
    return rows.select(
        "kind",
        F.coalesce("pid", F.lit(_NO_RECORD).cast("bigint")).alias("pid"),
        F.coalesce("seq", F.lit(_NO_RECORD).cast("bigint")).alias("seq"),
        "partition",
        "offset",
        "severity",
        "detail",
        "at_us",
    )


def repeated(polls: DataFrame) -> int:
    """Count the records that the client library delivered twice during a rebalance."""
    count: int = _with_repeats(polls).where("is_repeat").count()
    return count


def _with_repeats(polls: DataFrame) -> DataFrame:
    """Add `before`, the previous offset within the assignment, and `is_repeat`."""
    within = Window.partitionBy("kind", "partition", "member", "assignment").orderBy(
        "position", "first"
    )
    is_rebalanced = F.col("rebalances") > F.lag("rebalances").over(within)
    return polls.withColumn("before", F.lag("last").over(within)).withColumn(
        "is_repeat",
        F.coalesce(
            _is("polled") & (F.col("first") == F.col("before")) & is_rebalanced, F.lit(False)
        ),
    )


def _is(kind: str) -> Column:
    return F.col("kind") == kind


def _backward(polls: DataFrame) -> DataFrame:
    return (
        polls.where(_is("polled") & ~F.col("is_repeat"))
        .where("first <= before")
        .select(
            F.lit("poll_backward").alias("kind"),
            "partition",
            F.col("first").alias("offset"),
            (F.col("before") - F.col("first") + 1).alias("severity"),
            F.to_json(F.struct("member", "assignment", "before", "last")).alias("detail"),
            "at_us",
        )
    )


def _reread(polls: DataFrame) -> DataFrame:
    # Rows with the same position are of one entry, which is either a poll or a commit.
    earlier = (
        Window.partitionBy("partition")
        .orderBy("position", "first")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    return (
        polls.withColumn("committed", F.max(F.when(_is("committed"), F.col("last"))).over(earlier))
        .where(_is("polled") & (F.col("first") < F.col("committed")))
        # The client may have committed a record before it repeats it, but no later record.
        .where(~(F.col("is_repeat") & (F.col("committed") == F.col("first") + 1)))
        .select(
            F.lit("committed_reread").alias("kind"),
            "partition",
            F.col("first").alias("offset"),
            (F.col("committed") - F.col("first")).alias("severity"),
            F.to_json(F.struct("member", "assignment", "committed", "last")).alias("detail"),
            "at_us",
        )
    )


def holes(polls: DataFrame, ends: Mapping[int, int]) -> DataFrame:
    """Return the offsets that no member polled: partition, from_offset, to_offset (exclusive)."""
    in_order = (
        Window.partitionBy("partition")
        .orderBy("first", "last")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    given = polls.where(_is("polled"))
    if ends:
        # Add a run at each end, so that missing offsets before the end are a hole too.
        rows = [(int(at), end, end) for at, end in sorted(ends.items())]
        schema = "partition int, first bigint, last bigint"
        closing = polls.sparkSession.createDataFrame(rows, schema)
        given = given.select("partition", "first", "last").unionByName(closing)
    return (
        given.withColumn("next", F.coalesce(F.max("last").over(in_order) + 1, F.lit(0)))
        .where(F.col("first") > F.col("next"))
        .select(
            "partition",
            F.col("next").alias("from_offset"),
            F.col("first").alias("to_offset"),
        )
    )


def _skipped(polls: DataFrame, log: DataFrame, ends: Mapping[int, int]) -> DataFrame:
    missed = F.broadcast(holes(polls, ends))
    inside = (log["offset"] >= missed["from_offset"]) & (log["offset"] < missed["to_offset"])
    return log.join(missed, (log["partition"] == missed["partition"]) & inside).select(
        F.lit("poll_skip").alias("kind"),
        log["pid"],
        log["seq"],
        log["partition"],
        "offset",
        F.lit(1).cast("bigint").alias("severity"),
        F.to_json(F.struct("from_offset", "to_offset")).alias("detail"),
        F.lit(None).cast("bigint").alias("at_us"),
    )
