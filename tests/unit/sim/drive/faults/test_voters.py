"""Faults of a voter's disks: what the quorum promises to survive, and no more."""

import pytest

from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from minikafka.metadata.features import LATEST_METADATA_VERSION
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_cluster import CONTROLLER_PORT
from tests.worlds.sim_world import started_cluster


@pytest.fixture
def losses():
    return []


def incident(what, at_ms=0):
    return Incident(at_ms=at_ms, what=what, node=2, other=0, for_ms=1_000)


@pytest.mark.parametrize("voters", [1, 3])
def test_the_only_voter_gets_no_older_copy_of_its_disks(voters, losses):
    cluster = started_cluster(1, voters=voters, separate_controller=True)
    faults = Faults(cluster, ("client",), losses.append)
    for at_ms in range(2):
        faults.inject(incident(Fault.OLD_VOTER, at_ms=at_ms))
    controllers = [cluster.nodes[each] for each in cluster.controller_ids]
    restored = [node for node in controllers if node.has_old_disks]
    assert len(restored) == (0 if voters == 1 else 1)


@pytest.mark.parametrize(("voters", "copies"), [(1, 0), (3, 1)])
def test_a_voter_that_can_elect_itself_is_not_copied(voters, copies, losses):
    """The copy would elect itself later, when the quorum has other voters."""
    cluster = started_cluster(1, voters=voters, separate_controller=True)
    notes = []
    cluster.world.on_line = notes.append
    faults = Faults(cluster, ("client",), losses.append)
    faults.inject(incident(Fault.OLD_VOTER))
    assert len([line for line in notes if "has its disks copied" in line]) == copies


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_failed_directory_keeps_its_quorum_state(is_broken, losses):
    """Seed 75000641."""
    cluster = started_cluster(1, voters=3, separate_controller=True)
    notes = []
    cluster.world.on_line = notes.append
    if is_broken:
        for each in cluster.controller_ids:
            for disk in cluster.nodes[each].disks.values():
                disk.broken = IO_ERROR
    faults = Faults(cluster, ("client",), losses.append)
    faults.inject(incident(Fault.LOST_QUORUM_STATE))
    assert len([line for line in notes if "loses its quorum-state" in line]) == (not is_broken)


@pytest.mark.parametrize("what", [Fault.WIPE_VOTER, Fault.LOST_QUORUM_STATE])
@pytest.mark.parametrize("removed", [[], [101]])
def test_a_voter_forgets_only_where_the_others_stay_a_majority(losses, what, removed):
    """Seed 82001141: an operator had requested the removal of three of the other voters."""
    cluster = started_cluster(1, voters=3, separate_controller=True)
    notes = []
    cluster.world.on_line = notes.append
    faults = Faults(cluster, ("client",), losses.append)
    faults.removals.extend(removed)
    faults.inject(incident(what))
    assert len([line for line in notes if " loses its " in line]) == (not removed)


@pytest.mark.parametrize("diverges", [True, False])
def test_an_older_copy_waits_for_a_voter_whose_log_diverges(losses, diverges):
    """Seed 99500214: its log was longer, but ended with records of an earlier leader."""
    cluster = started_cluster(1, voters=3, separate_controller=True)
    notes = []
    cluster.world.on_line = notes.append
    faults = Faults(cluster, ("client",), losses.append)
    faults.inject(incident(Fault.OLD_VOTER))
    voters = [cluster.nodes[each] for each in cluster.controller_ids]
    (copied,) = [each for each in voters if f"{each.host} " in notes[-1]]
    former = cluster.nodes[cluster.controller_id]
    others = [each for each in voters if each is not former]
    assert copied in others
    for each in others:
        cluster.network.cut(former.host, each.host)
    former.node.raft.append([NoOpRecord()] * 100, metadata_version=LATEST_METADATA_VERSION)
    cluster.world.run_until(
        lambda: cluster.controller_id != former.config.node_id, 60_000, "another voter leads"
    )
    # The former leader hears of the other one, but cannot fetch from it yet.
    for each in others:
        cluster.network.heal(former.host, each.host)
        if diverges:
            cluster.network.cut(former.host, each.host, both=False)
    leader_id = cluster.controller_id
    cluster.world.run_until(
        lambda: former.node.raft.leader_id == leader_id, 60_000, "it knows the other leader"
    )
    leader = cluster.nodes[leader_id].node.raft
    cluster.world.run_until(
        lambda: leader.high_watermark == leader.end_offset, 1_000, "the other two have committed"
    )
    faults.inject(incident(Fault.OLD_VOTER))
    assert copied.has_old_disks is not diverges


@pytest.mark.parametrize("knows", [True, False])
def test_an_older_copy_waits_for_a_former_voter_that_does_not_know_of_its_removal(losses, knows):
    """Two of the three voters of that time could elect a leader without what is committed."""
    cluster = started_cluster(1, voters=3, separate_controller=True, is_dynamic=True)
    notes = []
    cluster.world.on_line = notes.append
    faults = Faults(cluster, ("client",), losses.append)
    faults.inject(incident(Fault.OLD_VOTER))
    (copied,) = [cluster.nodes[x] for x in cluster.controller_ids if f"n{x} " in notes[-1]]
    leader = cluster.nodes[cluster.controller_id]
    (removed,) = [
        cluster.nodes[x] for x in cluster.controller_ids if cluster.nodes[x] not in (copied, leader)
    ]
    if not knows:
        for each in (copied, leader):
            cluster.network.cut(removed.host, each.host)
    removed_id = removed.config.node_id
    cluster.client("operator", leader.config.node_id, CONTROLLER_PORT).ask(
        RemoveRaftVoterRequest(None, removed_id, cluster.directory_ids[removed_id]),
        RemoveRaftVoterResponse,
    )
    raft = leader.node.raft
    cluster.world.run_until(
        lambda: copied.node.raft.flushed_offset == raft.end_offset == raft.high_watermark,
        10_000,
        "the other two have committed that",
    )
    assert raft.voters.ids == sorted([copied.config.node_id, leader.config.node_id])
    assert (removed.node.raft.voters == raft.voters) is knows
    faults.inject(incident(Fault.OLD_VOTER))
    assert copied.has_old_disks is knows
