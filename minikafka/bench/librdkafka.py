"""Loads by confluent-kafka (librdkafka for Python), as an application in Python would see them.

On a small machine the client is often the bottleneck, so every measurement has its processor time.
Counts are checked against the topic afterwards: only records that the broker appended count.
"""

import time
from collections.abc import Callable

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    Message,
    Producer,
    TopicPartition,
)

from minikafka.bench.native import consume_chunk, consumer_settings, producer_settings
from minikafka.bench.plan import Load, Measurement
from minikafka.bench.replay import ReplayError, percentile_us

_LATENCY_RATE = 1000
_LATENCY_WARM_UP = 200
_SHORTEST_POLL_S = 0.001
_FLUSH_TIMEOUT_S = 60.0
_IDLE_TIMEOUT_S = 30.0
_CHUNK = 1000


def prepare_produce(
    bootstrap: str, topic: str, load: Load, acks: str, max_bytes: int
) -> Callable[[float], Measurement]:
    """Connect a producer; return a function that runs the load for the given seconds."""
    producer = Producer(producer_settings(bootstrap, load, acks))
    producer.list_topics(topic, timeout=_IDLE_TIMEOUT_S)
    value = bytes(index % 251 for index in range(load.record_bytes))
    limit = max_bytes // load.record_bytes

    def run(seconds: float) -> Measurement:
        started, cpu = time.perf_counter(), time.process_time()
        count = (_produce_batches if load.produce_batch else _produce_singly)(
            producer, topic, value, started + seconds, limit
        )
        if producer.flush(_FLUSH_TIMEOUT_S):
            raise ReplayError("not everything was acknowledged in time")
        elapsed = time.perf_counter() - started
        cpu = time.process_time() - cpu
        _verify_count(bootstrap, topic, count)
        one_each = load.records_per_request == 1
        return Measurement(
            count, count * load.record_bytes, count if one_each else None, elapsed, cpu
        )

    return run


def prepare_latency(
    bootstrap: str, topic: str, load: Load, acks: str
) -> Callable[[float], Measurement]:
    """Connect a producer; return a function that sends at a fixed rate and measures latencies.

    The latency is librdkafka's: from `produce()` until the acknowledgement is delivered.
    """
    producer = Producer(producer_settings(bootstrap, load, acks))
    producer.list_topics(topic, timeout=_IDLE_TIMEOUT_S)
    value = bytes(index % 251 for index in range(load.record_bytes))
    latencies: list[float] = []
    failures: list[str] = []

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failures.append(str(error))
        else:
            latencies.append(message.latency())

    for _ in range(_LATENCY_WARM_UP):
        producer.produce(topic, value, partition=0)
        producer.flush(_FLUSH_TIMEOUT_S)

    def run(seconds: float) -> Measurement:
        started, cpu = time.perf_counter(), time.process_time()
        count = int(_LATENCY_RATE * seconds)
        for index in range(count):
            due = started + index / _LATENCY_RATE
            while (wait := due - time.perf_counter()) > 0:
                if len(producer):
                    # librdkafka waits for whole milliseconds, and would spin with less than one.
                    producer.poll(_SHORTEST_POLL_S)
                else:
                    time.sleep(wait)
            producer.produce(topic, value, on_delivery=on_delivery, partition=0)
        if producer.flush(_FLUSH_TIMEOUT_S) or failures:
            raise ReplayError(f"not everything was acknowledged: {failures[:1]}")
        elapsed = time.perf_counter() - started
        latencies.sort()
        return Measurement(
            count, count * load.record_bytes, count, elapsed, time.process_time() - cpu,
            percentile_us(latencies, 0.50), percentile_us(latencies, 0.99),
        )  # fmt: skip

    return run


