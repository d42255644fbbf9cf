"""What a cluster does at every metadata.version that it may be at."""

from functools import partial

import pytest

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)
from minikafka.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    LATEST_METADATA_VERSION,
    METADATA_VERSION,
    MINIMUM_METADATA_VERSION,
)
from minikafka.raft.snapshots import snapshot_ids
from tests.worlds.sim_world import create_topic, produce, registration, started_cluster

ELR_FROM = 23
DIRECTORIES_FROM = 17
SMALL_SNAPSHOTS = {
    "metadata.log.max.record.bytes.between.snapshots": "1000",
    "broker.session.timeout.ms": "2000",
    "min.insync.replicas": "2",
}


def has_isr(cluster, node_id, isr):
    """Whether a node knows the partition with this ISR."""
    image = cluster.nodes[node_id].node.loader.image
    return tuple(sorted(image.partition("t", 0).isr)) == isr


@pytest.mark.parametrize("level", range(MINIMUM_METADATA_VERSION, LATEST_METADATA_VERSION + 1))
def test_partitions_live_at_every_level(level):
    """E12, R1: create, shrink, expand, elect, describe, and all of it from a snapshot again."""
    levels = {METADATA_VERSION: level, ELIGIBLE_LEADER_REPLICAS_VERSION: int(level >= ELR_FROM)}
    cluster = started_cluster(3, separate_controller=True, levels=levels, given=SMALL_SNAPSHOTS)
    world = cluster.world
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    created = registration(cluster, "t")
    assert (created.isr, created.leader) == ((1, 2, 3), 1)
    assert any(not it.is_reserved for it in created.directories) is (level >= DIRECTORIES_FROM)
    for victim, left in ((3, (1, 2)), (1, (2,))):
        cluster.nodes[victim].kill()
        world.run_until(partial(has_isr, cluster, 100, left), 60_000, f"{victim} is out")
    shrunk = registration(cluster, "t")
    assert (shrunk.leader, shrunk.isr) == (2, (2,))
    assert shrunk.elr == ((1,) if level >= ELR_FROM else ())
    for node_id in (100, 1, 3):
        if node_id == 100:
            cluster.nodes[100].kill()
        cluster.nodes[node_id].start()
    world.run_until(cluster.all_started, 60_000, "every node serves")
    world.run_until(partial(has_isr, cluster, 2, (1, 2, 3)), 60_000, "all are in sync")
    client = cluster.client(node_id=2)
    assert produce(client, "t", b"x").error_code == 0
    request = DescribeTopicPartitionsRequest(topics=[TopicRequest("t")])
    (topic,) = client.ask(request, DescribeTopicPartitionsResponse).topics
    (row,) = topic.partitions
    assert (row.leader_id, sorted(row.isr_nodes)) == (2, [1, 2, 3])
    assert (row.eligible_leader_replicas, row.last_known_elr) == ([], [])
    (disk,) = cluster.nodes[100].disks.values()
    assert snapshot_ids(disk, METADATA_FOLDER)[-1].end_offset > 0
