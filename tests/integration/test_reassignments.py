"""Partitions move between real brokers: the data follows, and what was acknowledged is there (E11)."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

ROOT = Path(__file__).resolve().parents[2]
_DEADLINE_S = 60


@pytest.fixture
def tool(cluster):
    """Runs a program of `bin/`; returns its standard output."""

    def run(name, *words):
        done = subprocess.run(
            [sys.executable, ROOT / "bin" / name, "--bootstrap-server",
             cluster.bootstrap_servers, *words],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def produce(cluster, topic, numbers):
    failed = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in numbers:
        producer.produce(
            topic, b"%d" % number, partition=0,
            on_delivery=lambda error, _: error and failed.append(error),
        )  # fmt: skip
    producer.flush(_DEADLINE_S)
    assert failed == []


def consume(cluster, topic, count):
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    while len(found) < count:
        message = consumer.poll(_DEADLINE_S)
        assert message is not None, f"{len(found)} of {count} records came"
        if message.error() is None:
            found.append(int(message.value()))
    consumer.close()
    return found


def completed(tool, path):
    """Poll until the reassignment is complete: there is no event to wait for."""
    deadline_s = time.monotonic() + _DEADLINE_S
    while True:
        out = tool("kafka-reassign-partitions.py", "--verify", "--reassignment-json-file", path)
        if "is completed." in out:
            return
        assert "still in progress" in out
        assert time.monotonic() < deadline_s, out


def test_a_partition_moves_with_its_records_and_its_leadership(cluster, tool, tmp_path):
    words = ("--create", "--topic", "moved", "--replica-assignment", "1:2")
    tool("kafka-topics.py", *words, "--config", "min.insync.replicas=2")
    produce(cluster, "moved", range(500))
    path = tmp_path / "moved.json"
    row = {"topic": "moved", "partition": 0, "replicas": [3, 2]}
    path.write_text(json.dumps({"version": 1, "partitions": [row]}))
    tool("kafka-reassign-partitions.py", "--execute", "--reassignment-json-file", path)
    completed(tool, path)
    out = tool("kafka-topics.py", "--describe", "--topic", "moved")
    assert "Replicas: 3,2\t" in out
    assert "Leader: 1\t" not in out
    produce(cluster, "moved", range(500, 600))
    assert consume(cluster, "moved", 600) == list(range(600))
    deadline_s = time.monotonic() + _DEADLINE_S
    while (cluster.log_dir(1) / "moved-0").exists():
        assert time.monotonic() < deadline_s, "the old replica is still there"
    assert (cluster.log_dir(3) / "moved-0").is_dir()
