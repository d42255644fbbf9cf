"""A request that failed as a whole says so where its client looks."""

from random import Random

import pytest

from minikafka.common.errors import ErrorCode, InvalidRequestError, RequestTimedOutError
from minikafka.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from minikafka.messages.alter_configs import AlterConfigsRequest
from minikafka.messages.alter_configs import AlterConfigsResource as OldResource
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from minikafka.messages.create_topics import CreatableTopic, CreateTopicsRequest
from minikafka.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.incremental_alter_configs import (
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.rpc.envelope import decode_response, encode_response
from minikafka.serving.failures import failure_response
from minikafka.serving.steps import CLOSE
from tests.fuzz.frames import SERVED
from tests.worlds.message_samples import Case, Limits, all_specs, sample

ERROR = RequestTimedOutError("no controller")


def sent(response, version):
    """A response as a client of this version reads it."""
    parts = encode_response(1, response, version)
    frame = b"".join(bytes(part) for part in parts)
    return decode_response(memoryview(frame)[4:], response.API_KEY, version)[1]


def test_top_level_error_code():
    assert (
        failure_response(ApiVersionsRequest(), ERROR, 4).error_code == ErrorCode.REQUEST_TIMED_OUT
    )


def test_top_level_message():
    response = failure_response(DescribeClusterRequest(), InvalidRequestError("what is this"), 2)
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
    found = getattr(failure_response(request_, ERROR, 0), entries)
    assert found
    assert {entry.error_code for entry in found} == {ErrorCode.REQUEST_TIMED_OUT}
    assert {entry.error_message for entry in found} == {"no controller"}


@pytest.mark.parametrize("partitions", [[TopicPartitions("t", [0, 3])], None])
@pytest.mark.parametrize("version", range(4))
def test_elections_that_failed_say_so_at_the_top_and_for_each_partition(partitions, version):
    """Version 0 has no place for an error at the top."""
    response = failure_response(ElectLeadersRequest(topic_partitions=partitions), ERROR, version)
    response = sent(response, version)
    assert response.error_code == (ErrorCode.REQUEST_TIMED_OUT if version else ErrorCode.NONE)
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
    found = failure_response(request, InvalidRequestError("the cursor is at 'b'"), 0)
    rows = [(topic.name, topic.error_code, topic.partitions) for topic in found.topics]
    assert rows == [("a", ErrorCode.INVALID_REQUEST, [])] * 2
    assert found.next_cursor is None


def test_a_producer_that_wants_no_response_is_told_by_the_end_of_its_connection():
    assert failure_response(ProduceRequest(acks=0), ERROR, 13) is CLOSE


CODE = ErrorCode.REQUEST_TIMED_OUT


@pytest.mark.parametrize("version", range(14))
def test_a_failed_metadata_request_names_the_error_for_each_topic(version):
    """Only version 13 has a place for it at the top."""
    request = MetadataRequest(topics=[MetadataRequestTopic(name="a")])
    response = sent(failure_response(request, ERROR, version), version)
    assert [(topic.name, topic.error_code) for topic in response.topics] == [("a", CODE)]
    assert response.error_code == (CODE if version == 13 else ErrorCode.NONE)


@pytest.mark.parametrize("version", range(7))
def test_a_coordinator_that_could_not_be_looked_up_is_no_node(version):
    request = FindCoordinatorRequest(key="a", coordinator_keys=["a", "b"])
    response = sent(failure_response(request, ERROR, version), version)
    if version < 4:
        assert (response.error_code, response.node_id, response.port) == (CODE, -1, -1)
    else:
        rows = [(x.key, x.error_code, x.node_id, x.port) for x in response.coordinators]
        assert rows == [("a", CODE, -1, -1), ("b", CODE, -1, -1)]


@pytest.mark.parametrize("version", range(1, 11))
def test_offsets_that_cannot_be_fetched_are_no_missing_offsets(version):
    """Without an error, a client would begin at the start, or at the end."""
    request = OffsetFetchRequest(
        topics=[OffsetFetchRequestTopic("a", [3])], groups=[OffsetFetchRequestGroup("g")]
    )
    response = sent(failure_response(request, ERROR, version), version)
    if version >= 8:
        assert [(group.group_id, group.error_code) for group in response.groups] == [("g", CODE)]
    elif version >= 2:
        assert response.error_code == CODE
    else:
        (partition,) = response.topics[0].partitions
        assert (partition.partition_index, partition.committed_offset) == (3, -1)
        assert partition.error_code == CODE


@pytest.mark.parametrize("version", range(6))
def test_partitions_that_were_not_added_to_a_transaction_carry_the_error(version):
    request = AddPartitionsToTxnRequest(v3_and_below_topics=[AddPartitionsToTxnTopic("a", [3])])
    response = sent(failure_response(request, ERROR, version), version)
    if version >= 4:
        assert response.error_code == CODE
    else:
        (partition,) = response.results_by_topic_v3_and_below[0].results_by_partition
        assert (partition.partition_index, partition.partition_error_code) == (3, CODE)


def codes(message):
    """Every error code in a message and in what it holds."""
    for name in getattr(type(message), "__slots__", ()):
        value = getattr(message, name)
        if name.endswith("error_code"):
            yield value
        for each in value if isinstance(value, list) else [value]:
            yield from codes(each)


REQUESTS = {spec.api_key: spec for spec in all_specs() if spec.type == "request"}


@pytest.mark.parametrize(
    ("key", "version"), sorted({(key, version) for _, key, version in SERVED}), ids=str
)
def test_a_failure_says_so_in_every_version_that_is_served(key, version):
    """Its connection was closed, or the answer looked like a success."""
    found = set()
    for seed in range(20):
        request = sample(Case(REQUESTS[key], version), Random(seed), Limits(unknown_tags=False))
        if key == ApiKey.PRODUCE:
            request.acks = -1
        found |= set(codes(sent(failure_response(request, ERROR, version), version)))
    if key == ApiKey.DESCRIBE_LOG_DIRS and version < 3:
        assert found == {ErrorCode.NONE}  # As Kafka: an empty list, with no place for a code.
    else:
        assert CODE in found


def test_a_failed_partition_has_no_offset():
    """An offset of 0 would be believed."""
    records = DeleteRecordsRequest([DeleteRecordsTopic("a", [DeleteRecordsPartition(3)])])
    (deleted,) = sent(failure_response(records, ERROR, 2), 2).topics[0].partitions
    assert (deleted.partition_index, deleted.low_watermark) == (3, -1)
    produce = ProduceRequest(
        acks=1, topic_data=[TopicProduceData("a", partition_data=[PartitionProduceData(3)])]
    )
    (produced,) = sent(failure_response(produce, ERROR, 9), 9).responses[0].partition_responses
    assert (produced.index, produced.base_offset, produced.error_message) == (
        3, -1, "no controller",
    )  # fmt: skip
    offsets = ListOffsetsRequest(topics=[ListOffsetsTopic("a", [ListOffsetsPartition(3)])])
    (listed,) = sent(failure_response(offsets, ERROR, 5), 5).topics[0].partitions
    assert (listed.partition_index, listed.offset, listed.timestamp) == (3, -1, -1)
    fetch = FetchRequest(topics=[FetchTopic("a", partitions=[FetchPartition(3)])])
    (fetched,) = sent(failure_response(fetch, ERROR, 4), 4).responses[0].partitions
    assert (fetched.partition_index, fetched.high_watermark, fetched.records) == (3, -1, None)
    newer = failure_response(fetch, ERROR, 12)
    assert newer.error_code == newer.responses[0].partitions[0].error_code == ERROR.code
    assert failure_response(fetch, ERROR, 13).responses == []
