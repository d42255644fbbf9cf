"""An Apache Kafka of our own, by tools that are given; and what cannot be done to it."""

import os
import select
import socket
import stat
import subprocess
import sys

import pytest

from minikafka.harness.clusters.kafka_cluster import KafkaCluster
from minikafka.harness.clusters.network import NotDoneError
from minikafka.harness.plan.settings import HarnessError, RunSettings
from minikafka.testing import ClusterError, kafka_nodes
from minikafka.testing.kafka_nodes import KafkaNodes
from minikafka.testing.nodes import CONTROLLER, Placement

TOOL = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
case "$* " in *" 3 "*) echo "no node 3" >&2; exit 1;; esac
"""


@pytest.fixture
def tools(tmp_path):
    path = tmp_path / "tools" / "kafka-cluster"
    path.parent.mkdir()
    path.write_text(TOOL)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path.parent


@pytest.fixture
def cluster(tools, tmp_path):
    settings = RunSettings(kafka_tools=tools, nodes=2, base_port=9092, cluster_config=("a=b",))
    cluster = KafkaCluster(settings, tmp_path / "home", ["kill"])
    cluster.wait_ready()
    yield cluster
    cluster.close()


def calls(tools, tmp_path):
    text = (tools / "calls").read_text().replace(f"--dir {tmp_path}/home ", "")
    return text.replace("--timeout 90 ", "").splitlines()


def test_nodes_are_started_broken_and_stopped(cluster, tools, tmp_path):
    assert cluster.name.startswith("Apache Kafka, 2 brokers, 1 controller, broker.session")
    assert cluster.bootstrap_servers == "127.0.0.1:9092,127.0.0.1:9093"
    cluster.kill(1)
    assert not cluster.is_alive(1)
    with pytest.raises(HarnessError, match="node 1 is not running"):
        cluster.stop(1)
    cluster.start(1, 2)
    cluster.pause(2)
    cluster.stop(1)
    cluster.start(1)
    cluster.resume(2)
    assert cluster.close() == ""
    start, *rest = calls(tools, tmp_path)
    assert start.startswith("start --nodes 2 --controllers separate --base-port 9092 --config auto")
    assert start.endswith("--config a=b")
    assert rest[:-1] == [
        "kill -9 1", "start 1", "kill -STOP 2", "stop 1", "start --no-wait 1", "kill -CONT 2",
    ]  # fmt: skip
    assert rest[-1].startswith("stop")


def test_a_failed_tool_is_an_error_with_its_output(cluster):
    with pytest.raises(HarnessError, match="no node 3"):
        cluster.kill(3)


def test_a_power_cut_needs_recovery_points(cluster, tmp_path):
    (tmp_path / "home" / "node-1" / "data").mkdir(parents=True)
    assert cluster.cut_power(1) == "cut back to its recovery points: no record"
    with pytest.raises(NotDoneError, match="a controller has no recovery points"):
        cluster.cut_power(100)


def test_unsupported_faults_are_refused_with_the_reason(cluster):
    for refused in (
        lambda: cluster.slow_sync(1, 5),
        lambda: cluster.fill_disk(1),
        lambda: cluster.shift_clock(1, 5),
    ):
        with pytest.raises(NotDoneError, match="no debug hook"):
            refused()


def test_a_cluster_that_was_not_started_is_not_stopped(tools, tmp_path):
    settings = RunSettings(kafka_tools=tools, base_port=9092)
    assert KafkaCluster(settings, tmp_path / "home", []).close() == ""
    assert not (tools / "calls").exists()


def test_a_directory_of_its_own_is_removed(tools):
    with KafkaNodes(tools, 1, features={"f": 0}) as nodes:
        assert nodes.directory.exists()
        assert nodes.running == [1]
        assert nodes.log_dirs(1) == [nodes.directory / "node-1" / "data"]
    assert not nodes.directory.exists()


class Elsewhere(Placement):
    def host(self, node):
        return f"10.0.0.{node}"

    def advertised(self, node, port):
        return "proxy", port + 1000

    def prefix(self, node):
        return ["echo", "in", f"ns-{node}"]


@pytest.fixture
def awaited(monkeypatch):
    """Which brokers were waited for, and at which addresses."""

    class Found(list):
        actions = ()

    found = Found()

    def wait(addresses, brokers, *, timeout_s):
        found.append((addresses, list(brokers)))
        if len(found) > 2:
            meanwhile()
            raise kafka_nodes.AdminError("no answer")

    def meanwhile():
        """An action to run while no node answers."""
        for action in found.actions:
            action()

    monkeypatch.setattr(kafka_nodes, "await_everybody", wait)
    return found


@pytest.mark.parametrize("killed", [False, True])
def test_placed_nodes_run_elsewhere_and_are_found_there(
    tools, tmp_path, awaited, monkeypatch, killed
):
    """S3: the tool's Java is a script that puts nodes where the network has them."""
    home = tmp_path / "home"
    with KafkaNodes(tools, 2, base_port=9092, directory=home, placement=Elsewhere()) as nodes:
        java = tmp_path / "home-java" / "bin" / "java"

        def run(*words):
            return subprocess.run([java, *words], capture_output=True, text=True, check=False)

        for node, name, port in ((1, "BROKER", 9092), (CONTROLLER, "CONTROLLER", 9192)):
            said = run("-Xmx1g", "kafka.Kafka", f"{home}/node-{node}/server.properties").stdout
            assert said.startswith(f"in ns-{node} ")
            assert said.endswith(
                f"java -Xmx1g kafka.Kafka {home}/node-{node}/server.properties"
                f" --override listeners={name}://10.0.0.{node}:{port}"
                f" --override advertised.listeners={name}://proxy:{port + 1000}"
                " --override controller.quorum.voters=101@proxy:10192\n"
            )
        # Whatever else is Java is Java.
        assert "ns-1" not in run("Tool", f"{home}/node-1/server.properties").stdout
        assert nodes.bootstrap_servers == "proxy:10092,proxy:10093"
        nodes.start(2)
        nodes.kill(1)
        awaited.actions = [lambda: nodes.kill(1)] if killed else []
        monkeypatch.setattr(kafka_nodes, "_READY_TIMEOUT_S", 0)
        with pytest.raises(ClusterError, match="ended meanwhile" if killed else "no answer"):
            nodes.start(1)
        assert nodes.is_alive(1) is not killed
    both = (["proxy:10092", "proxy:10093"], [1, 2])
    assert awaited[:2] == [both, (["proxy:10093"], [2])]
    start, *rest = calls(tools, tmp_path)
    assert "--quorum static" in start
    assert rest[0] == "start --no-wait 2"
    assert not java.exists()


