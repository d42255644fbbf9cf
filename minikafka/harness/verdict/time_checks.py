"""The checks over time, as Spark DataFrames: elections, high watermarks, unavailability.

The events of a run (`lines`) are read as text and parsed in the JVM; only bounded summaries reach
the driver.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

SAMPLE_SCHEMA = "witness string, partition int, end bigint, at_ms bigint, position bigint"
ELECTION_SCHEMA = "partition int, at_ms bigint, leader int, before int, unclean boolean"

_EVENT_SCHEMA = (
    "at_ms bigint, event string, partition int, leader int, isr array<int>,"
    " elr array<int>, witness string, ends map<string, bigint>,"
    " progress struct<sources: array<struct<latestOffset: map<string, map<string, bigint>>>>>"
)
_US_PER_MS = 1000


def read_events(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return the events of a run, with `position`, their order within a file."""
    lines = spark.read.text(list(paths)).withColumn("position", F.monotonically_increasing_id())
    parsed = lines.select(F.from_json("value", _EVENT_SCHEMA).alias("e"), "position")
    return parsed.select("e.*", "position")


def elections(events: DataFrame) -> DataFrame:
    """Return each change of a partition's leader, as rows of `ELECTION_SCHEMA`.

    `unclean`: the new leader was neither in the ISR nor in the ELR at the poll before. It is null
    if that is unknown, because the ISR was empty and the ELR was not shown (an election from the
    ELR is clean). There may be several elections between two polls, so this is only what a client
    could know.
    """
    in_order = Window.partitionBy("partition").orderBy("at_ms", "position")
    earlier = in_order.rowsBetween(Window.unboundedPreceding, -1)
    looks = events.where(F.col("event") == "partition").select(
        "partition",
        "at_ms",
        "leader",
        F.last("leader", ignorenulls=True).over(earlier).alias("before"),
        F.lag("isr").over(in_order).alias("isr_before"),
        F.lag("elr").over(in_order).alias("elr_before"),
    )
    is_new = F.col("leader").isNotNull() & ~F.col("leader").eqNullSafe(F.col("before"))
    in_isr = F.array_contains("isr_before", F.col("leader"))
    in_elr = F.coalesce(F.array_contains("elr_before", F.col("leader")), F.lit(False))
    is_told = (F.size("isr_before") > 0) | F.col("elr_before").isNotNull()
    return looks.where(is_new & F.col("before").isNotNull()).select(
        "partition",
        "at_ms",
        "leader",
        "before",
        F.when(in_isr | in_elr, F.lit(False)).when(is_told, F.lit(True)).alias("unclean"),
    )


def beside(found: DataFrame, elected: DataFrame) -> DataFrame:
    """Add `election` to the findings: for a lost record, the election that may explain it, as JSON.

    It is the first election in the partition after the acknowledgement that was or may have been
    unclean, else the first one. A loss stays a loss: the election is information, not an excuse.
    """
    by_partition = elected.groupBy("partition").agg(
        F.sort_array(
            F.collect_list(F.struct("at_ms", "leader", "before", "unclean")),
        ).alias("elections")
    )
    later = F.filter("elections", lambda row: row.at_ms * _US_PER_MS >= F.col("at_us"))
    unclean = F.filter(later, lambda row: F.coalesce(row.unclean, F.lit(True)))
    chosen = F.coalesce(F.get(unclean, F.lit(0)), F.get(later, F.lit(0)))
    is_lost = F.col("kind") == "lost"
    return (
        found.join(F.broadcast(by_partition), "partition", "left")
        .withColumn("election", F.when(is_lost, F.to_json(chosen)))
        .drop("elections")
    )


def samples(events: DataFrame, topic: str, width: int = 1) -> DataFrame:
    """Return the high watermarks that the watcher and Spark saw, as rows of `SAMPLE_SCHEMA`.

    `topic` may be several names, separated by commas, each with `width` partitions; partitions are
    numbered through all topics.
    """
    watched = events.where(F.col("event") == "high_watermarks").select(
        F.lit("watcher").alias("witness"),
        "at_ms",
        "position",
        F.lit(0).alias("first"),
        F.explode("ends"),
    )
    sources = events.where(F.col("event") == "progress").select(
        "at_ms",
        "position",
        F.coalesce("witness", F.lit("spark")).alias("witness"),
        F.explode("progress.sources").alias("source"),
    )
    read = sources.select(
        "witness",
        "at_ms",
        "position",
        F.explode("source.latestOffset").alias("topic", "ends"),
    ).select(
        "witness",
        "at_ms",
        "position",
        first_partition(topic, width).alias("first"),
        F.explode("ends"),
    )
    return (
        watched.unionByName(read.where("first is not null"))
        .withColumn("partition", F.col("first") + F.col("key").cast("int"))
        .select("witness", "partition", F.col("value").alias("end"), "at_ms", "position")
    )


