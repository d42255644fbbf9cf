"""Requests about delegation tokens have the answers of Apache Kafka 4.3.1.

The steps are those of `token_cases`.
"""

import json

import pytest

from minikafka.messages.api_keys import response_class
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.conformance.authorization_play import TOKENS
from tests.conformance.token_cases import ANONYMOUS, STEPS, play
from tests.worlds.token_cluster import TokenCluster

KAFKA = json.loads(TOKENS.read_text())


class _Client:
    def __init__(self, client):
        self._client = client

    def ask(self, request, version):
        return self._client.ask(request, response_class(request.API_KEY), version=version)

    def close(self):
        self._client.close()


@pytest.fixture(scope="module")
def answers():
    tokens = TokenCluster()
    world = tokens.cluster.world
    clock = tokens.cluster.nodes[1].clock

    def connect(who, token):
        if token is not None:
            return _Client(tokens.token_client(*token))
        if who == ANONYMOUS:
            return _Client(tokens.cluster.client(ANONYMOUS, port=INTERNAL_PORT))
        return _Client(tokens.client(who))

    return play(connect, lambda: clock.now.wall_ms, world.run)


@pytest.mark.parametrize("name", KAFKA)
def test_the_answer_is_that_of_kafka(answers, name):
    assert answers[name] == KAFKA[name]


def test_every_step_is_recorded():
    assert list(KAFKA) == [step.name for step in STEPS]
