"""Each kind of fault once, seen by confluent-kafka and by aiokafka, with its hits."""

import asyncio
import itertools
import time

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AsyncTopicPartition
from aiokafka.errors import KafkaError as AsyncKafkaError
from confluent_kafka import Consumer, Producer, TopicPartition

from minikafka.testing import Cluster
from tests.integration.fault_cases import CASES, MACHINES, check

PATIENCE_S = 30
_numbers = itertools.count()


class Confluent:
    """A client of confluent-kafka."""

    def __init__(self, servers):
        self.options = {
            "bootstrap.servers": servers, "log_level": 0, "socket.timeout.ms": 2000,
            "retry.backoff.ms": 50,
        }  # fmt: skip

    def produce(self, topic, value):
        failures = []
        producer = Producer(
            {**self.options, "enable.idempotence": True, "request.timeout.ms": 1500}
        )
        producer.produce(topic, value, on_delivery=lambda error, _: failures.append(error))
        assert producer.flush(PATIENCE_S) == 0
        assert failures == [None]

    def consume(self, topic, count):
        consumer = Consumer(
            {**self.options, "group.id": "none", "check.crcs": True, "fetch.wait.max.ms": 100,
             "fetch.error.backoff.ms": 50}
        )  # fmt: skip
        consumer.assign([TopicPartition(topic, 0, 0)])
        values = []
        end_s = time.monotonic() + PATIENCE_S
        while len(values) < count and time.monotonic() < end_s:
            message = consumer.poll(1)
            if message is not None and message.error() is None:
                values.append(message.value())
        consumer.close()
        return values

    def commit(self, group, topic, offset):
        consumer = Consumer({**self.options, "group.id": group})
        consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)
        consumer.close()


class Aiokafka:
    """A client of aiokafka."""

    def __init__(self, servers):
        self.options = {"bootstrap_servers": servers, "request_timeout_ms": 2000}

    def produce(self, topic, value):
        asyncio.run(self._produce(topic, value.encode()))

    async def _produce(self, topic, value):
        async with AIOKafkaProducer(**self.options, enable_idempotence=True) as producer:
            await producer.send_and_wait(topic, value)

    def consume(self, topic, count):
        return asyncio.run(self._consume(topic, count))

    async def _consume(self, topic, count):
        consumer = AIOKafkaConsumer(
            **self.options, auto_offset_reset="earliest", fetch_max_wait_ms=100
        )
        values = []
        async with consumer, asyncio.timeout(PATIENCE_S):
            consumer.assign([AsyncTopicPartition(topic, 0)])
            while len(values) < count:
                try:
                    values.append((await consumer.getone()).value)
                except AsyncKafkaError:
                    continue
        return values

    def commit(self, group, topic, offset):
        asyncio.run(self._commit(group, AsyncTopicPartition(topic, 0), offset))

    async def _commit(self, group, at, offset):
        consumer = AIOKafkaConsumer(**self.options, group_id=group)
        async with consumer, asyncio.timeout(PATIENCE_S):
            consumer.assign([at])
            while True:
                try:
                    return await consumer.commit({at: offset})
                except AsyncKafkaError:
                    await asyncio.sleep(0.05)


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3) as running:
        yield running


@pytest.fixture(params=[Confluent, Aiokafka], ids=["confluent-kafka", "aiokafka"])
def client(request, cluster):
    yield request.param(cluster.bootstrap_servers)
    cluster.heal()
    cluster.wait_until_in_sync()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_client_gets_over_a_fault(cluster, client, case):
    check(cluster, client, f"topic-{next(_numbers)}", case)


@pytest.mark.parametrize("breaks", MACHINES, ids=[each.__name__ for each in MACHINES])
def test_a_client_goes_on_when_a_leader_breaks(cluster, client, breaks):
    breaks(cluster, client, f"topic-{next(_numbers)}")
