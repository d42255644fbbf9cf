"""S2: the local engine's read of the topics, with a consumer that is played here."""

import time
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from confluent_kafka import KafkaError, KafkaException

from minikafka.harness.clients.records import RecordFactory, digest, identity
from minikafka.harness.local.topic_read import TopicRead
from minikafka.harness.verdict.stream_files import StreamOrigin

ORIGIN = StreamOrigin("127.0.0.1:1", "s,t", 2)


def message(topic, partition, offset, record=None, **changes):
    values = {
        "value": record and record.value,
        "key": record and record.key,
        "headers": record and record.headers,
        "timestamp": (1, record.timestamp_ms if record else 5),
        "error": None,
        **changes,
    }
    named = {"topic": topic, "partition": partition, "offset": offset, **values}
    return SimpleNamespace(**{name: lambda value=value: value for name, value in named.items()})


def failed(code, topic="s", partition=0, offset=0):
    error = SimpleNamespace(code=lambda: code, str=lambda: "it is\nso")
    return message(topic, partition, offset, error=error)


def end_of(topic, partition, offset):
    return failed(KafkaError._PARTITION_EOF, topic, partition, offset)


class Played:
    """Gives the messages of a test; `ends` by topic and partition."""

    def __init__(self, *batches, ends=None):
        self.batches = list(batches)
        self.ends = ends or {}
        self.asked = 0

    def assign(self, places):
        assert [(place.topic, place.partition) for place in places] == [
            *(("s", 0), ("s", 1), ("t", 0), ("t", 1)),
        ]
        assert {place.offset for place in places} == {-2}  # the beginning

    def consume(self, _most, _timeout_s):
        return self.batches.pop(0) if self.batches else []

    def get_watermark_offsets(self, at, timeout):
        self.asked += 1
        if self.asked == 1:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        return 0, self.ends.get((at.topic, at.partition), 0)


@pytest.fixture
def reading(tmp_path):
    def open_read(*batches, ends=None):
        given = Played(*batches, ends=ends)
        return TopicRead(ORIGIN, tmp_path / "read", connect=lambda *_: given)

    return open_read


def rows(read):
    return pq.read_table(read.folder).to_pylist()


def test_a_row_has_the_digest_of_its_record_and_its_place_among_all_topics(reading):
    factory = RecordFactory(seed=1, pid=7, partitions=2)
    records = [factory.make(1_000_000 + n) for n in range(3)]
    places = (("s", 1), ("t", 0), ("t", 1))
    batch = [message(*place, 10, record) for place, record in zip(places, records, strict=True)]
    read = reading(batch, ends=dict.fromkeys(places, 11))
    assert read.drain()
    found = rows(read)
    assert [row["partition"] for row in found] == [1, 2, 3]
    for row, record in zip(found, records, strict=True):
        assert (row["offset"], row["pid"], row["seq"]) == (10, 7, record.seq)
        assert (row["crc"], row["size"]) == (record.crc, len(record.value))
        assert row["timestamp_ms"] == record.timestamp_ms
        assert row["read_ms"] > 1_700_000_000_000
    assert (read.count, read.ends) == (3, {1: 11, 2: 11, 3: 11})


def test_a_record_that_no_producer_sent_is_kept_too(reading):
    read = reading([message("s", 0, 0, headers=[("h", None)])], ends={("s", 0): 1})
    assert read.drain()
    [row] = rows(read)
    assert (row["pid"], row["seq"], row["size"]) == (-1, -1, None)
    assert row["crc"] == digest(b"", b"", [("h", b"")])


def test_the_end_of_a_partition_counts_even_if_markers_are_before_it(reading):
    read = reading([], [end_of("s", 0, 4)], ends={("s", 0): 4})
    assert read.drain()
    assert read.ends == {0: 4}
    assert list(read.folder.iterdir()) == []


@pytest.mark.parametrize("code", [KafkaError._AUTO_OFFSET_RESET, KafkaError._LOG_TRUNCATION])
def test_a_log_that_lost_what_comes_next_ends_the_read(reading, code):
    read = reading([failed(code)], ends={("s", 0): 4})
    assert not read.drain()
    assert read.problem == "it is so"


def test_a_read_that_does_not_reach_the_end_says_why(reading):
    read = reading([failed(KafkaError._ALL_BROKERS_DOWN)], ends={("t", 1): 4})
    assert not read.drain(patience_s=0.05)
    assert read.problem == (
        "the ends of partitions [3] were not reached in 0.05 s; last error: it is so"
    )


@pytest.mark.parametrize(
    ("value", "name"),
    [(b"", (-1, -1)), (b"ab", (0x6162, -1)), (b"\xff" * 12, (2**32 - 1, -1))],
)
def test_garbage_has_an_identity_that_no_ledger_has(value, name):
    assert identity(value) == name


def test_a_read_that_gets_records_has_all_the_time_it_needs(tmp_path):
    """Only the time without a record is limited."""
    last = 40
    batches = [[message("s", 0, number)] for number in range(last)]

    class Slow(Played):
        def consume(self, _most, _timeout_s):
            time.sleep(0.01)
            return super().consume(_most, _timeout_s)

    given = Slow(*batches, ends={("s", 0): last})
    read = TopicRead(ORIGIN, tmp_path / "read", connect=lambda *_: given)
    assert read.drain(patience_s=0.1), read.problem
    assert read.count == last


def test_the_ends_are_those_of_a_reader_that_sees_open_transactions(tmp_path):
    asked = []

    def connect(_servers, isolation):
        asked.append(isolation)
        return Played(ends={("s", 0): 4})

    read = TopicRead(ORIGIN, tmp_path / "read", "read_committed", connect=connect)
    assert not read.drain(patience_s=0.05)
    assert asked == ["read_committed", "read_uncommitted"]
