"""DescribeQuorum answers for the metadata log, and for whatever else it is asked."""

import pytest

from minikafka.common.errors import ErrorCode
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


def ask(client, *topics):
    """Each topic is its name and the indexes of its partitions."""
    request = DescribeQuorumRequest(
        topics=[
            DescribeQuorumRequestTopicData(
                name, [DescribeQuorumRequestPartitionData(index) for index in indexes]
            )
            for name, indexes in topics
        ]
    )
    return client.ask(request, DescribeQuorumResponse)


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
