import pytest

from minikafka.controller.election import (
    Candidates,
    Elected,
    Election,
    LogInfo,
    RecoveryStep,
    Strategy,
    elect,
    recovery_step,
    recovery_winner,
    step_without_manager,
)

NO_NODE = Elected(-1)


def outcome(election, *, alive, isr=(1, 2, 3), elr=(), leader=1, last=-1, replicas=(1, 2, 3)):
    candidates = Candidates(replicas, isr, elr, leader, last)
    return elect(candidates, election, lambda replica: replica in alive)


@pytest.mark.parametrize("election", [Election.ONLINE, Election.UNCLEAN])
def test_a_leader_that_lives_and_is_in_sync_stays(election):
    assert outcome(election, alive=(1, 2, 3), leader=3) == Elected(3)


def test_another_isr_member_follows_a_leader_that_left_in_assignment_order():
    """L1."""
    assert outcome(Election.ONLINE, alive=(2, 3), isr=(3, 2)) == Elected(2)


def test_a_live_replica_outside_isr_and_elr_is_not_elected():
    """L5: fenced ELR members are waited for."""
    assert outcome(Election.ONLINE, alive=(3,), isr=(), elr=(1, 2), leader=-1) == NO_NODE


def test_an_elr_member_is_elected_while_the_isr_is_empty():
    """L2."""
    assert outcome(Election.ONLINE, alive=(2, 3), isr=(), elr=(2,), leader=-1) == Elected(2)


def test_an_elr_member_is_not_elected_while_the_isr_has_a_member_even_a_dead_one():
    assert outcome(Election.ONLINE, alive=(2,), isr=(1,), elr=(2,), leader=-1) == NO_NODE


def test_preferred_takes_the_first_replica_over_a_leader_that_could_stay():
    assert outcome(Election.PREFERRED, alive=(1, 2, 3), leader=2) == Elected(1)


def test_preferred_keeps_the_leader_where_the_first_replica_is_out_of_sync():
    assert outcome(Election.PREFERRED, alive=(1, 2, 3), isr=(2, 3), leader=3) == Elected(3)


def test_preferred_takes_any_safe_replica_where_there_is_no_leader():
    assert outcome(Election.PREFERRED, alive=(3,), isr=(2, 3), leader=-1) == Elected(3)


def test_the_last_known_leader_returns_uncleanly_when_isr_and_elr_are_empty():
    """L6."""
    assert outcome(Election.ONLINE, alive=(1, 2), isr=(), leader=-1, last=1) == Elected(1, True)


@pytest.mark.parametrize(
    ("isr", "elr", "alive"), [((), (2,), (1,)), ((2,), (), (1,)), ((), (), (2, 3))]
)
def test_the_last_known_leader_waits_while_a_replica_is_eligible_or_while_it_is_dead(
    isr, elr, alive
):
    assert outcome(Election.ONLINE, alive=alive, isr=isr, elr=elr, leader=-1, last=1) == NO_NODE


def test_an_unclean_election_takes_the_first_live_replica_when_none_is_safe():
    """L5, L6: where unclean elections are allowed."""
    found = outcome(Election.UNCLEAN, alive=(2, 3), isr=(1,), leader=1)
    assert found == Elected(2, unclean=True)


def test_an_unclean_election_prefers_a_safe_replica():
    assert outcome(Election.UNCLEAN, alive=(2, 3), isr=(1, 3), leader=1) == Elected(3)


def test_an_unclean_election_prefers_the_last_known_leader():
    found = outcome(Election.UNCLEAN, alive=(2, 3), isr=(), leader=-1, last=3)
    assert found == Elected(3, unclean=True)


def test_no_replica_is_elected_when_none_is_alive():
    assert outcome(Election.UNCLEAN, alive=(), isr=(1,), leader=1, last=1) == NO_NODE


