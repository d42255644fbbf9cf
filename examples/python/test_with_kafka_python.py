"""pytest and kafka-python, with a broker that is killed in between."""

import pytest
from kafka import KafkaConsumer, KafkaProducer


@pytest.mark.minikafka(nodes=3)
def test_a_record_survives_its_leader(minikafka_cluster):
    minikafka_cluster.create_topic("orders", replication_factor=3)
    servers = minikafka_cluster.bootstrap_servers
    with KafkaProducer(bootstrap_servers=servers, acks="all") as producer:
        producer.send("orders", b"hello").get(timeout=10)

    minikafka_cluster.kill_leader("orders", 0)

    with KafkaConsumer(
        "orders",
        bootstrap_servers=servers,
        auto_offset_reset="earliest",
        consumer_timeout_ms=10_000,
    ) as consumer:
        assert next(consumer).value == b"hello"
