"""What the consumer group's log shows, as Spark DataFrames; see `poll_log` for its rows.

Three kinds, each of one partition's history, so one shuffle each of a few rows a poll:

- `poll_backward`: within an assignment a member was given an offset that it had been given;
- `committed_reread`: an offset was given after a later one had been committed, and confirmed;
- `poll_skip`: a record of the log is between, before or after what the group was given.

A member that takes a partition over begins at what was committed: what others were given above that
it is given again, which is no finding. Nor is it one that librdkafka gives the record that it gave
last once more when a cooperative rebalance leaves the partition where it is: it pauses what a
member keeps, and may note as the place to go on from the record that it is just handing over. No
broker has a part in it (seen against Apache Kafka 4.3.1 without any fault, once in 351 rebalances
on a busy machine). Such are counted (`repeated`); two records, or one without a rebalance, are
findings.
"""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

_NOBODY = -1


def judge_polls(polls: DataFrame, log: DataFrame, ends: Mapping[int, int]) -> DataFrame:
    """The findings, with the record that each is about.

    `log` are the records as they were read afresh; `ends` is where the group read to in the end,
    and empty if it did not get there: then what follows its last poll is not held against anybody.
    """
    polls = _with_repeats(polls)
    in_history = (_backward(polls).unionByName(_reread(polls))).join(
        log.select("partition", "offset", "pid", "seq"), ["partition", "offset"], "left"
    )
    return _finding(in_history).unionByName(_finding(_skipped(polls, log, ends)))


def _finding(rows: DataFrame) -> DataFrame:
    return rows.select(
        "kind",
        F.coalesce("pid", F.lit(_NOBODY).cast("bigint")).alias("pid"),
        F.coalesce("seq", F.lit(_NOBODY).cast("bigint")).alias("seq"),
        "partition",
        "offset",
        "severity",
        "detail",
        "at_us",
    )


def repeated(polls: DataFrame) -> int:
    """How many records a client gave again by itself as it was rebalanced around them."""
    count: int = _with_repeats(polls).where("is_repeat").count()
    return count


def _with_repeats(polls: DataFrame) -> DataFrame:
    """With `before`, the offset given before a row's within the assignment, and `is_repeat`."""
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
    # A commit and polls of one entry do not meet: an entry is one or the other.
    earlier = (
        Window.partitionBy("partition")
        .orderBy("position", "first")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    return (
        polls.withColumn("committed", F.max(F.when(_is("committed"), F.col("last"))).over(earlier))
        .where(_is("polled") & (F.col("first") < F.col("committed")))
        # What a client repeats it may have committed meanwhile, but nothing after it.
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
    """Offsets that nobody was given: partition, from_offset, to_offset (exclusive)."""
    in_order = (
        Window.partitionBy("partition")
        .orderBy("first", "last")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    given = polls.where(_is("polled"))
    if ends:
        # One more run at each end, so that what is missing before it is a hole like any other.
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
