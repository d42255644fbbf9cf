"""A cluster is ready when its brokers know one another."""

import socket

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.membership import await_everybody
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
)
from tests.worlds.fake_server import ANSWERS, Server


@pytest.fixture
def learner():
    """A broker that knows one more broker with every answer."""
    answered = []

    def metadata(server, _request):
        answered.append(server)
        known = range(1, len(answered) + 1)
        return MetadataResponse(
            brokers=[MetadataResponseBroker(node, "127.0.0.1", server.port) for node in known]
        )

    server = Server({**ANSWERS, MetadataRequest: metadata})
    yield server, answered
    server.close()


def test_a_broker_is_asked_until_it_knows_all_others(learner):
    server, answered = learner
    await_everybody([server.address], [1, 2, 3], timeout_s=10)
    assert len(answered) == 3


def test_names_for_others_are_not_resolved_here(monkeypatch):
    asked, answers = [], []

    def metadata(server, _request):
        answers.append(server)
        if len(answers) == 2:
            raise KeyError  # the connection is closed
        known = range(len(answers))
        return MetadataResponse(
            brokers=[MetadataResponseBroker(node, "kafka.invalid", server.port) for node in known]
        )

    def resolve(host, *_, **__):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    server = Server({**ANSWERS, MetadataRequest: metadata})
    usual = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo",
        lambda host, *it, **them: (usual if host == "127.0.0.1" else resolve)(host, *it, **them),
    )  # fmt: skip
    try:
        hosts = {"kafka.invalid": "127.0.0.1"}
        await_everybody([server.address], [0, 1, 2], timeout_s=10, hosts=hosts)
    finally:
        server.close()
    assert asked == []


def test_brokers_that_stay_unknown_are_named():
    server = Server(ANSWERS)
    try:
        with pytest.raises(AdminError, match=r"does not list \[8, 9\]"):
            await_everybody([server.address], [7, 8, 9], timeout_s=0.2)
    finally:
        server.close()
