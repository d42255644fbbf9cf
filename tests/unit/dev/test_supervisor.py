"""What the owner of a cluster says and does."""

import json
import signal
import subprocess
from types import SimpleNamespace

import pytest

from minikafka.admin import membership, quorum
from minikafka.admin.quorum import QuorumLeader
from minikafka.dev import supervisor
from minikafka.dev.layout import Layout
from minikafka.dev.stop_signal import StopSignal
from minikafka.server.fork_server import ForkServer, ForkServerError
from minikafka.testing.base_ports import free_base_port


@pytest.fixture
def layout(tmp_path):
    return Layout(tmp_path / "cluster", 3, free_base_port(3), {})


def owner_of(layout, monkeypatch):
    """An owner whose fork server forks nothing; its commands may act at once."""
    monkeypatch.setattr(supervisor, "ForkServer", FailingForkServer)
    monkeypatch.setattr(StopSignal, "install", lambda _: None)
    layout.prepare()
    owner = supervisor.Supervisor(layout)
    owner._started.set()
    return owner


class FakeProcess:
    """A process that runs until it is told how it ended."""

    def __init__(self):
        self.pid = 4711
        self.returncode = None
        self.signals = []

    def poll(self):
        return self.returncode

    def wait(self, timeout=None):
        if self.returncode is None:
            raise subprocess.TimeoutExpired("node", timeout)
        return self.returncode

    def send_signal(self, number):
        self.signals.append(number)
        if number == signal.SIGKILL:
            self.returncode = -number


@pytest.fixture
def running(layout, monkeypatch):
    """An owner of three nodes that run, all of them controllers."""
    owner = owner_of(layout, monkeypatch)
    for each in owner.nodes.values():
        each.process = FakeProcess()
    return owner


def test_a_start_that_takes_long_says_what_it_waits_for(running):
    nodes = list(running.nodes.values())
    assert running._wait_of_start(nodes[1:]) == "waiting until node 2 and 3 serve"
    for each in nodes[1:]:
        each.process.returncode = 0
    assert running._wait_of_start(nodes[1:2]) == (
        "waiting until node 2 serves; a majority of the controllers does not run: 2 and 3"
    )


def test_the_last_warning_of_a_node_is_repeated_once(running, layout):
    node = running.nodes[2]
    running.nodes[1].log_file.touch()
    node.log_file.write_text(
        "2026-11-27 10:00:00,000 WARNING [node 2] minikafka.server: see ulimit -n\n"
        "2026-11-27 10:00:01,000 INFO [node 2] minikafka.raft: voted\n"
    )
    told, said = {}, []
    for _ in range(2):
        running._repeat_warnings([running.nodes[1], node], told, said.append)
    assert said == ["node 2: server: see ulimit -n"]


def test_the_loss_of_the_quorum_is_told_when_it_happens(running):
    notes = []
    assert running.act(["kill", "3"], notes.append) == "ok"
    assert notes == []
    assert running.act(["kill", "2"], notes.append) == "ok"
    (told,) = notes
    assert told == (
        "the quorum has lost its majority (1 of 3 controllers runs): no leader is elected, and "
        "nothing is created or changed, until node 2 or 3 is back"
    )
    assert running.act(["kill", "1"], notes.append) == "ok"
    assert notes == [told]


def test_a_paused_controller_does_not_count(running):
    notes = []
    for node in ("2", "3"):
        assert running.act(["pause", node], notes.append) == "ok"
    assert notes
    assert "until node 2 or 3 is back" in notes[0]


def test_a_stop_that_cannot_succeed_is_refused_at_once(running):
    for node in ("3", "2"):
        running.act(["kill", node])
    assert running.act(["stop", "1"]).startswith(
        "error: node 1 cannot hand over its leaderships: the quorum has lost its majority"
    )


def test_without_a_majority_nodes_are_killed_after_a_second(running, monkeypatch, capsys):
    for node in ("3", "2"):
        running.act(["kill", node])
    monkeypatch.setattr(supervisor, "_GRACE_S", 0.05)
    assert running._stop_all(is_ready=True) != 0
    assert running.nodes[1].process.signals == [signal.SIGTERM, signal.SIGKILL]
    assert "cannot hand over their leaderships" in capsys.readouterr().err


def test_the_state_of_each_node_is_told(running, layout):
    running.nodes[2].serves = True
    running.act(["pause", "3"])
    running.act(["kill", "1"])
    found = []
    assert running.act(["status"], found.append) == "ok"
    status = json.loads(found[0])
    assert status["bootstrap.servers"] == layout.bootstrap_servers
    assert [(it["node"], it["state"], it["pid"]) for it in status["nodes"]] == [
        (1, "killed", None),
        (2, "running", 4711),
        (3, "paused", 4711),
    ]


def test_a_command_that_is_none_is_refused(running):
    assert running.act(["nonsense"]) == "error: unknown command 'nonsense'"
    assert running.act(["kill", "7"]) == "error: there is no node 7; the nodes are 1, 2 and 3"


@pytest.mark.parametrize(
    ("leader", "said"),
    [(QuorumLeader(2, 5), "node 2 leads the quorum, epoch 5\n"), (None, "")],
)
def test_the_leader_of_the_quorum_is_named(layout, capsys, monkeypatch, leader, said):
    asked = SimpleNamespace(servers="")

    def read(client):
        asked.servers = client._addresses()
        return leader

    monkeypatch.setattr(quorum, "read_quorum_leader", read)
    supervisor._say_leader(layout)
    assert asked.servers == layout.bootstrap_servers
    assert capsys.readouterr().out == said


def test_a_name_for_clients_elsewhere_is_not_resolved_here(tmp_path, monkeypatch, capsys):
    layout = Layout(tmp_path, 3, 19092, {}, host="0.0.0.0", advertised_host="kafka.invalid")
    reached = []

    def await_everybody(addresses, _nodes, *, hosts, **_):
        reached.append((addresses[0], hosts))

    def read(client):
        reached.append(client.address_of("kafka.invalid", 19092))

    monkeypatch.setattr(membership, "await_everybody", await_everybody)
    monkeypatch.setattr(quorum, "read_quorum_leader", read)
    supervisor._say_ready(layout)
    assert capsys.readouterr().out == "ready\n"
    assert reached == [
        ("127.0.0.1:19092", {"kafka.invalid": "127.0.0.1"}),
        ("127.0.0.1", 19092),
    ]


class FailingForkServer(ForkServer):
    """A fork server that forks no node."""

    has_ended = False

    @classmethod
    def fork(cls):
        return cls.__new__(cls)

    def launch(self, *_):
        raise ForkServerError("the fork server cannot fork")

    def close(self):
        pass


def test_a_fork_server_that_cannot_fork_is_told(layout, capsys, monkeypatch):
    owner = owner_of(layout, monkeypatch)
    assert owner.act(("start", "2")) == "error: the fork server cannot fork"
    assert owner.run() == 1
    assert capsys.readouterr().err == "a node cannot be started: the fork server cannot fork\n"
