"""S1: what a loop does with librdkafka's consumer and producer, which are played here."""

from types import SimpleNamespace

import pytest
from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, TopicPartition

from minikafka.harness.clients import confluent_loop
from minikafka.harness.clients.confluent_loop import ConfluentLoop
from minikafka.harness.clients.loop_client import LoopFailedError, LoopTask
from minikafka.harness.clients.producer_client import NotEndedError


def message(topic, at, offset):
    return SimpleNamespace(
        topic=lambda: topic, partition=lambda: at, offset=lambda: offset, error=lambda: None,
        value=lambda: b"v", key=lambda: b"k", headers=lambda: [("h", b"1")],
    )  # fmt: skip


def end_of(topic, at, offset):
    error = SimpleNamespace(code=lambda: KafkaError._PARTITION_EOF)
    return SimpleNamespace(
        topic=lambda: topic, partition=lambda: at, offset=lambda: offset, error=lambda: error
    )


class PlayedConsumer:
    """Gives a test's messages; a callable among them is a callback in the middle of a poll."""

    def __init__(self, _config):
        self.messages = []
        self.sought = []
        self.positions = []

    def subscribe(self, topics, **callbacks):
        self.topics, self.callbacks = topics, callbacks

    def poll(self, _timeout_s):
        while self.messages:
            given = self.messages.pop(0)
            if not callable(given):
                return given
            given()
        return None

    def assignment(self):
        return [TopicPartition(each.topic, each.partition) for each in self.positions]

    def committed(self, _asked, timeout):
        return self.positions

    def seek(self, at):
        self.sought.append((at.topic, at.partition, at.offset))

    def consumer_group_metadata(self):
        return "generation 3"


class PlayedProducer:
    """Notes what it is told; fails where a test says so."""

    def __init__(self, _config):
        self.called = []
        self.failing = {}

    def _call(self, name, *args):
        self.called.append((name, *args))
        error = self.failing.get(name)
        if error is not None:
            raise error

    def init_transactions(self, _timeout_s):
        self._call("init")

    def begin_transaction(self):
        self._call("begin")

    def produce(self, topic, value, partition):
        self._call("produce", topic, partition, value)

    def flush(self, _timeout_s):
        return 0

    def send_offsets_to_transaction(self, offsets, metadata, _timeout_s):
        placed = [(each.topic, each.partition, each.offset) for each in offsets]
        self._call("offsets", placed, metadata)

    def commit_transaction(self, _timeout_s):
        self._call("commit")

    def abort_transaction(self, _timeout_s):
        self._call("abort")


@pytest.fixture
def loop(tmp_path, monkeypatch):
    monkeypatch.setattr(confluent_loop, "Consumer", PlayedConsumer)
    monkeypatch.setattr(confluent_loop, "Producer", PlayedProducer)
    task = LoopTask(
        run="r", loop=1, client="confluent-kafka", bootstrap_servers="127.0.0.1:1", topic="t,u",
        width=2, output="o", log=str(tmp_path / "l"), events=str(tmp_path / "e"),
    )  # fmt: skip
    loop = ConfluentLoop(task)
    loop._on_assign(None, [TopicPartition("t", 0), TopicPartition("u", 1)])
    return loop


def test_inputs_of_a_partition_that_moves_while_they_are_gathered_are_dropped(loop):
    """Another member reads them from the committed offset."""
    loop._consumer.messages = [
        message("t", 0, 5), message("u", 1, 7), end_of("u", 1, 9),
        lambda: loop._on_revoke(None, [TopicPartition("u", 1)]), message("t", 0, 6),
    ]  # fmt: skip
    assert [row[:2] for row in loop.gather(0.05, 10)] == [(0, 5), (0, 6)]
    assert loop.reached() == {}


def test_a_partition_is_at_its_end_until_another_record_comes(loop):
    loop._consumer.messages = [end_of("t", 0, 5), end_of("u", 1, 8)]
    assert loop.gather(0.01, 10) == []
    assert loop.reached() == {0: 5, 3: 8}
    loop._consumer.messages = [message("t", 0, 5)]
    assert len(loop.gather(0.05, 1)) == 1
    assert loop.reached() == {3: 8}


def test_outputs_and_offsets_are_in_one_transaction_with_the_group_metadata(loop):
    loop.transact({3: [b"x", b"y"]}, {3: 8, 0: 6})
    loop.commit()
    assert loop._producer.called == [
        ("init",), ("begin",), ("produce", "o", 3, b"x"), ("produce", "o", 3, b"y"),
        ("offsets", [("u", 1, 8), ("t", 0, 6)], "generation 3"), ("commit",),
    ]  # fmt: skip


def test_a_loop_goes_back_to_the_committed_offsets_or_to_the_beginning(loop):
    loop._consumer.positions = [TopicPartition("t", 0, 5), TopicPartition("u", 1)]
    loop.rewind()
    assert loop._consumer.sought == [("t", 0, 5), ("u", 1, OFFSET_BEGINNING)]


def failure(code, **kinds):
    return KafkaException(KafkaError(code, **kinds))


def test_errors_that_abort_and_errors_that_end_the_instance_differ(loop):
    stale = failure(KafkaError.ILLEGAL_GENERATION, txn_requires_abort=True)
    loop._producer.failing = {"offsets": stale}
    with pytest.raises(NotEndedError, match="ILLEGAL_GENERATION"):
        loop.transact({}, {0: 1})
    loop._producer.failing = {"commit": failure(KafkaError._FENCED, fatal=True)}
    with pytest.raises(LoopFailedError):
        loop.commit()
    loop._producer.failing = {"abort": failure(KafkaError._TIMED_OUT)}
    with pytest.raises(LoopFailedError, match="TIMED_OUT"):
        loop.abort()


def test_a_step_is_repeated_while_its_error_is_retriable(loop, monkeypatch):
    errors = [failure(KafkaError.COORDINATOR_LOAD_IN_PROGRESS, retriable=True)]

    def commit(_timeout_s):
        if errors:
            raise errors.pop()

    monkeypatch.setattr(loop._producer, "commit_transaction", commit)
    loop.commit()
    assert errors == []
