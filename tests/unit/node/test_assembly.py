"""A node is put together from its configuration, whatever its roles and directories are."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.config.node_config import node_config
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.log.disk import read_file, write_file
from minikafka.node.assembly import NodeInputs, assemble
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.sim_world import create_topic, produce, started_cluster

NOW = Now(0, 0)


def parts_of(cluster, node_id=1):
    sim = cluster.nodes[node_id]
    ports = {listener.name: listener.port for listener in sim.config.listeners}
    return sim, NodeInputs(sim.disks, ports, sim.cluster_id, Random(1), NOW)


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


@pytest.mark.parametrize(("text", "hands_over"), [("true", True), ("false", False)])
def test_a_broker_is_configured_to_hand_over_or_not_when_it_stops(text, hands_over):
    cluster = started_cluster(1)
    cluster.nodes[1].kill()
    sim, inputs = parts_of(cluster)
    given = {**sim.given, "controlled.shutdown.enable": text}
    assert assemble(node_config(given), inputs).broker.lifecycle.hands_over is hands_over


def test_advertised_addresses_are_told_with_the_port_that_was_bound():
    cluster = started_cluster(1)
    cluster.nodes[1].kill()
    sim, inputs = parts_of(cluster)
    given = {
        **sim.given,
        "listeners": "PLAINTEXT://n1:0,CONTROLLER://n1:9093",
        "inter.broker.listener.name": "PLAINTEXT",
        "advertised.listeners": "PLAINTEXT://elsewhere:0",
    }
    bound = inputs._replace(ports={"PLAINTEXT": 4711, "CONTROLLER": 9093})
    node = assemble(node_config(given), bound)
    (endpoint,) = node.broker.lifecycle.endpoints
    assert (endpoint.host, endpoint.port) == ("elsewhere", 4711)


def test_a_directory_that_was_never_formatted_is_refused():
    cluster = started_cluster(1)
    cluster.nodes[1].kill()
    sim, inputs = parts_of(cluster)
    empty = {path: SimDisk(path) for path in sim.disks}
    with pytest.raises(BadMetaPropertiesError):
        assemble(sim.config, inputs._replace(disks=empty))


def test_a_directory_of_another_node_is_refused():
    cluster = started_cluster(2)
    for node in cluster.nodes.values():
        node.kill()
    sim, inputs = parts_of(cluster)
    strange = dict(zip(sim.disks, cluster.nodes[2].disks.values(), strict=True))
    with pytest.raises(BadMetaPropertiesError, match=r"2.*1|1.*2"):
        assemble(sim.config, inputs._replace(disks=strange))


def test_one_process_a_directory():
    cluster = started_cluster(1)
    sim, inputs = parts_of(cluster)
    with pytest.raises(StorageFault, match="lock"):
        assemble(sim.config, inputs)


@pytest.mark.parametrize("name", ["bootstrap.checkpoint", "__cluster_metadata-0/quorum-state"])
def test_a_start_that_fails_leaves_a_clean_shutdown_clean(name):
    """C2: once the file is repaired, the broker keeps its place in ISR and ELR."""
    cluster = started_cluster(1)
    cluster.nodes[1].shut_down()
    cluster.world.run_until(lambda: not cluster.nodes[1].alive, 30_000, "node 1 stops")
    sim, inputs = parts_of(cluster)
    (disk,) = sim.disks.values()
    content = read_file(disk, name)
    write_file(disk, name, b"damaged")
    with pytest.raises(StorageFault, match=name):
        assemble(sim.config, inputs)
    disk.unlock()
    write_file(disk, name, content)
    assert assemble(sim.config, inputs).broker.lifecycle.previous_broker_epoch >= 0


@pytest.mark.parametrize("ends_cleanly", [False, True])
def test_the_only_voter_does_not_lead_an_empty_cluster_in_place_of_its_own(ends_cleanly):
    """C2: every partition would be taken for a stray. Nothing is changed."""
    cluster = started_cluster(1)
    create_topic(cluster, "t")
    if ends_cleanly:
        cluster.nodes[1].shut_down()
        cluster.world.run_until(lambda: not cluster.nodes[1].alive, 30_000, "node 1 stops")
    else:
        cluster.nodes[1].kill()
    sim, inputs = parts_of(cluster)
    (disk,) = sim.disks.values()
    disk.remove("__cluster_metadata-0")
    for _ in range(2):
        with pytest.raises(
            StorageFault, match="__cluster_metadata-0 is missing or empty"
        ) as caught:
            assemble(sim.config, inputs)
        assert "a backup, or of a stopped broker" in str(caught.value)
        disk.unlock()
    assert disk.exists("t-0")
    assert disk.exists(".kafka_cleanshutdown") == ends_cleanly


def test_a_controller_that_knows_no_voters_says_what_to_do(caplog):
    cluster = started_cluster(1)
    cluster.nodes[1].kill()
    sim, inputs = parts_of(cluster)
    (disk,) = sim.disks.values()
    disk.remove("__cluster_metadata-0")
    given = {key: value for key, value in sim.given.items() if key != "controller.quorum.voters"}
    given["controller.quorum.bootstrap.servers"] = "n1:9093"
    assemble(node_config(given), inputs)
    (line,) = [each.getMessage() for each in caplog.records if "voters" in each.getMessage()]
    assert "waiting for a leader among n1:9093" in line
    assert "a backup, or of a stopped broker" in line