def designated(replica, *, isr=(), elr=(), alive=(1, 2, 3)):
    candidates = Candidates((1, 2, 3), isr, elr, -1, 1, replica)
    return elect(candidates, Election.ONLINE, lambda x: x in alive)


def test_a_designated_replica_is_elected_and_no_other_in_its_place():
    assert designated(3) == Elected(3, unclean=True)
    assert designated(3, alive=(1, 2)) == NO_NODE


def test_a_designated_replica_that_is_eligible_is_elected_cleanly():
    assert designated(3, elr=(2, 3)) == Elected(3)
    assert designated(3, isr=(2, 3)) == Elected(3)
    assert designated(3, isr=(2,), elr=(3,)) == Elected(3, unclean=True)


# With the recovery manager (L3, L4)

STEP = RecoveryStep


@pytest.mark.parametrize(
    ("strategy", "eligible", "last_known", "alive", "step"),
    [
        (Strategy.AGGRESSIVE, (1, 2), (), (), STEP.RECOVER),
        (Strategy.BALANCED, (1, 2), (3,), (3,), STEP.WAIT_FOR_ELIGIBLE),
        (Strategy.NONE, (1, 2), (), (), STEP.WAIT_FOR_ELIGIBLE),
        (Strategy.AGGRESSIVE, (), (1, 2), (), STEP.RECOVER),
        (Strategy.BALANCED, (), (1, 2), (1,), STEP.WAIT_FOR_LAST_KNOWN),
        (Strategy.BALANCED, (), (1, 2), (1, 2), STEP.RECOVER),
        (Strategy.BALANCED, (), (), (), STEP.RECOVER),
        (Strategy.NONE, (), (1, 2), (1, 2), STEP.WAIT_FOR_OPERATOR),
    ],
)
def test_what_a_partition_without_leader_needs(strategy, eligible, last_known, alive, step):
    assert recovery_step(eligible, last_known, strategy, lambda x: x in alive) is step


@pytest.mark.parametrize(
    ("isr", "elr", "last", "unclean", "step"),
    [
        ((1,), (), -1, False, STEP.WAIT_FOR_ELIGIBLE),
        ((), (1,), -1, False, STEP.WAIT_FOR_ELIGIBLE),
        ((), (), 1, False, STEP.WAIT_FOR_ELIGIBLE),
        ((), (), -1, True, STEP.WAIT_FOR_ELIGIBLE),
        ((), (), -1, False, STEP.WAIT_FOR_OPERATOR),
    ],
)
def test_without_the_manager_an_operator_is_needed_if_no_replica_is_eligible_again(
    isr, elr, last, unclean, step
):
    candidates = Candidates((1, 2, 3), isr, elr, -1, last)
    assert step_without_manager(candidates, unclean_allowed=unclean) is step


def winner(answers, *, needed=(), expected=3, time_is_up=False):
    found = {broker: LogInfo(*log) for broker, log in answers.items()}
    return recovery_winner(found, needed=needed, expected=expected, time_is_up=time_is_up)


def test_the_highest_epoch_wins_then_the_longest_log_then_the_lowest_id():
    """U6."""
    assert winner({3: (5, 10), 1: (4, 900), 2: (5, 9)}) == 3
    assert winner({3: (5, 10), 1: (5, 11), 2: (5, 9)}) == 1
    assert winner({3: (5, 10), 2: (5, 10), 1: (-1, 0)}) == 2


def test_no_replica_wins_before_all_answered_or_the_timeout():
    """U5."""
    assert winner({1: (5, 10), 2: (5, 9)}) == -1
    assert winner({1: (5, 10), 2: (5, 9)}, time_is_up=True) == 1
    assert winner({}, time_is_up=True) == -1
    assert winner({}, expected=0) == -1


def test_needed_replicas_are_waited_for_after_the_timeout():
    """U5."""
    assert winner({1: (5, 10)}, needed=(1, 2), time_is_up=True) == -1
    assert winner({1: (5, 10), 2: (4, 1)}, needed=(1, 2), time_is_up=True) == 1