def test_a_network_stands_between_the_nodes_where_a_fault_needs_it(tools, tmp_path, awaited):
    settings = RunSettings(kafka_tools=tools, nodes=2, base_port=9092, network="proxy")
    cluster = KafkaCluster(settings, tmp_path / "home", ["partition"])
    cluster.wait_ready()
    assert "1 controller, a TCP proxy before each node, broker" in cluster.name
    [(addresses, brokers)] = awaited
    assert brokers == [1, 2]
    assert ",".join(addresses) == cluster.bootstrap_servers
    assert "9092" not in cluster.bootstrap_servers
    assert list(cluster.voters) == [CONTROLLER]
    (tmp_path / "home" / "node-2").mkdir(parents=True)
    (tmp_path / "home" / "node-2" / "pid").write_text("17 4711\n")
    assert cluster._pids() == {2: 17}
    assert cluster.close() == ""


OWNER = """
import os, sys
from pathlib import Path
from minikafka.testing.kafka_nodes import KafkaNodes
KafkaNodes(Path(sys.argv[1]), 1, directory=Path(sys.argv[2])).open()
os.kill(os.getpid(), 9)
"""


def test_nodes_end_with_their_owner_even_if_that_is_killed(tools, tmp_path):
    os.mkfifo(tools / "calls")
    told = os.open(tools / "calls", os.O_RDWR)
    with os.fdopen(told, buffering=0, mode="rb") as lines:
        subprocess.run([sys.executable, "-c", OWNER, tools, tmp_path / "home"], check=False)
        found = []
        while len(found) < 3:
            assert select.select([lines], [], [], 20)[0]
            found.append(lines.readline().decode().split())
    assert [(words[0], words[-1]) for words in found[1:]] == [("kill", "1"), ("kill", "101")]


def test_a_failed_start_has_a_reason_and_leaves_no_files(tools):
    nodes = KafkaNodes(tools, 3)
    with pytest.raises(ClusterError, match="start .* no node 3"), nodes:
        pass
    assert not nodes.directory.exists()


def test_a_placed_controller_serves_when_it_listens(tools, tmp_path, awaited, monkeypatch):
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        KafkaNodes(
            tools,
            1,
            base_port=listener.getsockname()[1] - 100,
            directory=tmp_path / "home",
            placement=Placement(),
        ) as nodes,
    ):
        nodes.start(CONTROLLER)
        listener.close()
        with monkeypatch.context() as changed:
            changed.setattr(kafka_nodes, "_READY_TIMEOUT_S", 0)
            with pytest.raises(ClusterError, match="the controller does not listen"):
                nodes.start(CONTROLLER)
        monkeypatch.setattr(kafka_nodes.time, "sleep", lambda _: nodes.kill(CONTROLLER))
        with pytest.raises(ClusterError, match="the controller was ended meanwhile"):
            nodes.start(CONTROLLER)


def test_a_node_whose_process_is_gone_ended_by_itself_unless_the_run_ended_it(cluster, tmp_path):
    assert list(cluster.unexpected_ends()) == []
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for node, pid in ((1, gone.pid), (2, os.getpid())):
        path = tmp_path / "home" / f"node-{node}" / "pid"
        path.parent.mkdir(parents=True)
        path.write_text(f"{pid}\n")
    assert list(cluster.unexpected_ends()) == [(1, "its process is gone")]
    cluster.start(1)
    cluster.kill(2)
    (tmp_path / "home" / "node-2" / "pid").write_text(f"{gone.pid}\n")
    assert [node for node, _ in cluster.unexpected_ends()] == []


def test_an_apache_kafka_without_elr_is_made_so(tools, tmp_path):
    settings = RunSettings(kafka_tools=tools, nodes=2, base_port=9092, elr="off")
    off = KafkaCluster(settings, tmp_path / "home", ["kill"])
    off.wait_ready()
    off.close()
    [start, *_] = calls(tools, tmp_path)
    assert start.endswith("--feature eligible.leader.replicas.version=0")
