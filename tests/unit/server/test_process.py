"""A process of nodes: it starts, stops on a signal, and says what is in its way."""

import os
import signal
import socket
import threading

import pytest

from minikafka.dev.layout import Layout
from minikafka.server import process
from minikafka.server.process import StartError, run_nodes


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def config(tmp_path):
    port, controller = free_port(), free_port()
    layout = Layout(tmp_path / "cluster", 1, 19092, {
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "metrics.http.listen": f"127.0.0.1:{free_port()}",
    })  # fmt: skip
    layout.prepare()
    return layout.config(1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_a_controlled_shutdown(config, tmp_path, number):
    started = []

    def on_started(each):
        started.append(each.node_id)
        # From another thread: the loop must see it as it sees one from outside.
        threading.Thread(target=os.kill, args=(os.getpid(), number)).start()

    assert run_nodes([config], on_started) == 0
    assert started == [1]
    assert (tmp_path / "cluster" / "node-1" / "data" / ".kafka_cleanshutdown").exists()


def test_an_address_in_use_is_named_before_anything_is_written(config, tmp_path):
    data = tmp_path / "cluster" / "node-1" / "data"
    before = sorted(path.name for path in data.iterdir())
    (listener,) = config.broker_listeners
    with socket.socket() as other:
        other.bind(("127.0.0.1", listener.port))
        other.listen()
        with pytest.raises(StartError, match=f"listeners: cannot bind .*{listener.port}"):
            run_nodes([config], lambda _: None)
    assert sorted(path.name for path in data.iterdir()) == before


@pytest.mark.parametrize("which", ["controller", "broker", "metrics"])
def test_a_node_ends_if_an_address_is_taken_after_it_was_bound(config, monkeypatch, which):
    """Two sockets may be bound to an address as long as none of them listens."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

        async def bind_node(config):
            bound = await bind(config)
            (controller,) = config.controller_listeners
            (broker,) = config.broker_listeners
            port = {
                "controller": controller.port, "broker": broker.port, "metrics": bound.metrics.port
            }[which]  # fmt: skip
            other.bind(("127.0.0.1", port))
            other.listen()
            return bound

        bind = process.bind_node
        monkeypatch.setattr(process, "bind_node", bind_node)
        with pytest.raises(StartError, match=r"cannot listen.*[Aa]ddress.* in use"):
            run_nodes([config], lambda _: None)


def test_a_directory_that_belongs_to_another_node_is_named(config, tmp_path):
    path = tmp_path / "cluster" / "node-1" / "data" / "meta.properties"
    path.write_text(path.read_text().replace("node.id=1", "node.id=7"))
    with pytest.raises(StartError, match="7"):
        run_nodes([config], lambda _: None)
