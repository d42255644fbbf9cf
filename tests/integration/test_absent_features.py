"""Absent APIs fail at once in released clients, with an error that they do not retry."""

import warnings

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError as AioKafkaError
from confluent_kafka import KafkaException, Producer

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it uses an old importlib function
    from kafka import KafkaProducer
    from kafka.errors import KafkaError as PythonKafkaError

_LONG_S = 60.0


@pytest.fixture
def servers(node):
    return node.bootstrap_servers


def test_librdkafka_has_no_transactions(servers):
    producer = Producer({"bootstrap.servers": servers, "transactional.id": "t"})
    with pytest.raises(KafkaException) as caught:
        producer.init_transactions(_LONG_S)
    assert caught.value.args[0].fatal()
    assert caught.value.args[0].name() == "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"


async def test_aiokafka_has_no_transactions(servers):
    producer = AIOKafkaProducer(bootstrap_servers=servers, transactional_id="t")
    try:
        with pytest.raises(AioKafkaError, match="(?i)transactional"):
            await producer.start()
    finally:
        await producer.stop()


def test_kafka_python_has_no_transactions(servers):
    producer = KafkaProducer(
        bootstrap_servers=servers, transactional_id="t", max_block_ms=int(_LONG_S * 1000)
    )
    with pytest.raises(PythonKafkaError, match="(?i)transactional"):
        producer.init_transactions()
    producer.close()


def test_each_client_is_logged_once(node, servers):
    for _ in range(2):
        producer = Producer(
            {"bootstrap.servers": servers, "transactional.id": "t", "client.id": "twice"}
        )
        with pytest.raises(KafkaException):
            producer.init_transactions(_LONG_S)
    assert node.log_text(1).count("client 'twice' at 127.0.0.1 requests transactions") == 1
