"""Nodes that take commands about faults, without being nodes."""

import contextlib
import json
import socket
import threading
from types import SimpleNamespace

import pytest

from minikafka.dev.cluster_faults import DevFaults
from minikafka.dev.layout import Layout
from minikafka.server.fault_socket import NAME, address_of


class CommandedNode:
    """Answers the commands about faults at a socket in a folder, and keeps them."""

    def __init__(self):
        self.commands = []
        self.refuses = None
        self.hits = {}
        self.is_running = True
        self.is_paused = False
        self._socket = socket.socket(socket.AF_UNIX)

    def listen(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / NAME).unlink(missing_ok=True)
        with address_of(folder / NAME) as address:
            self._socket.bind(address)
        self._socket.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        with contextlib.suppress(OSError):  # it does not listen
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def value(self, name):
        """The last argument of a command."""
        return next((value for key, value in reversed(self.commands) if key == name), None)

    def _serve(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rwb") as stream:
                ((name, argument),) = json.loads(stream.readline()).items()
                if name == self.refuses:
                    answer = {"error": f"{name}: no"}
                elif name == "hits":
                    answer = {name: self.hits}
                else:
                    self.commands.append((name, argument))
                    answer = {name: None}
                stream.write(json.dumps(answer).encode() + b"\n")


class Machine:
    """Three brokers and a controller, with their faults."""

    def __init__(self, directory):
        self.layout = Layout(directory, 3, 23300, {}, 0)
        directory.mkdir()
        self.events = []
        self.nodes = {
            node: SimpleNamespace(is_running=False, is_paused=False)
            for node in self.layout.all_nodes
        }
        self.faults = DevFaults(self.layout, self.nodes)
        self.faults.on_event = self.events.append

    def launch(self, node):
        self.nodes[node] = CommandedNode()
        self.faults.launched(node)

    def start(self, *nodes):
        for node in nodes:
            self.launch(node)
            self.nodes[node].listen(self.faults.folder / f"node-{node}")
            self.faults.await_held(node)

    def close(self):
        for node in self.nodes.values():
            if isinstance(node, CommandedNode):
                node.close()


@pytest.fixture
def machine(tmp_path):
    running = Machine(tmp_path / "dev")
    yield running
    running.close()
