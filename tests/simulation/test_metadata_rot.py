"""A flipped bit in any byte of the metadata log never becomes metadata (R1)."""

import pytest

from minikafka.log.directories.log_directory import METADATA_FOLDER
from tests.worlds.sim_world import create_topic, started_cluster

LOG = f"{METADATA_FOLDER}/00000000000000000000.log"
NAME = "a-topic-with-a-name"


def stopped_with_a_topic():
    """A cluster whose controller was stopped in order: all of its log is known to be flushed."""
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, NAME, replicas=[[1, 2]])
    cluster.world.run(1_000)
    controller = cluster.nodes[100]
    controller.shut_down()
    cluster.world.run_until(lambda: not controller.alive, 10_000, "the controller has stopped")
    return cluster, controller


def test_no_byte_of_the_controllers_log_can_change_unnoticed():
    cluster, controller = stopped_with_a_topic()
    (disk,) = controller.disks.values()
    at = bytes(disk.open(LOG).read_at(0, 1 << 20)).index(NAME.encode())
    told = []
    cluster.world.on_line = told.append
    for byte in range(at, at + len(NAME)):
        repair = disk.flip(LOG, byte, 0)
        controller.start()
        assert not controller.alive, f"byte {byte}"
        assert controller.exit_code == 1
        repair()
    assert f"{LOG} is damaged at byte" in told[-1]
    controller.start()
    cluster.world.run_until(lambda: NAME in topics(controller), 10_000, "the topic is known")


def topics(node):
    return node.node.loader.image.topic_ids


@pytest.mark.parametrize("node_id", [1, 2])
def test_the_only_controller_comes_back_with_the_log_of_a_stopped_broker(node_id):
    cluster, controller = stopped_with_a_topic()
    broker = cluster.nodes[node_id]
    broker.kill()
    (disk,) = controller.disks.values()
    (copied,) = broker.disks.values()
    disk.flip(LOG, disk.open(LOG).size // 2, 1)
    controller.start()
    assert not controller.alive
    disk.remove(METADATA_FOLDER)
    disk.make_dir(METADATA_FOLDER)
    for name in copied.list(METADATA_FOLDER):
        source = copied.open(f"{METADATA_FOLDER}/{name}")
        disk.open(f"{METADATA_FOLDER}/{name}", create=True).append(source.read_at(0, source.size))
    controller.start()
    broker.start()
    cluster.world.run_until(cluster.all_started, 60_000, "every node serves")
    assert all(NAME in topics(node) for node in cluster.nodes.values())
