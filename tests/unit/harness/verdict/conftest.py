"""The engine of the rules: the local one here; `tests/harness` runs the same tests on Spark."""

import pytest

from minikafka.harness.local.engine import LocalEngine


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    with LocalEngine(tmp_path_factory.mktemp("engine")) as engine:
        yield engine
