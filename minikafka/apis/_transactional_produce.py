"""The part of Produce for requests with a transactional id (KIP-98, KIP-890).

A transactional batch goes through the gate of `replica/transactional_appends.py`, and is appended
at once or in a later step. Source: `ReplicaManager.handleProduceAppend`.
"""

from collections.abc import Callable
from typing import Any, Final

from minikafka.common.errors import (
    ErrorCode,
    InvalidTxnStateError,
    KafkaError,
    NotEnoughReplicasError,
    error_of,
)
from minikafka.log.producers.verification import VerificationGuard
from minikafka.messages.produce import TopicProduceData
from minikafka.records.batch import (
    ATTRIBUTES_OFFSET,
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    TRANSACTIONAL,
    BatchHeader,
)
from minikafka.records.scan import header_at
from minikafka.replica.append_queue import append_or_queue
from minikafka.replica.partition import Partition
from minikafka.replica.queued_append import QueuedAppend
from minikafka.replica.transactional_appends import TransactionalAppends, TransactionalProducer

ADDS_PARTITIONS_FROM: Final = 12
"""Clients of this version rely on the partition leader to add partitions to a transaction."""
_ABORTABLE_FROM = 11
_LAST_ATTRIBUTE = ATTRIBUTES_OFFSET + 1
_LENGTH_AT = 8
_MAGIC = 2
_UNREACHABLE = (
    ErrorCode.NETWORK_EXCEPTION,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)


def is_transactional(records: Any) -> bool:
    """True if records start with a whole batch of magic 2 that is marked as transactional."""
    if not (
        records is not None
        and len(records) > _LAST_ATTRIBUTE
        and records[_LAST_ATTRIBUTE] & TRANSACTIONAL
    ):
        return False
    end = LOG_OVERHEAD + int.from_bytes(records[_LENGTH_AT:LOG_OVERHEAD], "big", signed=True)
    return records[MAGIC_OFFSET] == _MAGIC and HEADER_SIZE <= end <= len(records)


def has_transactional(topics: list[TopicProduceData]) -> bool:
    """True if the first batch of any partition is marked as transactional."""
    for topic in topics:
        for data in topic.partition_data:
            records: Any = data.records or b""
            # Two conditions first that are cheap: this is the path of every Produce.
            if (
                len(records) > _LAST_ATTRIBUTE
                and records[_LAST_ATTRIBUTE] & TRANSACTIONAL
                and is_transactional(records)
            ):
                return True
    return False


def has_several_producers(
    topics: list[TopicProduceData], exists: Callable[[TopicProduceData, int], bool]
) -> bool:
    """True if the transactional batches of a request have different producer ids or epochs.

    As Kafka: batches for partitions that do not exist are not compared.
    """
    headers = [
        _header(data.records)
        for topic in topics
        for data in topic.partition_data
        if is_transactional(data.records) and exists(topic, data.index)
    ]
    producers = dict.fromkeys(
        (each.producer_id, each.producer_epoch) for each in headers if each.producer_id >= 0
    )
    return len(producers) > 1


def producer_of(
    transactional_id: str, records: memoryview, version: int
) -> TransactionalProducer | None:
    """Return the producer of a transactional batch; None for records that need no gate."""
    if not is_transactional(records):
        return None
    header = _header(records)
    if header.producer_id < 0:
        return None
    return TransactionalProducer(
        transactional_id,
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        adds_partition=version >= ADDS_PARTITIONS_FROM,
        knows_abortable=version >= _ABORTABLE_FROM,
    )


def append_transactional(
    gate: TransactionalAppends,
    partition: Partition,
    records: memoryview,
    acks: int,
    producer: TransactionalProducer,
) -> QueuedAppend:
    """Append a batch when its transaction has the partition; the result may have no outcome yet."""
    env = gate.env
    item = QueuedAppend(acks, len(records))
    held = records

    def run(outcome: VerificationGuard | ErrorCode) -> None:
        if isinstance(outcome, ErrorCode):
            item.outcome = _for_producer(outcome, adds_partition=producer.adds_partition)
            env.notify(item.done)
        else:
            append_or_queue(env, partition, held, item, outcome)

    if not gate.admit(partition, producer, run, size_bytes=len(records)):
        # A view lives only until the end of the step.
        held = memoryview(bytearray(records))
    return item


def _header(records: Any) -> BatchHeader:
    header = header_at(records, 0, len(records))
    assert header is not None, "checked by is_transactional"
    return header


def _for_producer(code: ErrorCode, *, adds_partition: bool) -> KafkaError:
    """Return the error for a producer whose transaction could not be verified."""
    is_ending = code == ErrorCode.CONCURRENT_TRANSACTIONS and not adds_partition
    if code in _UNREACHABLE or is_ending:
        # As Kafka: older clients retry this error, and do not refresh their metadata for it.
        return NotEnoughReplicasError(f"the transaction could not be verified: {code.name}")
    if code == ErrorCode.INVALID_TXN_STATE:
        return InvalidTxnStateError("Partition was not added to the transaction")
    return error_of(code)
