"""The cost of the verdict: both engines over runs of made-up records, by their number.

    python tools/measure_verdict.py [--engine local] [--master local[2]] [--spark-conf KEY=VALUE]
                                    [MILLIONS ...]     (1 5 20)

Writes one line each: seconds of the join and of everything around it, seconds per million records,
and the most memory that this process and those below it had together; on a Spark cluster that is
the driver. Spark makes the records for either engine. Every record is acknowledged, streamed and
read afresh, so that nothing may be found; finding something is an error.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

from minikafka.harness.local.engine import LocalEngine
from minikafka.harness.plan.engines import LOCAL, SPARK
from minikafka.harness.plan.settings import RunFiles
from minikafka.harness.spark.engine import SparkEngine
from minikafka.harness.spark.session import make_session
from minikafka.harness.verdict.engine import Engine
from minikafka.harness.verdict.join import Workings
from minikafka.harness.verdict.judging import Case, judge_files
from minikafka.harness.verdict.relations import LEDGER_SCHEMA
from minikafka.harness.verdict.stream_files import StreamOrigin

_PARTITIONS = 6
_PRODUCERS = 4
_RECORDS_PER_S = 25_000
_BEGAN_US = 1_700_000_000_000_000
_LOOK_EVERY_S = 0.2


def made_up(spark: SparkSession, records: int) -> DataFrame:
    """Record n is in partition n mod 6 at offset n div 6; producers take turns."""
    number, row = F.col("id"), F.floor(F.col("id") / _PARTITIONS)
    at_us = F.lit(_BEGAN_US) + F.floor(number * 1_000_000 / _RECORDS_PER_S)
    return spark.range(records).select(
        (row % _PRODUCERS).alias("pid"),
        (F.floor(row / _PRODUCERS) * _PARTITIONS + number % _PARTITIONS).alias("seq"),
        (number % _PARTITIONS).cast("int").alias("partition"),
        row.alias("offset"),
        F.crc32(number.cast("string")).alias("crc"),
        F.lit(200).alias("size"),
        at_us.alias("send_us"),
    )


def write_run(spark: SparkSession, files: RunFiles, records: int) -> None:
    """The files of a run, as its parts would have left them."""
    rows = made_up(spark, records)
    ledger = rows.select(
        "pid", "seq", "partition", "crc", "size", "send_us",
        F.lit("acked").alias("status"),
        F.col("offset").alias("ack_offset"),
        (F.col("send_us") + 4_000).alias("ack_us"),
        F.floor(F.col("send_us") / 1000).alias("timestamp_ms"),
        F.lit("all").alias("acks"),
        F.lit(True).alias("idempotent"),
        F.floor(F.col("send_us") / 1000).alias("sent_ms"),
    )  # fmt: skip
    names = [part.split()[0] for part in LEDGER_SCHEMA.split(", ")]
    ledger.select(*names).write.parquet(str(files.ledger_table))
    read = rows.select(
        "partition", "offset", "pid", "seq", "crc", "size",
        F.floor(F.col("send_us") / 1000).alias("timestamp_ms"),
        (F.floor(F.col("send_us") / 1000) + 700).alias("read_ms"),
    )  # fmt: skip
    for target in (files.streamed, files.reread, files.reread_uncommitted):
        read.write.parquet(str(target))
    files.events.touch()


class PeakMemory:
    """The most resident memory of this process and all below it, looked at a few times a second."""

    def __init__(self) -> None:
        """Looks until `stop`."""
        self.peak_mib = 0.0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """The peak in MiB."""
        self._stopped.set()
        self._thread.join()
        return self.peak_mib

    def _watch(self) -> None:
        while not self._stopped.wait(_LOOK_EVERY_S):
            self.peak_mib = max(self.peak_mib, sum(map(_resident_mib, _family(os.getpid()))))


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for process in found:
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue  # it has just ended
    return found


def _resident_mib(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def measure(spark: SparkSession, engine: Engine, folder: Path, records: int) -> str:
    """One line about a run of so many records."""
    files = RunFiles(folder)
    folder.mkdir()
    write_run(spark, files, records)
    memory, began_s = PeakMemory(), time.monotonic()
    case = Case(
        streamed=files.streamed, stream_is_complete=True, stream_ends={}, workings=Workings()
    )
    answer = judge_files(engine, files, StreamOrigin("", "made-up", _PARTITIONS), case)
    took_s = time.monotonic() - began_s
    peak_mib = memory.stop()
    wrong = {kind: row["count"] for kind, row in answer["promises"].items() if row["count"]}
    if wrong or answer["counts"]["acknowledged"] != records:
        raise SystemExit(f"{records} records: {wrong or answer['counts']}")
    per_million_s = took_s / records * 1e6
    return f"{records:>12,} {took_s:8.1f} s {per_million_s:8.2f} s/million {peak_mib:8.0f} MiB"


def main() -> int:
    """Measure each number of records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("millions", nargs="*", type=float, default=[1, 5, 20])
    parser.add_argument("--engine", choices=(SPARK, LOCAL), default=SPARK)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--spark-conf", action="append", default=[], metavar="KEY=VALUE")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        conf = dict(setting.split("=", 1) for setting in args.spark_conf)
        spark = make_session(args.master, root / "spark", conf)
        spark.sparkContext.setLogLevel("ERROR")
        engine: Engine = SparkEngine(spark)
        if args.engine == LOCAL:
            engine = LocalEngine(root / "scratch")
        measure(spark, engine, root / "warm-up", 10_000)
        for millions in args.millions:
            name = f"run-{millions:g}"
            print(measure(spark, engine, root / name, int(millions * 1_000_000)), flush=True)
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
