import json

import pytest
from confluent_kafka import KafkaError, KafkaException

from minikafka.harness import producer
from minikafka.harness.ledger import LedgerWriter
from minikafka.harness.ledger_table import read_ledger
from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.producer import Outbox, ProducerTask


@pytest.fixture
def task(tmp_path):
    return ProducerTask(
        run="r",
        pid=3,
        client="confluent-kafka",
        bootstrap_servers="",
        topic="t",
        topic_id="i",
        partitions=4,
        seed=1,
        rate=1e9,
        seconds=60,
        drain_s=1,
        ledger=str(tmp_path / "l"),
        events=str(tmp_path / "e"),
    )


@pytest.fixture
def outbox(task, tmp_path):
    with LedgerWriter(tmp_path / "l") as ledger:
        ledger.header(
            run="r", producer=3, client="c", topic="t", topic_id="i", acks="all", idempotent=True
        )
        yield Outbox(task, ledger, EventLog(tmp_path / "e"))


def last_counts(tmp_path):
    event = Tail(tmp_path / "e").read()[-1]
    return {name: event[name] for name in ("sent", "acked", "failed", "unknown")}


def test_a_task_crosses_a_command_line(task):
    assert ProducerTask(**json.loads(task.to_json())) == task


def test_records_are_in_the_ledger_before_the_client_gets_them(outbox, tmp_path):
    records = outbox.batch()
    table = read_ledger(tmp_path / "l")
    assert table.counts()["unknown"] == len(records) > 0
    assert table.crc.tolist() == [record.crc for record in records]
    assert table.partition.tolist() == [record.partition for record in records]
    assert not outbox.is_settled


def test_an_acknowledgement_counts_only_after_it_is_in_the_ledger(outbox, tmp_path):
    records = outbox.batch()
    outbox.acked(records[0].seq, 77, 123)
    outbox.report(final=True)
    assert last_counts(tmp_path)["acked"] == 0
    outbox.settle(outbox.take())
    assert read_ledger(tmp_path / "l").ack_offset[0] == 77
    outbox.report(final=True)
    assert last_counts(tmp_path)["acked"] == 1


def test_outcomes_that_arrive_while_others_are_settled_are_not_lost(outbox, tmp_path):
    first, second, *_ = outbox.batch()
    outbox.acked(first.seq, 1, 0)
    taken = outbox.take()
    outbox.acked(second.seq, 2, 0)
    outbox.settle(taken)
    outbox.settle(outbox.take())
    assert read_ledger(tmp_path / "l").counts()["acked"] == 2


def test_no_more_is_sent_while_too_many_records_are_out(outbox):
    assert len(outbox.batch()) == 20_000
    assert outbox.batch() == []


def test_definite_failures_are_failed_and_all_other_outcomes_are_unknown(outbox, tmp_path):
    records = outbox.batch()
    outbox.failed(records[0].seq, "MSG_SIZE_TOO_LARGE", definite=True)
    outbox.failed(records[1].seq, "_MSG_TIMED_OUT", definite=False)
    outbox.acked(records[2].seq, 5, 0)
    outbox.finish()
    assert outbox.is_settled
    table = read_ledger(tmp_path / "l")
    assert table.ended
    sent = len(records)
    assert table.counts() == {"sent": sent, "acked": 1, "failed": 1, "unknown": sent - 2}
    assert last_counts(tmp_path) == table.counts()


def test_a_client_that_gives_up_leaves_a_finished_ledger(task, tmp_path, monkeypatch):
    """S1: what it still had in hand is unknown."""

    def give_up(outbox):
        first, *_ = outbox.batch()
        outbox.acked(first.seq, 7, 0)
        raise KafkaException(KafkaError(KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER))

    monkeypatch.setattr(producer, "produce_with_confluent", give_up)
    assert producer.main(task.to_json()) == 1
    table = read_ledger(tmp_path / "l")
    assert table.ended
    assert table.counts()["acked"] == 1
    assert table.counts()["unknown"] == table.counts()["sent"] - 1
