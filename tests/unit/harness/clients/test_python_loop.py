"""S1: what a loop does with kafka-python's consumer and producer, which are played here."""

import warnings
from threading import Event
from types import SimpleNamespace

import pytest

from minikafka.harness.clients.loop_client import LoopFailedError, LoopTask
from minikafka.harness.clients.producer_client import NotEndedError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of kafka-python, about itself
    from kafka import TopicPartition
    from kafka.errors import IllegalGenerationError, KafkaTimeoutError

    from minikafka.harness.clients import python_loop
    from minikafka.harness.clients.python_loop import PythonLoop


class PlayedCoordinator:
    """A member of the group; a test sets its task of joining."""

    def __init__(self):
        self._join_task = None
        self.joins_again = False

    def need_rejoin(self):
        return self.joins_again

    def request_rejoin(self):
        self.joins_again = True


class PlayedConsumer:
    """Gives a test's polls; a callable among them is a callback in the middle of a poll."""

    def __init__(self, **_options):
        self._coordinator = PlayedCoordinator()
        self.polls = []
        self.committed_at = {}
        self.sought = {}

    def subscribe(self, topics, listener):
        self.topics, self.listener = topics, listener

    def poll(self, _timeout_ms, max_records):
        while self.polls:
            given = self.polls.pop(0)
            if not callable(given):
                return given
            given()
        return {}

    def group_metadata(self):
        return "generation 3"

    def assignment(self):
        return set(self.committed_at)

    def committed(self, at, timeout_ms):
        return self.committed_at[at]

    def position(self, at, timeout_ms):
        return self.committed_at[at]

    def seek(self, at, offset):
        self.sought[at] = offset

    def seek_to_beginning(self, at):
        self.sought[at] = 0

    def close(self, autocommit, timeout_ms):
        assert not autocommit
        raise KafkaTimeoutError("no coordinator")


class PlayedProducer:
    """Notes what it is told; fails where a test says so."""

    def __init__(self, **_options):
        self.called = []
        self.failing = {}
        self._transaction_manager = SimpleNamespace(has_fatal_error=lambda: self.is_fatal)
        self.is_fatal = False

    def _call(self, name, *args):
        self.called.append((name, *args))
        if name in self.failing:
            raise self.failing[name]

    def init_transactions(self):
        self._call("init")

    def begin_transaction(self):
        self._call("begin")

    def send(self, topic, value, partition):
        self._call("send", topic, partition, value)

    def flush(self):
        self._call("flush")

    def send_offsets_to_transaction(self, offsets, metadata):
        self._call("offsets", {at: row.offset for at, row in offsets.items()}, metadata)

    def commit_transaction(self):
        self._call("commit")

    def close(self, timeout):
        raise KafkaTimeoutError(f"not flushed within {timeout}")


@pytest.fixture
def loop(tmp_path, monkeypatch):
    monkeypatch.setattr(python_loop, "KafkaConsumer", PlayedConsumer)
    monkeypatch.setattr(python_loop, "KafkaProducer", PlayedProducer)
    return PythonLoop(
        LoopTask(
            run="r", loop=2, client="kafka-python", bootstrap_servers="127.0.0.1:1", topic="t,u",
            width=2, output="o", log=str(tmp_path / "l"), events=str(tmp_path / "e"),
        )
    )  # fmt: skip


def record(offset):
    return SimpleNamespace(offset=offset, value=b"v", key=b"k", headers=[("h", b"1")])


T0, U1 = TopicPartition("t", 0), TopicPartition("u", 1)


def test_inputs_of_a_partition_that_moves_while_they_are_gathered_are_dropped(loop):
    listener = loop._consumer.listener
    loop._consumer.polls = [
        {T0: [record(5)], U1: [record(7)]}, lambda: listener.on_partitions_revoked([U1]),
        {T0: [record(6)]}, lambda: listener.on_partitions_lost([]),
    ]  # fmt: skip
    assert [row[:2] for row in loop.gather(0.05, 10)] == [(0, 5), (0, 6)]


def test_an_assignment_takes_the_loop_back_to_the_committed_offsets(loop):
    listener = loop._consumer.listener
    loop._consumer.committed_at = {T0: 5, U1: None}
    loop._consumer.polls = [
        {T0: [record(5)], U1: [record(0)]}, lambda: listener.on_partitions_revoked([T0, U1]),
        lambda: listener.on_partitions_assigned([T0, U1]), {T0: [record(6)]},
        {T0: [record(5)]},
    ]  # fmt: skip
    assert [row[:2] for row in loop.gather(0.05, 10)] == [(0, 5)]
    assert loop._consumer.sought == {T0: 5, U1: 0}


@pytest.mark.parametrize(
    ("task", "is_forgotten"),
    [(None, False), (SimpleNamespace(is_done=False), False), (SimpleNamespace(is_done=True), True)],
)
def test_a_member_that_has_forgotten_its_answer_joins_again(loop, capsys, task, is_forgotten):
    coordinator = loop._consumer._coordinator
    coordinator._join_task = task
    loop.gather(0.01, 1)
    assert coordinator.joins_again == is_forgotten
    assert capsys.readouterr().err.count("joins again") == is_forgotten


def test_outputs_and_offsets_are_in_one_transaction_with_the_group_metadata(loop):
    loop.transact({3: [b"x"]}, {3: 8})
    loop.commit()
    assert loop._producer.called == [
        ("init",), ("begin",), ("send", "o", 3, b"x"), ("flush",),
        ("offsets", {U1: 8}, "generation 3"), ("commit",),
    ]  # fmt: skip


def test_a_loop_goes_back_to_the_committed_offsets_or_to_the_beginning(loop):
    loop._consumer.committed_at = {T0: 5, U1: None}
    loop.rewind()
    assert loop._consumer.sought == {T0: 5, U1: 0}
    assert loop.reached() == {0: 5}


def test_errors_that_abort_and_errors_that_end_the_instance_differ(loop):
    loop._producer.failing = {"offsets": IllegalGenerationError("stale")}
    with pytest.raises(NotEndedError, match="stale"):
        loop.transact({}, {0: 1})
    loop._producer.is_fatal = True
    with pytest.raises(LoopFailedError, match="stale"):
        loop.transact({}, {0: 1})


def test_a_step_without_an_answer_ends_the_instance(loop, monkeypatch):
    monkeypatch.setattr(python_loop, "END_TIMEOUT_S", 0.01)
    ended = Event()
    monkeypatch.setattr(loop._producer, "commit_transaction", ended.wait)
    with pytest.raises(LoopFailedError, match="commit: no answer"):
        loop.commit()
    ended.set()


def test_an_instance_that_does_not_close_is_left(loop, capsys):
    loop.close()
    said = capsys.readouterr().err
    assert "the producer did not close cleanly" in said
    assert "the consumer did not close cleanly" in said
