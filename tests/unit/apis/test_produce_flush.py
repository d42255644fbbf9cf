"""`flush.messages`: what was acknowledged survives the loss of power, on whole nodes."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.replica.request_rules import flush_outcome
from tests.worlds.sim_world import (
    batch,
    create_topic,
    fetch,
    produce,
    produce_request,
    replica,
    started_cluster,
    values_of,
)

DURABLE = {"flush.messages": "1"}


def after_power_loss(cluster):
    """All nodes lose power at once, and start again; a client of the first."""
    for node in cluster.nodes.values():
        node.lose_power()
    for node in cluster.nodes.values():
        node.start()
    cluster.world.run_until(cluster.all_started, 60_000, "every node is back")
    return cluster.client()


def kept(cluster, client):
    """The values of the topic once it can be read to its end."""
    cluster.world.run_until(
        lambda: (
            replica(cluster, 1, "t").is_leader
            and replica(cluster, 1, "t").log.high_watermark
            == replica(cluster, 1, "t").log.log_end_offset
        ),
        60_000,
        "everything that is left is committed",
    )
    return values_of(fetch(client, "t"))


@pytest.mark.parametrize("acks", [1, -1])
def test_what_one_node_acknowledged_is_on_its_disk(acks):
    cluster = started_cluster(1)
    create_topic(cluster, "t", config=DURABLE)
    client = cluster.client()
    for value in (b"a", b"b"):
        assert produce(client, "t", value, acks=acks).error_code == ErrorCode.NONE
    assert replica(cluster, 1, "t").log.recovery_point == 2
    assert kept(cluster, after_power_loss(cluster)) == [b"a", b"b"]


def test_without_it_the_page_cache_is_lost():
    """The test above would pass for another reason if nothing were ever lost."""
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    assert produce(cluster.client(), "t", b"a", acks=1).error_code == ErrorCode.NONE
    assert kept(cluster, after_power_loss(cluster)) == []


def test_consumers_see_nothing_that_is_not_on_disk():
    cluster = started_cluster(1)
    create_topic(cluster, "t", config=DURABLE)
    client = cluster.client()
    request = produce_request("t", batch(b"a"), acks=0)
    client.send(request, lambda _: None, version=9, expects_response=False)
    log = replica(cluster, 1, "t").log
    cluster.world.run_until(lambda: log.log_end_offset == 1, 10_000, "it is appended")
    assert log.high_watermark == 0
    cluster.world.run_until(lambda: log.high_watermark == 1, 10_000, "it is flushed")
    assert log.recovery_point == 1


def test_only_the_append_that_completes_the_number_waits():
    cluster = started_cluster(1)
    create_topic(cluster, "t", config={"flush.messages": "3"})
    client = cluster.client()
    log = replica(cluster, 1, "t").log
    for number, flushed in ((1, 0), (2, 0), (3, 3), (4, 3)):
        assert produce(client, "t", b"%d" % number, acks=1).error_code == ErrorCode.NONE
        assert log.recovery_point == flushed


def test_acks_all_waits_for_the_disks_of_all():
    """Both nodes lose power in the moment of the acknowledgement."""
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]], config={**DURABLE, "min.insync.replicas": "2"})
    client = cluster.client()
    for value in (b"a", b"b", b"c"):
        assert produce(client, "t", value).error_code == ErrorCode.NONE
        assert all(replica(cluster, node, "t").log.recovery_point >= 1 for node in (1, 2))
    assert [replica(cluster, node, "t").log.recovery_point for node in (1, 2)] == [3, 3]


def test_an_append_that_is_not_flushed_is_lost_with_the_leadership():
    cluster = started_cluster(1)
    create_topic(cluster, "t", config=DURABLE)
    client = cluster.client()
    partition = replica(cluster, 1, "t")
    assert flush_outcome(partition, partition.leader_epoch, 0) == ErrorCode.NONE
    assert flush_outcome(partition, partition.leader_epoch, 1) is None
    assert flush_outcome(partition, partition.leader_epoch - 1, 1) == (
        ErrorCode.NOT_LEADER_OR_FOLLOWER
    )
    assert produce(client, "t", b"a", acks=1).error_code == ErrorCode.NONE