def first_partition(topic: str, width: int) -> Column:
    """Map the column `topic` to the number of its first partition; null for other topics."""
    first = F.lit(None).cast("int")
    for index, name in reversed(list(enumerate(topic.split(",")))):
        first = F.when(F.col("topic") == name, index * width).otherwise(first)
    return first


def watermark_regressions(seen: DataFrame) -> DataFrame:
    """Return every regression of a high watermark that one witness saw (H7), like `watermarks`."""
    in_order = Window.partitionBy("witness", "partition").orderBy("at_ms", "position")
    return (
        seen.select(
            "witness",
            "partition",
            F.lag("end").over(in_order).alias("before"),
            F.col("end").alias("after"),
            F.lag("at_ms").over(in_order).alias("before_at_ms"),
            F.col("at_ms").alias("after_at_ms"),
        )
        .where("after < before")
        .orderBy("after_at_ms", "witness", "partition")
    )


def unavailability(ledger: DataFrame, threshold_us: int) -> DataFrame:
    """Return the windows of each partition in which records were sent and none acknowledged.

    A window begins with the first record sent after an acknowledgement. It ends with the next
    acknowledgement, or with the last record sent if there was none. Only windows longer than
    `threshold_us` count. Acknowledgements with acks=0 come from the client and are ignored.
    """
    asked = ledger.where(F.col("acks") != "0")
    acked = F.col("status") == "acked"
    return (
        asked.withColumn("bucket", F.floor(F.col("send_us") / threshold_us))
        .join(F.broadcast(_silences(asked, acked, threshold_us)), ["partition", "bucket"])
        .where((F.col("send_us") > F.col("since_us")) & (F.col("send_us") <= F.col("until_us")))
        .groupBy("partition", "since_us", "next_us")
        .agg(F.min("send_us").alias("began_us"), F.max("send_us").alias("last_us"))
        .select("partition", "began_us", F.coalesce("next_us", "last_us").alias("ended_us"))
        .where(F.col("ended_us") - F.col("began_us") > threshold_us)
    )


def _silences(asked: DataFrame, acked: Column, threshold_us: int) -> DataFrame:
    """Return the times without an acknowledgement, one row for each time bucket that they touch.

    A bucket is as long as the threshold, so no silence within one is too long, and it is enough to
    sort buckets instead of records.
    """
    in_order = Window.partitionBy("partition").orderBy("at")
    answers = (
        asked.where(acked)
        .groupBy("partition", F.floor(F.col("ack_us") / threshold_us).alias("at"))
        .agg(F.min("ack_us").alias("first_us"), F.max("ack_us").alias("since_us"))
        .withColumn("next_us", F.lead("first_us").over(in_order))
        .select("partition", "since_us", "next_us")
    )
    extents = asked.groupBy("partition").agg(
        F.min("send_us").alias("first_send_us"),
        F.max("send_us").alias("last_send_us"),
        F.min(F.when(acked, F.col("ack_us"))).alias("next_us"),
    )
    before_all = extents.select("partition", F.lit(-1).cast("bigint").alias("since_us"), "next_us")
    until_us = F.least(F.coalesce("next_us", "last_send_us"), F.col("last_send_us"))
    from_us = F.greatest("since_us", "first_send_us")
    return (
        answers.unionByName(before_all)
        .join(extents.drop("next_us"), "partition")
        .withColumns({"from_us": from_us, "until_us": until_us})
        .where("until_us >= from_us")
        .where(F.coalesce(F.col("next_us") - F.col("since_us") > threshold_us, F.lit(True)))
        .select(
            "partition",
            "since_us",
            "next_us",
            "until_us",
            F.explode(
                F.sequence(
                    F.floor(F.col("from_us") / threshold_us),
                    F.floor(F.col("until_us") / threshold_us),
                )
            ).alias("bucket"),
        )
    )


def summarise_windows(windows: DataFrame) -> dict[str, dict[str, int]]:
    """Return by partition the number of windows, their sum, and the longest one."""
    length = F.col("ended_us") - F.col("began_us")
    rows = (
        windows.groupBy("partition")
        .agg(
            F.count("*").alias("windows"),
            _whole_ms(F.sum(length)).alias("total_ms"),
            _whole_ms(F.max(length)).alias("longest_ms"),
            _whole_ms(F.max_by("began_us", length)).alias("began_at_ms"),
        )
        .orderBy("partition")
        .collect()
    )
    return {str(row["partition"]): {key: row[key] for key in _WINDOW_FIELDS} for row in rows}


_WINDOW_FIELDS = ("windows", "total_ms", "longest_ms", "began_at_ms")


def _whole_ms(micros: Column) -> Column:
    return F.floor(micros / _US_PER_MS).cast("bigint")
