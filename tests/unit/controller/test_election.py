import pytest

from minikafka.controller.election import Candidates, Elected, Election, elect

NOBODY = Elected(-1)


def outcome(election, *, alive, isr=(1, 2, 3), elr=(), leader=1, last=-1, replicas=(1, 2, 3)):
    candidates = Candidates(replicas, isr, elr, leader, last)
    return elect(candidates, election, lambda replica: replica in alive)


@pytest.mark.parametrize("election", [Election.ONLINE, Election.UNCLEAN])
def test_a_leader_that_lives_and_is_in_sync_stays(election):
    assert outcome(election, alive=(1, 2, 3), leader=3) == Elected(3)


def test_another_isr_member_follows_a_leader_that_left_in_assignment_order():
    assert outcome(Election.ONLINE, alive=(2, 3), isr=(3, 2)) == Elected(2)


def test_a_live_replica_outside_isr_and_elr_is_not_elected():
    assert outcome(Election.ONLINE, alive=(3,), isr=(), elr=(1, 2), leader=-1) == NOBODY


def test_an_elr_member_is_elected_while_the_isr_is_empty():
    assert outcome(Election.ONLINE, alive=(2, 3), isr=(), elr=(2,), leader=-1) == Elected(2)


def test_an_elr_member_is_not_elected_while_the_isr_has_a_member_even_a_dead_one():
    assert outcome(Election.ONLINE, alive=(2,), isr=(1,), elr=(2,), leader=-1) == NOBODY


def test_preferred_takes_the_first_replica_over_a_leader_that_could_stay():
    assert outcome(Election.PREFERRED, alive=(1, 2, 3), leader=2) == Elected(1)


def test_preferred_keeps_the_leader_where_the_first_replica_is_out_of_sync():
    assert outcome(Election.PREFERRED, alive=(1, 2, 3), isr=(2, 3), leader=3) == Elected(3)


def test_preferred_takes_any_safe_replica_where_there_is_no_leader():
    assert outcome(Election.PREFERRED, alive=(3,), isr=(2, 3), leader=-1) == Elected(3)


def test_the_last_known_leader_returns_uncleanly_when_isr_and_elr_are_empty():
    assert outcome(Election.ONLINE, alive=(1, 2), isr=(), leader=-1, last=1) == Elected(1, True)


@pytest.mark.parametrize(
    ("isr", "elr", "alive"), [((), (2,), (1,)), ((2,), (), (1,)), ((), (), (2, 3))]
)
def test_the_last_known_leader_waits_while_somebody_is_eligible_or_while_it_is_dead(
    isr, elr, alive
):
    assert outcome(Election.ONLINE, alive=alive, isr=isr, elr=elr, leader=-1, last=1) == NOBODY


def test_an_unclean_election_takes_the_first_live_replica_when_nobody_is_safe():
    found = outcome(Election.UNCLEAN, alive=(2, 3), isr=(1,), leader=1)
    assert found == Elected(2, unclean=True)


def test_an_unclean_election_prefers_a_safe_replica():
    assert outcome(Election.UNCLEAN, alive=(2, 3), isr=(1, 3), leader=1) == Elected(3)


def test_an_unclean_election_prefers_the_last_known_leader():
    found = outcome(Election.UNCLEAN, alive=(2, 3), isr=(), leader=-1, last=3)
    assert found == Elected(3, unclean=True)


def test_nobody_is_elected_where_nobody_lives():
    assert outcome(Election.UNCLEAN, alive=(), isr=(1,), leader=1, last=1) == NOBODY
