"""The Spark process besides the join: digests, restarts, commands, the session."""

import json
import os
import sys
from unittest.mock import Mock

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from minikafka.harness import judge_again
from minikafka.harness.clients.records import DIGEST_COLUMNS, RecordFactory, digest, identity
from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.part_process import commands
from minikafka.harness.plan.settings import HarnessError, RunFiles
from minikafka.harness.spark.stream import TopicStream
from minikafka.harness.verdict.stream_files import (
    StreamCommit,
    StreamOrigin,
    last_commit,
    stream_ends,
)

KAFKA_SCHEMA = "value binary, key binary, headers array<struct<key:string,value:binary>>"


def test_spark_and_the_producer_agree_on_every_digest(spark):
    factory = RecordFactory(seed=5, pid=3, partitions=2)
    records = [factory.make(1_000_000 + n) for n in range(50)]
    rows = [(bytearray(r.value), bytearray(r.key), r.headers) for r in records]
    frame = spark.createDataFrame(rows, KAFKA_SCHEMA)
    digests = frame.select(*(F.expr(sql).alias(name) for name, sql in DIGEST_COLUMNS.items()))
    seen = [(row["pid"], row["seq"], row["crc"], row["size"]) for row in digests.collect()]
    assert seen == [(3, r.seq, r.crc, len(r.value)) for r in records]


@pytest.mark.parametrize(
    ("value", "key", "headers", "name"),
    [
        (b"", None, None, (-1, -1)),
        (None, None, [], (-1, -1)),
        (b"ab", b"k", [("h", b"1")], (0x6162, -1)),
        (b"\xff" * 12, b"", [("h", None)], (2**32 - 1, -1)),
    ],
)
def test_garbage_has_a_digest_too_and_breaks_nothing(spark, value, key, headers, name):
    rows = [(value and bytearray(value), key and bytearray(key), headers)]
    frame = spark.createDataFrame(rows, KAFKA_SCHEMA)
    columns = [F.expr(sql).alias(column) for column, sql in DIGEST_COLUMNS.items()]
    [row] = frame.select(*columns).collect()
    assert (row["pid"], row["seq"]) == identity(value or b"") == name
    assert row["crc"] == digest(
        value or b"", key or b"", [(k, v or b"") for k, v in (headers or [])]
    )


class EndedError(Exception):
    """Stands in for a query's exception: only its text matters."""


@pytest.fixture
def stream(tmp_path, monkeypatch):
    starts = []
    monkeypatch.setattr(TopicStream, "start", lambda self: starts.append(self._restart_count))
    made = TopicStream(None, StreamOrigin("h:1", "t"), RunFiles(tmp_path), EventLog(tmp_path / "e"))
    made.start()
    return made, starts


def test_a_query_that_ends_is_started_again_a_few_times(stream, tmp_path):
    query, starts = stream
    for _ in range(6):
        query._ended(EndedError("Timeout of 10000ms\n  expired"))
    assert starts == [0, 1, 2, 3, 4, 5]
    assert "ended 6 times; last: Timeout of 10000ms expired" in query.problem
    assert query.data_loss == []
    assert not query.drain()
    assert {event["phase"] for event in Tail(tmp_path / "e").read()} == {"ended"}


@pytest.mark.parametrize(
    "said",
    [
        "[KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED] Partition t-0 …",
        "[STREAM_FAILED] … Some data may have been lost because they are not available in Kafka …",
    ],
)
def test_lost_data_reported_by_spark_is_a_finding_and_no_reason_to_start_again(stream, said):
    query, starts = stream
    query._ended(EndedError(said))
    assert starts == [0]
    assert len(query.data_loss) == 1
    assert not query.drain()


def test_commands_come_whole_and_end_with_standard_input(monkeypatch):
    reading, writing = os.pipe()
    with os.fdopen(reading) as source:
        monkeypatch.setattr(sys, "stdin", source)
        incoming = commands(0.2)
        os.write(writing, b'{"do": "stream", "topic": "t"}\n{"do": ')
        assert next(incoming) == {"do": "stream", "topic": "t"}
        assert next(incoming) is None
        os.write(writing, b'"finish"}\n')
        assert next(incoming) == {"do": "finish"}
        os.close(writing)
        assert list(incoming) == []


def checkpoint(folder, *, done, planned):
    for name, numbers in (("commits", done), ("offsets", planned)):
        (folder / name).mkdir(parents=True)
        for number in numbers:
            lines = ["v1", "{}", json.dumps({"t": {"0": number * 10}})]
            (folder / name / str(number)).write_text("\n".join(lines))
            (folder / name / f".{number}.crc").touch()


def test_a_checkpoint_names_its_last_batch_and_end_offsets(tmp_path):
    assert last_commit(tmp_path) is None
    checkpoint(tmp_path, done=[8, 9], planned=[8, 9, 10])
    assert last_commit(tmp_path) == (9, {"t": {"0": 90}})


def test_the_stream_ends_where_its_last_finished_batch_ended(tmp_path):
    """Partitions are numbered through all topics; a batch that was only planned does not count."""
    assert stream_ends(tmp_path, StreamOrigin("", "t")) == {}
    checkpoint(tmp_path, done=[8, 9], planned=[8, 9, 10])
    assert stream_ends(tmp_path, StreamOrigin("", "s,t", 4)) == {4: 90}


@pytest.mark.parametrize(
    ("batch", "start", "strays"),
    [(10, {"t": {"0": 90}}, 0), (10, {"t": {"0": 91}}, 1), (11, {"t": {"0": 90}}, 1)],
)
def test_a_query_that_does_not_resume_at_its_checkpoint_is_reported(
    stream, tmp_path, batch, start, strays
):
    """S2: over its own restarts."""
    query, _ = stream
    query._expected = StreamCommit(9, {"t": {"0": 90}})
    for number in range(2):
        query._check_start({"batchId": batch + number, "sources": [{"startOffset": start}]})
    told = [event["phase"] for event in Tail(tmp_path / "e").read()]
    assert told == ["strayed"] * strays


def test_a_repeated_batch_does_not_count_for_the_high_watermark(stream):
    query, _ = stream
    query._start_count = 1
    names = [query._witness]
    query._start_count = 2
    names.append(query._witness)
    query.instance, query._start_count = 1, 1
    names.append(query._witness)
    assert names == ["spark", "spark 1.2", "spark 2.1"]


@pytest.mark.parametrize("error", [PySparkException("No."), Py4JError("No.")])
def test_a_statement_that_fails_is_one_sentence(monkeypatch, tmp_path, error):
    session = Mock()
    monkeypatch.setattr(judge_again, "open_session", lambda *_: session)
    with pytest.raises(HarnessError, match=r"^No\.$"), judge_again.on_spark("", tmp_path):
        raise error
    session.stop.assert_called_once_with()
