"""Encoding and decoding of the records of `__transaction_state`.

A key starts with its record type, a value with its version, both as 16-bit numbers. Values have
version 1 if `transaction.version` is 1 or higher, else version 0.

Source: `TransactionLog`, `TransactionCoordinatorRecordSerde`.
"""

from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.coordinator.numbered_message import encode_key, encode_value, number_of, reader_of
from minikafka.messages.coordinator.record_types import TransactionRecordType
from minikafka.messages.coordinator.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)
from minikafka.protocol.primitives import MalformedMessage
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import LAST_EPOCH, RECORD_VERSION_1_FROM, Transaction

_KEY_VERSION = 0
_WRITTEN_STATES = frozenset(
    state.value
    for state in TransactionState
    if state not in (TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE)
)


class TransactionRecord(NamedTuple):
    """The state of a transactional id, or (None) its tombstone."""

    transactional_id: str
    transaction: Transaction | None


def transaction_key(transactional_id: str) -> bytes:
    """Encode the key of a transactional id."""
    return encode_key(TransactionRecordType.TRANSACTION_LOG, TransactionLogKey(transactional_id))


def transaction_value(transaction: Transaction, transaction_version: int) -> bytes:
    """Encode the state of a transactional id, at the cluster's transaction version."""
    version = int(transaction_version >= RECORD_VERSION_1_FROM)
    value = TransactionLogValue(
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=transaction.state.value,
        transaction_partitions=_topics(transaction),
        transaction_last_update_timestamp_ms=transaction.updated_ms,
        transaction_start_timestamp_ms=transaction.started_ms,
    )
    if version:
        value.previous_producer_id = transaction.previous_producer_id
        value.next_producer_id = transaction.next_producer_id
        value.client_transaction_version = transaction.client_version
    return encode_value(value, version)


def _topics(transaction: Transaction) -> list[PartitionsSchema] | None:
    if transaction.state is TransactionState.EMPTY:
        return None
    topics: dict[str, PartitionsSchema] = {}
    for topic, index in transaction.sorted_partitions:
        schema = topics.get(topic)
        if schema is None:
            schema = topics[topic] = PartitionsSchema(topic)
        schema.partition_ids.append(index)
    return list(topics.values())


def parse_transaction(key: bytes, value: bytes | None) -> TransactionRecord | None:
    """Decode a record; None for a key or value of a version that this release does not know.

    Raises:
        MalformedMessage: the bytes are not a valid record.
    """
    if number_of(key) != TransactionRecordType.TRANSACTION_LOG:
        return None
    name = TransactionLogKey.decode(reader_of(key), _KEY_VERSION).transactional_id
    if value is None:
        return TransactionRecord(name, None)
    version = number_of(value)
    if not TransactionLogValue.MIN_VERSION <= version <= TransactionLogValue.MAX_VERSION:
        return None
    log_value = TransactionLogValue.decode(reader_of(value), version)
    return TransactionRecord(name, _transaction(log_value))


def _transaction(value: TransactionLogValue) -> Transaction:
    # Unlike Kafka (row T3), which would stop reading here and serve the rest.
    status = value.transaction_status
    if status not in _WRITTEN_STATES:
        raise MalformedMessage(f"a transaction cannot have the state {status}")
    if value.producer_id < 0 or not 0 <= value.producer_epoch <= LAST_EPOCH:
        raise MalformedMessage("a transaction must have a producer id and an epoch")
    return Transaction(
        producer_id=value.producer_id,
        previous_producer_id=value.previous_producer_id,
        next_producer_id=value.next_producer_id,
        producer_epoch=value.producer_epoch,
        timeout_ms=value.transaction_timeout_ms,
        state=TransactionState(status),
        partitions=frozenset(
            TopicPartition(topic.topic, index)
            for topic in value.transaction_partitions or ()
            for index in topic.partition_ids
        ),
        updated_ms=value.transaction_last_update_timestamp_ms,
        started_ms=value.transaction_start_timestamp_ms,
        client_version=value.client_transaction_version,
    )
