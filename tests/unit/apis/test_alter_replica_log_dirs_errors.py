"""Errors of AlterReplicaLogDirs: recorded from Apache Kafka 4.3.1 with the same requests."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from minikafka.messages.describe_log_dirs import DescribeLogDirsRequest, DescribeLogDirsResponse
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.worlds.sim_world import create_topic, produce, started_cluster

UNKNOWN = "UNKNOWN_TOPIC_OR_PARTITION"
NO_DIRECTORY = "LOG_DIR_NOT_FOUND"


@pytest.fixture(scope="module")
def cluster():
    """Broker 1 has a-0, a-1 and b-0 in two directories; n-0 is on broker 2."""
    cluster = started_cluster(2, log_dirs=2, separate_controller=True)
    create_topic(cluster, "a", replicas=[[1, 2], [2, 1]])
    create_topic(cluster, "b", replicas=[[1]])
    create_topic(cluster, "n", replicas=[[2]])
    cluster.world.run(1_000)
    return cluster


def home_of(cluster, topic, index):
    return cluster.nodes[1].node.broker.logs.directory_of(TopicPartition(topic, index)).disk.root


def results(cluster, version, *wanted):
    """The error of each partition for (path, topic, partition) in the order of a request."""
    request = AlterReplicaLogDirsRequest(
        dirs=[
            AlterReplicaLogDir(path, [AlterReplicaLogDirTopic(topic, [index])])
            for path, topic, index in wanted
        ]
    )
    response = cluster.client().ask(request, AlterReplicaLogDirsResponse, version=version)
    return {
        (topic.topic_name, each.partition_index): ErrorCode(each.error_code).name
        for topic in response.results
        for each in topic.partitions
    }


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("path", "topic", "index", "error"),
    [
        ("/nowhere", "a", 0, NO_DIRECTORY),
        ("n1-0", "a", 0, NO_DIRECTORY),
        ("", "a", 0, NO_DIRECTORY),
        ("/n1-0/", "a", 0, NO_DIRECTORY),
        ("/n1-0/../n1-0", "a", 0, NO_DIRECTORY),
        ("/nowhere", "zz", 0, NO_DIRECTORY),
        ("/nowhere", "n", 0, NO_DIRECTORY),
        ("/n1-0", "zz", 0, UNKNOWN),
        ("/n1-0", "a", 7, UNKNOWN),
        ("/n1-0", "a", -1, UNKNOWN),
        ("/n1-0", "a b", 0, UNKNOWN),
        ("/n1-0", "", 0, UNKNOWN),
        ("/n1-0", "__cluster_metadata", 0, UNKNOWN),
        ("/n1-1", "__cluster_metadata", 0, UNKNOWN),
        ("/n1-0", "n", 0, "REPLICA_NOT_AVAILABLE"),
        ("/n1-0", "x" * 249, 0, "INVALID_TOPIC_EXCEPTION"),
    ],
)
def test_requests_that_no_broker_can_serve(cluster, version, path, topic, index, error):
    assert results(cluster, version, (path, topic, index)) == {(topic, index): error}


def test_a_partition_that_is_named_twice_has_one_result_for_its_last_directory(cluster):
    here = home_of(cluster, "a", 0)
    other = "/n1-0" if here == "/n1-1" else "/n1-1"
    assert results(cluster, 2, (here, "a", 0), (here, "a", 0)) == {("a", 0): "NONE"}
    assert results(cluster, 2, (other, "a", 0), (here, "a", 0)) == {("a", 0): "NONE"}
    wrong_last = results(cluster, 2, (other, "a", 0), ("/nowhere", "a", 0))
    assert wrong_last == {("a", 0): NO_DIRECTORY}
    cluster.world.run(2_000)
    assert home_of(cluster, "a", 0) == here


@pytest.mark.parametrize("version", [1, 2])
def test_each_partition_has_its_own_error(cluster, version):
    here = home_of(cluster, "a", 1)
    wanted = (("/n1-0", "zz", 0), ("/nowhere", "a", 0), (here, "a", 1))
    assert results(cluster, version, *wanted) == {
        ("zz", 0): UNKNOWN, ("a", 0): NO_DIRECTORY, ("a", 1): "NONE",
    }  # fmt: skip


@pytest.fixture
def with_a_failed_directory():
    """/n1-1 with b-0 is offline; a-0 is in /n1-0."""
    cluster = started_cluster(2, log_dirs=2, separate_controller=True)
    create_topic(cluster, "a", replicas=[[1, 2]])
    create_topic(cluster, "b", replicas=[[1]])
    create_topic(cluster, "n", replicas=[[2]])
    node = cluster.nodes[1]
    assert (home_of(cluster, "a", 0), home_of(cluster, "b", 0)) == ("/n1-0", "/n1-1")
    node.disks["/n1-1"].broken = IO_ERROR
    produce(cluster.client(), "b", b"x")
    cluster.world.run_until(lambda: node.has_lost_directory, 20_000)
    return cluster


@pytest.mark.parametrize("version", [1, 2])
def test_errors_while_a_directory_is_offline(with_a_failed_directory, version):
    def error(path, topic, index=0):
        found = results(with_a_failed_directory, version, (path, topic, index))
        return found[topic, index]

    assert error("/n1-1", "a") == "KAFKA_STORAGE_ERROR"
    assert error("/n1-0", "b") == "KAFKA_STORAGE_ERROR"
    assert error("/n1-1", "b") == "KAFKA_STORAGE_ERROR"
    assert error("/n1-1", "n") == "KAFKA_STORAGE_ERROR"
    assert error("/n1-1", "zz", 2) == "KAFKA_STORAGE_ERROR"
    assert error("/nowhere", "b") == NO_DIRECTORY
    assert error("/n1-0", "n") == "REPLICA_NOT_AVAILABLE"
    assert error("/n1-0", "a") == "NONE"


@pytest.mark.parametrize("version", range(1, 6))
def test_describe_log_dirs_has_no_replicas_of_an_offline_directory(
    with_a_failed_directory, version
):
    response = with_a_failed_directory.client().ask(
        DescribeLogDirsRequest(topics=None), DescribeLogDirsResponse, version=version
    )
    rows = {
        home.log_dir: (
            ErrorCode(home.error_code).name,
            home.total_bytes > 0,
            [topic.name for topic in home.topics],
        )
        for home in response.results
    }
    assert rows == {
        "/n1-0": ("NONE", version >= 4, ["a"]),
        "/n1-1": ("KAFKA_STORAGE_ERROR", False, []),
    }
