"""One Spark session for all tests of this folder: it is one a process, and expensive."""

import gc
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from minikafka.harness import preflight
from minikafka.harness.spark.engine import SparkEngine
from minikafka.harness.spark.session import make_session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    preflight.java_version(os.environ)  # a machine without Java fails here, with what to do
    session = make_session(
        "local[2,8]",
        tmp_path_factory.mktemp("spark"),
        {
            "spark.sql.shuffle.partitions": "2",
            # Compiling a plan costs more than it gives for a few hundred rows.
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        },
        is_small=True,
    )
    yield session
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        session.stop()
        gc.collect()


@pytest.fixture(scope="session")
def engine(spark: SparkSession) -> SparkEngine:
    """The engine of the rules: the tests of `tests/unit/harness/verdict` run on it."""
    return SparkEngine(spark)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let py4j leave sockets to the garbage collector, as it does, in this folder alone."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(
                pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
            )
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
