"""No request ends a node: any well-formed request is answered, or its connection is closed."""

from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from minikafka.messages.api_keys import ApiKey
from minikafka.serving.index import MODULES
from minikafka.serving.registry import BROKER, CONTROLLER
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.sim_cluster import BROKER_PORT, CONTROLLER_PORT
from tests.worlds.odd_requests import odd_request
from tests.worlds.sim_world import create_topic, produce, started_cluster

WAITING = (ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.DELETE_RECORDS)
"""Requests that wait for partitions by name are drawn more often."""
PORTS = {BROKER: BROKER_PORT, CONTROLLER: CONTROLLER_PORT}
REQUESTS = 12
ANSWERED_WITHIN_MS = 70_000
FEW = settings(
    deadline=None,
    database=None,
    # A seed has nothing that could be made smaller.
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
SERVED = [(role, key, name) for role, apis in MODULES.items() for key, (name, _, _) in apis.items()]


@pytest.mark.parametrize(
    ("role", "key"), [row[:2] for row in SERVED], ids=[f"{row[2]}-{row[0]}" for row in SERVED]
)
def test_every_request_is_answered_and_the_node_lives(role, key):
    @settings(FEW, max_examples=40 if role == BROKER and key in WAITING else 6)
    @given(st.integers(0, 2**32))
    def check(seed):
        rng = Random(seed)
        cluster = started_cluster(2)
        ids = [create_topic(cluster, name, partitions=2) for name in ("t", "u")]
        produce(cluster.client(), "t", b"before")
        answers = [ask(cluster, role, key, rng, ids) for _ in range(REQUESTS)]
        cluster.world.run_until(lambda: all(answers), ANSWERED_WITHIN_MS, "every answer")
        assert all(node.alive for node in cluster.nodes.values())

    check()


def ask(cluster, role, key, rng, topic_ids):
    """Send one request on a connection of its own; its answer, or None where that was closed."""
    _, low, high = MODULES[role][key]
    version = rng.randint(low, high)
    client = SimClient(cluster.world, cluster.network, "odd", ("n1", PORTS[role]))
    answers = []
    client.send(odd_request(key, version, rng, topic_ids), answers.append, version=version)
    return answers
