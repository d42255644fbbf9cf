"""Three clients that know nothing of each other write and read: each reads what the others wrote."""

import asyncio
import itertools
import warnings

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioPartition
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.integration.stored import codecs

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer
    from kafka import TopicPartition as PyPartition

_names = itertools.count()
CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
COUNT = 500


@pytest.fixture
def topic(cluster):
    name = f"clients-{next(_names)}"
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.create_topics([NewTopic(name, 1, 3, config={"min.insync.replicas": "2"})])[name].result(
        20
    )
    return name


def values(prefix):
    return [f"{prefix}-{number}".encode() for number in range(COUNT)]


def write_with_librdkafka(servers, topic, records, codec="none"):
    failures = []
    producer = Producer(
        {
            "bootstrap.servers": servers,
            "acks": "all",
            "enable.idempotence": True,
            "compression.type": codec,
        }
    )
    for record in records:
        producer.produce(
            topic,
            record,
            headers=[("h", b"1")],
            on_delivery=lambda error, _: failures.append(error) if error else None,
        )
    assert producer.flush(30) == 0
    assert failures == []


def read_with_librdkafka(servers, topic, count):
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "none"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    while len(found) < count:
        batch = consumer.consume(count, timeout=20)
        assert batch, f"{len(found)} of {count}"
        found += batch
    consumer.close()
    assert [message.offset() for message in found] == list(range(count))
    return [message.value() for message in found]


def write_with_kafka_python(servers, topic, records, codec="none"):
    producer = KafkaProducer(
        bootstrap_servers=servers,
        acks="all",
        compression_type=None if codec == "none" else codec,
    )
    for future in [producer.send(topic, record) for record in records]:
        future.get(timeout=20)
    producer.close()


def read_with_kafka_python(servers, topic, count):
    consumer = KafkaConsumer(bootstrap_servers=servers, consumer_timeout_ms=20_000)
    partition = PyPartition(topic, 0)
    consumer.assign([partition])
    consumer.seek(partition, 0)
    found = [message.value for message in itertools.islice(consumer, count)]
    consumer.close()
    return found


async def write_with_aiokafka(servers, topic, records, codec="none"):
    producer = AIOKafkaProducer(
        bootstrap_servers=servers,
        acks="all",
        enable_idempotence=True,
        compression_type=None if codec == "none" else codec,
    )
    await producer.start()
    await asyncio.gather(*[await producer.send(topic, record) for record in records])
    await producer.stop()


async def read_with_aiokafka(servers, topic, count):
    consumer = AIOKafkaConsumer(bootstrap_servers=servers)
    await consumer.start()
    partition = AioPartition(topic, 0)
    consumer.assign([partition])
    consumer.seek(partition, 0)
    found = []
    while len(found) < count:
        async with asyncio.timeout(20):
            found.append((await consumer.getone()).value)
    await consumer.stop()
    return found


async def test_each_client_reads_what_every_client_wrote(cluster, topic):
    servers = cluster.bootstrap_servers
    expected = values("rd") + values("py") + values("aio")
    write_with_librdkafka(servers, topic, values("rd"))
    write_with_kafka_python(servers, topic, values("py"))
    await write_with_aiokafka(servers, topic, values("aio"))
    assert read_with_librdkafka(servers, topic, 3 * COUNT) == expected
    assert read_with_kafka_python(servers, topic, 3 * COUNT) == expected
    assert await read_with_aiokafka(servers, topic, 3 * COUNT) == expected


@pytest.mark.parametrize("codec", CODECS)
async def test_every_compression_is_kept_for_every_client(cluster, topic, codec):
    servers = cluster.bootstrap_servers
    write_with_librdkafka(servers, topic, values(codec), codec)
    assert read_with_librdkafka(servers, topic, COUNT) == values(codec)
    assert await read_with_aiokafka(servers, topic, COUNT) == values(codec)
    assert codecs(cluster, topic) == {codec}


@pytest.mark.parametrize("codec", ["uncompressed", "gzip", "snappy", "lz4", "zstd"])
def test_topic_compression_replaces_the_producers(cluster, codec):
    servers = cluster.bootstrap_servers
    name = f"recompressed-{codec}"
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(name, 1, 3, config={"compression.type": codec})])[name].result(20)
    write_with_librdkafka(servers, name, values("r"), "lz4" if codec != "lz4" else "gzip")
    assert read_with_librdkafka(servers, name, COUNT) == values("r")
    assert codecs(cluster, name) == {"none" if codec == "uncompressed" else codec}


def test_asking_for_an_unknown_topic_creates_it_with_the_cluster_defaults(cluster):
    servers = cluster.bootstrap_servers
    write_with_librdkafka(servers, "made-by-asking", values("a"))
    admin = AdminClient({"bootstrap.servers": servers})
    described = admin.list_topics("made-by-asking", timeout=20).topics["made-by-asking"]
    assert len(described.partitions) == 2
    assert all(len(partition.replicas) == 3 for partition in described.partitions.values())


def test_records_are_found_by_time(cluster, topic):
    servers = cluster.bootstrap_servers
    producer = Producer({"bootstrap.servers": servers})
    for number in range(100):
        producer.produce(topic, b"%d" % number, timestamp=1_700_000_000_000 + number * 1000)
    producer.flush(20)
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "none"})
    asked = TopicPartition(topic, 0, 1_700_000_000_000 + 41_500)
    (found,) = consumer.offsets_for_times([asked], timeout=20)
    assert found.offset == 42
    assert consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=20) == (0, 100)
    consumer.close()
