"""A controller registers with the active one, until the metadata has this process."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.controller.controller_registration import ControllerRegistrar
from minikafka.messages.controller_registration import ControllerRegistrationResponse, Listener
from minikafka.metadata.broker_registration import ControllerRegistration, Endpoint
from minikafka.metadata.features import (
    CONTROLLERS_FROM,
    DEFAULT_LEVELS,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
)
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.world import World

OWN = ControllerRegistration(
    controller_id=100,
    incarnation_id=Uuid.of(1, 100),
    endpoints=(Endpoint("CONTROLLER", "n100", 9093),),
    features=SUPPORTED_FEATURES,
)


class Registering:
    """A registrar whose requests are answered by hand."""

    def __init__(self):
        self.env = Environment(Random(1))
        self.env.clock.set(Now(0, 0))
        self.requests = []
        self.is_active = False
        self.level = DEFAULT_LEVELS[METADATA_VERSION]
        self.controllers = {}
        self.registrar = ControllerRegistrar(self.env, self, OWN, self)
        self.request_timeout_ms = 5_000

    @property
    def loader(self):
        image = SimpleNamespace(controllers=self.controllers, feature=lambda _: self.level)
        return SimpleNamespace(image=image)

    def send(self, request, version, *, timeout_ms, on_done):
        assert (version, timeout_ms) == (0, 5_000)
        self.requests.append((request, on_done))

    def answer(self, error=ErrorCode.NONE, why=""):
        _, on_done = self.requests[-1]
        on_done(None if why else ControllerRegistrationResponse(error_code=error), why)

    def advance(self, delay_ms):
        now_ms = self.env.clock.monotonic_ms + delay_ms
        self.env.clock.set(Now(now_ms, now_ms))
        self.env.timers.fire_due(now_ms)

    def committed(self):
        self.registrar.metadata_advanced()


@pytest.fixture
def registering():
    return Registering()


def test_the_request_has_incarnation_endpoints_and_features(registering):
    registering.committed()
    ((request, _),) = registering.requests
    assert (request.controller_id, request.incarnation_id) == (100, OWN.incarnation_id)
    assert request.listeners == [Listener("CONTROLLER", "n100", 9093, 0)]
    ranges = {x.name: (x.min_supported_version, x.max_supported_version) for x in request.features}
    assert ranges == {name: (x.minimum, x.maximum) for name, x in SUPPORTED_FEATURES.items()}


def test_the_active_controller_writes_its_own(registering):
    registering.is_active = True
    registering.committed()
    assert registering.requests == []


def test_an_older_metadata_version_has_no_registrations(registering):
    registering.level = CONTROLLERS_FROM - 1
    registering.committed()
    assert registering.requests == []


def test_one_request_at_a_time_until_the_metadata_has_it(registering):
    registering.committed()
    registering.committed()
    registering.answer()
    registering.committed()
    assert len(registering.requests) == 1
    registering.controllers[100] = OWN
    registering.advance(1_000)
    registering.committed()
    assert len(registering.requests) == 1


@pytest.mark.parametrize(
    ("error", "why", "text"),
    [
        (ErrorCode.NONE, "no response", "no response"),
        (ErrorCode.UNSUPPORTED_VERSION, "", "error 35"),
    ],
)
def test_a_request_that_failed_is_repeated_after_a_second(registering, caplog, error, why, text):
    registering.committed()
    registering.answer(error, why)
    assert f"[controller 100] is not registered yet: {text}" in caplog.text
    registering.advance(999)
    assert len(registering.requests) == 1
    registering.advance(1)
    assert len(registering.requests) == 2


def test_an_earlier_process_is_another_incarnation(registering):
    registering.controllers[100] = replace(OWN, incarnation_id=Uuid.of(1, 1))
    registering.committed()
    assert len(registering.requests) == 1


def test_every_controller_of_a_quorum_is_registered_also_after_a_restart():
    cluster = SimCluster(
        world=World(1), brokers=0, separate_controller=True, voters=3, is_dynamic=True
    )
    cluster.start()

    def registered():
        """The incarnations that run, and all of them are in every image."""
        nodes = [node.node for node in cluster.nodes.values() if node.node]
        wanted = {
            each.config.node_id: each.controller.registrar.registration.incarnation_id
            for each in nodes
        }
        return len(nodes) == 3 and all(
            {key: value.incarnation_id for key, value in each.loader.image.controllers.items()}
            == wanted
            for each in nodes
        )

    cluster.world.run_until(registered, 10_000, "all controllers are registered")
    for node_id in cluster.controller_ids:
        cluster.nodes[node_id].kill()
        cluster.nodes[node_id].start()
        cluster.world.run_until(registered, 20_000, f"{node_id} is registered again")
