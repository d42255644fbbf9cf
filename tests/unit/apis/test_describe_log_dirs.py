"""DescribeLogDirs on a whole node: where its replicas are, and how much room there is."""

from minikafka.common.errors import ErrorCode
from minikafka.messages.describe_log_dirs import DescribeLogDirsRequest, DescribeLogDirsResponse
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster


def described(cluster, version=4):
    request = DescribeLogDirsRequest(topics=None)
    response = cluster.client().ask(request, DescribeLogDirsResponse, version=version)
    (result,) = response.results
    return result


def test_room_and_sizes_are_told():
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    produce(cluster.client(), "t", b"value")
    result = described(cluster)
    assert result.error_code == ErrorCode.NONE
    assert 0 < result.usable_bytes <= result.total_bytes
    (topic,) = result.topics
    (partition,) = topic.partitions
    assert partition.partition_size == replica(cluster, 1, "t").log.size_bytes > 0
    assert partition.offset_lag == 0


def test_older_versions_do_not_know_of_room():
    cluster = started_cluster(1)
    assert described(cluster, version=3).total_bytes == -1
