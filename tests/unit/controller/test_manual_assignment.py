import pytest

from minikafka.common.errors import InvalidReplicaAssignmentError
from minikafka.controller.manual_assignment import check_brokers, check_replicas


@pytest.mark.parametrize(
    ("replicas", "says"),
    [
        ([], "an empty replica list"),
        ([2, 9, 8], "broker 8, but no such broker is registered"),
        ([2, 1, 2], "the broker 2 more than once"),
        ([9, 9], "broker 9, but no such broker is registered"),
    ],
)
def test_replicas_are_different_brokers(cluster, replicas, says):
    with pytest.raises(InvalidReplicaAssignmentError, match=says):
        cluster.controller.decide(check_brokers, replicas)


def test_partitions_of_a_topic_have_one_number_of_replicas(cluster):
    with pytest.raises(InvalidReplicaAssignmentError, match=r"with 2 replica\(s\), but"):
        cluster.controller.decide(check_replicas, [1, 2], factor=3, partition=0)
    cluster.controller.decide(check_replicas, [1, 2], factor=2, partition=0)


def test_a_new_partition_has_an_active_replica_and_an_old_one_need_not(cluster):
    cluster.fence(3)
    cluster.controller.decide(check_brokers, [3])
    with pytest.raises(InvalidReplicaAssignmentError, match="fenced or in controlled shutdown"):
        cluster.controller.decide(check_replicas, [3], factor=1, partition=0)
