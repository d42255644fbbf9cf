"""A request that failed as a whole says so where its client looks."""

import pytest

from minikafka.common.errors import ErrorCode, InvalidRequestError, RequestTimedOutError
from minikafka.messages.alter_configs import AlterConfigsRequest
from minikafka.messages.alter_configs import AlterConfigsResource as OldResource
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from minikafka.messages.create_topics import CreatableTopic, CreateTopicsRequest
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.messages.incremental_alter_configs import (
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.messages.produce import ProduceRequest
from minikafka.serving.failures import failure_response
from minikafka.serving.steps import CLOSE

ERROR = RequestTimedOutError("no controller")


def test_top_level_error_code():
    assert failure_response(ApiVersionsRequest(), ERROR).error_code == ErrorCode.REQUEST_TIMED_OUT


def test_top_level_message():
    response = failure_response(DescribeClusterRequest(), InvalidRequestError("what is this"))
    assert response.error_message == "what is this"


@pytest.mark.parametrize(
    ("request_", "entries"),
    [
        (CreateTopicsRequest(topics=[CreatableTopic("a"), CreatableTopic("b")]), "topics"),
        (CreatePartitionsRequest(topics=[CreatePartitionsTopic("a")]), "results"),
        (DeleteTopicsRequest(topic_names=["a"]), "responses"),
        (DeleteTopicsRequest(topics=[DeleteTopicState("a")]), "responses"),
        (AlterConfigsRequest(resources=[OldResource(2, "a")]), "responses"),
        (IncrementalAlterConfigsRequest(resources=[AlterConfigsResource(2, "a")]), "responses"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_entry_carries_the_error(request_, entries):
    found = getattr(failure_response(request_, ERROR), entries)
    assert found
    assert {entry.error_code for entry in found} == {ErrorCode.REQUEST_TIMED_OUT}
    assert {entry.error_message for entry in found} == {"no controller"}


@pytest.mark.parametrize("partitions", [[TopicPartitions("t", [0, 3])], None])
def test_elections_that_failed_say_so_at_the_top_and_for_each_partition(partitions):
    response = failure_response(ElectLeadersRequest(topic_partitions=partitions), ERROR)
    assert response.error_code == ErrorCode.REQUEST_TIMED_OUT
    rows = [
        (topic.topic, row.partition_id, row.error_code, row.error_message)
        for topic in response.replica_election_results
        for row in topic.partition_result
    ]
    code = ErrorCode.REQUEST_TIMED_OUT
    expected = [("t", 0, code, "no controller"), ("t", 3, code, "no controller")]
    assert rows == (expected if partitions else [])


def test_topics_that_cannot_be_described_carry_the_error():
    """D1: as in Apache Kafka, also where a topic is named twice."""
    request = DescribeTopicPartitionsRequest(topics=[TopicRequest("a"), TopicRequest("a")])
    found = failure_response(request, InvalidRequestError("the cursor is at 'b'"))
    rows = [(topic.name, topic.error_code, topic.partitions) for topic in found.topics]
    assert rows == [("a", ErrorCode.INVALID_REQUEST, [])] * 2
    assert found.next_cursor is None


def test_connection_ends_where_the_response_has_no_place_for_an_error():
    assert failure_response(ProduceRequest(), ERROR) is CLOSE
