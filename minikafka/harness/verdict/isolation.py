"""The comparison of a read_committed and a read_uncommitted read, as Spark DataFrames.

Without transactions both must return the same records. With transactions read_uncommitted also
returns aborted and open ones; read_committed never returns a record that the other does not.

Digests of ranges of offsets are compared first, so that two equal reads cost one small shuffle.
"""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

_STRETCH = 4_096


class Isolation(NamedTuple):
    """The findings, and the numbers of records that both reads or only one of them returned."""

    findings: DataFrame
    counts: dict[str, int]


def compare(
    ledger: DataFrame, committed: DataFrame, uncommitted: DataFrame, *, transactions: bool
) -> Isolation:
    """Compare two reads; the read_uncommitted one was made first.

    Records after the end of that read may have been appended later and are not compared.
    """
    ends = uncommitted.groupBy("partition").agg(F.max("offset").alias("end"))
    comparable = committed.join(F.broadcast(ends), "partition").where("offset <= end").drop("end")
    differing = _differing(comparable, uncommitted).cache()
    counted = differing.groupBy("side").count().collect()
    by_side = {row["side"]: row["count"] for row in counted}
    status = F.broadcast(differing.select("pid", "seq").distinct())
    known = ledger.join(status, ["pid", "seq"]).select("pid", "seq", "status")
    judged = differing.join(F.broadcast(known), ["pid", "seq"], "left")
    is_allowed = (
        (F.col("side") == "uncommitted")
        & F.col("status").isin("failed", "unknown")
        & F.lit(transactions)
    )
    findings = judged.where(~F.coalesce(is_allowed, F.lit(False))).select(
        F.lit("isolation_difference").alias("kind"),
        "pid",
        "seq",
        "partition",
        "offset",
        F.lit(1).cast("bigint").alias("severity"),
        F.to_json(F.struct(F.col("side").alias("only_in"), "status")).alias("detail"),
        F.lit(None).cast("bigint").alias("at_us"),
    )
    counts = {
        "read_committed": committed.count(),
        "read_uncommitted": uncommitted.count(),
        "only_committed": by_side.get("committed", 0),
        "only_uncommitted": by_side.get("uncommitted", 0),
        "only_uncommitted_aborted": judged.where(
            (F.col("side") == "uncommitted") & (F.col("status") == "failed")
        ).count(),
    }
    return Isolation(findings, counts)


def _differing(committed: DataFrame, uncommitted: DataFrame) -> DataFrame:
    """Return the rows that only one read has, with `side`, the name of that read."""
    digests = _digest(committed, 1).unionByName(_digest(uncommitted, -1))
    differing = F.broadcast(
        digests.groupBy("partition", "stretch")
        .agg(F.sum("rows").alias("rows"), F.bit_xor("digest").alias("digest"))
        .where("rows != 0 or digest != 0")
        .select("partition", "stretch")
    )
    sides = [
        frame.withColumn("stretch", _stretch())
        .join(differing, ["partition", "stretch"])
        .select("partition", "offset", "pid", "seq", "crc", F.lit(side).alias("side"))
        for side, frame in (("committed", committed), ("uncommitted", uncommitted))
    ]
    return (
        sides[0]
        .unionByName(sides[1])
        .groupBy("partition", "offset", "pid", "seq", "crc")
        .agg(F.min("side").alias("side"), F.max("side").alias("other"))
        .where("side = other")
        .drop("other")
    )


def _stretch() -> Column:
    return F.floor(F.col("offset") / _STRETCH)


def _digest(read: DataFrame, sign: int) -> DataFrame:
    content = F.xxhash64("partition", "offset", "pid", "seq", "crc")
    return read.groupBy("partition", _stretch().alias("stretch")).agg(
        (F.count("*") * sign).alias("rows"), F.bit_xor(content).alias("digest")
    )
