"""A controller that gets an older copy of its metadata back (R1)."""

import pytest

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.metadata_storage import read_recovery_point
from tests.worlds.sim_world import create_topic, started_cluster


class Restored:
    """Two brokers that know the topics "kept" and "lost"; the controller knows the first only."""

    def __init__(self):
        self.cluster = started_cluster(2, separate_controller=True)
        self.controller = self.cluster.nodes[100]
        self.brokers = [self.cluster.nodes[1], self.cluster.nodes[2]]
        create_topic(self.cluster, "kept", replicas=[[1, 2]])
        self.stop(self.controller)
        (path,) = self.controller.disks
        older = self.controller.disks[path].copy()
        self.controller.start()
        self.cluster.world.run_until(lambda: self.controller.started, 60_000, "it leads")
        create_topic(self.cluster, "lost", replicas=[[1, 2]])
        self.cluster.world.run(6_000)
        self.stop(self.controller)
        self.controller.disks[path] = older
        self.lines = []
        self.cluster.world.on_line = self.lines.append

    def stop(self, node):
        node.shut_down()
        self.cluster.world.run_until(lambda: not node.alive, 60_000, "the node stops")

    def start(self):
        """Start what does not run, and wait until every node serves."""
        for node in self.cluster.nodes.values():
            if not node.alive:
                node.start()
        self.cluster.world.run_until(self.cluster.all_started, 60_000, "every node serves")

    def topics(self):
        return [list(node.node.loader.image.topic_ids) for node in self.cluster.nodes.values()]


@pytest.mark.parametrize("restarts", [False, True])
def test_no_broker_truncates_committed_records(restarts):
    world = Restored()
    for node in world.brokers:
        if restarts:
            world.stop(node)
            node.start()
    world.controller.start()
    world.cluster.world.run_until(
        lambda: not any(node.alive for node in world.brokers), 60_000, "the brokers stop"
    )
    assert [node.exit_code for node in world.brokers] == [1, 1]
    assert sum("had been committed" in line for line in world.lines) == 2


def test_the_copy_of_a_broker_that_refused_brings_everything_back():
    world = Restored()
    world.controller.start()
    world.cluster.world.run_until(
        lambda: not any(node.alive for node in world.brokers), 60_000, "the brokers stop"
    )
    world.controller.kill()
    (disk,) = world.controller.disks.values()
    (copied,) = world.brokers[0].disks.values()
    disk.remove(METADATA_FOLDER)
    disk.make_dir(METADATA_FOLDER)
    for name in copied.list(METADATA_FOLDER):
        source = copied.open(f"{METADATA_FOLDER}/{name}")
        disk.open(f"{METADATA_FOLDER}/{name}", create=True).append(source.read_at(0, source.size))
    world.start()
    assert world.topics() == [["kept", "lost"]] * 3


def test_without_their_own_copies_brokers_follow_the_older_one():
    """Their registrations wait up to a session: the copy says that their last processes live."""
    world = Restored()
    for node in world.brokers:
        node.kill()
        (disk,) = node.disks.values()
        disk.remove(METADATA_FOLDER)
    world.start()
    assert world.topics() == [["kept"]] * 3


def test_a_committed_tail_that_rots_is_missed_by_brokers():
    """The controller takes what is above its recovery point for torn; brokers know better."""
    cluster = started_cluster(2, separate_controller=True)
    cluster.world.run(20_000)
    controller, (disk,) = cluster.nodes[100], cluster.nodes[100].disks.values()
    # The first brings a recovery point along, the next one of which is 5 s away.
    create_topic(cluster, "s", replicas=[[1, 2]])
    create_topic(cluster, "t", replicas=[[1, 2]])
    controller.kill()
    log = f"{METADATA_FOLDER}/00000000000000000000.log"
    content = bytes(disk.open(log).read_at(0, disk.open(log).size))
    assert read_recovery_point(disk) < cluster.nodes[1].node.raft.high_watermark
    disk.flip(log, content.rindex(b"\x02t") + 1, 1)
    lines = []
    cluster.world.on_line = lines.append
    controller.start()
    cluster.world.run_until(
        lambda: not any(cluster.nodes[each].alive for each in (1, 2)), 60_000, "the brokers stop"
    )
    assert sum("had been committed" in line for line in lines) == 2
