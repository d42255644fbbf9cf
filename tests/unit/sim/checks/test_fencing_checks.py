"""FencedInTime objects to a broker that was fenced in its session, unless it asked for that."""

import pytest

from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.fencing_checks import FencingChecks
from minikafka.sim.world.sim_cluster import CONTROLLER_PORT
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import started_cluster


class Side:
    """A cluster whose active controller is checked after each step."""

    def __init__(self):
        self.cluster = started_cluster(2, separate_controller=True)
        self.node = self.cluster.nodes[self.cluster.controller_id]
        self.controller = self.node.node.controller
        self.coverage = Coverage()
        checks = FencingChecks(self.cluster.nodes, self.coverage)
        checks.check(self.node, self.controller)
        self.cluster.on_step = lambda _: checks.check(self.node, self.controller)

    @property
    def broker(self):
        return self.controller.latest.brokers[2]


@pytest.fixture
def side():
    return Side()


def test_a_broker_that_is_fenced_in_its_session_is_found(side):
    side.controller.env.later(lambda: side.controller._fence(side.broker))
    with pytest.raises(Violation, match="FencedInTime: n100 has fenced n2"):
        side.cluster.world.run(100)


def test_a_heartbeat_that_asks_for_it_is_no_violation(side):
    request = BrokerHeartbeatRequest(
        broker_id=2,
        broker_epoch=side.broker.epoch,
        current_metadata_offset=1 << 40,
        want_fence=True,
    )
    client = side.cluster.client(node_id=side.cluster.controller_id, port=CONTROLLER_PORT)
    client.ask(request, BrokerHeartbeatResponse)
    assert side.coverage.events["brokers fenced by their heartbeats"] == 1


def test_a_broker_that_was_killed_is_fenced_immediately(side):
    side.cluster.nodes[2].kill()
    side.cluster.world.run(1_000)
    assert side.broker.fenced
    assert side.coverage.events["brokers fenced before their sessions ended"] == 1
