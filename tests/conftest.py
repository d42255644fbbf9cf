"""Settings that every test shares, and how tests are spread over processes (pytest-xdist)."""

import os

import pytest
from hypothesis import settings

from minikafka.server import ports
from tests.side_by_side import Groups, place_of

# A run must not depend on luck. `make soak` draws new examples, and prints how to repeat one.
settings.register_profile("ci", derandomize=True, deadline=None)
# Hypothesis' own defaults depend on the environment variable CI.
settings.register_profile("soak", derandomize=False, deadline=None, print_blob=True, database=None)
settings.load_profile("ci")


def pytest_configure(config):
    """Give each process of pytest separate ports: its clusters choose among them."""
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        usable, count = ports.choice(), worker["workercount"]
        number = int(worker["workerid"].removeprefix("gw"))
        part = len(usable) // count
        first = usable[number * part]
        os.environ[ports.VARIABLE] = f"{first}-{first + part}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep the tests of a group in one process, where `--dist loadgroup` asks for it."""
    return Groups(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_modifyitems(items):
    """Begin with the longest groups; the tests of each keep their order."""
    items.sort(key=lambda item: place_of(item.nodeid))
