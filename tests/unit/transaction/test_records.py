"""Records of `__transaction_state` are Kafka's, byte for byte."""

from pathlib import Path

import pytest

from minikafka.protocol.primitives import MalformedMessage
from minikafka.records.reader import read_records
from minikafka.transaction.records import parse_transaction, transaction_key, transaction_value
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction
from tests.worlds.transaction_world import at

LOG = Path(__file__).parents[2] / "conformance" / "data" / "transaction_state.log"
VALUE = Transaction(
    producer_id=10, previous_producer_id=9, next_producer_id=11, producer_epoch=3, timeout_ms=5,
    state=TransactionState.ONGOING, updated_ms=100, started_ms=50, client_version=2,
    partitions=frozenset((at(0), at(2), at(1, "a"))),
)  # fmt: skip


def recorded():
    return list(read_records(LOG.read_bytes()))


def test_apache_kafka_s_records_are_written_again():
    records = recorded()
    assert len(records) == 11
    for record in records:
        parsed = parse_transaction(record.key, record.value)
        assert parsed.transactional_id == "dump"
        assert transaction_key("dump") == record.key
        assert transaction_value(parsed.transaction, 2) == record.value


def test_apache_kafka_s_states_are_read():
    states = [parse_transaction(r.key, r.value).transaction for r in recorded()]
    assert [(each.state.label, each.producer_epoch, each.client_version) for each in states] == [
        ("Empty", 0, 0), ("Ongoing", 0, 2), ("PrepareCommit", 1, 2), ("CompleteCommit", 1, 2),
        ("Ongoing", 1, 0), ("PrepareAbort", 1, 0), ("CompleteAbort", 1, 0), ("Ongoing", 1, 2),
        ("PrepareAbort", 2, 2), ("CompleteAbort", 2, 2), ("Empty", 3, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("version", [1, 2])
def test_version_1_keeps_everything(version):
    value = transaction_value(VALUE, version)
    assert value[:2] == b"\0\1"
    assert parse_transaction(transaction_key("x"), value).transaction == VALUE


def test_version_0_keeps_what_transaction_version_0_needs():
    value = transaction_value(VALUE, 0)
    assert value[:2] == b"\0\0"
    read = parse_transaction(transaction_key("x"), value).transaction
    assert (read.producer_id, read.producer_epoch, read.partitions) == (10, 3, VALUE.partitions)
    assert (read.previous_producer_id, read.next_producer_id, read.client_version) == (-1, -1, 0)


def test_a_tombstone_has_no_value():
    assert parse_transaction(transaction_key("x"), None) == ("x", None)


def test_unknown_versions_are_not_read():
    assert parse_transaction(b"\0\1rest", b"") is None
    assert parse_transaction(transaction_key("x"), b"\0\2rest") is None


@pytest.mark.parametrize("state", [6, 7, 8, -1])
def test_states_that_are_never_written_are_malformed(state):
    value = bytearray(transaction_value(VALUE, 0))
    value[2 + 8 + 2 + 4] = state & 0xFF
    with pytest.raises(MalformedMessage, match="state"):
        parse_transaction(transaction_key("x"), bytes(value))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"", None),
        (b"\0", None),
        (b"\0\0\0\5x", None),
        (transaction_key("x"), b""),
        (transaction_key("x"), b"\0\1short"),
        (transaction_key("x"), b"\0\0" + b"\xff" * 30),
    ],
)
def test_garbage_is_malformed(key, value):
    with pytest.raises(MalformedMessage):
        parse_transaction(key, value)
