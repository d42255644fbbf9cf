"""Transactions of three clients: what readers see, fencing, timeouts, nodes that die meanwhile."""

import asyncio
import itertools
import time
import warnings

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import ProducerFenced
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin import transactions as admin
from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.testing import Cluster

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer

FAST = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3, config=FAST) as running:
        yield running


def new_name(what):
    return f"{what}-{next(NUMBERS)}"


@pytest.fixture
def topic(cluster):
    name = new_name("topic")
    create(cluster, name)
    return name


def create(cluster, name, partitions=2):
    client = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    client.create_topics([NewTopic(name, partitions, 3)])[name].result(20)


def rd_producer(cluster, transactional_id, **options):
    producer = Producer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "transactional.id": transactional_id,
            **options,
        }
    )
    producer.init_transactions(60)
    return producer


def values(cluster, topic, isolation="read_committed", partitions=2):
    """The values of a topic up to its end for this isolation level, by partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": new_name("reader"),
            "isolation.level": isolation,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    found = [[] for _ in range(partitions)]
    ended = set()
    deadline = time.monotonic() + 60
    while len(ended) < partitions:
        assert time.monotonic() < deadline
        message = consumer.poll(1)
        if message is None:
            continue
        if message.error() is None:
            found[message.partition()].append(message.value())
        elif message.error().code() == KafkaError._PARTITION_EOF:
            ended.add(message.partition())
        else:
            raise KafkaException(message.error())
    consumer.close()
    return found


def wait_for_values(cluster, topic, expected, **options):
    """Read until the values are these: a transaction is visible soon after it is committed."""
    deadline = time.monotonic() + 60
    while (found := values(cluster, topic, **options)) != expected:
        assert time.monotonic() < deadline, found


def coordinator_of(cluster, transactional_id):
    with ClusterClient(cluster.bootstrap_servers, client_id="test") as client:
        return admin.coordinator_of(client, transactional_id)


# Each client: a transaction is read as a whole, or not at all


def write_with_librdkafka(cluster, topic):
    producer = rd_producer(cluster, new_name("rd"))
    for name, finish in ((b"a", producer.abort_transaction), (b"c", producer.commit_transaction)):
        producer.begin_transaction()
        for index in range(2):
            producer.produce(topic, name + b"%d" % index, partition=index)
        producer.flush(30)
        finish()


def write_with_aiokafka(cluster, topic):
    async def write():
        producer = AIOKafkaProducer(
            bootstrap_servers=cluster.bootstrap_servers, transactional_id=new_name("aio")
        )
        await producer.start()
        try:
            for name in (b"a", b"c"):
                await producer.begin_transaction()
                for index in range(2):
                    await producer.send_and_wait(topic, name + b"%d" % index, partition=index)
                if name == b"a":
                    await producer.abort_transaction()
                else:
                    await producer.commit_transaction()
        finally:
            await producer.stop()

    asyncio.run(write())


def write_with_kafka_python(cluster, topic):
    producer = KafkaProducer(
        bootstrap_servers=cluster.bootstrap_servers, transactional_id=new_name("py")
    )
    producer.init_transactions()
    for name, finish in ((b"a", producer.abort_transaction), (b"c", producer.commit_transaction)):
        producer.begin_transaction()
        for index in range(2):
            producer.send(topic, name + b"%d" % index, partition=index)
        producer.flush(30)
        finish()
    producer.close()


WRITERS = (write_with_librdkafka, write_with_aiokafka, write_with_kafka_python)


@pytest.mark.parametrize("write", WRITERS)
def test_committed_transaction_is_read_and_an_aborted_one_is_not(cluster, topic, write):
    write(cluster, topic)
    wait_for_values(cluster, topic, [[b"c0"], [b"c1"]])
    everything = values(cluster, topic, isolation="read_uncommitted")
    assert everything == [[b"a0", b"c0"], [b"a1", b"c1"]]


@pytest.mark.parametrize("read", ["aiokafka", "kafka-python"])
def test_other_readers_skip_what_was_aborted(cluster, topic, read):
    write_with_librdkafka(cluster, topic)
    wait_for_values(cluster, topic, [[b"c0"], [b"c1"]])

    async def with_aiokafka():
        consumer = AIOKafkaConsumer(
            topic, bootstrap_servers=cluster.bootstrap_servers, isolation_level="read_committed",
            auto_offset_reset="earliest",
        )  # fmt: skip
        await consumer.start()
        try:
            return sorted([(await consumer.getone()).value for _ in range(2)])
        finally:
            await consumer.stop()

    def with_kafka_python():
        consumer = KafkaConsumer(
            topic, bootstrap_servers=cluster.bootstrap_servers, isolation_level="read_committed",
            auto_offset_reset="earliest", consumer_timeout_ms=60_000,
        )  # fmt: skip
        found = sorted(next(consumer).value for _ in range(2))
        consumer.close()
        return found

    found = asyncio.run(with_aiokafka()) if read == "aiokafka" else with_kafka_python()
    assert found == [b"c0", b"c1"]


# Open, fenced, timed out


def test_open_transaction_holds_back_later_records_of_others(cluster, topic):
    producer = rd_producer(cluster, new_name("open"))
    producer.begin_transaction()
    producer.produce(topic, b"open", partition=0)
    producer.flush(30)
    other = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    other.produce(topic, b"other", partition=0)
    other.flush(30)
    assert values(cluster, topic) == [[], []]
    producer.commit_transaction(30)
    wait_for_values(cluster, topic, [[b"open", b"other"], []])


def test_second_producer_with_the_same_id_fences_the_first(cluster, topic):
    name = new_name("fenced")
    first = rd_producer(cluster, name)
    first.begin_transaction()
    first.produce(topic, b"lost", partition=0)
    first.flush(30)
    second = rd_producer(cluster, name)
    second.begin_transaction()
    second.produce(topic, b"kept", partition=0)
    second.commit_transaction(30)
    with pytest.raises(KafkaException) as caught:
        first.commit_transaction(30)
    assert caught.value.args[0].code() == KafkaError._FENCED
    wait_for_values(cluster, topic, [[b"kept"], []])


def test_aiokafka_learns_that_it_is_fenced(cluster, topic):
    async def run():
        name = new_name("fenced-aio")
        producers = [
            AIOKafkaProducer(bootstrap_servers=cluster.bootstrap_servers, transactional_id=name)
            for _ in range(2)
        ]
        first, second = producers
        await first.start()
        await first.begin_transaction()
        await first.send_and_wait(topic, b"lost", partition=0)
        await second.start()
        with pytest.raises(ProducerFenced):
            await first.commit_transaction()
        for producer in producers:
            await producer.stop()

    asyncio.run(run())
    assert values(cluster, topic) == [[], []]


def test_transaction_that_times_out_is_aborted(cluster, topic):
    producer = rd_producer(cluster, new_name("late"), **{"transaction.timeout.ms": 1_500})
    producer.begin_transaction()
    producer.produce(topic, b"late", partition=0)
    producer.flush(30)
    other = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    other.produce(topic, b"other", partition=0)
    other.flush(30)
    wait_for_values(cluster, topic, [[b"other"], []])
    with pytest.raises(KafkaException):
        producer.commit_transaction(30)


# Offsets in the transaction


def copy(cluster, source, target, count, *, group, abort_every=0):
    """Copy records in transactions of 20 with the offsets in the transaction."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": group,
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([source])
    producer = rd_producer(cluster, new_name("copier"))
    copied = transactions = 0
    deadline = time.monotonic() + 120
    while copied < count:
        assert time.monotonic() < deadline, f"{copied} of {count} copied"
        messages = [each for each in consumer.consume(20, 1) if each.error() is None]
        if not messages:
            continue
        transactions += 1
        producer.begin_transaction()
        for message in messages:
            producer.produce(target, message.value(), partition=message.partition())
        positions = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(
            [each for each in positions if each.offset >= 0],
            consumer.consumer_group_metadata(),
            30,
        )
        if abort_every and transactions % abort_every == 0:
            producer.abort_transaction(30)
            for each in consumer.committed(consumer.assignment(), 30):
                consumer.seek(TopicPartition(source, each.partition, max(each.offset, 0)))
        else:
            producer.commit_transaction(30)
            copied += len(messages)
    consumer.close()


