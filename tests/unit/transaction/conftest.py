"""A transaction coordinator as a fixture."""

import pytest

from tests.worlds.transaction_world import TransactionWorld


@pytest.fixture
def world():
    return TransactionWorld()


@pytest.fixture
def make_world():
    return TransactionWorld
