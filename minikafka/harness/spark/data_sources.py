"""The ledgers and logs of a run as Spark DataFrames, by PySpark's Python data sources.

    register(spark)
    spark.read.format("minikafka-ledger").load(FOLDER)         one row per record, as `ledger_table`
    spark.read.format("minikafka-log").option("topic", TOPIC).load(FOLDER)

`minikafka-ledger` reads a folder of `*.msgpack` or one such file. `minikafka-log` reads every log
directory (a folder with `meta.properties`) below a folder, of minikafka or of Apache Kafka, and
returns one row for each batch of each replica. A task reads one ledger or one replica.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from minikafka.harness.clusters.replicas import find_replicas, read_replica
from minikafka.harness.verdict.relations import LEDGER_SCHEMA

if TYPE_CHECKING:
    import pyarrow as pa

LOG_SCHEMA = (
    "log_dir string, topic string, partition int, high_watermark bigint, base_offset bigint,"
    " last_offset bigint, leader_epoch int, size int, crc bigint"
)


def register(spark: SparkSession) -> None:
    """Register both sources with a session; once is enough."""
    spark.dataSource.register(LedgerSource)
    spark.dataSource.register(LogSource)


class LedgerSource(DataSource):  # type: ignore[misc]
    """The ledgers of producers."""

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return "minikafka-ledger"

    def schema(self) -> str:
        """The columns of `ledger_table`."""
        return LEDGER_SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:  # noqa: ARG002 - Spark's signature
        """Return a reader of the files of the option `path`."""
        return _LedgerReader(Path(self.options["path"]))


class _LedgerReader(DataSourceReader):  # type: ignore[misc]
    def __init__(self, path: Path) -> None:
        self._path = path

    def partitions(self) -> Sequence[InputPartition]:
        path = self._path
        files = sorted(path.glob("*.msgpack")) if path.is_dir() else [path]
        return [InputPartition(str(file)) for file in files if file.stat().st_size]

    def read(self, partition: InputPartition) -> Iterator["pa.RecordBatch"]:
        from minikafka.harness.clients.ledger_table import read_ledger

        yield from read_ledger(Path(partition.value)).to_arrow().to_batches()


class LogSource(DataSource):  # type: ignore[misc]
    """The logs of replicas, with one row per batch."""

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return "minikafka-log"

    def schema(self) -> str:
        """The place of a batch, and the columns that identify its bytes."""
        return LOG_SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:  # noqa: ARG002 - Spark's signature
        """Return a reader of the log directories below `path`, for one `topic` or for all."""
        return _LogReader(Path(self.options["path"]), self.options.get("topic"))


class _LogReader(DataSourceReader):  # type: ignore[misc]
    def __init__(self, path: Path, topic: str | None) -> None:
        self._path = path
        self._topic = topic

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(str(each)) for each in find_replicas(self._path, self._topic)]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        yield from read_replica(Path(partition.value))


def differing_batches(log: DataFrame) -> DataFrame:
    """Return the offsets at which replicas have different bytes; `log` has `LOG_SCHEMA`.

    Each replica counts up to its own high watermark, as in `compare_replicas`.
    """
    content = F.struct("last_offset", "leader_epoch", "size", "crc")
    return (
        log.where("last_offset < high_watermark")
        .groupBy("topic", "partition", "base_offset")
        .agg(F.count_distinct(content).alias("versions"), F.collect_set("log_dir").alias("in"))
        .where("versions > 1")
    )
