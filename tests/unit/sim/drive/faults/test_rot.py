"""Bit rot changes what is durable, and is repaired as the node asks for."""

from random import Random

import pytest

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.faults.rot import rot
from minikafka.sim.drive.incidents import Fault, Incident
from tests.worlds.sim_world import create_topic, started_cluster


@pytest.fixture
def cluster():
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.world.run(6_000)
    return cluster


def contents(disk):
    return {
        name: bytes(disk.open(name).read_at(0, 1 << 30))
        for name in (
            *(f"{METADATA_FOLDER}/{x}" for x in disk.list(METADATA_FOLDER)),
            "bootstrap.checkpoint",
        )
        if disk.exists(name)
    }


@pytest.mark.parametrize("seed", range(10))
def test_one_bit_is_another_one_and_a_controller_gets_it_back(cluster, seed):
    node = cluster.nodes[100]
    node.kill()
    (disk,) = node.disks.values()
    before = contents(disk)
    rotten = rot(node, Random(seed))
    after = contents(disk)
    (changed,) = [name for name in before if before[name] != after[name]]
    assert changed in rotten.what
    differing = [x ^ y for x, y in zip(before[changed], after[changed], strict=True) if x != y]
    assert [x.bit_count() for x in differing] == [1]
    rotten.repair()
    assert contents(disk) == before


def test_a_broker_drops_its_metadata_log(cluster):
    node = cluster.nodes[2]
    node.kill()
    (disk,) = node.disks.values()
    disk.sync_files(".log")
    rot(node, Random(1)).repair()
    assert not disk.exists(METADATA_FOLDER)
    node.start()
    cluster.world.run_until(lambda: node.started, 30_000, "the broker serves")


def test_a_log_with_a_torn_tail_rots_as_well(cluster):
    node = cluster.nodes[2]
    node.kill()
    (disk,) = node.disks.values()
    path = f"{METADATA_FOLDER}/00000000000000000000.log"
    disk.open(path).append(bytes(40))
    disk.sync_files(".log")
    for seed in range(40):
        assert rot(node, Random(seed)) is not None


def test_where_nothing_is_durable_nothing_rots():
    cluster = started_cluster(1)
    node = cluster.nodes[1]
    node.kill()
    (disk,) = node.disks.values()
    disk.remove(METADATA_FOLDER)
    disk.remove("bootstrap.checkpoint")
    assert rot(node, Random(1)) is None


@pytest.mark.parametrize("at_ms", range(8))
@pytest.mark.parametrize("node_id", [2, 100])
def test_a_node_whose_disk_rotted_serves_in_the_end(cluster, node_id, at_ms):
    faults = Faults(cluster, ("client",), lambda _: None)
    faults.inject(Incident(at_ms=at_ms, what=Fault.ROT, node=node_id, for_ms=1_000))
    node = cluster.nodes[node_id]
    assert not node.alive
    cluster.world.run_until(lambda: node.started, 60_000, "the node serves")
    assert cluster.all_started()
