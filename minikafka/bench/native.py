"""Loads through librdkafka: its C functions are called for thousands of records at a time.

Python handles no single record, so the client has less influence on the figures. The library is the
one in confluent-kafka, or the system's.
"""

import ctypes
import ctypes.util
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.bench.plan import Load, Measurement
from minikafka.bench.replay import ReplayError
from minikafka.common.errors import ErrorCode

_PRODUCER, _CONSUMER = 0, 1
_CONF_OK = 0
_COPY = 2
_BEGINNING = -2
_ANY_PARTITION = -1
_CHUNK = 10_000
_CHUNKS_A_PASS = 20
_ERROR_TEXT_BYTES = 512
_FLUSH_TIMEOUT_MS = 60_000
_CONNECT_TIMEOUT_MS = 30_000
_IDLE_TIMEOUT_S = 30.0
_NOT_LED_YET = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
    }
)
_LEADER_POLL_S = 0.02


class _Message(ctypes.Structure):
    """`rd_kafka_message_t`."""

    _fields_ = (
        ("err", ctypes.c_int),
        ("rkt", ctypes.c_void_p),
        ("partition", ctypes.c_int32),
        ("payload", ctypes.c_void_p),
        ("len", ctypes.c_size_t),
        ("key", ctypes.c_void_p),
        ("key_len", ctypes.c_size_t),
        ("offset", ctypes.c_int64),
        ("private", ctypes.c_void_p),
    )


class Topic(NamedTuple):
    """A topic that a load uses."""

    name: str
    partitions: int


class NativeClient:
    """One librdkafka client and one topic."""

    def __init__(self, kind: int, settings: Mapping[str, Any], topic: Topic) -> None:
        """Create client and topic, without connecting.

        Raises:
            ReplayError: if there is no librdkafka, or it rejects a setting.
        """
        self.library = _library()
        conf = self.library.rd_kafka_conf_new()
        text = ctypes.create_string_buffer(_ERROR_TEXT_BYTES)
        for name, value in settings.items():
            spelled = str(value).lower() if isinstance(value, bool) else str(value)
            outcome = self.library.rd_kafka_conf_set(
                conf, name.encode(), spelled.encode(), text, _ERROR_TEXT_BYTES
            )
            if outcome != _CONF_OK:
                raise ReplayError(text.value.decode())
        self.handle = self.library.rd_kafka_new(kind, conf, text, _ERROR_TEXT_BYTES)
        if not self.handle:
            raise ReplayError(text.value.decode())
        self.partitions = range(topic.partitions)
        self.name = topic.name.encode()
        self.topic = self.library.rd_kafka_topic_new(self.handle, self.name, None)

    def record_count(self) -> int:
        """Return the sum of the end offsets of all partitions.

        Raises:
            ReplayError: if no broker answers.
        """
        return sum(self._end_offset(partition) for partition in self.partitions)

    def _end_offset(self, partition: int) -> int:
        low, high = ctypes.c_int64(), ctypes.c_int64()
        deadline_s = time.monotonic() + _CONNECT_TIMEOUT_MS / 1000
        while True:
            code = self.library.rd_kafka_query_watermark_offsets(
                self.handle,
                self.name,
                partition,
                ctypes.byref(low),
                ctypes.byref(high),
                _CONNECT_TIMEOUT_MS,
            )
            # Brokers lead a new partition a moment after the metadata says so.
            if code not in _NOT_LED_YET or time.monotonic() > deadline_s:
                self.check(code)
                return high.value
            time.sleep(_LEADER_POLL_S)

    def check(self, code: int) -> None:
        """Raise a ReplayError for an error code."""
        if code != 0:
            name = self.library.rd_kafka_err2name(code).decode()
            raise ReplayError(f"librdkafka reports {name}")

    def close(self) -> None:
        """Close the client and end its threads."""
        self.library.rd_kafka_topic_destroy(self.topic)
        self.library.rd_kafka_destroy(self.handle)


def producer_settings(bootstrap: str, load: Load, acks: str) -> dict[str, Any]:
    """Return the settings of a producer for a load, for C and for Python."""
    single = load.records_per_request == 1
    return {
        "bootstrap.servers": bootstrap,
        "acks": acks,
        "linger.ms": 0 if single else 5,
        "batch.size": 1_000_000,
        "batch.num.messages": 1 if single else 1_000_000,
        "queue.buffering.max.messages": 1000 if single else 500_000,
        "queue.buffering.max.kbytes": 65_536,
        "max.in.flight.requests.per.connection": load.in_flight,
        "socket.nagle.disable": True,
    }


def consumer_settings(bootstrap: str, topic: str) -> dict[str, Any]:
    """Return the settings of a consumer, for C and for Python."""
    return {
        "bootstrap.servers": bootstrap,
        "group.id": f"{topic}-readers",
        "enable.auto.commit": False,
        "queued.min.messages": 1_000_000,
        "queued.max.messages.kbytes": 262_144,
        "socket.nagle.disable": True,
    }


