"""Snapshots of the metadata take the place of the log, on every node and at every start."""

import pytest

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.snapshots import snapshot_ids
from tests.worlds.sim_world import create_topic, started_cluster

OFTEN = {
    "metadata.log.max.record.bytes.between.snapshots": "500",
    "metadata.max.retention.bytes": "1000",
}


def bytes_used(node):
    (disk,) = node.disks.values()
    names = disk.list(METADATA_FOLDER)
    return sum(disk.open(f"{METADATA_FOLDER}/{name}").size for name in names)


@pytest.fixture
def cluster():
    return started_cluster(2, given=OFTEN, separate_controller=True)


@pytest.mark.parametrize("power", [False, True])
def test_a_broker_that_was_away_for_long_fetches_the_snapshot(cluster, power):
    node = cluster.nodes[2]
    create_topic(cluster, "before", replicas=[[1, 2]])
    if power:
        node.lose_power()
    else:
        node.kill()
    for number in range(5):
        create_topic(cluster, f"t{number}", replicas=[[1, 2]])
        cluster.world.run(2_000)
    leader = cluster.nodes[100].node.raft
    (disk,) = node.disks.values()
    own = snapshot_ids(disk, METADATA_FOLDER)
    assert leader.log.start_offset > max([0, *(x.end_offset for x in own)])
    node.start()
    cluster.world.run_until(lambda: node.started, 30_000, "the broker serves")
    assert node.node.raft.log.start_offset > 0
    assert list(node.node.loader.image.topics) == list(cluster.nodes[100].node.loader.image.topics)


@pytest.mark.parametrize("power", [False, True])
def test_a_snapshot_is_fetched_once_if_the_broker_restarts_right_after(cluster, power, caplog):
    """An empty log has the epoch of the snapshot that it follows."""
    caplog.set_level("INFO", "minikafka.raft")
    node = cluster.nodes[2]
    node.kill()
    for number in range(5):
        create_topic(cluster, f"t{number}", replicas=[[1]])
        cluster.world.run(2_000)
    node.start()
    world, log = cluster.world, node.node.raft.log
    world.run_until(lambda: log.end_offset == log.start_offset > 0, 30_000, "the log is replaced")
    epoch = log.last_epoch
    assert epoch > 0
    if power:
        node.lose_power()
    else:
        node.kill()
    node.start()
    assert node.node.raft.log.last_epoch == epoch
    world.run_until(lambda: node.started, 30_000, "the broker serves")
    fetched = [line for line in caplog.messages if "[raft 2] fetches snapshot" in line]
    assert len(fetched) == 1


def test_every_node_goes_on_from_its_own_snapshot(cluster):
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.world.run(10_000)
    images = {}
    for node_id, node in cluster.nodes.items():
        images[node_id] = node.node.loader.image
        node.kill()
    for node in cluster.nodes.values():
        node.start()
        assert node.node.loader.image.offset > 0
        assert node.node.raft.log.start_offset > 0
    cluster.world.run_until(cluster.all_started, 30_000, "every node serves")
    for node_id, node in cluster.nodes.items():
        assert list(node.node.loader.image.topics) == list(images[node_id].topics)


def test_an_idle_cluster_needs_no_more_disk_from_one_hour_to_the_next():
    """Two no-op records a second; ten minutes stand for hours, with all times a sixtieth."""
    given = {
        "metadata.log.max.snapshot.interval.ms": "60000",
        "metadata.max.retention.bytes": "50000",
    }
    cluster = started_cluster(2, given=given, separate_controller=True)
    cluster.world.run(300_000)
    used = {node_id: [] for node_id in cluster.nodes}
    for _ in range(20):
        cluster.world.run(30_000)
        for node_id, node in cluster.nodes.items():
            used[node_id].append(bytes_used(node))
    written = cluster.nodes[100].node.raft.end_offset
    assert written > 1_200
    for node_id, sizes in used.items():
        # Segments stay for a minute after a snapshot has replaced them: up to 85,000 bytes, which
        # the first ten samples may or may not meet.
        assert max(sizes) < 90_000, f"node {node_id} of {written} batches: {sizes}"
        assert cluster.nodes[node_id].node.raft.log.start_offset > written // 3
