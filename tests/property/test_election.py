"""Invariants of an election, for any partition and any set of live brokers."""

from hypothesis import given
from hypothesis import strategies as st

from minikafka.controller.election import Candidates, Election, elect

BROKERS = (1, 2, 3, 4)


@st.composite
def partitions(draw):
    replicas = tuple(draw(st.permutations(BROKERS)))
    roles = [draw(st.sampled_from(("isr", "elr", "out"))) for _ in replicas]
    isr, elr = (
        tuple(x for x, role in zip(replicas, roles, strict=True) if role == wanted)
        for wanted in ("isr", "elr")
    )
    leader = draw(st.sampled_from((-1, *isr)))
    last = draw(st.sampled_from((-1, *replicas)))
    return Candidates(replicas, isr, elr, leader, last)


alive_brokers = st.lists(st.sampled_from(BROKERS), unique=True)


@given(partitions(), st.sampled_from(Election), alive_brokers)
def test_an_elected_leader_is_alive_and_a_clean_one_is_eligible(partition, election, alive):
    elected = elect(partition, election, alive.__contains__)
    if elected.leader == -1:
        assert not elected.unclean
        return
    assert elected.leader in alive
    if not elected.unclean:
        assert elected.leader in (partition.isr or partition.elr)


@given(partitions(), st.sampled_from(Election), alive_brokers)
def test_no_unclean_election_while_a_clean_candidate_is_alive(partition, election, alive):
    safe = [x for x in partition.isr or partition.elr if x in alive]
    elected = elect(partition, election, alive.__contains__)
    if safe:
        assert elected.leader in safe
        assert not elected.unclean
    elif election is not Election.UNCLEAN and (partition.isr or partition.elr):
        assert elected.leader == -1


@given(partitions(), alive_brokers)
def test_a_leader_that_can_stay_does(partition, alive):
    leader = partition.current_leader
    stays = leader in alive and leader in partition.isr
    elected = elect(partition, Election.ONLINE, alive.__contains__)
    assert not stays or elected.leader == leader


@given(partitions(), alive_brokers)
def test_an_unclean_election_finds_a_leader_while_a_replica_is_alive(partition, alive):
    elected = elect(partition, Election.UNCLEAN, alive.__contains__)
    assert (elected.leader != -1) == bool(alive)


@given(partitions(), alive_brokers)
def test_a_preferred_election_elects_the_first_replica_if_it_is_eligible(partition, alive):
    first = partition.replicas[0]
    may = first in alive and first in (partition.isr or partition.elr)
    elected = elect(partition, Election.PREFERRED, alive.__contains__)
    assert not may or elected.leader == first
