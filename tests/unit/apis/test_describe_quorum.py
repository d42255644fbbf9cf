"""DescribeQuorum answers for the metadata log, and for whatever else it is asked."""

import pytest

from minikafka.common.errors import ErrorCode, UnknownTopicOrPartitionError
from minikafka.common.ids import ZERO_UUID
from minikafka.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
    DescribeQuorumResponse,
)
from tests.worlds.sim_world import started_cluster

METADATA = "__cluster_metadata"


@pytest.fixture(scope="module")
def client():
    return started_cluster().client()


def ask(client, *topics, version=None):
    """Each topic is its name and the indexes of its partitions."""
    request = DescribeQuorumRequest(
        topics=[
            DescribeQuorumRequestTopicData(
                name, [DescribeQuorumRequestPartitionData(index) for index in indexes]
            )
            for name, indexes in topics
        ]
    )
    return client.ask(request, DescribeQuorumResponse, version=version)


def rows(response):
    return [
        (topic.topic_name, each.partition_index, each.error_code)
        for topic in response.topics
        for each in topic.partitions
    ]


def test_the_metadata_log_has_a_leader_and_nodes(client):
    found = ask(client, (METADATA, [0]))
    assert rows(found) == [(METADATA, 0, ErrorCode.NONE)]
    assert found.topics[0].partitions[0].leader_id > 0
    assert found.nodes
    assert (found.error_message, found.topics[0].partitions[0].error_message) == ("", "")


@pytest.mark.parametrize(
    "topics",
    [
        [],
        [("t", [0])],
        [(METADATA, [1])],
        [(METADATA, [0, 1])],
        [("t", []), (METADATA, [0])],
        [("t", [1, 0]), (METADATA, [0])],
    ],
)
def test_all_partitions_are_unknown_where_another_one_is_asked_for(client, topics):
    """As in Apache Kafka: the metadata log alone, or nothing is described."""
    found = ask(client, *topics)
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert found.error_code == ErrorCode.NONE
    assert rows(found) == [(name, index, unknown) for name, indexes in topics for index in indexes]
    assert not found.nodes
    assert found.error_message == ""
    messages = {each.error_message for topic in found.topics for each in topic.partitions}
    assert messages <= {UnknownTopicOrPartitionError().message}


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("version", [0, 1, 2])
def test_versions_without_directory_ids_name_all_replicas_too(is_dynamic, version):
    """As in Apache Kafka: brokers that fetch the metadata log have directories in any quorum."""
    cluster = started_cluster(2, voters=3, is_dynamic=is_dynamic, separate_controller=True)
    found = ask(cluster.client(), (METADATA, [0]), version=version).topics[0].partitions[0]
    voters = {each.replica_id: each.replica_directory_id for each in found.current_voters}
    observers = {each.replica_id: each.replica_directory_id for each in found.observers}
    assert sorted(voters) == cluster.controller_ids
    assert sorted(observers) == [1, 2]
    assert all((each != ZERO_UUID) is (version == 2) for each in observers.values())
    assert all((each != ZERO_UUID) is (version == 2 and is_dynamic) for each in voters.values())
