"""The checks before anything is started: Java, the `verify` extra, and what the settings name.

This module must not import packages of the extra.
"""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from minikafka.harness.clusters.external_cluster import require_brokers
from minikafka.harness.clusters.namespaces import NamespaceNetwork
from minikafka.harness.plan.engines import LOCAL, SPARK
from minikafka.harness.plan.settings import HarnessError, RunSettings
from minikafka.harness.spark.jars import JarSource

JAVA_AT_LEAST = 17

_CLIENT_MODULES = ("aiokafka", "confluent_kafka", "msgpack", "numpy", "pyarrow", "rich")
_ENGINE_MODULES = {SPARK: ("pyspark",), LOCAL: ("duckdb",)}
_EXTRAS = {SPARK: "verify", LOCAL: "verify-local"}
_PAGE_MODULE = "vl_convert"


def check(engine: str, environ: Mapping[str, str] = os.environ) -> str:
    """Check the machine; return Java's version, or "" for the local engine, which needs none.

    Raises:
        HarnessError: names what is missing and how to get it.
    """
    require_packages(engine, importlib.util.find_spec)
    return java_version(environ) if engine == SPARK else ""


def can_draw() -> bool:
    """True if the package that draws pages is installed."""
    return importlib.util.find_spec(_PAGE_MODULE) is not None


def check_run(settings: RunSettings, environ: Mapping[str, str] = os.environ) -> None:
    """Check what the settings name: jars, a cluster, tools, namespaces.

    Raises:
        HarnessError: names what is missing and what to do.
    """
    if settings.engine == SPARK:
        JarSource.choose(environ, Path.home(), settings.jars)
    if settings.bootstrap_servers:
        require_brokers(settings.bootstrap_servers)
    if settings.kafka_tools and not (settings.kafka_tools / "kafka-cluster").is_file():
        raise HarnessError(
            f"--kafka-tools {settings.kafka_tools}: the folder has no script kafka-cluster; name"
            " the folder with the scripts that start an Apache Kafka on this machine."
        )
    if settings.network == "namespaces" and (problem := NamespaceNetwork().problem()):
        raise HarnessError(f"--network namespaces: {problem}; use --network proxy.")


def require_packages(engine: str, find_spec: Callable[[str], object]) -> None:
    """Raise unless every package of the engine's extra can be imported."""
    needed = (*_CLIENT_MODULES, *_ENGINE_MODULES[engine])
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        names = ", ".join(missing)
        raise HarnessError(
            f"The verification run needs {names}; install with"
            f" pip install 'minikafka[{_EXTRAS[engine]}]'."
        )


def java_version(environ: Mapping[str, str]) -> str:
    """Return the version of the Java that Spark will use: JAVA_HOME's, else the PATH's.

    Raises:
        HarnessError: if there is no Java, or it is too old.
    """
    home = environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java", path=_path(environ))
    if java is None:
        raise HarnessError(
            f"Spark needs Java {JAVA_AT_LEAST} or newer, but there is no java on the PATH; "
            "install one, set JAVA_HOME, or use --engine local."
        )
    try:
        said = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=30, check=True
        ).stderr
    except (OSError, subprocess.SubprocessError) as error:
        raise HarnessError(
            f"Spark needs Java {JAVA_AT_LEAST} or newer, but {java} cannot be run: {error}"
        ) from error
    version = parse_java_version(said)
    if version is None or version[0] < JAVA_AT_LEAST:
        found = version[1] if version else repr(said)
        raise HarnessError(
            f"Spark needs Java {JAVA_AT_LEAST} or newer, but {java} is {found}; "
            "install one, set JAVA_HOME, or use --engine local."
        )
    return version[1]


def _path(environ: Mapping[str, str]) -> str:
    return environ.get("PATH", os.defpath)


def parse_java_version(said: str) -> tuple[int, str] | None:
    """Parse the output of `java -version`: major number (8 for 1.8) and whole version."""
    match = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', said)
    return (int(match[2]), match[1]) if match else None
