"""Each kind of fault in a real process, seen by aiokafka, with its hits."""

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import CorruptRecordException, KafkaError

from tests.integration.test_faults import FaultyNodes

KINDS = {
    "NOT_LEADER_OR_FOLLOWER": {},
    "delay": {"ms": 300},
    "drop": {},
    "half": {},
    "close": {},
    "reset": {},
    "throttle": {"ms": 100},
}


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    with FaultyNodes(tmp_path_factory.mktemp("faulty"), 1) as running:
        running.format(1, "--standalone")
        running.start(1)
        yield running


@pytest.fixture(autouse=True)
def clear(nodes):
    yield
    nodes.command("clear")


async def produce(nodes, topic, *values):
    producer = AIOKafkaProducer(
        bootstrap_servers=nodes.servers, request_timeout_ms=2000, enable_idempotence=True
    )
    async with producer:
        for value in values:
            await producer.send_and_wait(topic, value)


async def consume(nodes, topic, count):
    consumer = AIOKafkaConsumer(
        bootstrap_servers=nodes.servers, auto_offset_reset="earliest", request_timeout_ms=2000,
        fetch_max_wait_ms=100,
    )  # fmt: skip
    values, errors = [], []
    async with consumer:
        consumer.assign([TopicPartition(topic, 0)])
        async with asyncio.timeout(30):
            while len(values) < count:
                try:
                    values.append((await consumer.getone()).value)
                except KafkaError as error:
                    errors.append(type(error))
    return values, errors


@pytest.mark.parametrize("api", ["Produce", "Fetch"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_record_is_written_and_read_once(nodes, kind, api):
    topic = f"{api}-{kind}"
    await produce(nodes, topic, b"first")
    nodes.fault(api, kind, topic=topic, times=1, nodes=[1], **KINDS[kind])
    await produce(nodes, topic, b"second")
    values, errors = await consume(nodes, topic, 2)
    assert values == [b"first", b"second"]
    assert errors == []
    assert nodes.hits(nodes=[1]) == 1


async def test_a_corrupt_record_is_an_error_and_not_a_record(nodes):
    await produce(nodes, "corrupt", b"first")
    nodes.fault("Fetch", "corrupt", topic="corrupt", times=1, nodes=[1])
    values, errors = await consume(nodes, "corrupt", 1)
    assert values == [b"first"]
    assert set(errors) <= {CorruptRecordException}
    assert nodes.hits(nodes=[1]) == 1
