"""The start of a node whose metadata is missing."""

import pytest

from minikafka.common.faults import StorageFault
from minikafka.config.node_config import node_config
from minikafka.node.assembly import assemble
from tests.worlds.sim_world import create_topic, node_inputs, started_cluster


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
    sim, inputs = node_inputs(cluster)
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
    sim, inputs = node_inputs(cluster)
    (disk,) = sim.disks.values()
    disk.remove("__cluster_metadata-0")
    given = {key: value for key, value in sim.given.items() if key != "controller.quorum.voters"}
    given["controller.quorum.bootstrap.servers"] = "n1:9093"
    assemble(node_config(given), inputs)
    (line,) = [each.getMessage() for each in caplog.records if "voters" in each.getMessage()]
    assert "waiting for a leader among n1:9093" in line
    assert "a backup, or of a stopped broker" in line
