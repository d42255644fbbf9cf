"""The rules of the verdict on Spark; on a Spark cluster the same as on one machine (S4)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

from minikafka.harness.spark.data_sources import register
from minikafka.harness.verdict.engine import Row, columns
from minikafka.harness.verdict.relations import LOOK_SCHEMA, WATERMARK_SCHEMA

_EVENT_SCHEMA = (
    "at_ms bigint, event string, partition int, leader int, isr array<int>,"
    " elr array<int>, witness string, ends map<string, bigint>,"
    " progress struct<sources: array<struct<latestOffset: map<string, map<string, bigint>>>>>"
)


class SparkEngine:
    """An engine (`verdict.engine`) whose relations are temporary views of a session."""

    def __init__(self, spark: SparkSession) -> None:
        """Use a session, which other parts of the process may use as well."""
        self.spark = spark
        self._tables: dict[str, DataFrame] = {}

    def view(self, name: str, sql: str) -> None:
        """Name a statement."""
        self.spark.sql(sql).createOrReplaceTempView(name)

    def table(self, name: str, sql: str) -> None:
        """Name a statement, and cache its rows when they are used first."""
        self.drop(name)
        self._tables[name] = self.spark.sql(sql).cache()
        self._tables[name].createOrReplaceTempView(name)

    def drop(self, name: str) -> None:
        """Release the rows of a table."""
        if name in self._tables:
            self._tables.pop(name).unpersist()

    def values(self, name: str, rows: Iterable[Sequence[Any]], schema: str) -> None:
        """Name a few rows."""
        frame = self.spark.createDataFrame([tuple(row) for row in rows], schema)
        frame.createOrReplaceTempView(name)

    def parquet(self, name: str, files: Path | Sequence[Path], schema: str) -> None:
        """Name the rows of files; Spark gets a folder as such, for its list of committed files."""
        paths = [files] if isinstance(files, Path) else files
        paths = [path for path in paths if path.exists()]
        if paths:
            frame = self.spark.read.schema(schema).parquet(*map(str, paths))
            frame.createOrReplaceTempView(name)
        else:
            self.values(name, [], schema)

    def events(self, looks: str, watermarks: str, files: Sequence[Path]) -> None:
        """Parse files of events in the JVM."""
        lines = self.spark.read.text([str(path) for path in files]).withColumn(
            "position", F.monotonically_increasing_id()
        )
        parsed = lines.select(F.from_json("value", _EVENT_SCHEMA).alias("e"), "position")
        self._replace("events", parsed.select("e.*", "position").cache())
        events = self._tables["events"]
        events.where(F.col("event") == "partition").withColumn("isr_size", F.size("isr")).select(
            *columns(LOOK_SCHEMA)
        ).createOrReplaceTempView(looks)
        watched = events.where(F.col("event") == "high_watermarks").select(
            F.lit("watcher").alias("witness"),
            "at_ms",
            "position",
            F.lit(None).cast("string").alias("topic"),
            F.explode("ends").alias("number", "end_offset"),
        )
        read = (
            events.where(F.col("event") == "progress")
            .select(
                F.coalesce("witness", F.lit("spark")).alias("witness"),
                "at_ms",
                "position",
                F.explode("progress.sources").alias("source"),
            )
            .select(
                "witness", "at_ms", "position", F.explode("source.latestOffset").alias("topic", "e")
            )
            .select(
                "witness",
                "at_ms",
                "position",
                "topic",
                F.explode("e").alias("number", "end_offset"),
            )
        )
        watched.unionByName(read).withColumn("number", F.col("number").cast("int")).select(
            *columns(WATERMARK_SCHEMA)
        ).createOrReplaceTempView(watermarks)

    def _replace(self, name: str, frame: DataFrame) -> None:
        self.drop(name)
        self._tables[name] = frame

    def ledgers(self, folder: Path, target: Path) -> None:
        """Let each executor read one ledger after the other."""
        register(self.spark)
        rows = self.spark.read.format("minikafka-ledger").load(str(folder))
        rows.write.parquet(str(target))

    def observe(
        self, name: str, sql: str, totals: Mapping[str, str]
    ) -> Callable[[], Mapping[str, Any]]:
        """Name a statement, and observe its rows when they are written."""
        summary = Observation(name)
        aggregates = [F.expr(value).alias(total) for total, value in totals.items()]
        self.spark.sql(sql).observe(summary, *aggregates).createOrReplaceTempView(name)
        return lambda: summary.get

    def rows(self, sql: str) -> list[Row]:
        """Collect the rows of a statement."""
        return [row.asDict() for row in self.spark.sql(sql).collect()]

    def write(self, sql: str, folder: Path) -> None:
        """Write the rows of a statement as parquet."""
        self.spark.sql(sql).write.mode("error").parquet(str(folder))

    def exploded(self, items: Sequence[str]) -> str:
        """Return an expression with a row for each item that is not null."""
        return f"explode(array_compact(array({', '.join(items)})))"

    def numbers(self, first: str, last: str) -> str:
        """Return an expression with a row for each number."""
        return f"explode(sequence({first}, {last}))"

    def content(self, columns: Sequence[str]) -> str:
        """Return a hash of 64 bits."""
        return f"xxhash64({', '.join(columns)})"

    def percentiles(self, value: str, shares: Sequence[float]) -> str:
        """Return approximate percentiles; as JSON, since an observation has no arrays."""
        return f"to_json(percentile_approx({value}, array({', '.join(map(str, shares))})))"
