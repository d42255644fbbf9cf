"""Transactions: list, describe, describe the producers of a partition, abort (KIP-664)."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from minikafka.admin.client import NO_ANSWER, AdminClient, AdminError, check
from minikafka.admin.topics import describe_topics
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.describe_producers import (
    DescribeProducersRequest,
    ProducerState,
    TopicRequest,
)
from minikafka.messages.describe_transactions import DescribeTransactionsRequest, TransactionState
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.list_transactions import ListTransactionsRequest
from minikafka.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)

_TRANSACTION = 1
_FENCING_TIMEOUT_MS = 60_000
_ALL_DURATIONS = -1
_PAGE = 2000


class TransactionListing(NamedTuple):
    """A transactional id and its coordinator."""

    transactional_id: str
    coordinator_id: int
    producer_id: int
    state: str


class TransactionDescription(NamedTuple):
    """The state of a transactional id. `start_ms` is -1 without a transaction (wall clock)."""

    coordinator_id: int
    producer_id: int
    producer_epoch: int
    state: str
    timeout_ms: int
    start_ms: int
    partitions: list[TopicPartition]


class Marker(NamedTuple):
    """The end of a hanging transaction: it is aborted."""

    producer_id: int
    producer_epoch: int
    coordinator_epoch: int


def list_transactions(
    client: AdminClient,
    *,
    producer_ids: Iterable[int] = (),
    duration_ms: int = _ALL_DURATIONS,
    pattern: str | None = None,
    silent: dict[int, str] | None = None,
) -> list[TransactionListing]:
    """List the transactional ids of all coordinators; `pattern` is a regular expression (RE2).

    `silent`, if it is given, gets the reason of each broker that does not answer. The
    answers of the others count then, unlike Kafka (row O5).

    Raises:
        AdminError: a coordinator rejects the request, or does not answer.
    """
    request = ListTransactionsRequest(
        producer_id_filters=list(producer_ids),
        duration_filter=duration_ms,
        transactional_id_pattern=pattern,
    )
    found = []
    for broker_id in sorted(client.brokers()):
        try:
            response = client.settle(
                partial(client.ask_broker, broker_id, request), lambda it: it.error_code
            )
        except AdminError as error:
            if silent is None or error.code not in NO_ANSWER:
                raise
            silent[broker_id] = str(error)
            continue
        check(response.error_code)
        found += [
            TransactionListing(
                each.transactional_id, broker_id, each.producer_id, each.transaction_state
            )
            for each in response.transaction_states
        ]
    return found


def describe_transaction(client: AdminClient, transactional_id: str) -> TransactionDescription:
    """Describe one transactional id.

    Raises:
        AdminError: the id is unknown, or its coordinator does not answer.
    """
    coordinator_id = coordinator_of(client, transactional_id)
    request = DescribeTransactionsRequest([transactional_id])
    response = client.settle(
        lambda: client.ask_broker(coordinator_of(client, transactional_id), request),
        lambda it: it.transaction_states[0].error_code,
    )
    state: TransactionState = response.transaction_states[0]
    if state.error_code == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
        raise AdminError(
            f"DescribeTransactions request for transactionalId `{transactional_id}` failed because "
            "the ID could not be found",
            state.error_code,
        )
    check(state.error_code)
    return TransactionDescription(
        coordinator_id,
        state.producer_id,
        state.producer_epoch,
        state.transaction_state,
        state.transaction_timeout_ms,
        state.transaction_start_time_ms,
        [
            TopicPartition(topic.topic, index)
            for topic in state.topics
            for index in topic.partitions
        ],
    )


def coordinator_of(client: AdminClient, transactional_id: str) -> int:
    """Return the broker that coordinates a transactional id.

    Raises:
        AdminError: there is none.
    """
    request = FindCoordinatorRequest(key_type=_TRANSACTION, coordinator_keys=[transactional_id])
    response = client.settle(lambda: client.ask(request), lambda it: it.coordinators[0].error_code)
    found = response.coordinators[0]
    check(found.error_code, found.error_message)
    return int(found.node_id)


def describe_producers(
    client: AdminClient, partitions: Sequence[TopicPartition], broker_id: int | None = None
) -> dict[TopicPartition, list[ProducerState]]:
    """Describe the producers of partitions: at their leaders, or at the replicas on one broker.

    Raises:
        AdminError: a partition does not exist or has no leader, or the broker has no replica of it.
    """
    if broker_id is None:
        by_broker: dict[int, list[TopicPartition]] = {}
        for at in partitions:
            by_broker.setdefault(leader_of(client, at), []).append(at)
    else:
        by_broker = {broker_id: list(partitions)}
    found: dict[TopicPartition, list[ProducerState]] = {}
    for node_id, wanted in by_broker.items():
        response = client.ask_broker(node_id, _producers_request(wanted))
        for topic in response.topics:
            for each in topic.partitions:
                check(each.error_code, each.error_message)
                at = TopicPartition(topic.name, each.partition_index)
                found[at] = each.active_producers
    return found


def leader_of(client: AdminClient, at: TopicPartition) -> int:
    """Return the leader of a partition.

    Raises:
        AdminError: the partition does not exist, or has no leader.
    """
    (topic,) = describe_topics(client, [at.topic], _PAGE)
    for partition in topic.partitions:
        if partition.partition == at.partition:
            if partition.leader is None:
                raise AdminError(f"partition {at} has no leader", ErrorCode.LEADER_NOT_AVAILABLE)
            return partition.leader
    raise AdminError(f"partition {at} does not exist", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def abort_transaction(client: AdminClient, at: TopicPartition, marker: Marker) -> None:
    """Write a marker that aborts a producer's transaction to one partition.

    Raises:
        AdminError: the leader rejects it, or does not answer.
    """
    request = WriteTxnMarkersRequest(
        [
            WritableTxnMarker(
                producer_id=marker.producer_id,
                producer_epoch=marker.producer_epoch,
                transaction_result=False,
                topics=[WritableTxnMarkerTopic(at.topic, [at.partition])],
                coordinator_epoch=marker.coordinator_epoch,
            )
        ]
    )

    def code_of(response: Any) -> int:
        return int(response.markers[0].topics[0].partitions[0].error_code)

    response = client.settle(lambda: client.ask_broker(leader_of(client, at), request), code_of)
    check(code_of(response))


def fence_producer(client: AdminClient, transactional_id: str) -> None:
    """Fence the producer of a transactional id, which aborts its transaction.

    Raises:
        AdminError: the coordinator rejects it, or does not answer.
    """
    request = InitProducerIdRequest(
        transactional_id=transactional_id, transaction_timeout_ms=_FENCING_TIMEOUT_MS
    )
    response = client.settle(
        lambda: client.ask_broker(coordinator_of(client, transactional_id), request),
        lambda it: it.error_code,
    )
    check(response.error_code)


def _producers_request(partitions: Iterable[TopicPartition]) -> DescribeProducersRequest:
    topics: dict[str, TopicRequest] = {}
    for at in partitions:
        topics.setdefault(at.topic, TopicRequest(at.topic)).partition_indexes.append(at.partition)
    return DescribeProducersRequest(list(topics.values()))
