"""Errors of the client libraries, without a cluster."""

import gc
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from aiokafka.errors import OutOfOrderSequenceNumber

from minikafka.harness.clients import aio_client, confluent_client, delivery_queue
from minikafka.harness.clients.ledger import LedgerWriter
from minikafka.harness.clients.libraries import make_client
from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.clients.producer_client import ClientGaveUpError, DeliveryReport
from minikafka.harness.clients.python_client import PythonClient
from minikafka.harness.lines import EventLog


@pytest.fixture
def outbox(tmp_path):
    def make(client, **changes):
        values = {
            "run": "r", "pid": 3, "client": client, "bootstrap_servers": "127.0.0.1:1",
            "topic": "t", "topic_id": "i", "partitions": 4, "seed": 1, "rate": 1e4, "seconds": 9,
            "drain_s": 5, "ledger": str(tmp_path / "l"), "events": str(tmp_path / "e"),
        }  # fmt: skip
        task = ProducerTask(**{**values, **changes})
        return Outbox(task, LedgerWriter(tmp_path / "l"), EventLog(tmp_path / "e"))

    return make


def some(outbox):
    while not (records := outbox.batch()):
        pass
    return records


def answers(client, count):
    found = []
    deadline = time.monotonic() + 30
    while len(found) < count:
        found += client.answers(0.01)
        assert time.monotonic() < deadline
    return found


def test_a_record_that_librdkafka_never_sent_has_definitely_failed(outbox):
    """A record that is purged from the queue was sent to no broker."""
    box = outbox("confluent-kafka", compression="lz4")
    client = make_client(box)
    records = some(box)
    client.send(records)
    client._producer.purge()
    found = answers(client, len(records))
    assert {it.error for it in found} == {"_PURGE_QUEUE"}
    assert all(it.definite for it in found)
    client.close()


def test_a_closed_client_of_librdkafka_has_no_threads_left(outbox):
    """They would go on to ask for topics, of whatever serves that port next."""

    def threads():
        return {task.name for task in Path("/proc/self/task").iterdir()}

    before = threads()
    client = make_client(outbox("confluent-kafka"))
    started = threads() - before
    assert started
    gc.disable()
    try:
        client.close()
        assert started & threads() == set()
    finally:
        gc.enable()


def test_a_fatal_error_of_librdkafka_is_the_end_of_the_instance(outbox):
    """As after an unclean election: the client's own way to bring one about."""
    client = make_client(outbox("confluent-kafka"))
    error = confluent_client.RdKafkaError(
        confluent_client.RdKafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER, fatal=True
    )
    client._on_error(error)
    with pytest.raises(ClientGaveUpError, match=r"out of order|sequence"):
        client.answers(0)
    client.close()


def test_a_fatal_error_that_is_raised_comes_after_the_answers_that_were_there(outbox):
    client = make_client(outbox("confluent-kafka"))

    class Ended:
        def poll(self, _wait_s):
            raise confluent_client.KafkaException(
                confluent_client.RdKafkaError(confluent_client.RdKafkaError._FATAL)
            )

        def purge(self):
            pass

    client._producer = Ended()
    client._answers.append(DeliveryReport(0, "", definite=False, offset=1, timestamp_ms=1))
    assert [it.seq for it in client.answers(0)] == [0]
    with pytest.raises(ClientGaveUpError, match="Fatal error"):
        client.answers(0)
    client.close()


def test_a_client_without_a_reachable_broker_fails_at_once(outbox):
    with pytest.raises(ClientGaveUpError):
        make_client(outbox("aiokafka"))


def test_transactions_without_a_coordinator_fail(outbox, monkeypatch):
    monkeypatch.setattr(confluent_client, "END_TIMEOUT_S", 0.1)
    with pytest.raises(ClientGaveUpError):
        make_client(outbox("confluent-kafka", transactions=True))


def test_aiokafka_with_a_sequence_error_fails_after_its_answers(outbox, monkeypatch):
    """Its sequence numbers would be refused without end; a new instance starts at 0."""
    producer = SimpleNamespace(_sender=SimpleNamespace(sender_task=None), stop=noop)
    monkeypatch.setattr(aio_client.AioClient, "_start", lambda _: answered(producer))
    client = make_client(outbox("aiokafka"))
    client._answers.put(delivery_queue.refused(4, OutOfOrderSequenceNumber()))
    [answer] = client.answers(0)
    assert (answer.seq, answer.error, answer.definite) == (4, "OutOfOrderSequenceNumber", False)
    with pytest.raises(ClientGaveUpError, match="OutOfOrderSequenceNumber"):
        client.send([object()])
    client.close()


async def answered(value):
    return value


async def noop():
    """Nothing to stop."""


def test_a_client_of_kafka_python_that_cannot_flush_is_closed_nevertheless(capsys):
    """Closing flushes first; its error must not end the process, which starts another instance."""

    def close(timeout):
        raise TimeoutError(f"not flushed within {timeout}")

    client = PythonClient.__new__(PythonClient)
    client._error = TimeoutError
    client._producer = SimpleNamespace(close=close)
    client.close()
    assert "did not close cleanly" in capsys.readouterr().err
