"""List and describe transactions, find and abort hanging ones (Kafka: `TransactionsCommand`)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.topics import describe_topics, list_topics
from minikafka.admin.transactions import (
    Marker,
    abort_transaction,
    describe_producers,
    describe_transaction,
    fence_producer,
    list_transactions,
)
from minikafka.commands.options import ToolError
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.describe_producers import ProducerState

_NO_OFFSET = -1
_MINUTE_MS = 60_000
_PAGE = 2000


def print_list(client: AdminClient, *, duration_ms: int, pattern: str | None) -> None:
    """Print each transactional id that the filters accept.

    Raises:
        ToolError: the cluster refuses, or a broker does not answer; the ids of the others were
            printed.
    """
    silent: dict[int, str] = {}
    try:
        found = list_transactions(client, duration_ms=duration_ms, pattern=pattern, silent=silent)
    except AdminError as error:
        raise ToolError(f"Failed to list transactions: {_explained(error)}") from None
    _print_table(
        ("TransactionalId", "Coordinator", "ProducerId", "TransactionState"),
        [(it.transactional_id, it.coordinator_id, it.producer_id, it.state) for it in found],
    )
    if silent:
        raise ToolError(f"The list is not complete: {'; '.join(silent.values())}")


def print_transaction(client: AdminClient, transactional_id: str, wall_ms: int) -> None:
    """Print the state of a transactional id.

    Raises:
        ToolError: the id is unknown, or the cluster does not answer.
    """
    try:
        found = describe_transaction(client, transactional_id)
    except AdminError as error:
        raise ToolError(
            f"Failed to describe transaction state of transactional-id `{transactional_id}`: "
            f"{_explained(error)}"
        ) from None
    is_open = found.start_ms >= 0
    _print_table(
        (
            "CoordinatorId", "TransactionalId", "ProducerId", "ProducerEpoch", "TransactionState",
            "TransactionTimeoutMs", "CurrentTransactionStartTimeMs", "TransactionDurationMs",
            "TopicPartitions",
        ),
        [
            (
                found.coordinator_id,
                transactional_id,
                found.producer_id,
                found.producer_epoch,
                found.state,
                found.timeout_ms,
                found.start_ms if is_open else "None",
                wall_ms - found.start_ms if is_open else "None",
                ",".join(str(at) for at in sorted(found.partitions)),
            )
        ],
    )  # fmt: skip


def print_producers(client: AdminClient, at: TopicPartition, broker_id: int | None) -> None:
    """Print the producers of a partition, at its leader or at another broker.

    Raises:
        ToolError: the partition does not exist there, or the cluster does not answer.
    """
    _print_table(
        (
            "ProducerId", "ProducerEpoch", "LatestCoordinatorEpoch", "LastSequence",
            "LastTimestamp", "CurrentTransactionStartOffset",
        ),
        [
            (
                it.producer_id,
                it.producer_epoch,
                it.coordinator_epoch,
                it.last_sequence,
                it.last_timestamp,
                "None" if it.current_txn_start_offset < 0 else it.current_txn_start_offset,
            )
            for it in _producers(client, at, broker_id)
        ],
    )  # fmt: skip


def _producers(
    client: AdminClient, at: TopicPartition, broker_id: int | None = None
) -> list[ProducerState]:
    try:
        return describe_producers(client, [at], broker_id)[at]
    except AdminError as error:
        where = "leader" if broker_id is None else f"broker {broker_id}"
        raise ToolError(
            f"Failed to describe producers for partition {at} on {where}: {_explained(error)}"
        ) from None


def abort(client: AdminClient, at: TopicPartition, start_offset: int) -> None:
    """Abort the transaction that starts at an offset of a partition.

    Raises:
        ToolError: no transaction starts there, or the cluster refuses or does not answer.
    """
    for it in _producers(client, at):
        if it.current_txn_start_offset == start_offset:
            epoch = max(it.coordinator_epoch, 0)
            abort_producer(client, at, Marker(it.producer_id, it.producer_epoch, epoch))
            return
    raise ToolError(
        f"Could not find any open transactions starting at offset {start_offset} on partition {at}"
    )


def abort_producer(client: AdminClient, at: TopicPartition, marker: Marker) -> None:
    """Abort the transaction of a producer in a partition.

    Raises:
        ToolError: the cluster refuses, or does not answer.
    """
    try:
        abort_transaction(client, at, marker)
    except AdminError as error:
        raise ToolError(
            f"Failed to abort transaction AbortTransactionSpec(topicPartition={at}, "
            f"producerId={marker.producer_id}, producerEpoch={marker.producer_epoch}, "
            f"coordinatorEpoch={marker.coordinator_epoch}): {_explained(error)}"
        ) from None


def terminate(client: AdminClient, transactional_id: str) -> None:
    """Fence the producer of a transactional id and abort its transaction.

    Raises:
        ToolError: the cluster refuses, or does not answer.
    """
    try:
        fence_producer(client, transactional_id)
    except AdminError as error:
        raise ToolError(
            f"Failed to force terminate transactionalId `{transactional_id}`: {_explained(error)}"
        ) from None


def _explained(error: AdminError) -> str:
    """Return the text of an error as a sentence."""
    return f"{str(error).removesuffix('.')}."


class _Open(NamedTuple):
    """An open transaction of a producer in a partition."""

    at: TopicPartition
    producer: ProducerState


class Scope(NamedTuple):
    """The scope of a search for hanging transactions: a topic, a partition, a broker's replicas."""

    topic: str | None
    partition: int | None
    broker_id: int | None


