"""Consumer groups of three clients: shared work, committed offsets, a coordinator that dies."""

import asyncio
import time
import warnings

import pytest
from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.testing import Cluster

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer

FAST = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}
COUNT = 300


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3, config=FAST) as running:
        yield running


def fill(cluster, topic, count=COUNT, start=0, create=True):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    if create:
        admin.create_topics([NewTopic(topic, 4, 3)])[topic].result(20)
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in range(start, start + count):
        producer.produce(topic, b"%d" % number)
    assert producer.flush(30) == 0
    return admin


def rd_consumer(cluster, group, **options):
    return Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 20_000,
            **options,
        }
    )


def poll_until(consumers, count, timeout_s=60):
    """Poll until the consumers have `count` different records between them; return the records."""
    found = {}
    deadline = time.monotonic() + timeout_s
    while len(found) < count:
        assert time.monotonic() < deadline, f"{len(found)} of {count}"
        for consumer in consumers:
            for message in consumer.consume(100, timeout=0.1):
                if message.error() is None:
                    found[int(message.value())] = consumer
    return found


def test_members_share_the_partitions(cluster):
    fill(cluster, "shared")
    consumers = [rd_consumer(cluster, "sharers") for _ in range(2)]
    for consumer in consumers:
        consumer.subscribe(["shared"])
    deadline = time.monotonic() + 60
    while [len(consumer.assignment()) for consumer in consumers] != [2, 2]:
        assert time.monotonic() < deadline
        for consumer in consumers:
            consumer.consume(1, timeout=0.1)
    for consumer in consumers:
        consumer.close()


def test_committed_offsets_are_where_the_next_member_begins(cluster):
    fill(cluster, "committed")
    first = rd_consumer(cluster, "committers")
    first.subscribe(["committed"])
    assert sorted(poll_until([first], COUNT)) == list(range(COUNT))
    first.commit(asynchronous=False)
    first.close()
    fill(cluster, "committed", 10, start=COUNT, create=False)
    second = KafkaConsumer(
        "committed",
        bootstrap_servers=cluster.bootstrap_servers,
        group_id="committers",
        auto_offset_reset="earliest",
        consumer_timeout_ms=20_000,
    )
    found = sorted(int(next(second).value) for _ in range(10))
    second.close()
    assert found == list(range(COUNT, COUNT + 10))


async def test_aiokafka_group(cluster):
    await asyncio.to_thread(fill, cluster, "aio")
    consumer = AIOKafkaConsumer(
        "aio",
        bootstrap_servers=cluster.bootstrap_servers,
        group_id="aio",
        auto_offset_reset="earliest",
        group_instance_id="one",
    )
    await consumer.start()
    found = set()
    async with asyncio.timeout(60):
        while len(found) < COUNT:
            found.add(int((await consumer.getone()).value))
    await consumer.commit()
    await consumer.stop()
    assert found == set(range(COUNT))


def test_group_is_described_listed_and_deleted(cluster):
    admin = fill(cluster, "described")
    consumer = rd_consumer(cluster, "describers")
    consumer.subscribe(["described"])
    poll_until([consumer], COUNT)
    consumer.commit(asynchronous=False)
    described = admin.describe_consumer_groups(["describers"])["describers"].result(20)
    assert len(described.members) == 1
    assert "describers" in [g.group_id for g in admin.list_consumer_groups().result(20).valid]
    asked = ConsumerGroupTopicPartitions("describers")
    offsets = admin.list_consumer_group_offsets([asked])["describers"].result(20)
    assert sum(max(partition.offset, 0) for partition in offsets.topic_partitions) == COUNT
    consumer.close()
    admin.delete_consumer_groups(["describers"])["describers"].result(20)
    assert "describers" not in [g.group_id for g in admin.list_consumer_groups().result(20).valid]


def coordinator_of(cluster, group):
    with ClusterClient(f"127.0.0.1:{cluster.port(1)}", client_id="test") as client:
        request = FindCoordinatorRequest(key_type=0, coordinator_keys=[group])
        return client.ask(request).coordinators[0].node_id


def test_group_survives_the_death_of_its_coordinator(cluster):
    """Nothing that was committed is forgotten, and the group goes on."""
    fill(cluster, "survivor")
    # Node 1 is the controller, which stays: take a group that another node coordinates.
    group = next(
        name for name in (f"survivors-{n}" for n in range(50)) if coordinator_of(cluster, name) != 1
    )
    consumer = rd_consumer(cluster, group)
    consumer.subscribe(["survivor"])
    poll_until([consumer], COUNT)
    consumer.commit(asynchronous=False)
    victim = coordinator_of(cluster, group)
    cluster.kill(victim)
    fill(cluster, "survivor", 50, start=COUNT, create=False)
    found = poll_until([consumer], 50)
    assert sorted(found) == list(range(COUNT, COUNT + 50))
    consumer.commit(asynchronous=False)
    consumer.close()
    assert coordinator_of(cluster, group) != victim
    cluster.start(victim)
    again = rd_consumer(cluster, group)
    committed = again.committed([TopicPartition("survivor", p) for p in range(4)], timeout=20)
    # A partition that got no record has no offset, which the client shows as a negative number.
    assert sum(max(partition.offset, 0) for partition in committed) == COUNT + 50
    again.close()
