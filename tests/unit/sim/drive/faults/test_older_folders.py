"""A broker that does not start because a partition has two folders, and what an operator does."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.log.checkpoints import META_PROPERTIES, read_meta_properties
from minikafka.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from minikafka.metadata.image import MetadataImage
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.faults.older_folders import OlderFolders
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import create_topic, leader_client, produce, started_cluster

OLD, NEW = "/n2-1", "/n2-0"


def settle(cluster, condition):
    cluster.world.run_until(condition, 60_000, "the cluster settles")


def image_of(cluster):
    return cluster.nodes[cluster.controller_id].node.loader.image


def reassign(cluster, at, replicas):
    request = AlterPartitionReassignmentsRequest(
        timeout_ms=5_000,
        topics=[ReassignableTopic(at.topic, [ReassignablePartition(at.partition, replicas)])],
    )
    response = cluster.client("admin", 1).ask(request, AlterPartitionReassignmentsResponse)
    assert response.responses[0].partitions[0].error_code == ErrorCode.NONE
    settle(cluster, lambda: image_of(cluster).partition(*at).replicas == tuple(replicas))


@pytest.fixture
def refused():
    """The cluster, the partition and the fault of broker 2: seed 72000236.

    Its directory `OLD` failed, the partition there was moved to another broker and back.
    """
    cluster = started_cluster(3, separate_controller=True, log_dirs=2)
    create_topic(cluster, "t", replicas=[[1, 2], [1, 2]])
    node = cluster.nodes[2]
    logs = node.node.broker.logs
    at = next(at for at in logs.logs if logs.directory_of(at).disk.root == OLD)

    def produce_one():
        client = leader_client(cluster, *at)
        assert produce(client, "t", b"x", partition=at.partition).error_code == ErrorCode.NONE
        cluster.world.run(1_000)

    produce_one()
    node.disks[OLD].broken = IO_ERROR
    node.kill()
    node.start()
    settle(cluster, lambda: node.started)
    reassign(cluster, at, [1, 3])
    reassign(cluster, at, [1, 2])
    produce_one()
    assert node.node.broker.logs.directory_of(at).disk.root == NEW
    settle(cluster, lambda: 2 in image_of(cluster).partition(*at).isr)
    node.kill()
    node.disks[OLD].repair()
    faults = []
    node.on_fault = lambda _, fault: faults.append(fault)
    node.start()
    assert not node.alive
    (fault,) = faults
    return cluster, at, fault


def test_the_folder_in_the_directory_that_failed_is_moved_away(refused):
    cluster, at, fault = refused
    node = cluster.nodes[2]
    assert node.failed_directories == (OLD,)
    assert OlderFolders(cluster).move_later(node, fault, image_of(cluster)) == 1
    settle(cluster, lambda: node.started)
    assert not node.disks[OLD].exists(str(at))
    home = node.node.broker.logs.directory_of(at)
    assert home.disk.root == NEW
    settle(cluster, lambda: home.logs[at].log_end_offset == 2)


def test_a_start_of_all_nodes_moves_it_first_and_only_once(refused):
    """The end of a run starts all nodes again and again until they serve."""
    cluster, at, fault = refused
    node = cluster.nodes[2]
    faults = Faults(cluster, (), lambda _: None)
    assert faults.older_folders.move_later(node, fault, image_of(cluster)) == 1
    faults.start_all()
    assert node.alive
    assert not node.disks[OLD].exists(str(at))
    node.kill()
    cluster.world.run(1_000)
    assert not node.alive


def test_a_broker_that_started_meanwhile_keeps_its_folders(refused):
    cluster, at, fault = refused
    node = cluster.nodes[2]
    assert OlderFolders(cluster).move_later(node, fault, image_of(cluster)) == 1
    node.disks[OLD].broken = IO_ERROR
    node.start()
    cluster.world.run(1_000)
    node.disks[OLD].repair()
    assert node.disks[OLD].exists(str(at))


def test_a_replica_that_has_left_the_broker_has_an_older_folder(refused):
    cluster, _, fault = refused
    assert OlderFolders(cluster).move_later(cluster.nodes[2], fault, MetadataImage()) == 1


def test_the_folder_that_the_metadata_names_is_not_older(refused):
    cluster, at, fault = refused
    node = cluster.nodes[2]
    image = image_of(cluster)
    contents = [node.disks[path].content(META_PROPERTIES) for path in (OLD, NEW)]
    assert read_meta_properties(node.disks[NEW]).directory_id == image.partition(*at).directory(2)
    contents[0][:], contents[1][:] = bytes(contents[1]), bytes(contents[0])
    node.replicas_online = frozenset()
    folders = OlderFolders(cluster)
    assert folders.move_later(node, fault, image) == 1
    assert folders.move(node)
    assert [node.disks[path].exists(str(at)) for path in (OLD, NEW)] == [True, False]


def test_it_is_older_if_the_last_process_had_the_replica_elsewhere(refused):
    """Seed 90000234: the process was killed before the controller knew the new directory."""
    cluster, at, fault = refused
    node = cluster.nodes[2]
    assert at in node.replicas_online
    contents = [node.disks[path].content(META_PROPERTIES) for path in (OLD, NEW)]
    contents[0][:], contents[1][:] = bytes(contents[1]), bytes(contents[0])
    folders = OlderFolders(cluster)
    assert folders.move_later(node, fault, image_of(cluster)) == 1
    assert folders.move(node)
    assert not node.disks[OLD].exists(str(at))


def test_no_folder_is_older_if_the_last_process_had_all_directories(refused):
    cluster, _, fault = refused
    node = cluster.nodes[2]
    node.failed_directories = ()
    assert OlderFolders(cluster).move_later(node, fault, image_of(cluster)) == 0


@pytest.mark.parametrize("failed", [(OLD,), (NEW,), (OLD, NEW)])
def test_without_metadata_the_log_with_the_last_record_is_newer(refused, failed):
    cluster, at, fault = refused
    node = cluster.nodes[2]
    node.failed_directories, node.replicas_online = failed, frozenset()
    folders = OlderFolders(cluster)
    assert folders.move_later(node, fault, MetadataImage()) == 1
    assert folders.move(node)
    assert [node.disks[path].exists(str(at)) for path in (OLD, NEW)] == [False, True]


def test_other_faults_are_none_of_older_folders(refused):
    cluster, at, _ = refused
    other = StorageFault(NEW, f"{at} is damaged")
    assert OlderFolders(cluster).move_later(cluster.nodes[2], other, image_of(cluster)) == 0


@pytest.mark.parametrize("is_older", [True, False])
def test_a_run_goes_on_only_if_a_folder_is_older(refused, is_older):
    cluster, _, fault = refused
    node = cluster.nodes[2]
    simulation = Simulation(draw(1, 1_000))
    simulation.checkers.replicas.image = image_of(cluster)
    if not is_older:
        node.failed_directories = ()
    for disk in node.disks.values():
        disk.has_refused = False
    if is_older:
        simulation._faulted(node, fault)
    else:
        with pytest.raises(Violation, match="sound disk: n2 stopped: t-. is in both"):
            simulation._faulted(node, fault)
    assert simulation.checkers.coverage.events["older folders moved away"] == is_older


def test_a_process_that_had_no_replicas_yet_has_made_no_folder(refused):
    """Seed 93000026: it ran without the directory of the newer folder, and stopped at once."""
    cluster, at, fault = refused
    node = cluster.nodes[2]
    before = node.failed_directories, node.replicas_online
    node.disks[NEW].broken = IO_ERROR
    node.start()
    node.kill()
    node.disks[NEW].repair()
    assert (node.failed_directories, node.replicas_online) == before
    folders = OlderFolders(cluster)
    assert folders.move_later(node, fault, image_of(cluster)) == 1
    assert folders.move(node)
    assert not node.disks[OLD].exists(str(at))


def test_a_backup_brings_back_what_was_known_of_its_folders(refused):
    """Seeds 100000309 and 110000806: it was made before the older folder was moved away."""
    cluster, at, fault = refused
    node = cluster.nodes[2]
    faults = Faults(cluster, (), lambda _: None)
    faults.inject(Incident(what=Fault.RESTORE, at_ms=0, node=2, for_ms=60_000))
    assert not node.alive
    assert faults.older_folders.move_later(node, fault, image_of(cluster)) == 1
    settle(cluster, lambda: node.started)
    faults.inject(Incident(what=Fault.RESTORE, at_ms=0, node=2, for_ms=60_000))
    assert all(node.disks[path].exists(str(at)) for path in (OLD, NEW))
    folders = OlderFolders(cluster)
    assert folders.move_later(node, fault, image_of(cluster)) == 1
    assert folders.move(node)
    assert not node.disks[OLD].exists(str(at))
