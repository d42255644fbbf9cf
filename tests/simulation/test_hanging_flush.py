"""A sync that does not return is not asked for again while it runs."""

from tests.worlds.sim_world import create_topic, leader_client, produce, started_cluster


def test_a_log_has_one_flush_at_a_time():
    cluster = started_cluster(1, given={"min.insync.replicas": "1"})
    create_topic(cluster, "t", replicas=[[1]], config={"flush.ms": "1000"})
    node = cluster.nodes[1]
    log = node.node.broker.replicas.partitions["t", 0].log
    node.flush_us = (60_000_000, 60_000_000)
    for number in range(10):
        produce(leader_client(cluster, "t"), "t", b"%d" % number, acks=1)
        cluster.world.run(2_000)
    assert log.is_flushing
    node.flush_us = (100, 3_000)
    cluster.world.run_until(lambda: log.recovery_point == 10, 200_000, "all is flushed")
