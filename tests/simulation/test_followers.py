"""What a follower learns of the leader, and when it stops fetching."""

import pytest

from minikafka.common.ids import TopicIdPartition, TopicPartition
from minikafka.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ReplicaState,
)
from minikafka.sim.world.sim_cluster import INTERNAL_PORT
from tests.worlds.sim_world import (
    create_topic,
    produce,
    registration,
    replica,
    started_cluster,
)


def test_the_fetch_that_moves_the_high_watermark_does_not_tell_it():
    """The follower has not flushed nor processed what it asks behind: H2."""
    cluster = started_cluster(2, separate_controller=True)
    topic_id = create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.world.run(2_000)
    epoch = cluster.nodes[2].node.broker.local.broker_epoch
    cluster.nodes[2].pause()
    produce(cluster.client(node_id=1), "t", b"a", b"b", acks=1)
    log = replica(cluster, 1, "t").log
    assert (log.log_end_offset, log.high_watermark) == (2, 0)
    wanted = FetchPartition(partition=0, fetch_offset=2, partition_max_bytes=1 << 20)
    request = FetchRequest(
        max_wait_ms=0,
        session_epoch=-1,
        max_bytes=1 << 20,
        topics=[FetchTopic(topic_id=topic_id, partitions=[wanted])],
        replica_state=ReplicaState(2, epoch),
    )
    follower = cluster.client("follower", 1, INTERNAL_PORT)

    def told():
        response = follower.ask(request, FetchResponse, version=17)
        return response.responses[0].partitions[0].high_watermark

    assert (told(), log.high_watermark) == (0, 2)
    assert told() == 2


@pytest.mark.parametrize("restarts", [False, True])
def test_a_follower_whose_directory_failed_does_not_fetch_for_it(restarts):
    """Nor in another leader epoch; its replicas in other directories go on."""
    cluster = started_cluster(2, seed=7, separate_controller=True, log_dirs=3)
    topic_id = create_topic(cluster, "t", replicas=[[1, 2]] * 3)
    for index in range(3):
        produce(cluster.client(node_id=1), "t", b"a", partition=index)
    cluster.world.run(2_000)
    node = cluster.nodes[2]
    homes = {
        index: path
        for path, disk in node.disks.items()
        for index in range(3)
        if f"t-{index}" in disk.list("") and path != node.config.metadata_log_dir
    }
    failed, kept = sorted(homes)[:2]
    node.disks[homes[failed]].broken = "broken on purpose"
    produce(cluster.client(node_id=1), "t", b"b", acks=1, partition=failed)
    cluster.world.run_until(
        lambda: 2 not in registration(cluster, "t", failed).isr, 60_000, "it leaves the ISR"
    )
    if restarts:
        cluster.nodes[1].kill()
        cluster.world.run(15_000)
        cluster.nodes[1].start()
        cluster.world.run_until(lambda: cluster.nodes[1].started, 60_000, "the leader is back")
    cluster.world.run(5_000)
    leader = cluster.nodes[1].node.broker.replicas.get(TopicPartition("t", failed))
    before = leader.followers[2].last_fetch_ms
    produce(cluster.client(node_id=1), "t", b"c", acks=1, partition=failed)
    cluster.world.run(30_000)
    assert leader.followers[2].last_fetch_ms == before
    fetchers = node.node.broker.replicas._fetchers
    assert not fetchers.follows(TopicIdPartition(topic_id, failed))
    assert 2 in registration(cluster, "t", kept).isr


def test_a_follower_that_returns_below_min_isr_joins_once():
    """KAFKA-19996: it has the high watermark at once, but is far from the end of the log."""
    given = {
        "min.insync.replicas": "2",
        "replica.lag.time.max.ms": "1000",
        "replica.fetch.max.bytes": "1000",
        "replica.fetch.response.max.bytes": "1000",
    }
    cluster = started_cluster(2, separate_controller=True, given=given)
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.nodes[2].kill()
    cluster.world.run_until(lambda: registration(cluster, "t").isr == (1,), 60_000, "2 is fenced")
    client = cluster.client(node_id=1)
    for _ in range(2_000):
        produce(client, "t", b"x" * 900, acks=1)
    log = replica(cluster, 1, "t").log
    assert (log.log_end_offset, log.high_watermark) == (2_000, 0)
    cluster.nodes[2].start()
    cluster.world.run_until(lambda: registration(cluster, "t").elr == (), 60_000, "2 registers")
    before = registration(cluster, "t")
    assert before.isr == (1,)
    cluster.world.run_until(lambda: log.high_watermark == 2_000, 120_000, "all is committed")
    cluster.world.run(10_000)
    after = registration(cluster, "t")
    assert after.isr == (1, 2)
    assert after.partition_epoch - before.partition_epoch == 1
