"""What the owner of a cluster says while it starts."""

from types import SimpleNamespace

import pytest

from minikafka.admin import quorum
from minikafka.admin.quorum import QuorumLeader
from minikafka.dev import supervisor
from minikafka.dev.layout import Layout
from minikafka.dev.stop_signal import StopSignal
from minikafka.server.nursery import Nursery, NurseryError


@pytest.fixture
def layout(tmp_path):
    return Layout(tmp_path / "cluster", 3, 21890, {})


def test_a_start_that_takes_long_says_what_it_waits_for(layout, capsys, monkeypatch):
    monkeypatch.setattr(supervisor, "_SILENCE_S", 0.0)
    supervisor._notice(layout).join()
    assert capsys.readouterr().err == (
        "waiting until 3 nodes serve; the quorum needs 2 of 3 controllers;"
        f" the nodes' logs are in {layout.directory}\n"
    )


def test_a_start_that_is_fast_says_nothing(layout, capsys):
    notice = supervisor._notice(layout)
    notice.cancel()
    notice.join()
    assert capsys.readouterr().err == ""


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


class FailingNursery(Nursery):
    """A nursery that forks no node."""

    has_ended = False

    @classmethod
    def fork(cls):
        return cls.__new__(cls)

    def launch(self, *_):
        raise NurseryError("the nursery cannot fork")

    def close(self):
        pass


def test_a_nursery_that_cannot_fork_is_told(layout, capsys, monkeypatch):
    monkeypatch.setattr(supervisor, "Nursery", FailingNursery)
    monkeypatch.setattr(StopSignal, "install", lambda _: None)
    layout.prepare()
    owner = supervisor.Supervisor(layout)
    assert owner._act(("start", "2")) == "error: the nursery cannot fork"
    assert owner.run() == 1
    assert capsys.readouterr().err == "a node cannot be started: the nursery cannot fork\n"
