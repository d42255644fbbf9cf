"""Build the response to a request that failed as a whole.

Most responses have a top-level error code. In the others the error is set on each topic or resource
of the request, where clients read it.

Source: `AbstractRequest.getErrorResponse` of each request.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from minikafka.common.errors import KafkaError
from minikafka.messages.api_keys import ApiKey, response_class
from minikafka.serving.steps import CLOSE


def failure_response(request: Any, error: KafkaError) -> Any:
    """Return the response to `request` in which everything failed with `error`.

    Return CLOSE if the response has no field for an error.
    """
    response = response_class(request.API_KEY)()
    fill = _BY_ENTRY.get(request.API_KEY)
    if fill is not None:
        fill(response, request, int(error.code), error.message)
    elif hasattr(response, "error_code"):
        response.error_code = int(error.code)
        if hasattr(response, "error_message"):
            response.error_message = error.message
    else:
        return CLOSE
    return response


# The message modules below are imported on first use, because a node's start needs none of them.


def _created_topics(response: Any, request: Any, code: int, message: str) -> None:
    from minikafka.messages import create_topics  # noqa: PLC0415

    response.topics = [
        create_topics.CreatableTopicResult(
            name=topic.name, error_code=code, error_message=message, configs=None
        )
        for topic in request.topics
    ]


def _deleted_topics(response: Any, request: Any, code: int, message: str) -> None:
    from minikafka.messages import delete_topics  # noqa: PLC0415

    response.responses = [
        delete_topics.DeletableTopicResult(name, error_code=code, error_message=message)
        for name in request.topic_names
    ] + [
        delete_topics.DeletableTopicResult(topic.name, topic.topic_id, code, message)
        for topic in request.topics
    ]


def _created_partitions(response: Any, request: Any, code: int, message: str) -> None:
    from minikafka.messages import create_partitions  # noqa: PLC0415

    response.results = [
        create_partitions.CreatePartitionsTopicResult(topic.name, code, message)
        for topic in request.topics
    ]


def _altered_configs(response: Any, request: Any, code: int, message: str) -> None:
    module = import_module(type(request).__module__)
    response.responses = [
        module.AlterConfigsResourceResponse(code, message, each.resource_type, each.resource_name)
        for each in request.resources
    ]


def _elected_leaders(response: Any, request: Any, code: int, message: str) -> None:
    from minikafka.messages import elect_leaders  # noqa: PLC0415

    # As Kafka: the top level has the error, too.
    response.error_code = code
    response.replica_election_results = [
        elect_leaders.ReplicaElectionResult(
            topic.topic,
            [elect_leaders.PartitionResult(index, code, message) for index in topic.partitions],
        )
        for topic in request.topic_partitions or ()
    ]


def _described_topics(response: Any, request: Any, code: int, _: str) -> None:
    from minikafka.messages import describe_topic_partitions  # noqa: PLC0415

    response.topics = [
        describe_topic_partitions.DescribeTopicPartitionsResponseTopic(code, topic.name)
        for topic in request.topics
    ]


_BY_ENTRY: dict[int, Callable[[Any, Any, int, str], None]] = {
    ApiKey.CREATE_TOPICS: _created_topics,
    ApiKey.DELETE_TOPICS: _deleted_topics,
    ApiKey.CREATE_PARTITIONS: _created_partitions,
    ApiKey.ALTER_CONFIGS: _altered_configs,
    ApiKey.INCREMENTAL_ALTER_CONFIGS: _altered_configs,
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: _described_topics,
    ApiKey.ELECT_LEADERS: _elected_leaders,
}
