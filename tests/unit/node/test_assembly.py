"""A node is put together from its configuration, whatever its roles and directories are."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.log.disk import read_file, write_file
from minikafka.node.assembly import assemble
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.sim_world import create_topic, node_inputs, produce, started_cluster


def test_roles_decide_what_a_node_has():
    cluster = started_cluster(2, separate_controller=True)
    broker, controller = cluster.nodes[1].node, cluster.nodes[100].node
    assert (broker.controller, controller.broker) == (None, None)
    assert broker.broker is not None
    assert controller.controller is not None
    assert broker.roles == {"PLAINTEXT": "broker", "INTERNAL": "broker"}
    assert controller.roles == {"CONTROLLER": "controller"}


def test_several_directories_hold_the_partitions_between_them():
    cluster = started_cluster(1, log_dirs=3)
    create_topic(cluster, "t", partitions=6)
    directories = cluster.nodes[1].node.broker.logs.directories
    assert len(directories) == 3
    assert sorted(len(home.logs) for home in directories) == [2, 2, 2]
    assert produce(cluster.client(), "t", b"x", partition=5).error_code == ErrorCode.NONE


def test_a_directory_that_was_never_formatted_is_refused():
    cluster = started_cluster(1)
    cluster.nodes[1].kill()
    sim, inputs = node_inputs(cluster)
    empty = {path: SimDisk(path) for path in sim.disks}
    with pytest.raises(BadMetaPropertiesError):
        assemble(sim.config, inputs._replace(disks=empty))


def test_a_directory_of_another_node_is_refused():
    cluster = started_cluster(2)
    for node in cluster.nodes.values():
        node.kill()
    sim, inputs = node_inputs(cluster)
    strange = dict(zip(sim.disks, cluster.nodes[2].disks.values(), strict=True))
    with pytest.raises(BadMetaPropertiesError, match=r"2.*1|1.*2"):
        assemble(sim.config, inputs._replace(disks=strange))


def test_one_process_a_directory():
    cluster = started_cluster(1)
    sim, inputs = node_inputs(cluster)
    with pytest.raises(StorageFault, match="lock"):
        assemble(sim.config, inputs)


@pytest.mark.parametrize("name", ["bootstrap.checkpoint", "__cluster_metadata-0/quorum-state"])
def test_a_start_that_fails_leaves_a_clean_shutdown_clean(name):
    """C2: once the file is repaired, the broker keeps its place in ISR and ELR."""
    cluster = started_cluster(1)
    cluster.nodes[1].shut_down()
    cluster.world.run_until(lambda: not cluster.nodes[1].alive, 30_000, "node 1 stops")
    sim, inputs = node_inputs(cluster)
    (disk,) = sim.disks.values()
    content = read_file(disk, name)
    write_file(disk, name, b"damaged")
    with pytest.raises(StorageFault, match=name):
        assemble(sim.config, inputs)
    disk.unlock()
    write_file(disk, name, content)
    assert assemble(sim.config, inputs).broker.lifecycle.previous_broker_epoch >= 0
