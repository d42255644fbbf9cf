"""Metrics and watch on real processes, as an operator uses them (M2)."""

import json
import subprocess
import sys

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.testing.nodes import CONTROLLER, Nodes

CONFIG = {"metrics.http.listen": "127.0.0.1:0", "min.insync.replicas": "2"}


def tool(*words):
    """Standard output of a command that must succeed."""
    command = [sys.executable, "-m", "minikafka", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def nodes():
    """Two brokers and a controller, each a process; topic t with two records."""
    with Nodes(brokers=2, config=CONFIG) as running:
        servers = {"bootstrap.servers": running.bootstrap_servers}
        admin = AdminClient(servers)
        admin.create_topics([NewTopic("t", 1, 2)])["t"].result(20)
        producer = Producer({**servers, "acks": "all"})
        for value in (b"a", b"b"):
            producer.produce("t", value)
        assert producer.flush(30) == 0
        yield running


def values(nodes, *words):
    """Node -> metric and its labels -> value."""
    told = json.loads(tool("metrics", "--json", *words))
    return {
        int(node): {(it["name"], *it["labels"].values()): it["value"] for it in found}
        for node, found in told.items()
    }


def test_every_node_is_found_and_has_the_metrics_of_its_role(nodes):
    told = values(nodes, "--bootstrap-server", nodes.bootstrap_servers)
    assert list(told) == [1, 2, CONTROLLER]
    at_min_isr = [told[node]["kafka_cluster_partition_atminisr", "0", "t"] for node in (1, 2)]
    assert sorted(at_min_isr) == [0, 1]
    sums = [told[node]["kafka_server_replicamanager_atminisrpartitioncount",] for node in (1, 2)]
    assert sums == at_min_isr
    messages = [told[node]["kafka_server_brokertopicmetrics_messagesin_total",] for node in (1, 2)]
    assert sum(messages) == 2
    controller = told[CONTROLLER]
    assert controller["kafka_controller_kafkacontroller_activecontrollercount",] == 1
    assert controller["kafka_replication_electable_replicas_count", "0", "t"] == 2


def test_a_controller_is_asked_on_its_own_listener(nodes):
    """KIP-919."""
    address = f"127.0.0.1:{nodes.port(CONTROLLER)}"
    told = values(nodes, "--bootstrap-controller", address, "--match", "globalpartitioncount")
    assert told == {CONTROLLER: {("kafka_controller_kafkacontroller_globalpartitioncount",): 1}}


def test_watch_prints_the_partitions_once(nodes):
    out = tool("watch", "--bootstrap-server", nodes.bootstrap_servers, "--once", "--topic", "t")
    head, columns, row = out.splitlines()
    assert head.startswith("brokers 1,2; 1 partition, 0 of them")
    cells = dict(zip(columns.split(), row.split(), strict=False))
    assert (cells["Partition"], cells["HWM"]) == ("t-0", "2")
    assert sorted(cells["ISR"].split(",")) == ["1", "2"]
    assert "1:2" in row
    assert "2:2" in row
