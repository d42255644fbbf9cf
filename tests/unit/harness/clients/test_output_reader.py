"""S1: the reader of the loops' outputs, with a consumer that is played here."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

from minikafka.harness.clients import output_reader
from minikafka.harness.clients.ledger import FrameWriter
from minikafka.harness.clients.loop_log import (
    AFRESH,
    HEADER,
    LIVE,
    VERSION,
    Output,
    read_output_log,
)
from minikafka.harness.clients.output_reader import OutputTask, read


def record(at, offset, value):
    return SimpleNamespace(
        partition=lambda: at, offset=lambda: offset, value=lambda: value, error=lambda: None
    )


def end_of(at, offset):
    error = SimpleNamespace(code=lambda: KafkaError._PARTITION_EOF)
    return SimpleNamespace(partition=lambda: at, offset=lambda: offset, error=lambda: error)


class Played:
    """Gives the messages of a test."""

    def __init__(self, *batches, ends=(2, 0)):
        self.batches = list(batches)
        self.ends = ends
        self.is_closed = False

    def assign(self, places):
        assert [place.offset for place in places] == [-2, -2]  # the beginning

    def consume(self, _most, _timeout_s):
        return self.batches.pop(0) if self.batches else []

    def get_watermark_offsets(self, at, timeout):
        if self.ends is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        return 0, self.ends[at.partition]

    def close(self):
        self.is_closed = True


@pytest.fixture
def task(tmp_path):
    return OutputTask(
        run="r", bootstrap_servers="127.0.0.1:1", output="o", partitions=2,
        log=str(tmp_path / "outputs.msgpack"),
    )  # fmt: skip


def read_with(task, *consumers):
    given = list(consumers)
    with FrameWriter(Path(task.log)) as frames:
        frames.append([HEADER, {"version": VERSION, "run": "r"}])
        whole = read(task, frames, lambda: True, lambda _task: given.pop(0))
    assert all(consumer.is_closed for consumer in consumers)
    return whole, read_output_log(Path(task.log))


def test_outputs_are_read_twice_and_each_time_to_the_end(task):
    output = Output(0, 5, 1, 1, 99)
    both = [record(0, 0, output.pack()), record(0, 1, b"strange"), end_of(0, 2), end_of(1, 0)]
    whole, passes = read_with(task, Played(both[:1], both[1:]), Played(both))
    assert whole
    for number in (LIVE, AFRESH):
        assert passes[number].outputs == {0: [(0, output), (1, None)]}
        assert passes[number].ends == {0: 2, 1: 0}


@pytest.mark.parametrize("ends", [(3, 0), None])
def test_a_pass_that_does_not_reach_the_ends_is_noted(task, monkeypatch, ends):
    monkeypatch.setattr(output_reader, "_DRAIN_S", 0)
    seen = [end_of(0, 2), end_of(1, 0)]
    whole, passes = read_with(task, Played(seen, ends=ends), Played(seen))
    assert not whole
    assert passes[LIVE].ends == {}
    assert passes[AFRESH].ends == {0: 2, 1: 0}
