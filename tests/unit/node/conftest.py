"""The dispatcher of a node."""

import pytest

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.heartbeat import HeartbeatResponse
from minikafka.messages.produce import ProduceResponse
from tests.unit.node.dispatcher_world import DispatcherWorld


@pytest.fixture
def world(monkeypatch):
    world = DispatcherWorld(monkeypatch)
    world.serve(ApiKey.HEARTBEAT, lambda _, __: HeartbeatResponse())
    world.parks(ApiKey.PRODUCE, ProduceResponse())
    return world
