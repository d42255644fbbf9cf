"""The answers of a fake cluster about transactions, from `transactions` and `producers`."""

from minikafka.common.errors import ErrorCode
from minikafka.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
)
from minikafka.messages.describe_producers import PartitionResponse as ProducersOfPartition
from minikafka.messages.describe_producers import TopicResponse as ProducersOfTopic
from minikafka.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TransactionState,
)
from minikafka.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from minikafka.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from minikafka.messages.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from minikafka.messages.list_transactions import TransactionState as ListedTransaction
from minikafka.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)


def _find_coordinators(cluster, request):
    return FindCoordinatorResponse(
        coordinators=[Coordinator(key, 1, "127.0.0.1", 9001) for key in request.coordinator_keys]
    )


def _list_transactions(cluster, request):
    code, _ = cluster.refusal()
    # The first broker coordinates all of them.
    found = cluster.transactions.items() if cluster.asked_of[-1] == 1 else ()
    return ListTransactionsResponse(
        error_code=code,
        transaction_states=[
            ListedTransaction(name, it.producer_id, it.transaction_state)
            for name, it in found
            if not request.producer_id_filters or it.producer_id in request.producer_id_filters
        ],
    )


def _describe_transactions(cluster, request):
    unknown = TransactionState(error_code=ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
    return DescribeTransactionsResponse(
        transaction_states=[
            cluster.transactions.get(name, unknown) for name in request.transactional_ids
        ]
    )


def _describe_producers(cluster, request):
    code, message = cluster.refusal()
    return DescribeProducersResponse(
        topics=[
            ProducersOfTopic(
                topic.name,
                [
                    ProducersOfPartition(
                        index, code, message, cluster.producers.get((topic.name, index), [])
                    )
                    for index in topic.partition_indexes
                ],
            )
            for topic in request.topics
        ]
    )


def _write_markers(cluster, request):
    code, _ = cluster.refusal()
    return WriteTxnMarkersResponse(
        [
            WritableTxnMarkerResult(
                marker.producer_id,
                [
                    WritableTxnMarkerTopicResult(
                        topic.name,
                        [
                            WritableTxnMarkerPartitionResult(index, code)
                            for index in topic.partition_indexes
                        ],
                    )
                    for topic in marker.topics
                ],
            )
            for marker in request.markers
        ]
    )


def _init_producer(cluster, _):
    code, _ = cluster.refusal()
    return InitProducerIdResponse(error_code=code)


TRANSACTION_ANSWERS = {
    FindCoordinatorRequest: _find_coordinators,
    ListTransactionsRequest: _list_transactions,
    DescribeTransactionsRequest: _describe_transactions,
    DescribeProducersRequest: _describe_producers,
    WriteTxnMarkersRequest: _write_markers,
    InitProducerIdRequest: _init_producer,
}
