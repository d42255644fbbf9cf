"""A combined node of a static quorum that lost its metadata log follows the others (row Q3)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.metadata.features import DEFAULT_LEVELS
from minikafka.raft.election_state import QUORUM_STATE
from minikafka.raft.forgotten_votes import VOTES_FORGOTTEN
from minikafka.raft.storage import format_directory, format_metadata_directory
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.sim_world import create_topic, produce, started_cluster

SERVES_MS = 60_000


def stop(cluster, node_id, *, cleanly):
    node = cluster.nodes[node_id]
    if cleanly:
        node.shut_down()
        cluster.world.run_until(lambda: not node.alive, 60_000, f"node {node_id} stops")
    else:
        node.kill()
    return node


def lose_folder(cluster, node):
    node.disks[node.config.metadata_log_dir].remove(METADATA_FOLDER)


def lose_log(cluster, node):
    """Lose everything but `quorum-state`: the node knows how it voted, but not its records."""
    disk = node.disks[node.config.metadata_log_dir]
    for name in disk.list(METADATA_FOLDER):
        if name != QUORUM_STATE:
            disk.remove(f"{METADATA_FOLDER}/{name}")


def lose_disk(cluster, node):
    """Replace the disk with the metadata log by another, formatted one; the others stay."""
    path = node.config.metadata_log_dir
    disk = node.disks[path] = SimDisk(path)
    node_id = node.config.node_id
    format_metadata_directory(disk, levels=dict(DEFAULT_LEVELS), voters=None, now_ms=0)
    format_directory(
        disk, cluster_id=cluster.cluster_id, node_id=node_id, directory_id=Uuid.of(8, node_id)
    )


def has_leader(cluster):
    leader = cluster.nodes[cluster.controller_id].node
    return leader is not None and leader.controller.is_active


def three_nodes(log_dirs=2):
    cluster = started_cluster(3, voters=3, log_dirs=log_dirs)
    create_topic(cluster, "t", replicas=[(1, 2, 3)] * 4)
    assert produce(cluster.client(), "t", b"x", partition=0).error_code == ErrorCode.NONE
    return cluster


@pytest.mark.parametrize("cleanly", [True, False])
@pytest.mark.parametrize(
    ("log_dirs", "lose"), [(1, lose_folder), (1, lose_log), (2, lose_folder), (2, lose_disk)]
)
def test_it_fetches_the_metadata_and_votes_again(log_dirs, lose, cleanly):
    cluster = three_nodes(log_dirs)
    node_id = 3 if cluster.controller_id != 3 else 2
    node = stop(cluster, node_id, cleanly=cleanly)
    lose(cluster, node)
    node.start()
    assert node.exit_code is None
    disk = node.disks[node.config.metadata_log_dir]
    # What it had acknowledged is gone: its vote could elect a leader that lacks it.
    assert disk.exists(VOTES_FORGOTTEN)
    cluster.world.run_until(
        lambda: node.started and not disk.exists(VOTES_FORGOTTEN), SERVES_MS, "it is a full voter"
    )
    assert node.node.loader.image.topic("t") is not None
    # Its vote counts: the quorum needs it without the present leader.
    stop(cluster, cluster.controller_id, cleanly=False)
    cluster.world.run_until(lambda: has_leader(cluster), SERVES_MS, "another one leads")


def test_voters_that_all_lost_their_metadata_lead_no_empty_cluster():
    cluster = three_nodes()
    for node_id in (1, 2, 3):
        lose_folder(cluster, stop(cluster, node_id, cleanly=False))
    for node in cluster.nodes.values():
        node.start()
    cluster.world.run(SERVES_MS)
    assert all(node.node.raft.leader_id == -1 for node in cluster.nodes.values())


def test_voters_that_stopped_before_their_first_election_are_new_ones():
    """A stop without a leader leaves a clean shutdown file, but nothing can be lost."""
    cluster = three_nodes()
    for node in cluster.nodes.values():
        node.kill()
        for path in node.disks:
            node.disks[path] = SimDisk(path)
    for node_id, node in cluster.nodes.items():
        for path, disk in node.disks.items():
            if path == node.config.metadata_log_dir:
                lose_disk(cluster, node)
            else:
                format_directory(
                    disk,
                    cluster_id=cluster.cluster_id,
                    node_id=node_id,
                    directory_id=Uuid.of(7, node_id),
                )
    for node_id in (1, 2):
        cluster.nodes[node_id].start()
        cluster.world.run(100)
        stop(cluster, node_id, cleanly=True)
    for node_id in (1, 2):
        cluster.nodes[node_id].start()
    cluster.world.run_until(lambda: has_leader(cluster), SERVES_MS, "one of them leads")
