"""The configuration of a broker's replicas."""

import pytest

from minikafka.config.node_config import node_config
from minikafka.node.assembly import assemble
from tests.worlds.sim_world import node_inputs, started_cluster


@pytest.mark.parametrize(("text", "hands_over"), [("true", True), ("false", False)])
def test_a_broker_is_configured_to_hand_over_or_not_when_it_stops(text, hands_over):
    cluster = started_cluster(1)
    cluster.nodes[1].kill()
    sim, inputs = node_inputs(cluster)
    given = {**sim.given, "controlled.shutdown.enable": text}
    assert assemble(node_config(given), inputs).broker.lifecycle.settings.hands_over is hands_over
