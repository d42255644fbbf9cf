"""minikafka dev, as a person uses it."""

import signal
import subprocess
import sys

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.testing import cluster as cluster_module
from minikafka.testing.cluster import Cluster, ClusterError, free_base_port


def write(servers, topic, count):
    failures = []
    producer = Producer({"bootstrap.servers": servers, "acks": "all"})
    for number in range(count):
        producer.produce(
            topic,
            b"%d" % number,
            on_delivery=lambda error, _: failures.append(error) if error else None,
        )
    producer.flush(30)
    return failures


def test_all_nodes_in_one_process():
    with Cluster(nodes=3, one_process=True) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        admin.create_topics([NewTopic("t", 3, 3)])["t"].result(20)
        assert write(cluster.bootstrap_servers, "t", 300) == []
        assert {cluster.pid(node) for node in (1, 2, 3)} == {cluster.pid(1)}


def test_two_lines_then_ctrl_c_is_a_controlled_shutdown(tmp_path):
    base = free_base_port(2)
    command = [
        sys.executable, "-m", "minikafka", "dev", "--nodes", "2",
        "--base-port", str(base), "--dir", str(tmp_path / "cluster"),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == (
            f"bootstrap.servers=127.0.0.1:{base},127.0.0.1:{base + 1}\n"
        )
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline().startswith("node 1 leads the quorum, epoch ")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    for node in (1, 2):
        assert (tmp_path / "cluster" / f"node-{node}" / "data" / ".kafka_cleanshutdown").exists()
        assert not (tmp_path / "cluster" / f"node-{node}.pid").exists()


def test_cluster_of_another_size_is_refused(tmp_path):
    with Cluster(nodes=1, directory=tmp_path / "cluster"):
        pass
    with pytest.raises(ClusterError, match="holds a cluster with --nodes 1, not --nodes 2"):
        Cluster(nodes=2, directory=tmp_path / "cluster").open()


def test_a_node_that_does_not_start_is_explained(tmp_path):
    home = tmp_path / "cluster"
    with Cluster(nodes=2, directory=home):
        pass
    (home / "node-2" / "data" / "meta.properties").unlink()
    with pytest.raises(ClusterError, match=r"node 2 did not start:(?s:.)*is not formatted") as told:
        Cluster(nodes=2, directory=home).open()
    # Not what the process before it logged.
    assert len(str(told.value).splitlines()) == 2


def test_ports_in_use_are_named_and_the_directory_stays_as_it_is(tmp_path):
    home = tmp_path / "cluster"
    with Cluster(nodes=1) as running:
        second = Cluster(nodes=1, directory=home)
        second.base_port = running.base_port
        with pytest.raises(ClusterError, match=f"in use: PLAINTEXT://127.0.0.1:{running.port(1)}"):
            second.open()
        assert not home.exists()
        second.base_port = 0
        with second:
            assert second.base_port != running.base_port


def test_another_port_is_chosen_if_one_is_taken_meanwhile(monkeypatch):
    with Cluster(nodes=1) as running:
        chosen = iter([running.base_port])
        usual = cluster_module.free_base_port
        monkeypatch.setattr(
            cluster_module, "free_base_port", lambda nodes: next(chosen, 0) or usual(nodes)
        )
        with Cluster(nodes=1) as second:
            assert second.base_port != running.base_port


def test_actions_on_unknown_or_running_nodes_are_refused():
    with Cluster(nodes=1) as cluster:
        with pytest.raises(ClusterError, match="there is no node 2"):
            cluster.kill(2)
        with pytest.raises(ClusterError, match="node 1 is running"):
            cluster.start(1)
