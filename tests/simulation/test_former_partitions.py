"""Groups that a former version stored in another partition start over, and end there (CHANGELOG).

It took the lower 31 bits of a negative hash in place of its absolute value.
"""

import pytest

from minikafka.coordinator import shards
from minikafka.coordinator.partitioning import java_hash, partition_of
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from tests.worlds.sim_world import create_topic, started_cluster

COUNT = 10
GROUP = "orders"
GIVEN = {
    "offsets.topic.num.partitions": str(COUNT),
    "offsets.retention.minutes": "10",
    "offsets.retention.check.interval.ms": "60000",
}


def former(key, count):
    return (java_hash(key) & 0x7FFFFFFF) % count


def commit(cluster, offset):
    topics = [OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(0, offset)])]
    request = OffsetCommitRequest(GROUP, topics=topics)
    response = cluster.client().ask(request, OffsetCommitResponse, version=8)
    assert response.topics[0].partitions[0].error_code == 0


def committed(cluster):
    request = OffsetFetchRequest(GROUP, [OffsetFetchRequestTopic("t", [0])])
    (topic,) = cluster.client().ask(request, OffsetFetchResponse, version=7).topics
    return topic.partitions[0].committed_offset


def listed(cluster):
    found = cluster.client().ask(ListGroupsRequest(), ListGroupsResponse, version=4)
    return [each.group_id for each in found.groups]


def test_a_group_of_a_former_partition_starts_over_and_expires_there():
    cluster = started_cluster(1, given=GIVEN)
    node = cluster.nodes[1]
    assert former(GROUP, COUNT) != partition_of(GROUP, COUNT)
    create_topic(cluster, "t")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "partition_of", former)
        request = FindCoordinatorRequest(GROUP, 0)
        while cluster.client().ask(request, FindCoordinatorResponse, version=3).error_code:
            cluster.world.run(100)
        cluster.world.run(1_000)
        commit(cluster, 5)
        assert committed(cluster) == 5
    node.kill()
    node.start()
    cluster.world.run_until(lambda: node.started, 60_000, "the node serves")
    cluster.world.run(2_000)
    assert committed(cluster) == -1
    commit(cluster, 1)
    assert committed(cluster) == 1
    assert listed(cluster) == [GROUP, GROUP]
    cluster.world.run(11 * 60_000)
    assert listed(cluster) == []