def print_hanging(client: AdminClient, scope: Scope, longest_ms: int, wall_ms: int) -> None:
    """Print the open transactions that their coordinators know nothing of.

    Only those are examined whose last record is older than `longest_ms`.

    Raises:
        ToolError: the cluster refuses, or does not answer.
    """
    try:
        candidates = [
            it
            for it in _open_transactions(client, scope)
            if wall_ms - it.producer.last_timestamp > longest_ms
        ]
        hanging = _hanging(client, candidates)
    except AdminError as error:
        raise ToolError(f"Failed to search for hanging transactions: {_explained(error)}") from None
    _print_table(
        (
            "Topic", "Partition", "ProducerId", "ProducerEpoch", "CoordinatorEpoch", "StartOffset",
            "LastTimestamp", "Duration(min)",
        ),
        [
            (
                at.topic,
                at.partition,
                it.producer_id,
                it.producer_epoch,
                it.coordinator_epoch,
                it.current_txn_start_offset,
                it.last_timestamp,
                (wall_ms - it.last_timestamp) // _MINUTE_MS,
            )
            for at, it in hanging
        ],
    )  # fmt: skip


def _open_transactions(client: AdminClient, scope: Scope) -> list[_Open]:
    if scope.topic is not None and scope.partition is not None and scope.broker_id is None:
        partitions = [TopicPartition(scope.topic, scope.partition)]
    else:
        partitions = _partitions_in(client, scope)
    found = describe_producers(client, partitions, scope.broker_id)
    return [
        _Open(at, it)
        for at, producers in found.items()
        for it in producers
        if it.current_txn_start_offset != _NO_OFFSET
    ]


def _partitions_in(client: AdminClient, scope: Scope) -> list[TopicPartition]:
    names = [it.name for it in list_topics(client)] if scope.topic is None else [scope.topic]
    return [
        TopicPartition(topic.name, it.partition)
        for topic in describe_topics(client, names, _PAGE)
        for it in topic.partitions
        if scope.partition in (None, it.partition)
        and (scope.broker_id is None or scope.broker_id in it.replicas)
    ]


def _hanging(client: AdminClient, candidates: Sequence[_Open]) -> list[_Open]:
    """Return the transactions without a coordinator that would end them."""
    if not candidates:
        return []
    producer_ids = sorted({it.producer.producer_id for it in candidates})
    listed = {
        it.producer_id: it.transactional_id
        for it in list_transactions(client, producer_ids=producer_ids)
    }
    known = {
        producer_id: _known_partitions(client, transactional_id)
        for producer_id, transactional_id in listed.items()
    }
    return [it for it in candidates if it.at not in known.get(it.producer.producer_id, ())]


def _known_partitions(client: AdminClient, transactional_id: str) -> list[TopicPartition]:
    try:
        return describe_transaction(client, transactional_id).partitions
    except AdminError as error:
        if error.code != ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
            raise
        return []


def _print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print columns as Kafka does: each as wide as its widest cell, followed by a tab."""
    table = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for row in table:
        print("".join(f"{cell:<{width}}\t" for cell, width in zip(row, widths, strict=True)))
