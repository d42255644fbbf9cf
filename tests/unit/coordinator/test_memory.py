"""The bound of a coordinator's memory."""

from types import SimpleNamespace

import pytest

from minikafka.common.errors import CoordinatorNotAvailableError
from minikafka.config import transaction_keys
from minikafka.config.values import Config
from minikafka.coordinator.memory import MemoryBound

MAX_BYTES = 1 << 20


@pytest.fixture
def bound():
    config = Config({transaction_keys.COORDINATOR_MEMORY_BYTES.name: str(MAX_BYTES)})
    view = SimpleNamespace(config=config)
    return MemoryBound(view, transaction_keys.COORDINATOR_MEMORY_BYTES, "transaction")


def test_more_is_allowed_up_to_the_bound(bound):
    bound.held_bytes = MAX_BYTES - 1
    bound.require(1)
    with pytest.raises(CoordinatorNotAvailableError):
        bound.require(2)


def test_less_is_allowed_above_the_bound(bound):
    bound.held_bytes = 2 * MAX_BYTES
    bound.require(0)
    bound.require(-1)


def test_a_rejection_is_logged_with_the_key_of_the_bound(bound, caplog):
    bound.held_bytes = 7
    with pytest.raises(CoordinatorNotAvailableError):
        bound.require(MAX_BYTES)
    (record,) = caplog.records
    assert record.name == "minikafka.transaction"
    assert record.getMessage() == (
        "a request that would add 1048576 bytes to transactions is rejected with "
        "COORDINATOR_NOT_AVAILABLE: transactions use 7 bytes, and "
        "transaction.coordinator.memory.bytes is 1048576"
    )
