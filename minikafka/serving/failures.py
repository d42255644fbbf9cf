"""Build the response to a request that failed as a whole.

Most responses have a top-level error code. In the others the error is set on each entry of the
request, where clients read it.

Source: `AbstractRequest.getErrorResponse` of each request.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from minikafka.common.errors import KafkaError
from minikafka.messages.api_keys import ApiKey, response_class
from minikafka.serving.failed_partitions import FILLS, Failure
from minikafka.serving.steps import CLOSE

_NO_OFFSET: Final = -1
_NO_NODE: Final = -1


def failure_response(request: Any, error: KafkaError, version: int) -> Any:
    """Return the response to `request` in which everything failed with `error`.

    Return CLOSE if the client of a Produce request wants no response (acks=0).
    """
    if request.API_KEY == ApiKey.PRODUCE and request.acks == 0:
        return CLOSE
    response: Any = response_class(request.API_KEY)()
    failure = Failure(int(error.code), error.message, version)
    fill = _BY_ENTRY.get(request.API_KEY)
    if fill is not None:
        fill(response, request, failure)
    else:
        response.error_code = failure.code
        if hasattr(response, "error_message"):
            response.error_message = failure.message
    return response


# The message modules below are imported on first use, because a node's start needs none of them.


def _created_topics(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import create_topics  # noqa: PLC0415

    response.topics = [
        create_topics.CreatableTopicResult(
            name=topic.name,
            error_code=failure.code,
            error_message=failure.message,
            configs=None,
        )
        for topic in request.topics
    ]


def _deleted_topics(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import delete_topics  # noqa: PLC0415

    code, message, _ = failure
    response.responses = [
        delete_topics.DeletableTopicResult(name, error_code=code, error_message=message)
        for name in request.topic_names
    ] + [
        delete_topics.DeletableTopicResult(topic.name, topic.topic_id, code, message)
        for topic in request.topics
    ]


def _created_partitions(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import create_partitions  # noqa: PLC0415

    response.results = [
        create_partitions.CreatePartitionsTopicResult(topic.name, failure.code, failure.message)
        for topic in request.topics
    ]


def _created_acls(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import create_acls  # noqa: PLC0415

    response.results = [
        create_acls.AclCreationResult(failure.code, failure.message) for _ in request.creations
    ]


def _deleted_acls(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import delete_acls  # noqa: PLC0415

    response.filter_results = [
        delete_acls.DeleteAclsFilterResult(failure.code, failure.message) for _ in request.filters
    ]


def _altered_configs(response: Any, request: Any, failure: Failure) -> None:
    module = import_module(type(request).__module__)
    response.responses = [
        module.AlterConfigsResourceResponse(
            failure.code, failure.message, each.resource_type, each.resource_name
        )
        for each in request.resources
    ]


def _elected_leaders(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import elect_leaders  # noqa: PLC0415

    code, message, version = failure
    if version >= 1:
        # As Kafka: the top level has the error, too.
        response.error_code = code
    response.replica_election_results = [
        elect_leaders.ReplicaElectionResult(
            topic.topic,
            [elect_leaders.PartitionResult(index, code, message) for index in topic.partitions],
        )
        for topic in request.topic_partitions or ()
    ]


def _described_topics(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import describe_topic_partitions  # noqa: PLC0415

    response.topics = [
        describe_topic_partitions.DescribeTopicPartitionsResponseTopic(failure.code, topic.name)
        for topic in request.topics
    ]


def _described_consumer_groups(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import consumer_group_describe  # noqa: PLC0415

    response.groups = [
        consumer_group_describe.DescribedGroup(failure.code, failure.message, group_id)
        for group_id in request.group_ids
    ]


def _metadata(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import metadata  # noqa: PLC0415

    response.error_code = failure.code  # Only version 13 writes it.
    response.topics = [
        metadata.MetadataResponseTopic(failure.code, topic.name or "", topic.topic_id)
        for topic in request.topics or ()
    ]


def _found_coordinators(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import find_coordinator  # noqa: PLC0415

    code, message, version = failure
    if version >= 4:
        response.coordinators = [
            find_coordinator.Coordinator(key, _NO_NODE, "", -1, code, message)
            for key in request.coordinator_keys
        ]
        return
    response.error_code, response.error_message = code, message
    response.node_id = response.port = _NO_NODE


def _fetched_offsets(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import offset_fetch  # noqa: PLC0415

    code, _, version = failure
    if version >= 8:
        response.groups = [
            offset_fetch.OffsetFetchResponseGroup(group.group_id, error_code=code)
            for group in request.groups
        ]
        return
    response.error_code = code  # Version 1 does not write it.
    if version < 2:
        response.topics = [
            offset_fetch.OffsetFetchResponseTopic(
                topic.name,
                [
                    offset_fetch.OffsetFetchResponsePartition(
                        index, _NO_OFFSET, metadata="", error_code=code
                    )
                    for index in topic.partition_indexes
                ],
            )
            for topic in request.topics or ()
        ]


def _added_partitions(response: Any, request: Any, failure: Failure) -> None:
    from minikafka.messages import add_partitions_to_txn as messages  # noqa: PLC0415

    code, _, version = failure
    response.error_code = code  # Versions below 4 do not write it.
    if version < 4:
        response.results_by_topic_v3_and_below = [
            messages.AddPartitionsToTxnTopicResult(
                topic.name,
                [
                    messages.AddPartitionsToTxnPartitionResult(index, code)
                    for index in topic.partitions
                ],
            )
            for topic in request.v3_and_below_topics
        ]


_BY_ENTRY: dict[int, Callable[[Any, Any, Failure], None]] = {
    ApiKey.CREATE_TOPICS: _created_topics,
    ApiKey.DELETE_TOPICS: _deleted_topics,
    ApiKey.CREATE_PARTITIONS: _created_partitions,
    ApiKey.CREATE_ACLS: _created_acls,
    ApiKey.DELETE_ACLS: _deleted_acls,
    ApiKey.ALTER_CONFIGS: _altered_configs,
    ApiKey.INCREMENTAL_ALTER_CONFIGS: _altered_configs,
    ApiKey.CONSUMER_GROUP_DESCRIBE: _described_consumer_groups,
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: _described_topics,
    ApiKey.ELECT_LEADERS: _elected_leaders,
    ApiKey.METADATA: _metadata,
    ApiKey.FIND_COORDINATOR: _found_coordinators,
    ApiKey.OFFSET_FETCH: _fetched_offsets,
    ApiKey.ADD_PARTITIONS_TO_TXN: _added_partitions,
    **FILLS,
}
