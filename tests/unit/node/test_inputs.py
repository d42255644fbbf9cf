"""The addresses that a node registers."""

from minikafka.config.node_config import node_config
from minikafka.node.assembly import assemble
from tests.worlds.sim_world import node_inputs, started_cluster


def test_advertised_addresses_are_told_with_the_port_that_was_bound():
    cluster = started_cluster(1)
    cluster.nodes[1].kill()
    sim, inputs = node_inputs(cluster)
    given = {
        **sim.given,
        "listeners": "PLAINTEXT://n1:0,CONTROLLER://n1:9093",
        "inter.broker.listener.name": "PLAINTEXT",
        "advertised.listeners": "PLAINTEXT://elsewhere:0",
    }
    bound = inputs._replace(ports={"PLAINTEXT": 4711, "CONTROLLER": 9093})
    node = assemble(node_config(given), bound)
    (endpoint,) = node.broker.lifecycle.endpoints
    assert (endpoint.host, endpoint.port) == ("elsewhere", 4711)
