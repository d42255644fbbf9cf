"""The rights that each API requires are those that Apache Kafka 4.3.1 requires.

The cases are those of `authorization_cases`; a simulated cluster answers as Kafka has answered.
"""

import re
from pathlib import Path

import pytest

from minikafka.messages.api_keys import APIS, ApiKey, response_class
from minikafka.serving.index import MODULES
from tests.conformance.authorization_cases import CASES
from tests.conformance.authorization_play import Play, recorded
from tests.worlds.authorized_cluster import AuthorizedCluster

KAFKA = recorded()


class _Client:
    """A client of the simulated cluster, with the interface of a connection."""

    def __init__(self, client):
        self._client = client

    def ask(self, request, version):
        return self._client.ask(request, response_class(request.API_KEY), version=version)

    def close(self):
        self._client.close()


@pytest.fixture(scope="module")
def play():
    secured = AuthorizedCluster(separate_controller=False)
    admin = _Client(secured.admin())

    def wait(condition):
        for _ in range(100):
            if condition():
                return
            secured.settle()
            secured.cluster.world.run(100)
        raise AssertionError("the condition does not hold")

    return Play(admin.ask, lambda listener: _Client(secured.client(listener=listener)), wait)


@pytest.fixture(scope="module")
def topic_id(play):
    return play.prepare()


def test_every_api_has_a_case():
    served = {key for role in MODULES.values() for key in role}
    assert served - {case.request.API_KEY for case in CASES} == {
        # These require no right.
        ApiKey.API_VERSIONS,
        ApiKey.SASL_HANDSHAKE,
        ApiKey.SASL_AUTHENTICATE,
        # Only for clients that have logged in; see test_tokens.py.
        ApiKey.CREATE_DELEGATION_TOKEN,
        ApiKey.RENEW_DELEGATION_TOKEN,
        ApiKey.EXPIRE_DELEGATION_TOKEN,
        ApiKey.DESCRIBE_DELEGATION_TOKEN,
        ApiKey.GET_REPLICA_LOG_INFO,  # Kafka has no such API; see test_get_replica_log_info.py.
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rights_are_those_of_kafka(play, topic_id, case):
    assert play.case(case, topic_id) == KAFKA[case.name]


def test_the_document_names_every_api():
    page = (Path(__file__).parents[2] / "docs" / "authorization.md").read_text()
    table = page[page.index("## Rights by API") :]
    names = {APIS[key].name for role in MODULES.values() for key in role}
    names -= {"SaslHandshake", "SaslAuthenticate"}
    assert {name for name in names if not re.search(rf"\b{name}\b", table)} == set()
