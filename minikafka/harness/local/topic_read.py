"""A read of all topics of a run by one consumer, which keeps the digest of each record.

The columns are those of `OBSERVED_SCHEMA`, as Spark's reads have them (`records.DIGEST_COLUMNS`).
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from minikafka.harness.clients import login
from minikafka.harness.clients.records import digest, identity
from minikafka.harness.lines import wall_ms
from minikafka.harness.verdict.stream_files import StreamOrigin

DRAIN_S = 100.0
"""The longest time without a record: longer than a transaction that a killed producer left open may
last."""

_CONSUME_MAX = 5_000
_FILE_ROWS = 100_000
_ASK_S = 5.0
_TYPES = {
    "partition": pa.int32(),
    "offset": pa.int64(),
    "timestamp_ms": pa.int64(),
    "pid": pa.int64(),
    "seq": pa.int64(),
    "crc": pa.int64(),
    "size": pa.int32(),
    "read_ms": pa.int64(),
}

_LOST = (KafkaError._AUTO_OFFSET_RESET, KafkaError._LOG_TRUNCATION)  # noqa: SLF001
"""The errors by which librdkafka says that the log no longer has what comes next."""


def open_consumer(servers: str, isolation: str) -> Consumer:
    """Return a consumer of its own group, which commits nothing and never skips a record."""
    return Consumer(
        {
            "bootstrap.servers": servers,
            **login.for_librdkafka(),
            "client.id": "minikafka-verify-local",
            "group.id": "minikafka-verify-local",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "isolation.level": isolation,
            "check.crcs": True,
            "enable.partition.eof": True,
            "socket.timeout.ms": 10_000,
            "fetch.wait.max.ms": 200,
            "reconnect.backoff.max.ms": 1_000,
            "topic.metadata.refresh.interval.ms": 5_000,
        }
    )


@dataclass(slots=True)
class TopicRead:
    """Reads every partition from its first offset, and writes parquet files to `folder`.

    `ends` has the next offset of each partition, numbered through all topics. `count` is the number
    of records. `problem` says why the read cannot reach the end.
    """

    origin: StreamOrigin
    folder: Path
    isolation: str = "read_committed"
    connect: Callable[[str, str], Consumer] = open_consumer
    ends: dict[int, int] = field(default_factory=dict)
    count: int = 0
    problem: str = ""
    _consumer: Consumer = field(init=False)
    _asker: Consumer | None = None
    _rows: list[tuple[int | None, ...]] = field(default_factory=list)
    _file_count: int = 0
    _last_error: str = ""

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self._consumer = self.connect(self.origin.bootstrap_servers, self.isolation)
        self._consumer.assign(list(self._places()))

    def _places(self) -> Iterator[TopicPartition]:
        for topic in self._topics:
            for partition in range(self.origin.width):
                yield TopicPartition(topic, partition, OFFSET_BEGINNING)

    @property
    def _topics(self) -> list[str]:
        return self.origin.topic.split(",")

    def _number(self, topic: str, partition: int) -> int:
        return self._topics.index(topic) * self.origin.width + partition

    def consume(self, timeout_s: float) -> None:
        """Read what is there within a time."""
        read_ms = 0
        for message in self._consumer.consume(_CONSUME_MAX, timeout_s):
            error = message.error()
            if error is None:
                read_ms = read_ms or wall_ms()
                self._keep(message, read_ms)
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001
                self.ends[self._number(message.topic(), message.partition())] = message.offset()
            else:
                self._last_error = " ".join(str(error.str()).split())
                if error.code() in _LOST:
                    self.problem = self._last_error
        if len(self._rows) >= _FILE_ROWS:
            self.flush()

    def _keep(self, message: Message, read_ms: int) -> None:
        number = self._number(message.topic(), message.partition())
        value, offset = message.value(), message.offset()
        headers = [(name, content or b"") for name, content in message.headers() or ()]
        crc = digest(value or b"", message.key() or b"", headers)
        size = None if value is None else len(value)
        _, timestamp_ms = message.timestamp()
        pid, seq = identity(value or b"")
        self._rows.append((number, offset, timestamp_ms, pid, seq, crc, size, read_ms))
        self.ends[number] = offset + 1
        self.count += 1

    def flush(self) -> None:
        """Write what was read since the last call to a file."""
        if not self._rows:
            return
        columns = zip(*self._rows, strict=True)
        table = pa.table(
            [
                pa.array(column, type_)
                for column, type_ in zip(columns, _TYPES.values(), strict=True)
            ],
            names=list(_TYPES),
        )
        pq.write_table(table, self.folder / f"part-{self._file_count:05}.parquet")
        self._file_count += 1
        self._rows.clear()

    def drain(self, patience_s: float = DRAIN_S) -> bool:
        """Read to the present end of every partition; return False if that failed."""
        deadline_s = time.monotonic() + patience_s
        ends: dict[int, int] = {}
        while not self.problem:
            count = self.count
            self.consume(0.1)
            if self.count > count:
                deadline_s = time.monotonic() + patience_s
            ends = ends or self._log_ends()
            if ends and all(self.ends.get(number, 0) >= end for number, end in ends.items()):
                break
            if time.monotonic() >= deadline_s:
                self.problem = self._why_late(ends, patience_s)
        self.flush()
        return not self.problem

    def _why_late(self, ends: Mapping[int, int], patience_s: float) -> str:
        behind = [number for number, end in ends.items() if self.ends.get(number, 0) < end]
        what = f"the ends of partitions {behind}" if behind else "the ends of the partitions"
        last = f"; last error: {self._last_error}" if self._last_error else ""
        return f"{what} were not reached in {patience_s:g} s{last}"

    def _log_ends(self) -> dict[int, int]:
        """Return the high watermark of every partition; empty if one of them cannot be fetched.

        A consumer of read_committed is told the last stable offset: before an open transaction, and
        before the committed records after it.
        """
        if self._asker is None:
            self._asker = self.connect(self.origin.bootstrap_servers, "read_uncommitted")
        ends = {}
        try:
            for place in self._places():
                _, end = self._asker.get_watermark_offsets(place, timeout=_ASK_S)
                ends[self._number(place.topic, place.partition)] = end
        except KafkaException:
            return {}
        return ends

    def close(self) -> None:
        """Close the consumers."""
        self._consumer.close()
        if self._asker is not None:
            self._asker.close()


def read_again(origin: StreamOrigin, target: Path, isolation: str = "read_committed") -> str:
    """Read every topic from its first offset to its end; return what went wrong, or ""."""
    read = TopicRead(origin, target, isolation)
    try:
        read.drain()
    finally:
        read.close()
    return read.problem
