"""The versions of the programs that take part in a run."""

import importlib.metadata
import platform
from collections.abc import Mapping
from typing import Any

import confluent_kafka

from minikafka.harness.spark import jars

_PACKAGES = ("minikafka", "confluent-kafka", "aiokafka", "kafka-python", "pyspark")


def versions(session: Mapping[str, Any] | None, java: str) -> dict[str, str]:
    """Return the versions; `session` is what Spark reported, `java` is used without it."""
    return {
        "python": platform.python_version(),
        "java": str((session or {}).get("java", java)),
        "connector": jars.CONNECTOR,
        "librdkafka": confluent_kafka.libversion()[0],
        **{name: importlib.metadata.version(name) for name in _PACKAGES},
    }
