"""Names in advertised.listeners that cannot be resolved are a warning."""

import asyncio
import logging
import socket

from minikafka.config.node_config import node_config
from minikafka.server.advertised import advertised_names, warn_of_unknown_names


def config(advertised):
    return node_config(
        {
            "process.roles": "broker,controller",
            "node.id": "1",
            "listeners": "PLAINTEXT://:23410,CONTROLLER://:23411",
            "advertised.listeners": advertised,
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": "1@127.0.0.1:23411",
            "log.dirs": "/tmp/data",
        }
    )


def test_addresses_are_no_names():
    for host in ("127.0.0.1", "[::1]"):
        assert advertised_names([config(f"PLAINTEXT://{host}:23410")]) == {}


def test_a_name_that_is_unknown_is_a_warning(caplog, monkeypatch):
    names = advertised_names([config("PLAINTEXT://nohost.invalid:23410")])
    assert names == {"nohost.invalid": ["PLAINTEXT://nohost.invalid:23410"]}

    def resolve(host, *_):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with caplog.at_level(logging.WARNING):
        asyncio.run(warn_of_unknown_names(names))
    (record,) = caplog.records
    assert record.getMessage() == (
        "advertised.listeners: clients are told PLAINTEXT://nohost.invalid:23410, and its name "
        "cannot be resolved here: Name or service not known"
    )
