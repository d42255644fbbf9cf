"""An Apache Kafka of our own, by tools that are given; and what cannot be done to it."""

import stat

import pytest

from minikafka.harness.kafka_cluster import KafkaCluster
from minikafka.harness.network import NotDoneError
from minikafka.harness.settings import HarnessError, RunSettings
from minikafka.testing.kafka_nodes import KafkaNodes

TOOL = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
case "$*" in *" 3"*) echo "no node 3" >&2; exit 1;; esac
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
    cluster = KafkaCluster(settings, tmp_path / "home")
    cluster.wait_ready()
    return cluster


def calls(tools, tmp_path):
    text = (tools / "calls").read_text().replace(f"--dir {tmp_path}/home ", "")
    return text.replace("--timeout 90 ", "").splitlines()


def test_nodes_are_started_broken_and_stopped(cluster, tools, tmp_path):
    assert cluster.name.startswith("Apache Kafka, 2 brokers and a controller, broker.session")
    assert cluster.bootstrap_servers == "127.0.0.1:9092,127.0.0.1:9093"
    cluster.kill(1)
    assert not cluster.is_alive(1)
    with pytest.raises(HarnessError, match="node 1 does not run"):
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


def test_a_tool_that_fails_says_why(cluster):
    with pytest.raises(HarnessError, match="no node 3"):
        cluster.kill(3)


def test_a_power_cut_needs_recovery_points(cluster, tmp_path):
    (tmp_path / "home" / "node-1" / "data").mkdir(parents=True)
    assert cluster.cut_power(1) == "cut back to its recovery points: no record"
    with pytest.raises(NotDoneError, match="a controller has no recovery points"):
        cluster.cut_power(100)


def test_what_cannot_be_done_to_it_is_said(cluster):
    for refused in (
        lambda: cluster.slow_sync(1, 5),
        lambda: cluster.fill_disk(1),
        lambda: cluster.shift_clock(1, 5),
    ):
        with pytest.raises(NotDoneError, match="no hook"):
            refused()


def test_a_cluster_that_was_not_started_is_not_stopped(tools, tmp_path):
    settings = RunSettings(kafka_tools=tools, base_port=9092)
    assert KafkaCluster(settings, tmp_path / "home").close() == ""
    assert not (tools / "calls").exists()


def test_a_directory_of_its_own_is_removed(tools):
    with KafkaNodes(tools, 1, features={"f": 0}) as nodes:
        assert nodes.directory.exists()
        assert nodes.running == [1]
        assert nodes.log_dirs(1) == [nodes.directory / "node-1" / "data"]
    assert not nodes.directory.exists()
