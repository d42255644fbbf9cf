"""Votes, active controllers, former leaders and elections without end, in states made by hand."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import ZERO_UUID
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.election_state import ElectionState, write_election_state
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.leadership_checks import LeadershipChecks
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.violation import Violation


@pytest.fixture
def checks():
    return LeadershipChecks(Coverage())


def node(node_id=1, *, epoch=1, leads=False, active=False, now_ms=0, voted=None, disk=None):
    """A machine and its raft node."""
    controller = SimpleNamespace(is_active=active, epoch=epoch)
    machine = SimpleNamespace(
        host=f"n{node_id}",
        starts=1,
        node=SimpleNamespace(controller=controller),
        world=SimpleNamespace(now_ms=now_ms),
    )
    raft = SimpleNamespace(
        node_id=node_id,
        epoch=epoch,
        is_leader=leads,
        disk=disk,
        quorum=SimpleNamespace(voted_key=voted),
    )
    return machine, raft


def test_an_active_controller_leads(checks):
    checks.check(*node(leads=True, active=True))
    with pytest.raises(Violation, match="ActiveLeads"):
        checks.check(*node(leads=False, active=True))


def test_twelve_epochs_may_have_no_leader(checks):
    checks.check(*node(leads=True, epoch=3))
    checks.check(*node(epoch=15))
    with pytest.raises(Violation, match="EpochsHaveLeaders"):
        checks.check(*node(epoch=16))


def test_a_former_leader_resigns_in_time(checks):
    checks.check(*node(1, leads=True, epoch=3))
    checks.check(*node(2, leads=True, epoch=4))
    for now_ms in range(0, 10_001, 400):
        checks.check(*node(1, leads=True, epoch=3, now_ms=now_ms))
    with pytest.raises(Violation, match="FormerLeader: n1 still leads epoch 3"):
        checks.check(*node(1, leads=True, epoch=3, now_ms=10_400))


def test_the_time_of_a_pause_does_not_count(checks):
    checks.check(*node(2, leads=True, epoch=4))
    for now_ms in (0, 400, 20_000, 20_400):
        checks.check(*node(1, leads=True, epoch=3, now_ms=now_ms))


def test_a_vote_is_on_the_disk(checks):
    disk = SimDisk()
    disk.make_dir(METADATA_FOLDER)
    voted = (2, ZERO_UUID)
    checks.check_votes(*node(disk=disk))
    with pytest.raises(Violation, match="VotesAreDurable: n1 votes for 2 in epoch 1"):
        checks.check_votes(*node(disk=disk, voted=voted))
    for kraft_version in (0, 1):
        election = ElectionState(1, voted_id=2, voted_directory_id=ZERO_UUID)
        write_election_state(
            disk, METADATA_FOLDER, election, kraft_version=kraft_version, voters=[1, 2, 3]
        )
        LeadershipChecks(Coverage()).check_votes(*node(disk=disk, voted=voted))
