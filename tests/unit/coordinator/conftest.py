"""A group coordinator as a fixture."""

import pytest

from tests.worlds.group_world import World


@pytest.fixture
def world():
    return World()


@pytest.fixture
def make_world():
    return World