def consume_chunk(end: int) -> int:
    """Return the records per call: few enough that a pass has several calls to measure."""
    return min(_CHUNK, max(1, end // _CHUNKS_A_PASS))


def prepare(
    bootstrap: str, topic: Topic, load: Load, acks: str, max_bytes: int
) -> Callable[[float], Measurement]:
    """Connect a client; return a function that runs the load for the given seconds."""
    if load.kind == "produce":
        settings = producer_settings(bootstrap, load, acks)
        return _prepare_produce(settings, topic, load, max_bytes)
    return _prepare_consume(consumer_settings(bootstrap, topic.name), topic, load)


def _prepare_produce(
    settings: Mapping[str, Any], topic: Topic, load: Load, max_bytes: int
) -> Callable[[float], Measurement]:
    client = NativeClient(_PRODUCER, settings, topic)
    client.record_count()
    partition = 0 if topic.partitions == 1 else _ANY_PARTITION
    value = ctypes.create_string_buffer(bytes(i % 251 for i in range(load.record_bytes)))
    messages = (_Message * _CHUNK)()
    for message in messages:
        message.payload = ctypes.addressof(value)
        message.len = load.record_bytes
    limit = max_bytes // load.record_bytes

    def run(seconds: float) -> Measurement:
        started, cpu = time.perf_counter(), time.process_time()
        deadline = started + seconds
        count = 0
        while count < limit and time.perf_counter() < deadline:
            taken = client.library.rd_kafka_produce_batch(
                client.topic, partition, _COPY, messages, min(_CHUNK, limit - count)
            )
            count += taken
            if taken < _CHUNK:
                # The queue is full: wait a moment for room.
                client.library.rd_kafka_poll(client.handle, 1)
        client.check(client.library.rd_kafka_flush(client.handle, _FLUSH_TIMEOUT_MS))
        elapsed = time.perf_counter() - started
        cpu = time.process_time() - cpu
        end = client.record_count()
        client.close()
        if end < count:
            raise ReplayError(f"records sent: {count}, but the topic has only {end}")
        return Measurement(count, count * load.record_bytes, None, elapsed, cpu)

    return run


def _prepare_consume(
    settings: Mapping[str, Any], topic: Topic, load: Load
) -> Callable[[float], Measurement]:
    client = NativeClient(_CONSUMER, settings, topic)
    end = client.record_count()

    def run(seconds: float) -> Measurement:
        deadline = time.perf_counter() + seconds
        cpu = time.process_time()
        count, elapsed = 0, 0.0
        while time.perf_counter() < deadline:
            read, took = _one_pass(client, end)
            count, elapsed = count + read, elapsed + took
        cpu = time.process_time() - cpu
        client.close()
        return Measurement(count, count * load.record_bytes, None, elapsed, cpu)

    return run


def _one_pass(client: NativeClient, end: int) -> tuple[int, float]:
    """Read everything; return the records and seconds after the first call with records."""
    library = client.library
    messages = (ctypes.POINTER(_Message) * _CHUNK)()
    destroy = library.rd_kafka_message_destroy
    queue = library.rd_kafka_queue_new(client.handle)
    for partition in client.partitions:
        library.rd_kafka_consume_start_queue(client.topic, partition, _BEGINNING, queue)
    first: float | None = None
    skipped = seen = 0
    last = time.perf_counter()
    chunk = consume_chunk(end)
    while seen < end:
        # A request for more records than the topic has would wait for them.
        wanted = min(chunk, end - seen)
        got = library.rd_kafka_consume_batch_queue(queue, 200, messages, wanted)
        now = time.perf_counter()
        for index in range(got):
            error = messages[index].contents.err if index == got - 1 else 0
            destroy(messages[index])
            client.check(error)
        if got <= 0:
            if now - last > _IDLE_TIMEOUT_S:
                raise ReplayError(f"no more records after {seen} of {end} before the timeout")
            continue
        last = now
        seen += got
        if first is None:
            first, skipped = now, got
    for partition in client.partitions:
        library.rd_kafka_consume_stop(client.topic, partition)
    library.rd_kafka_queue_destroy(queue)
    assert first is not None, "a pass reads at least one record"
    return seen - skipped, last - first


def _library() -> Any:
    # PyDLL keeps the GIL: there is only one Python thread, and calls are cheaper this way.
    library = ctypes.PyDLL(_library_path())
    pointer = ctypes.c_void_p
    text = ctypes.c_char_p
    results = {
        "rd_kafka_conf_new": pointer,
        "rd_kafka_new": pointer,
        "rd_kafka_topic_new": pointer,
        "rd_kafka_err2name": text,
        "rd_kafka_queue_new": pointer,
        "rd_kafka_consume_batch_queue": ctypes.c_ssize_t,
    }
    arguments = {
        "rd_kafka_conf_set": (pointer, text, text, text, ctypes.c_size_t),
        "rd_kafka_new": (ctypes.c_int, pointer, text, ctypes.c_size_t),
        "rd_kafka_topic_new": (pointer, text, pointer),
        "rd_kafka_query_watermark_offsets": (
            pointer, text, ctypes.c_int32, pointer, pointer, ctypes.c_int,
        ),
        "rd_kafka_produce_batch": (
            pointer, ctypes.c_int32, ctypes.c_int, pointer, ctypes.c_int,
        ),
        "rd_kafka_poll": (pointer, ctypes.c_int),
        "rd_kafka_flush": (pointer, ctypes.c_int),
        "rd_kafka_queue_new": (pointer,),
        "rd_kafka_queue_destroy": (pointer,),
        "rd_kafka_consume_start_queue": (pointer, ctypes.c_int32, ctypes.c_int64, pointer),
        "rd_kafka_consume_batch_queue": (pointer, ctypes.c_int, pointer, ctypes.c_size_t),
        "rd_kafka_consume_stop": (pointer, ctypes.c_int32),
        "rd_kafka_message_destroy": (pointer,),
        "rd_kafka_topic_destroy": (pointer,),
        "rd_kafka_destroy": (pointer,),
    }  # fmt: skip
    for name, result in results.items():
        getattr(library, name).restype = result
    for name, types in arguments.items():
        getattr(library, name).argtypes = types
    return library


def _library_path() -> str:
    spec = find_spec("confluent_kafka")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent.parent / "confluent_kafka.libs"
        for path in sorted(bundled.glob("librdkafka*")):
            return str(path)
    system = ctypes.util.find_library("rdkafka")
    if system is None:
        raise ReplayError("no librdkafka was found: pip install 'minikafka[bench]'")
    return system
