"""Fill a response that has an error for each partition, group or transactional id, and no other.

Source: `AbstractRequest.getErrorResponse` of each request.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

from minikafka.messages.api_keys import ApiKey

_UNKNOWN: Final = -1


class Failure(NamedTuple):
    """What a response of `version` says of each entry."""

    code: int
    message: str
    version: int


def _produced(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import produce  # noqa: PLC0415

    response.responses = [
        produce.TopicProduceResponse(
            topic.name,
            topic.topic_id,
            [
                produce.PartitionProduceResponse(
                    partition.index,
                    failure.code,
                    base_offset=_UNKNOWN,
                    error_message=failure.message,
                )
                for partition in topic.partition_data
            ],
        )
        for topic in request.topic_data
    ]


def _fetched(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import fetch  # noqa: PLC0415

    response.error_code = failure.code  # Versions below 7 do not write it.
    if failure.version >= 7:
        return
    response.responses = [
        fetch.FetchableTopicResponse(
            topic.topic,
            partitions=[
                fetch.PartitionData(partition.partition, failure.code, _UNKNOWN, records=None)
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _listed_offsets(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import list_offsets  # noqa: PLC0415

    response.topics = [
        list_offsets.ListOffsetsTopicResponse(
            topic.name,
            [
                list_offsets.ListOffsetsPartitionResponse(partition.partition_index, failure.code)
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _offsets_for_leader_epochs(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import offset_for_leader_epoch as messages  # noqa: PLC0415

    response.topics = [
        messages.OffsetForLeaderTopicResult(
            topic.topic,
            [
                messages.EpochEndOffset(failure.code, partition.partition)
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _deleted_records(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import delete_records  # noqa: PLC0415

    response.topics = [
        delete_records.DeleteRecordsTopicResult(
            topic.name,
            [
                delete_records.DeleteRecordsPartitionResult(
                    partition.partition_index, _UNKNOWN, failure.code
                )
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _committed_offsets(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import offset_commit  # noqa: PLC0415

    response.topics = [
        offset_commit.OffsetCommitResponseTopic(
            topic.name,
            topic.topic_id,
            [
                offset_commit.OffsetCommitResponsePartition(partition.partition_index, failure.code)
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _committed_transactional_offsets(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import txn_offset_commit as messages  # noqa: PLC0415

    response.topics = [
        messages.TxnOffsetCommitResponseTopic(
            topic.name,
            topic.topic_id,
            [
                messages.TxnOffsetCommitResponsePartition(partition.partition_index, failure.code)
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _written_markers(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import write_txn_markers as messages  # noqa: PLC0415

    response.markers = [
        messages.WritableTxnMarkerResult(
            marker.producer_id,
            [
                messages.WritableTxnMarkerTopicResult(
                    topic.name,
                    [
                        messages.WritableTxnMarkerPartitionResult(index, failure.code)
                        for index in topic.partition_indexes
                    ],
                )
                for topic in marker.topics
            ],
        )
        for marker in request.markers
    ]


def _described_producers(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import describe_producers  # noqa: PLC0415

    code, message, _ = failure
    response.topics = [
        describe_producers.TopicResponse(
            topic.name,
            [
                describe_producers.PartitionResponse(index, code, message)
                for index in topic.partition_indexes
            ],
        )
        for topic in request.topics
    ]


def _altered_log_dirs(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import alter_replica_log_dirs as messages  # noqa: PLC0415

    response.results = [
        messages.AlterReplicaLogDirTopicResult(
            topic.name,
            [
                messages.AlterReplicaLogDirPartitionResult(index, failure.code)
                for index in topic.partitions
            ],
        )
        for log_dir in request.dirs
        for topic in log_dir.topics
    ]


def _described_groups(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import describe_groups  # noqa: PLC0415

    code, message, version = failure
    response.groups = [
        describe_groups.DescribedGroup(code, message if version >= 6 else None, group)
        for group in request.groups
    ]


def _deleted_groups(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import delete_groups  # noqa: PLC0415

    response.results = [
        delete_groups.DeletableGroupResult(group, failure.code) for group in request.groups_names
    ]


def _described_transactions(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import describe_transactions  # noqa: PLC0415

    response.transaction_states = [
        describe_transactions.TransactionState(failure.code, transactional_id)
        for transactional_id in request.transactional_ids
    ]


def _described_configs(response: Any, request: Any, failure: Failure) -> None:
    module = import_module(type(request).__module__)
    response.results = [
        module.DescribeConfigsResult(
            failure.code, failure.message, each.resource_type, each.resource_name
        )
        for each in request.resources
    ]


FILLS: Final[dict[int, Callable[[Any, Any, Failure], None]]] = {
    ApiKey.PRODUCE: _produced,
    ApiKey.FETCH: _fetched,
    ApiKey.LIST_OFFSETS: _listed_offsets,
    ApiKey.OFFSET_FOR_LEADER_EPOCH: _offsets_for_leader_epochs,
    ApiKey.DELETE_RECORDS: _deleted_records,
    ApiKey.OFFSET_COMMIT: _committed_offsets,
    ApiKey.TXN_OFFSET_COMMIT: _committed_transactional_offsets,
    ApiKey.WRITE_TXN_MARKERS: _written_markers,
    ApiKey.DESCRIBE_PRODUCERS: _described_producers,
    ApiKey.ALTER_REPLICA_LOG_DIRS: _altered_log_dirs,
    ApiKey.DESCRIBE_GROUPS: _described_groups,
    ApiKey.DELETE_GROUPS: _deleted_groups,
    ApiKey.DESCRIBE_TRANSACTIONS: _described_transactions,
    ApiKey.DESCRIBE_CONFIGS: _described_configs,
}
