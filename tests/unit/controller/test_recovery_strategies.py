"""Which replica is elected, and when, under each strategy (U5, U6, L3, L4)."""

from itertools import permutations

import pytest

from minikafka.controller.result import ControllerResult
from minikafka.messages.metadata_records.clear_elr_record import ClearElrRecord
from tests.unit.controller.conftest import came_back, keep_alive
from tests.worlds.recovery_world import lost_world, world_with_topic

FIVE_MINUTES_MS = 300_000


# Balanced


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_balanced_elects_the_longest_log_in_every_order_of_return(lost, order):
    """L4, U5: it waits for all of LastKnownELR and, within the timeout, for the others."""
    came_back(lost, *order[:2])
    assert lost.leader == -1
    came_back(lost, order[2])
    assert lost.leader == 3
    assert lost.partition().isr == (3,)
    assert lost.counts == (0, 0, 1)


def test_balanced_decides_without_the_others_when_the_time_is_up(lost):
    """U5: the members of LastKnownELR have answered; the third has not within the timeout."""
    came_back(lost, 1, 2)
    assert lost.counts == (1, 0, 0)
    keep_alive(lost, 1, 2, for_ms=FIVE_MINUTES_MS - 1000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, for_ms=1000)
    assert lost.leader == 2


def test_the_timeout_is_configured_and_may_change_while_it_runs(lost):
    came_back(lost, 1, 2)
    lost.set_config("", "unclean.recovery.timeout.ms", "3000", resource_type=4)
    keep_alive(lost, 1, 2, for_ms=2000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, for_ms=1000)
    assert lost.leader == 2


def test_balanced_waits_for_members_that_have_not_answered_after_the_timeout(lost):
    """U5: all of LastKnownELR must answer; the timeout is for the others."""
    lost.silent[2] = None
    came_back(lost, 1, 2)
    keep_alive(lost, 1, 2, for_ms=FIVE_MINUTES_MS + 5000)
    assert lost.leader == -1
    lost.silent.clear()
    keep_alive(lost, 1, 2, for_ms=13_000)
    assert lost.leader == 2


def test_balanced_waits_while_a_member_of_the_last_known_elr_is_gone(lost):
    """L4: the others' answers do not count without it, however long it takes."""
    came_back(lost, 3, 1)
    lost.dead.clear()
    lost.heartbeat(3)
    assert lost.partition().elr == (2,)
    lost.talk(2 * FIVE_MINUTES_MS)
    assert lost.leader == -1


@pytest.fixture
def forgotten(lost):
    """ELR and LastKnownELR are empty: a controller of Apache Kafka cleared them."""
    lost.apply(ControllerResult([ClearElrRecord(topic_name="t")], None))
    lost.talk()
    assert (lost.partition().elr, lost.partition().last_known_elr) == ((), ())
    return lost


def test_without_last_known_elr_balanced_starts_at_once(forgotten):
    """L4: all of no members are unfenced. The others are waited for as always (U5)."""
    assert forgotten.counts == (1, 0, 0)
    came_back(forgotten, 3)
    keep_alive(forgotten, 3, for_ms=FIVE_MINUTES_MS - 1000)
    assert forgotten.leader == -1
    keep_alive(forgotten, 3, for_ms=1000)
    assert forgotten.leader == 3


def test_without_last_known_elr_all_answers_decide_at_once(forgotten):
    came_back(forgotten, 1, 2, 3)
    assert forgotten.leader == 3


def test_without_last_known_elr_the_first_answer_after_the_timeout_decides(forgotten):
    forgotten.talk(FIVE_MINUTES_MS + 1000)
    assert forgotten.leader == -1
    came_back(forgotten, 1)
    assert forgotten.leader == 1


# Aggressive


def test_aggressive_elects_among_those_who_answered_within_five_seconds():
    """L3, U5: fenced ELR members are not waited for."""
    world = lost_world(strategy="Aggressive")
    came_back(world, 3)
    assert world.partition().elr == (1, 2)
    assert world.leader == -1
    world.talk(5000)
    assert world.leader == 3
    assert world.counts == (0, 0, 1)


