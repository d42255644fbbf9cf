"""Clients with a rack read from the follower there; the metrics of the brokers show which served."""

import asyncio
import json
import subprocess
import sys
import time

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.config.broker import RACK_AWARE_SELECTOR
from minikafka.testing import Cluster

CONFIG = {"replica.selector.class": RACK_AWARE_SELECTOR, "metrics.http.listen": "127.0.0.1:0"}
RACKS = ("a", "b", "c")
COUNT = 100


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3, config=CONFIG, racks=RACKS) as running:
        yield running


def topic_of(cluster, name):
    """Create a topic whose leader is broker 1, and write to it."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.create_topics([NewTopic(name, 1, replica_assignment=[[1, 2, 3]])])[name].result(20)
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in range(COUNT):
        producer.produce(name, b"%d" % number)
    assert producer.flush(30) == 0


def bytes_out(cluster, topic):
    """The bytes of the topic's records that each broker has sent to consumers."""
    command = [sys.executable, "-m", "minikafka", "metrics", "--json", "--bootstrap-server"]
    done = subprocess.run(
        [*command, cluster.bootstrap_servers], capture_output=True, text=True, timeout=60,
        check=True,
    )  # fmt: skip
    name = "kafka_server_brokertopicmetrics_bytesout_total"
    return {
        int(node): sum(
            it["value"] for it in found if it["name"] == name and it["labels"] == {"topic": topic}
        )
        for node, found in json.loads(done.stdout).items()
    }


def servers_of(cluster, topic):
    """The brokers that have sent records of the topic to consumers."""
    return [node for node, size in bytes_out(cluster, topic).items() if size]


def consume(cluster, topic, **config):
    consumer = Consumer({
        "bootstrap.servers": cluster.bootstrap_servers, "group.id": "none", **config
    })  # fmt: skip
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    until = time.monotonic() + 30
    while len(found) < COUNT and time.monotonic() < until:
        found += [each for each in consumer.consume(COUNT, timeout=1) if each.error() is None]
    consumer.close()
    return [int(each.value()) for each in found]


@pytest.mark.parametrize(
    ("rack", "served"), [("a", [1]), ("b", [2]), ("c", [3]), ("elsewhere", [1]), (None, [1])]
)
def test_librdkafka_reads_from_the_broker_in_its_rack(cluster, rack, served):
    topic = f"t-{rack}"
    topic_of(cluster, topic)
    config = {} if rack is None else {"client.rack": rack}
    assert consume(cluster, topic, **config) == list(range(COUNT))
    assert servers_of(cluster, topic) == served


def test_librdkafka_returns_to_the_leader_when_its_follower_is_killed(cluster):
    topic_of(cluster, "killed")
    consumer = Consumer({
        "bootstrap.servers": cluster.bootstrap_servers, "group.id": "none", "client.rack": "c",
    })  # fmt: skip
    consumer.assign([TopicPartition("killed", 0, 0)])
    found = []

    def read(count):
        until = time.monotonic() + 60
        while len(found) < count and time.monotonic() < until:
            found.extend(
                int(each.value())
                for each in consumer.consume(count, timeout=1)
                if each.error() is None
            )

    read(COUNT)
    assert servers_of(cluster, "killed") == [3]
    cluster.kill(3)
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in range(COUNT, 2 * COUNT):
        producer.produce("killed", b"%d" % number)
    assert producer.flush(60) == 0
    read(2 * COUNT)
    consumer.close()
    cluster.start(3)
    assert found == list(range(2 * COUNT))


def test_aiokafka_reads_from_the_broker_in_its_rack(cluster):
    aiokafka = pytest.importorskip("aiokafka")
    topic_of(cluster, "asynchronous")

    async def read():
        consumer = aiokafka.AIOKafkaConsumer(
            "asynchronous", bootstrap_servers=cluster.bootstrap_servers,
            auto_offset_reset="earliest", client_rack="b",
        )  # fmt: skip
        await consumer.start()
        try:
            return [int((await consumer.getone()).value) for _ in range(COUNT)]
        finally:
            await consumer.stop()

    assert asyncio.run(asyncio.wait_for(read(), 60)) == list(range(COUNT))
    assert servers_of(cluster, "asynchronous") == [2]


def test_kafka_python_reads_from_the_broker_in_its_rack(cluster):
    kafka = pytest.importorskip("kafka")
    topic_of(cluster, "python")
    consumer = kafka.KafkaConsumer(
        "python", bootstrap_servers=cluster.bootstrap_servers.split(","), client_rack="c",
        auto_offset_reset="earliest", consumer_timeout_ms=30_000,
    )  # fmt: skip
    found = [int(next(consumer).value) for _ in range(COUNT)]
    consumer.close()
    assert found == list(range(COUNT))
    assert servers_of(cluster, "python") == [3]
