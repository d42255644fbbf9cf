"""The Spark session of a run; on a Spark cluster the same as on one machine (S4).

A process has one session. The caller chooses the master. Driver memory and addresses are set only
for a local master, since on a cluster spark-submit sets them.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pyspark
from pyspark import SparkConf
from pyspark.sql import SparkSession

_ALWAYS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.session.timeZone": "UTC",
    "spark.task.maxFailures": "8",
    "spark.sql.streaming.stopTimeout": "30s",
}
_LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
}
_SMALL = {
    # In a run of one minute on two cores the JVM's optimizing compiler costs more than it saves.
    # Without it the cache for compiled code is so small that some fifty batches of a stream fill
    # it, and Spark fails.
    "spark.driver.extraJavaOptions": (
        "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
    ),
}


def make_session(
    master: str, scratch: Path, conf: Mapping[str, str], *, is_small: bool = False
) -> SparkSession:
    """Start Spark; `scratch` gets its warehouse and temporary files, `conf` has precedence.

    `is_small` is True if the run's records can be read and judged within seconds.
    """
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName("minikafka-verify").master(master)
    settings = dict(_ALWAYS)
    if master.startswith("local"):
        settings |= _LOCAL
        if is_small:
            settings |= _SMALL
        settings["spark.local.dir"] = str(scratch.absolute() / "local")
    settings["spark.sql.warehouse.dir"] = str(scratch.absolute() / "warehouse")
    for key, value in {**settings, **conf}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def submitted_session() -> SparkSession:
    """Return the session for which spark-submit started this process; its settings win."""
    builder = SparkSession.builder.appName("minikafka-verify")
    submitted = SparkConf()
    for key, value in _ALWAYS.items():
        if not submitted.contains(key):
            builder = builder.config(key, value)
    return builder.getOrCreate()


def bundled_jars() -> Path:
    """The folder of jars inside the installed PySpark."""
    return Path(pyspark.__file__).parent / "jars"
