"""pytest and confluent-kafka. `kafka_topic` is a topic of its own for each test."""

from confluent_kafka import Consumer, Producer


def test_what_is_sent_is_read(kafka_bootstrap_servers, kafka_topic):
    producer = Producer({"bootstrap.servers": kafka_bootstrap_servers, "acks": "all"})
    producer.produce(kafka_topic, b"hello")
    assert producer.flush(10) == 0

    consumer = Consumer(
        {
            "bootstrap.servers": kafka_bootstrap_servers,
            "group.id": "readers",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([kafka_topic])
    message = consumer.poll(10)
    consumer.close()
    assert message.value() == b"hello"
