"""Released clients find the transaction coordinator, and get a producer id for their id."""

import warnings

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Producer

from minikafka.admin.client import BrokerConnection
from minikafka.messages.describe_transactions import DescribeTransactionsRequest

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it uses an old importlib function
    from kafka import KafkaProducer

_LONG_S = 20.0


@pytest.fixture
def servers(node):
    return node.bootstrap_servers


@pytest.fixture
def described(servers):
    host, port = servers.split(":")
    connection = BrokerConnection(host, int(port), "test", 30.0)

    def state(name):
        (row,) = connection.ask(DescribeTransactionsRequest([name]), 0).transaction_states
        return row.transaction_state, row.producer_epoch

    yield state
    connection.close()


def test_librdkafka_gets_the_next_epoch_each_time(servers, described):
    for epoch in range(2):
        producer = Producer({"bootstrap.servers": servers, "transactional.id": "rd"})
        producer.init_transactions(_LONG_S)
        assert described("rd") == ("Empty", epoch)


async def test_aiokafka_is_initialized(servers, described):
    producer = AIOKafkaProducer(bootstrap_servers=servers, transactional_id="aio")
    await producer.start()
    await producer.stop()
    assert described("aio") == ("Empty", 0)


def test_kafka_python_is_initialized(servers, described):
    producer = KafkaProducer(
        bootstrap_servers=servers, transactional_id="python", max_block_ms=int(_LONG_S * 1000)
    )
    producer.init_transactions()
    producer.close()
    assert described("python") == ("Empty", 0)
