"""A quorum of three controllers in real processes: it survives the loss of a minority."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.testing import Cluster
from tests.integration.admin_clients import create_through_failover
from tests.integration.test_replication import FAST, consume, wait_for

ROOT = Path(__file__).resolve().parents[2]
TOPIC = "t"


@pytest.fixture
def cluster():
    with Cluster(nodes=3, config=FAST) as running:
        admin = AdminClient({"bootstrap.servers": running.bootstrap_servers})
        topic = NewTopic(TOPIC, 1, 3, config={"min.insync.replicas": "2"})
        admin.create_topics([topic])[TOPIC].result(20)
        yield running


def status(cluster, node):
    """What the tool says of the quorum, asked through one broker."""
    tool = str(ROOT / "bin" / "kafka-metadata-quorum.py")
    server = f"127.0.0.1:{cluster.port(node)}"
    done = subprocess.run(
        [sys.executable, tool, "--bootstrap-server", server, "describe", "--status"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return dict(re.findall(r"^(\w+): +(.*)$", done.stdout, re.MULTILINE))


def leader_of(cluster, node):
    return int(status(cluster, node)["LeaderId"])


def produce(cluster, first, count):
    """Write numbers with acks=all; each must be acknowledged."""
    errors = []
    producer = Producer(
        {"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "enable.idempotence": True}
    )
    for number in range(first, first + count):
        producer.produce(TOPIC, b"%d" % number, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(60) == 0
    assert errors == [None] * count


def create(cluster, name):
    create_through_failover(cluster.bootstrap_servers, name, replicas=2)


def test_the_active_controller_is_killed_again_and_again(cluster):
    """Each time another voter leads, and acknowledged topics and records are kept."""
    epochs = []
    for turn in range(2):
        leader = leader_of(cluster, 1)
        epochs.append(int(status(cluster, leader)["LeaderEpoch"]))
        cluster.kill(leader)
        produce(cluster, turn * 50, 50)
        create(cluster, f"after-{turn}")
        other = next(node for node in (1, 2, 3) if node != leader)
        assert leader_of(cluster, other) != leader
        cluster.start(leader)
    assert epochs == sorted(set(epochs))
    assert sorted(consume(cluster, TOPIC, 100)) == list(range(100))
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    wait_for(lambda: {"after-0", "after-1"} <= set(admin.list_topics(timeout=20).topics))


def test_a_leader_that_stops_hands_over(cluster):
    leader = leader_of(cluster, 1)
    cluster.stop(leader)
    other = next(node for node in (1, 2, 3) if node != leader)
    assert leader_of(cluster, other) != leader
    assert "resigns" not in cluster.log_text(leader)
    create(cluster, "later")
    cluster.start(leader)
    produce(cluster, 0, 50)


def test_a_paused_leader_is_replaced_and_follows(cluster):
    leader = leader_of(cluster, 1)
    other = next(node for node in (1, 2, 3) if node != leader)
    cluster.pause(leader)
    create(cluster, "meanwhile")
    assert leader_of(cluster, other) != leader
    cluster.resume(leader)
    wait_for(lambda: leader_of(cluster, leader) == leader_of(cluster, other) != leader)
    produce(cluster, 0, 50)


def test_all_voters_are_killed_and_start_in_another_order(cluster):
    produce(cluster, 0, 50)
    create(cluster, "before")
    for node in (1, 2, 3):
        cluster.kill(node)
    # Two voters are a majority; a node is ready when its broker is unfenced.
    cluster.start(3, 1, 2)
    produce(cluster, 50, 50)
    assert sorted(consume(cluster, TOPIC, 100)) == list(range(100))