def prepare_transactions(
    bootstrap: str, topic: str, load: Load, max_bytes: int
) -> Callable[[float], Measurement]:
    """Start a transactional producer; return a function that runs transactions one by one.

    The latency is that of `commit_transaction()`, which first waits for the records.
    """
    producer = Producer(
        {**producer_settings(bootstrap, load, "all"), "transactional.id": f"{topic}-producer"}
    )
    producer.init_transactions(_FLUSH_TIMEOUT_S)
    value = bytes(index % 251 for index in range(load.record_bytes))
    records = load.records_per_request

    def transaction() -> float:
        producer.begin_transaction()
        for _ in range(records):
            producer.produce(topic, value, partition=0)
        begun = time.perf_counter()
        producer.commit_transaction(_FLUSH_TIMEOUT_S)
        return time.perf_counter() - begun

    transaction()

    def run(seconds: float) -> Measurement:
        started, cpu = time.perf_counter(), time.process_time()
        latencies: list[float] = []
        limit = max_bytes // (records * load.record_bytes)
        while len(latencies) < limit and time.perf_counter() - started < seconds:
            latencies.append(transaction())
        elapsed = time.perf_counter() - started
        latencies.sort()
        count = len(latencies)
        return Measurement(
            count * records, count * records * load.record_bytes, count, elapsed,
            time.process_time() - cpu,
            percentile_us(latencies, 0.50), percentile_us(latencies, 0.99),
        )  # fmt: skip

    return run


def prepare_consume(bootstrap: str, topic: str, load: Load) -> Callable[[float], Measurement]:
    """Connect a consumer; return a function that reads partition 0 repeatedly.

    The time of a pass is from its first records to its last, so connecting does not count.
    """
    consumer = Consumer(consumer_settings(bootstrap, topic))
    _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=_IDLE_TIMEOUT_S)

    def run(seconds: float) -> Measurement:
        deadline = time.perf_counter() + seconds
        cpu = time.process_time()
        count, elapsed = 0, 0.0
        while time.perf_counter() < deadline:
            consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
            read, took = _one_pass(consumer, end)
            count, elapsed = count + read, elapsed + took
        cpu = time.process_time() - cpu
        consumer.close()
        return Measurement(count, count * load.record_bytes, None, elapsed, cpu)

    return run


def _one_pass(consumer: Consumer, end: int) -> tuple[int, float]:
    first: float | None = None
    skipped = seen = 0
    last = time.perf_counter()
    chunk = consume_chunk(end)
    while seen < end:
        # A request for more records than the topic has would wait for them.
        messages = consumer.consume(min(chunk, end - seen), timeout=0.2)
        now = time.perf_counter()
        if not messages:
            if now - last > _IDLE_TIMEOUT_S:
                raise ReplayError(f"no more records after {seen} of {end} before the timeout")
            continue
        if messages[-1].error() is not None:
            raise ReplayError(str(messages[-1].error()))
        last = now
        seen += len(messages)
        if first is None:
            first, skipped = now, len(messages)
    assert first is not None, "a pass reads at least one record"
    return seen - skipped, last - first


def _produce_singly(
    producer: Producer, topic: str, value: bytes, deadline: float, limit: int
) -> int:
    count = 0
    produce = producer.produce
    while count < limit and time.perf_counter() < deadline:
        for _ in range(_CHUNK):
            try:
                produce(topic, value, partition=0)
            except BufferError:
                producer.poll(0.001)
                break
            count += 1
    return count


def _produce_batches(
    producer: Producer, topic: str, value: bytes, deadline: float, limit: int
) -> int:
    count = 0
    batch = [{"value": value}] * _CHUNK
    while count < limit and time.perf_counter() < deadline:
        taken = producer.produce_batch(topic, batch, partition=0)
        count += taken
        if taken < _CHUNK:
            producer.poll(0.001)
    return count


def _verify_count(bootstrap: str, topic: str, count: int) -> None:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": f"{topic}-count"})
    low, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=_IDLE_TIMEOUT_S)
    consumer.close()
    if high - low < count:
        raise ReplayError(f"records sent: {count}, but the topic has only {high - low}")
