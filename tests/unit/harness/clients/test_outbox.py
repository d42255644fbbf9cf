import dataclasses
import json

import pytest

from minikafka.harness.clients import outbox as outbox_module
from minikafka.harness.clients.ledger import LedgerWriter
from minikafka.harness.clients.ledger_table import read_ledger
from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.lines import EventLog, Tail


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


def test_large_records_wait_for_room_by_their_bytes(task, tmp_path):
    large = dataclasses.replace(task, size_min_bytes=1 << 20, size_max_bytes=1 << 20)
    with LedgerWriter(tmp_path / "l2") as ledger:
        box = Outbox(large, ledger, EventLog(tmp_path / "e"))
        assert len(box.batch()) == 32
        assert box.batch() == []
        box.acked(0, 1, 0)
        assert len(box.batch()) == 1


def test_bytes_are_limited_beside_the_rate(task, tmp_path, monkeypatch):
    monkeypatch.setattr(outbox_module.time, "monotonic", lambda: 100.0)
    limited = dataclasses.replace(task, bytes_per_s=1_000, size_min_bytes=80, size_max_bytes=80)
    with LedgerWriter(tmp_path / "l2") as ledger:
        box = Outbox(limited, ledger, EventLog(tmp_path / "e"), _started=98.0)
        assert len(box.batch()) == 20  # of 100 bytes each, in two seconds
        assert box.batch() == []


def test_partitions_of_the_topics_are_numbered_consecutively(task, tmp_path):
    """S1."""
    wide = dataclasses.replace(task, topic="t,u", partitions=4)
    with LedgerWriter(tmp_path / "l2") as ledger:
        box = Outbox(wide, ledger, EventLog(tmp_path / "e"))
        assert [box.place(number) for number in (0, 3, 4, 7)] == [
            ("t", 0), ("t", 3), ("u", 0), ("u", 3),
        ]  # fmt: skip
        assert {record.partition for record in box.batch()} == set(range(8))


def test_another_instance_begins_where_the_ledger_says(outbox, tmp_path):
    sent = len(outbox.batch())
    outbox.renew("fenced")
    assert outbox.is_settled
    table = read_ledger(tmp_path / "l")
    assert table.renewals == [sent]
    assert table.counts()["unknown"] == sent
    assert table.summary()["instances"] == 2
    [event] = [it for it in Tail(tmp_path / "e").read() if it["event"] == "producer_renewed"]
    assert event["reason"] == "fenced"
