"""What a leader proposes for the ISR, and what it makes of the answers (H1-H3)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.replica.request_rules import is_stale_follower


def test_follower_enters_the_isr_only_with_everything_committed(world):
    world.lead(isr=(1, 2))
    world.append(10)
    world.fetch(2, 10)
    assert world.high_watermark == 10
    world.fetch(3, 9)
    assert world.proposals == []
    world.fetch(3, 10)
    (proposal,) = world.proposals
    assert proposal.isr == (1, 2, 3)
    assert proposal.broker_epochs == (10, 10, 10)


def test_follower_enters_the_isr_only_past_the_start_of_the_leader_epoch(world):
    world.lead(isr=(1, 2))
    world.append(10)
    world.lead(isr=(1, 2), leader_epoch=1, partition_epoch=1)
    world.fetch(3, 8)
    assert world.proposals == []
    world.fetch(3, 10)
    assert [proposal.isr for proposal in world.proposals] == [(1, 2, 3)]


def test_far_follower_does_not_enter_an_isr_below_min_isr(world):
    """H3, E1: the high watermark stands still there, so that every follower has reached it."""
    world.lead(isr=(1,))
    world.append(1000)
    world.fetch(2, 0)
    world.fetch(2, 999)
    assert world.proposals == []
    world.fetch(2, 1000)
    assert [proposal.isr for proposal in world.proposals] == [(1, 2)]


LAG_MS = 30_000
FETCH_MS = 500


def follow(world, *, rate, backlog, written, rounds):
    """A follower that reads `rate` records a fetch, while the producer writes `written`."""
    world.lead(isr=(1,))
    world.append(backlog)
    offset = changes = 0
    for step in range(rounds):
        world.at(step * FETCH_MS)
        world.fetch(2, offset)
        for proposal in world.proposals:
            changes += 1
            world.partition.isr_committed(
                proposal, proposal.isr, world.partition.partition_epoch + 1
            )
        world.proposals.clear()
        if step % (LAG_MS // 2 // FETCH_MS) == 0:
            world.partition.check_lag()
        world.append(written)
        offset = min(offset + rate, world.log.log_end_offset)
    return changes, world.partition.isr.committed


@pytest.mark.parametrize("backlog", [20, 100])
@pytest.mark.parametrize("rate", [5, 6, 20])
def test_follower_that_keeps_pace_at_any_rate_enters_once_and_stays(world, rate, backlog):
    """Also if it always has more than one fetch to read: it needs 10 s for the backlog."""
    changes, isr = follow(world, rate=rate, backlog=backlog, written=5, rounds=400)
    assert (changes, isr) == (1, (1, 2))


def test_follower_that_is_slower_than_the_producer_does_not_flap(world):
    changes, isr = follow(world, rate=4, backlog=1000, written=5, rounds=1200)
    assert (changes, isr) == (0, (1,))


def test_fenced_follower_does_not_enter_the_isr(world):
    world.lead(isr=(1, 2))
    world.brokers[3] = world.brokers[3].__class__(
        **{
            **{name: getattr(world.brokers[3], name) for name in world.brokers[3].__slots__},
            "fenced": True,
        }
    )
    world.fetch(3, 0)
    assert world.proposals == []


def test_fetch_of_an_earlier_incarnation_does_not_enter_the_isr(world):
    """KIP-903."""
    world.lead(isr=(1, 2))
    assert is_stale_follower(world.partition, 3, 9)
    assert not is_stale_follower(world.partition, 3, 10)
    assert not is_stale_follower(world.partition, 3, -1)
    world.fetch(3, 0, epoch=9)
    assert world.proposals == []


def test_lagging_follower_leaves_the_isr(world):
    world.lead()
    world.append(1)
    world.at(20_000)
    world.fetch(2, world.log.log_end_offset)
    world.at(40_000)
    world.partition.check_lag()
    assert [proposal.isr for proposal in world.proposals] == [(1, 2)]


def test_follower_that_keeps_up_with_a_busy_leader_stays_in_the_isr(world):
    world.lead()
    for second in range(1, 61):
        world.append(1)
        world.at(second * 1000)
        world.fetch(2, second - 1)
        world.fetch(3, second - 1)
    world.partition.check_lag()
    assert world.proposals == []


def test_metadata_that_repeats_an_answer_leaves_the_next_proposal_alone(world):
    """H2: the controller may have let a member in already, so that it counts."""
    world.lead(isr=(1,))
    world.append(3)
    world.fetch(2, 3)
    world.partition.isr_committed(world.proposals[0], (1, 2), 1)
    world.fetch(3, 3)
    assert world.partition.isr.proposed == (1, 2, 3)
    world.lead(isr=(1, 2), partition_epoch=1)
    assert world.partition.isr.proposed == (1, 2, 3)
    world.append(2)
    world.fetch(2, 5)
    assert world.high_watermark == 3
    world.at(31_000)
    world.partition.check_lag()
    assert len(world.proposals) == 2
    world.partition.isr_committed(world.proposals[1], (1, 2, 3), 2)
    assert world.partition.isr.committed == (1, 2, 3)
    assert world.high_watermark == 3


def test_one_proposal_at_a_time(world):
    world.lead(isr=(1,))
    world.fetch(2, 0)
    world.fetch(3, 0)
    world.partition.check_lag()
    assert len(world.proposals) == 1


@pytest.mark.parametrize("code", [ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA])
def test_refused_proposal_falls_back_to_the_committed_isr(world, code):
    world.lead(isr=(1, 2))
    world.fetch(3, 0)
    world.partition.isr_refused(world.proposals[0], code)
    assert world.partition.isr.proposed is None
    assert world.partition.isr.committed == (1, 2)


def test_refusal_that_names_newer_metadata_leaves_the_proposal_pending(world):
    world.lead(isr=(1, 2))
    world.fetch(3, 0)
    world.partition.isr_refused(world.proposals[0], ErrorCode.INVALID_UPDATE_VERSION)
    assert world.partition.isr.proposed == (1, 2, 3)
    world.lead(isr=(1, 2), partition_epoch=1)
    assert world.partition.isr.proposed is None


def test_other_failure_proposes_again(world):
    world.lead(isr=(1, 2))
    world.fetch(3, 0)
    world.partition.isr_refused(world.proposals[0], ErrorCode.UNKNOWN_SERVER_ERROR)
    assert len(world.proposals) == 2


def test_answer_to_an_older_epoch_is_ignored(world):
    world.lead(isr=(1, 2))
    world.fetch(3, 0)
    world.lead(isr=(1, 2), leader_epoch=1, partition_epoch=5)
    world.partition.isr_committed(world.proposals[0], (1, 2, 3), 1)
    assert world.partition.isr.committed == (1, 2)
    assert world.partition.partition_epoch == 5


@pytest.mark.parametrize("code", [ErrorCode.INELIGIBLE_REPLICA, ErrorCode.UNKNOWN_SERVER_ERROR])
def test_refusal_of_a_proposal_of_an_older_partition_epoch_is_ignored(world, code):
    """The same ISR is proposed again; the controller may have let its members in (H2)."""
    world.lead(isr=(1, 2))
    world.fetch(3, 0)
    world.lead(isr=(1, 2), partition_epoch=1)
    world.fetch(3, 0)
    first, second = world.proposals
    assert (first.isr, second.isr) == ((1, 2, 3), (1, 2, 3))
    world.partition.isr_refused(first, code)
    assert world.partition.isr.proposed == (1, 2, 3)
    assert world.proposals == [first, second]
