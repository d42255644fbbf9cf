"""S1: what a producer does with a client, with one that is played here."""

import pytest

from minikafka.harness.clients import producer
from minikafka.harness.clients.ledger import LedgerWriter
from minikafka.harness.clients.ledger_table import read_ledger
from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.clients.producer_client import (
    ClientGaveUpError,
    DeliveryReport,
    NotEndedError,
)
from minikafka.harness.lines import EventLog, Tail


class Played:
    """Answers everything at once; records that a test names fail."""

    def __init__(self, outbox, *, give_up=False, commit_error=""):
        self.outbox = outbox
        self.give_up = give_up
        self.commit_error = commit_error
        self.calls = []
        self.taken = []

    def send(self, records):
        self.taken += [DeliveryReport(it.seq, "", False, it.seq, 1) for it in records]
        if self.give_up and records:
            raise ClientGaveUpError("fenced")

    def answers(self, _wait_s):
        taken, self.taken = self.taken, []
        return taken

    def begin(self):
        self.calls.append("begin")

    def end(self, *, commit):
        self.calls.append("commit" if commit else "abort")
        if self.commit_error:
            raise NotEndedError(self.commit_error)

    def close(self):
        self.calls.append("close")


def make_outbox(tmp_path, **changes):
    values = {
        "run": "r", "pid": 3, "client": "c", "bootstrap_servers": "", "topic": "t",
        "topic_id": "i", "partitions": 4, "seed": 1, "rate": 5_000, "seconds": 0.3, "drain_s": 5,
        "ledger": str(tmp_path / "l"), "events": str(tmp_path / "e"),
    }  # fmt: skip
    task = ProducerTask(**{**values, **changes})
    ledger = LedgerWriter(tmp_path / "l")
    ledger.header(
        run="r", producer=3, client="c", topic="t", topic_id="i", acks="all", idempotent=True
    )
    return Outbox(task, ledger, EventLog(tmp_path / "e"))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Standard input is not polled, and a new instance starts without a delay."""
    monkeypatch.setattr(producer, "_PAUSE_S", 0)
    monkeypatch.setattr("select.select", lambda *_: ([], [], []))


def test_every_answered_record_is_acknowledged(tmp_path):
    outbox = make_outbox(tmp_path)
    client = Played(outbox)
    assert producer.write(outbox, lambda _: client) == ""
    counts = read_ledger(tmp_path / "l").counts()
    assert counts["acked"] == counts["sent"] > 0
    assert client.calls == ["close"]


def test_a_failed_client_is_replaced_and_its_records_are_unknown(tmp_path):
    """S1: an idempotent producer's client ends so after an unclean election."""
    outbox = make_outbox(tmp_path)
    clients = [Played(outbox, give_up=True), Played(outbox)]
    assert producer.write(outbox, lambda _: clients.pop(0)) == ""
    table = read_ledger(tmp_path / "l")
    [first] = table.renewals
    counts = table.counts()
    assert counts["unknown"] == first > 0
    assert counts["acked"] == counts["sent"] - first > 0
    assert clients == []


def test_clients_that_never_connect_end_the_producer(tmp_path):
    outbox = make_outbox(tmp_path, seconds=60)

    def connect(_):
        raise ClientGaveUpError("no broker there")

    assert producer.write(outbox, connect) == "no broker there"
    assert len(read_ledger(tmp_path / "l").renewals) == 20


@pytest.fixture
def writer(tmp_path, monkeypatch):
    monkeypatch.setattr(producer, "_TRANSACTION_S", 0.0)
    outbox = make_outbox(tmp_path, transactions=True, rate=1e6)
    client = Played(outbox)
    return producer.TransactionWriter(outbox, client)


def transactions(folder):
    """The events of transactions that were written."""
    return [event for event in Tail(folder / "e").read() if event["event"] == "transaction"]


def send_some(writer):
    while not writer._answers:
        writer.turn(more=True)


def test_records_are_acknowledged_when_their_transaction_is_committed(writer, tmp_path):
    send_some(writer)
    assert writer.client.calls == ["begin"]
    assert read_ledger(tmp_path / "l").counts()["acked"] == 0
    writer.turn(more=True)
    assert writer.client.calls == ["begin", "commit"]
    counts = read_ledger(tmp_path / "l").counts()
    assert counts["acked"] == counts["sent"] > 0
    [span] = transactions(tmp_path)
    assert (span["name"], span["outcome"], span["records"]) == ("p3", "committed", counts["sent"])
    assert 0 < span["began_at_ms"] <= span["at_ms"]


@pytest.mark.parametrize("why", ["its turn", "a record was refused"])
def test_records_of_an_aborted_transaction_are_failed(writer, tmp_path, why):
    if why == "its turn":
        writer._count = 1
    send_some(writer)
    if why != "its turn":
        writer._answers[0] = writer._answers[0]._replace(error="X")
    writer.turn(more=True)
    assert writer.client.calls == ["begin", "abort"]
    table = read_ledger(tmp_path / "l")
    assert table.counts()["failed"] == table.counts()["sent"] == table.aborted_count > 0
    assert [span["outcome"] for span in transactions(tmp_path)] == ["aborted"]


def test_a_transaction_without_a_known_end_leaves_its_records_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(producer, "_TRANSACTION_S", 0.0)
    outbox = make_outbox(tmp_path, transactions=True, rate=1e6)
    clients = [Played(outbox, commit_error="_TIMED_OUT"), Played(outbox)]
    assert producer.write(outbox, lambda _: clients.pop(0)) == ""
    table = read_ledger(tmp_path / "l")
    [first] = table.renewals
    assert table.counts()["unknown"] == first > 0
    span = transactions(tmp_path)[0]
    assert (span["outcome"], span["records"]) == ("unknown", first)


def test_the_exit_status_says_that_all_clients_failed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(producer, "write", lambda _: "fenced")
    outbox = make_outbox(tmp_path)
    (tmp_path / "l").unlink()
    assert producer.main(outbox.task.to_json()) == 1
    assert "all 20 client instances failed, the last one: fenced" in capsys.readouterr().err
    assert read_ledger(tmp_path / "l").ended
