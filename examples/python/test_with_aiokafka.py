"""pytest and aiokafka, without a plugin for asyncio."""

import asyncio

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer


def test_what_is_sent_is_read(kafka_bootstrap_servers, kafka_topic):
    async def send_and_read():
        async with AIOKafkaProducer(bootstrap_servers=kafka_bootstrap_servers) as producer:
            await producer.send_and_wait(kafka_topic, b"hello")
        async with AIOKafkaConsumer(
            kafka_topic, bootstrap_servers=kafka_bootstrap_servers, auto_offset_reset="earliest"
        ) as consumer:
            return await consumer.getone()

    record = asyncio.run(asyncio.wait_for(send_and_read(), 10))
    assert record.value == b"hello"
