"""The voters of a node, its log and what is committed, in states made by hand."""

from types import SimpleNamespace

import pytest

from minikafka.raft.raft_log import MetadataBatch
from minikafka.raft.voter_history import VoterHistory
from minikafka.records.batch import ControlType
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.log_voters import LogVoters
from minikafka.sim.world.violation import Violation
from tests.worlds.voter_world import voters_of


@pytest.fixture
def checks():
    return LogVoters(Coverage())


def batch(offset, voters):
    control = [] if voters is None else [(ControlType.KRAFT_VOTERS, voters.to_record())]
    return MetadataBatch(offset, offset, 1, 0, [], control, 0)


def node(log, voters, *, leads=False, high_watermark=0, snapshot=None, epoch_start_offset=0):
    """A machine whose log has a batch for each of `log`, with voters or without.

    `snapshot` are the end offset and the voters of the snapshot that it loaded last.
    """
    adopted_offset, snapshot_voters = snapshot or (0, None)
    history = VoterHistory(None)
    history.load(adopted_offset, snapshot_voters, int(snapshot_voters is not None))
    batches = [batch(offset, each) for offset, each in enumerate(log)]
    raft = SimpleNamespace(
        node_id=1,
        end_offset=len(log),
        voters=voters,
        is_leader=leads,
        epoch_start_offset=epoch_start_offset,
        high_watermark=high_watermark,
        quorum=SimpleNamespace(adopted_offset=adopted_offset, history=history),
        log=SimpleNamespace(
            start_offset=0, batches=lambda begin, end, control_only: batches[begin:end]
        ),
    )
    return SimpleNamespace(host="n1", starts=1), raft


ONE, TWO, THREE = voters_of(1), voters_of(1, 2), voters_of(1, 2, 3)


def test_a_node_uses_the_voters_of_its_log(checks):
    checks.check(*node([None], None))
    checks.check(*node([None, TWO], TWO))
    checks.check(*node([None, TWO, None, THREE], THREE))
    # The record is truncated.
    checks.check(*node([None, TWO], TWO))
    with pytest.raises(Violation, match="VotersOfTheLog"):
        checks.check(*node([None, TWO, THREE], TWO))


def test_truncated_voters_hold_no_longer(checks):
    checks.check(*node([TWO, THREE], THREE))
    with pytest.raises(Violation, match="VotersOfTheLog"):
        checks.check(*node([TWO], THREE))


def test_one_voter_is_added_or_removed_at_once(checks):
    for offset, voters in enumerate((ONE, TWO, THREE, THREE, TWO)):
        checks.committed(batch(offset, voters))
    with pytest.raises(Violation, match=r"OneVoterAtATime: at offset 9 the voters \[1, 2\]"):
        checks.committed(batch(9, voters_of(1, 3)))


def test_a_leader_has_one_change_that_is_not_committed(checks):
    checks.check(*node([ONE, TWO], TWO, leads=True, high_watermark=1))
    with pytest.raises(Violation, match="OneVoterAtATime: n1 has appended"):
        checks.check(*node([ONE, TWO, THREE], THREE, leads=True, high_watermark=1))


@pytest.mark.parametrize("high_watermark", [-1, 1, 3])
def test_a_new_leader_does_not_know_yet_what_is_committed(checks, high_watermark):
    log = [ONE, TWO, THREE, None]
    state = {"leads": True, "high_watermark": high_watermark, "epoch_start_offset": 3}
    checks.check(*node(log, THREE, snapshot=(1, ONE), **state))


def test_the_voters_of_a_snapshot_are_committed(checks):
    log = [ONE, None, None, None]
    checks.check(*node(log[:1], ONE, leads=True, high_watermark=1))
    # The node fetched a snapshot that contains the record of the second voter, then led.
    log.append(THREE)
    leader = {"leads": True, "high_watermark": 3}
    checks.check(*node(log, THREE, snapshot=(3, TWO), **leader))
    with pytest.raises(Violation, match=r"OneVoterAtATime: .* \[1, 2\] are committed"):
        checks.check(
            *node([*log, voters_of(1, 2, 3, 4)], voters_of(1, 2, 3, 4), snapshot=(3, TWO), **leader)
        )
