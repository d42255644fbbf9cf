"""A client that poses as a follower moves nothing on a listener that is not for brokers (H2)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ReplicaState,
)
from minikafka.messages.get_replica_log_info import (
    GetReplicaLogInfoRequest,
    GetReplicaLogInfoResponse,
    TopicPartitions,
)
from tests.worlds.sim_world import (
    create_topic,
    leader_client,
    produce,
    registration,
    replica,
    started_cluster,
)

BY_ID_FROM = 13
STATE_FROM = 15


@pytest.fixture
def cluster():
    """Partition t-0 of three replicas; both followers are paused and still in the ISR."""
    cluster = started_cluster(3, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    cluster.world.run(2_000)
    for node in (2, 3):
        cluster.nodes[node].pause()
    return cluster


def replica_fetch(topic_id, version, follower, offset, epoch=-1):
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    topic = FetchTopic(topic_id=topic_id) if version >= BY_ID_FROM else FetchTopic(topic="t")
    topic.partitions = [wanted]
    request = FetchRequest(max_wait_ms=0, session_epoch=-1, topics=[topic])
    if version >= STATE_FROM:
        request.replica_state = ReplicaState(replica_id=follower, replica_epoch=epoch)
    else:
        request.replica_id = follower
    return request


@pytest.mark.parametrize("version", [4, 12, 13, 17])
def test_a_replica_fetch_of_a_client_is_refused(cluster, version):
    client = leader_client(cluster, "t")
    topic_id = registration_id(cluster)
    produce(client, "t", b"not replicated", acks=1)
    end_offset = replica(cluster, 1, "t").log.log_end_offset
    for follower in (2, 3):
        request = replica_fetch(topic_id, version, follower, end_offset)
        response = client.ask(request, FetchResponse, version=version)
        ((row,),) = (topic.partitions for topic in response.responses)
        assert row.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
        assert response.error_code == ErrorCode.NONE
    assert replica(cluster, 1, "t").log.high_watermark < end_offset


def registration_id(cluster) -> Uuid:
    image = cluster.nodes[cluster.controller_id].node.loader.image
    return image.topic_ids["t"]


def test_a_follower_that_poses_makes_no_session(cluster):
    """Only requests of brokers may hold a follower's session."""
    client = leader_client(cluster, "t")
    request = replica_fetch(registration_id(cluster), 17, 2, 0)
    request.session_epoch = 0
    assert client.ask(request, FetchResponse, version=17).session_id == 0


def test_only_brokers_get_replica_log_info(cluster):
    client = leader_client(cluster, "t")
    request = GetReplicaLogInfoRequest(
        broker_id=1, topic_partitions=[TopicPartitions(registration_id(cluster), [0])]
    )
    response = client.ask(request, GetReplicaLogInfoResponse, version=0)
    assert response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert response.topic_partition_log_info_list == []


def test_followers_on_the_listener_of_brokers_replicate(cluster):
    for node in (2, 3):
        cluster.nodes[node].resume()
    assert produce(leader_client(cluster, "t"), "t", b"kept").error_code == ErrorCode.NONE
    cluster.world.run_until(
        lambda: len(registration(cluster, "t").isr) == 3, 30_000, "the ISR is full"
    )