def test_records_are_copied_once_with_their_offsets(cluster, topic):
    target = new_name("target")
    create(cluster, target)
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    numbers = [b"%d" % number for number in range(400)]
    for index, value in enumerate(numbers):
        producer.produce(topic, value, partition=index % 2)
    assert producer.flush(30) == 0
    copy(cluster, topic, target, len(numbers), group=new_name("group"), abort_every=3)
    wait_for_values(cluster, target, [numbers[0::2], numbers[1::2]])


# Nodes that die


@pytest.mark.parametrize("what", ["coordinator", "leader"])
def test_transaction_goes_on_when_a_node_is_killed(cluster, what):
    topic, name = new_name("topic"), new_name("killed")
    create(cluster, topic, partitions=1)
    producer = rd_producer(cluster, name)
    producer.begin_transaction()
    producer.produce(topic, b"before", partition=0)
    producer.flush(30)
    if what == "coordinator":
        node_id = coordinator_of(cluster, name)
    else:
        metadata = AdminClient({"bootstrap.servers": cluster.bootstrap_servers}).list_topics(topic)
        node_id = metadata.topics[topic].partitions[0].leader
    cluster.kill(node_id)
    try:
        producer.produce(topic, b"after", partition=0)
        producer.commit_transaction(60)
        wait_for_values(cluster, topic, [[b"before", b"after"]], partitions=1)
    finally:
        cluster.start(node_id)
