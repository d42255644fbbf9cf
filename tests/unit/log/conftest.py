"""Log directories for the tests of their manager."""

import pytest

from minikafka.common.ids import Uuid
from tests.worlds.log_directories import formatted


@pytest.fixture
def disks():
    return [formatted("one", Uuid.of(1, 1)), formatted("two", Uuid.of(2, 2))]
