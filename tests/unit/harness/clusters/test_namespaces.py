"""S3: the commands by which a run makes, cuts and removes its namespaces."""

import subprocess

import pytest

from minikafka.harness.clusters import namespaces
from minikafka.harness.clusters.namespaces import NamespaceNetwork
from minikafka.harness.clusters.network import OUTSIDE, NotDoneError
from minikafka.harness.plan.settings import HarnessError


@pytest.fixture
def commands(monkeypatch):
    """Every command that is run; those that contain `refuse` fail."""
    found = []
    refuse = []

    def run(command, **_):
        line = " ".join(command)
        found.append(line)
        failed = any(words in line for words in refuse)
        return subprocess.CompletedProcess(command, int(failed), "", "not permitted" * failed)

    monkeypatch.setattr(namespaces.subprocess, "run", run)
    monkeypatch.setattr(namespaces.shutil, "which", lambda name: f"/sbin/{name}")
    monkeypatch.setattr(namespaces.os, "getpid", lambda: 7)
    monkeypatch.setattr(namespaces, "mark", lambda: "7")
    found_and_refused = found
    return found_and_refused, refuse


@pytest.fixture
def network(commands):
    network = NamespaceNetwork()
    network.open({1: [9092], 101: [9093]})
    commands[0].clear()
    return network


def test_each_node_has_a_namespace_and_an_address(network):
    placement = network.placement
    assert placement.host(1) == "198.18.8.1"
    assert placement.advertised(101, 9093) == ("198.18.8.2", 9093)
    assert placement.prefix(1) == ["ip", "netns", "exec", "mkv7-1"]
    assert network.address(OUTSIDE) == "198.18.8.254"


def test_a_range_that_another_run_has_is_not_taken(network, monkeypatch):
    shown = "7: mkvo inet 198.18.8.254/24 scope global\n8: x inet 198.18.9.1/24\n"
    answer = subprocess.CompletedProcess([], 0, shown, "")
    monkeypatch.setattr(namespaces.subprocess, "run", lambda *_, **__: answer)
    network.open({1: [9092]})
    assert network.placement.host(1) == "198.18.10.1"


def test_a_cut_routes_to_an_unassigned_address(network, commands):
    """S3: one way, also from outside; a repeated cut adds no second route."""
    found, _ = commands
    network.cut(1, 101)
    network.cut(1, 101)
    network.join(1, 101)
    network.join(1, 101)
    network.cut(OUTSIDE, 1)
    assert found == [
        "ip -n mkv7-1 neighbour replace 198.18.8.2 lladdr 02:00:00:00:00:ff nud permanent dev eth0",
        "ip -n mkv7-1 neighbour del 198.18.8.2 dev eth0",
        "ip neighbour replace 198.18.8.1 lladdr 02:00:00:00:00:ff nud permanent dev mkv7o",
    ]


def test_links_are_slowed_and_narrowed(network, commands):
    found, _ = commands
    for kind, value in (("slow-node", 5), ("loss", 3), ("bandwidth", 100), ("bandwidth", 0)):
        network.shape(1, kind, value)
    assert [line.partition("dev eth0 root")[2] for line in found] == [
        " netem delay 5ms",
        " netem loss 3%",
        " tbf rate 100kbit burst 32kb latency 400ms",
        "",
    ]
    assert "qdisc del" in found[-1]


def test_everything_is_deleted(network, commands):
    found, _ = commands
    network.close()
    assert found == [
        "ip netns del mkv7-1",
        "ip netns del mkv7-101",
        "ip netns del mkv7-hub",
        "ip link del mkv7o",
    ]
    NamespaceNetwork().close()
    assert len(found) == 4


def test_a_machine_without_netem_cannot_slow_links(commands):
    found, refuse = commands
    refuse.append("netem")
    network = NamespaceNetwork()
    assert network.problem() == ""
    assert list(network.cannot) == ["slow-node", "loss"]
    with pytest.raises(NotDoneError, match="no netem"):
        network.shape(1, "loss", 5)
    assert found[-1] == "ip netns del mkv7-probe"


def test_missing_rights_are_reported(commands, monkeypatch):
    _, refuse = commands
    refuse.append("netns add")
    network = NamespaceNetwork()
    assert network.problem() == "ip netns add mkv7-probe: not permitted"
    with pytest.raises(HarnessError, match="not permitted"):
        network.open({1: [1]})
    monkeypatch.setattr(namespaces.shutil, "which", lambda _: None)
    assert network.problem() == "the commands ip and tc must be installed"


def test_a_command_that_hangs_is_an_error_with_its_name(monkeypatch):
    def run(command, **_):
        raise subprocess.TimeoutExpired(command, 10)

    monkeypatch.setattr(namespaces.subprocess, "run", run)
    with pytest.raises(HarnessError, match="^ip link show: no end after 10 s$"):
        namespaces._run(["ip", "link", "show"])