def test_aggressive_takes_the_longest_of_several_answers():
    world = lost_world(strategy="Aggressive")
    world.talk(60_000)
    world.holds(3, 4, 10)
    world.come_back(3, unfence=False)
    world.come_back(2, unfence=False)
    world.talk()
    world.heartbeat(2)
    world.talk()
    assert world.leader == 2


def test_aggressive_takes_the_first_answer_after_five_seconds():
    world = lost_world(strategy="Aggressive")
    world.talk(60_000)
    assert world.counts == (1, 0, 0)
    assert world.leader == -1
    world.come_back(1)
    world.talk()
    assert world.leader == 1


def test_aggressive_does_not_wait_for_the_five_seconds_when_all_have_answered():
    world = world_with_topic(strategy="Aggressive")
    world.holds(2, 7, 5)
    world.kill(3, 2, 1)
    for broker_id in (3, 2, 1):
        world.come_back(broker_id, unfence=False)
    world.talk()
    assert world.leader == -1
    for broker_id in (1, 3, 2):
        world.heartbeat(broker_id)
    world.talk()
    assert world.leader == 2


# None


def test_none_elects_no_replica_and_waits_for_an_operator():
    """L4."""
    world = lost_world(strategy="None")
    came_back(world, 1, 2, 3)
    world.talk(FIVE_MINUTES_MS)
    assert world.leader == -1
    assert world.asked == []
    assert world.counts == (0, 1, 0)


def test_a_changed_strategy_takes_effect_at_once():
    world = lost_world(strategy="None")
    came_back(world, 1, 2, 3)
    world.set_config("t", "unclean.recovery.strategy", "balanced")
    world.talk()
    assert world.leader == 3


def test_a_recovery_stops_where_the_strategy_becomes_none(lost):
    came_back(lost, 1, 2)
    lost.set_config("t", "unclean.recovery.strategy", "Manual")
    lost.talk()
    assert lost.counts == (0, 1, 0)
    assert lost.recovery.sender.pending == 0


# The manager, on and off


def test_without_the_manager_the_last_known_leader_is_elected():
    """L6."""
    world = lost_world(manager=False)
    came_back(world, 2, 3)
    assert world.leader == -1
    came_back(world, 1)
    assert world.leader == 1
    assert world.asked == []


def test_the_manager_is_switched_on_and_off_while_it_runs():
    world = lost_world(manager=False)
    world.come_back(2)
    world.set_config("", "unclean.recovery.manager.enabled", "true", resource_type=4)
    came_back(world, 1)
    assert world.leader == -1
    assert world.counts == (1, 0, 0)
    world.set_config("", "unclean.recovery.manager.enabled", "false", resource_type=4)
    world.talk()
    assert world.leader == 1
    assert world.counts == (0, 0, 0)


def test_an_unclean_election_by_configuration_becomes_a_recovery():
    """L7: true is Aggressive; no replica is elected at random while the manager is on."""
    world = lost_world(configs={"unclean.leader.election.enable": "true"})
    came_back(world, 3)
    assert world.leader == -1
    world.talk(5000)
    assert world.leader == 3


def test_nothing_is_elected_at_random_while_the_manager_is_on():
    """L4: the deprecated key counts for nothing where the strategy is set (L7)."""
    world = lost_world(strategy="None", configs={"unclean.leader.election.enable": "true"})
    came_back(world, 3)
    world.set_config("t", "unclean.leader.election.enable", "false")
    world.set_config("t", "unclean.leader.election.enable", "true")
    keep_alive(world, 3, for_ms=FIVE_MINUTES_MS + 1000)
    assert world.leader == -1


# The longest log


def test_the_epoch_of_the_last_record_counts_before_the_length(lost):
    """U6."""
    lost.holds(1, 5, 10)
    came_back(lost, 3, 2, 1)
    assert lost.leader == 1


def test_of_equal_logs_the_lowest_broker_wins(lost):
    """U6."""
    for broker_id in (1, 2, 3):
        lost.holds(broker_id, 4, 100)
    came_back(lost, 3, 2, 1)
    assert lost.leader == 1
