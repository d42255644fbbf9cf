"""The versions of the programs that take part in a run."""

import importlib.metadata
import platform
from collections.abc import Mapping
from typing import Any

import confluent_kafka

from minikafka.harness.plan.engines import LOCAL, SPARK
from minikafka.harness.spark import jars

_PACKAGES = ("minikafka", "confluent-kafka", "aiokafka", "kafka-python")
_OF_ENGINE = {SPARK: "pyspark", LOCAL: "duckdb"}


def versions(engine: str, session: Mapping[str, Any] | None, java: str) -> dict[str, str]:
    """Return the versions; `session` is what Spark reported, `java` is used without it."""
    of_spark = {
        "java": str((session or {}).get("java", java)),
        "connector": jars.CONNECTOR,
    }
    return {
        "python": platform.python_version(),
        **(of_spark if engine == SPARK else {}),
        "librdkafka": confluent_kafka.libversion()[0],
        **{name: _version(name) for name in (*_PACKAGES, _OF_ENGINE[engine])},
    }


def _version(name: str) -> str:
    """Return the version of a package; "" if it is not installed, as one client may be."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
