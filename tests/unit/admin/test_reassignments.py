import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.reassignments import (
    alter_reassignments,
    current_reassignments,
    live_brokers,
    replica_directories,
)
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.describe_log_dirs import DescribeLogDirsRequest
from minikafka.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    OngoingPartitionReassignment,
)
from tests.worlds.fake_cluster import FakeCluster, FakePartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.fixture
def cluster():
    return FakeCluster().add("t", FakePartition(1, [1], [1]), FakePartition(2, [2], [2]))


def test_everything_that_moves_comes_in_order(cluster):
    for index in (1, 0):
        cluster.moving["t", index] = OngoingPartitionReassignment(index, [1, 2], [2], [1])
    assert list(current_reassignments(cluster)) == [T0, T1]


def test_a_cluster_that_cannot_list_reassignments_is_an_error(cluster):
    cluster.missing.add(ListPartitionReassignmentsRequest)
    with pytest.raises(AdminError):
        current_reassignments(cluster)


def test_refusals_are_reported_by_partition(cluster):
    cluster.refusals += [(0, None), (ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "none")]
    assert alter_reassignments(cluster, {T0: [2], T1: None}) == {T1: "none"}


def test_each_broker_is_asked_once_for_its_directories(cluster):
    assert replica_directories(cluster, {T0: [1, 2], T1: [2]}) == {
        (T0, 1): "/data", (T0, 2): "/data", (T1, 2): "/data",
    }  # fmt: skip
    assert cluster.asked_of == [1, 2]


def test_a_broker_that_does_not_answer_leaves_its_directories_open(cluster):
    cluster.missing.add(DescribeLogDirsRequest)
    assert replica_directories(cluster, {T0: [1]}) == {}


def test_live_brokers(cluster):
    assert [broker.broker_id for broker in live_brokers(cluster)] == [1, 2, 3]


def test_a_future_replica_is_not_where_a_replica_is(cluster):
    cluster.homes[1, "t", 0] = ("/data", "/other")
    assert replica_directories(cluster, {T0: [1]}) == {(T0, 1): "/data"}
