"""Invariants from one change of a partition to the next (E1, E2, L1, L2, L8)."""

import pytest

from minikafka.common.ids import Uuid
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration
from minikafka.sim.checks import registration_checks as checks
from tests.worlds.quorum_world import QuorumWorld

RECOVERING = LeaderRecoveryState.RECOVERING


@pytest.fixture
def cluster():
    world = QuorumWorld.started()
    world.join(1, 2, 3)
    return world


def partition(isr=(1, 2, 3), elr=(), leader=1, epoch=0, **changes):
    given = {
        "replicas": (1, 2, 3), "directories": (), "isr": isr, "elr": elr, "leader": leader,
        "leader_epoch": epoch, "partition_epoch": epoch, **changes,
    }  # fmt: skip
    return PartitionRegistration(**given)


@pytest.mark.parametrize(
    "now",
    [
        partition(isr=(1, 4)),
        partition(isr=(1,), elr=(4,)),
        partition(isr=(1,), elr=(1, 2)),
        partition(isr=(1, 2), elr=(3,)),
        partition(isr=(2, 3)),
    ],
)
def test_inconsistent_sets_are_found(now):
    assert (checks.valid_isr_and_elr(now, 2) or "").startswith("E2")


@pytest.mark.parametrize("now", [partition(), partition(isr=(), elr=(2,), leader=-1)])
def test_consistent_sets_are_accepted(now):
    assert checks.valid_isr_and_elr(now, 2) is None


def test_the_last_member_stays_where_elr_is_off():
    empty = partition(isr=(), leader=-1)
    assert (checks.isr_is_kept(partition(), empty) or "").startswith("E1")
    assert checks.isr_is_kept(empty, empty) is None
    assert checks.isr_is_kept(None, partition()) is None


def test_min_isr_members_stay_known():
    """MinIsrRecoveryQuorum."""
    former = partition(isr=(1,), elr=(2,))
    lost = partition(isr=(1,))
    assert (checks.recovery_quorum(former, lost, 2) or "").startswith("MinIsrRecoveryQuorum")
    assert checks.recovery_quorum(former, partition(isr=(1,), last_known_elr=(2,)), 2) is None
    unclean = partition(isr=(1,), leader_recovery_state=RECOVERING)
    assert checks.recovery_quorum(former, unclean, 2) is None
    assert checks.recovery_quorum(lost, lost, 2) is None, "they were fewer before"
    assert checks.recovery_quorum(former, lost, 2, (2,)) is None, "2 ended uncleanly"
    assert checks.recovery_quorum(former, lost, 2, (3,)) is not None
    listed = partition(isr=(), elr=(1,), leader=-1, last_known_elr=(2,))
    assert checks.recovery_quorum(listed, lost, 2) is not None
    assert checks.recovery_quorum(listed, lost, 2, ()) is None, "2 is the last leader"


def test_a_member_may_have_been_thrown_out_if_its_broker_or_directory_is_another(cluster):
    """E7: without the recovery manager LastKnownELR does not name it."""
    image = cluster.image
    homes = tuple(Uuid.of(7, x) for x in (1, 2, 3))
    former = partition(directories=homes)
    assert checks.perhaps_thrown_out(former, former, image, image) == ()
    moved = partition(directories=(*homes[:2], Uuid.of(7, 9)))
    assert checks.perhaps_thrown_out(former, moved, image, image) == (3,)
    cluster.fence(2)
    cluster.register(2)
    assert checks.perhaps_thrown_out(former, former, image, cluster.image) == (2,)


def test_epochs_only_rise():
    now = partition(epoch=5)
    assert checks.epochs_rise(now, partition(epoch=6)) is None
    assert checks.epochs_rise(now, now) is not None
    assert checks.epochs_rise(now, partition(epoch=6, leader_epoch=4)) is not None
    assert checks.epochs_rise(now, partition(leader=2, epoch=6, leader_epoch=5)) is not None


@pytest.mark.parametrize("leader", [1, 2, 3])
def test_an_elected_leader_was_in_isr_or_elr_or_is_marked_unclean(leader):
    former = partition(isr=(1,), elr=(2,), leader=-1)
    now = partition(isr=(leader,), leader=leader, epoch=1)
    assert (checks.leader_is_eligible(former, now) is None) is (leader != 3)
    marked = partition(isr=(leader,), leader=leader, epoch=1, leader_recovery_state=RECOVERING)
    assert checks.leader_is_eligible(former, marked) is None


def test_an_unclean_leader_is_the_whole_isr():
    former = partition(isr=(), leader=-1)
    now = partition(isr=(3, 2), leader=3, epoch=1, leader_recovery_state=RECOVERING)
    assert (checks.leader_is_eligible(former, now) or "").startswith("L8: unclean leader 3")


def test_the_end_of_a_reassignment_may_bring_a_leader_in():
    former = partition(leader=1, removing_replicas=(1,))
    now = partition(replicas=(2, 4), isr=(2, 4), leader=4, epoch=1)
    assert checks.leader_is_eligible(former, now) is None
