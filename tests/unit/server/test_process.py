"""Addresses that a node binds before it reads its disks."""

import asyncio
import builtins
import socket
import sys

import pytest

from minikafka.config.broker import METRICS_HTTP_LISTEN
from minikafka.config.node_config import node_config
from minikafka.server.process import RunningNode, StartError


async def bound(**given):
    values = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": "1@127.0.0.1:1",
        "log.dirs": "/nowhere",
    }
    given = {key.replace("_", "."): value for key, value in given.items()}
    node = RunningNode(node_config({**values, **given}), asyncio.get_running_loop(), lambda _: None)
    try:
        await node.bind()
        return node.config
    finally:
        node.close()


async def test_metrics_are_off_unless_asked_for():
    config = await bound()
    assert config.metrics_address is None
    assert METRICS_HTTP_LISTEN not in config.values


async def test_the_port_that_was_taken_is_in_the_configuration():
    config = await bound(metrics_http_listen="127.0.0.1:0")
    host, port = config.metrics_address
    assert host == "127.0.0.1"
    assert port > 0
    assert config.values[METRICS_HTTP_LISTEN] == f"127.0.0.1:{port}"


@pytest.mark.parametrize("key", ["metrics.http.listen", "listeners"])
async def test_an_address_in_use_is_named(key):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        given = {
            "metrics.http.listen": address,
            "listeners": f"PLAINTEXT://{address},CONTROLLER://127.0.0.1:0",
        }
        with pytest.raises(StartError, match=f"{key}: cannot bind .*{address}: .*in use"):
            await bound(**{key: given[key]})


async def test_without_the_extra_the_error_names_it(monkeypatch):
    imported = builtins.__import__

    def without(name, *rest):
        if name.startswith("prometheus_client"):
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.delitem(sys.modules, "minikafka.server.prometheus_text", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(StartError, match=r"needs the extra metrics: .*minikafka\[metrics\]"):
        await bound(metrics_http_listen="127.0.0.1:0")
