"""What the controller writes and an operator must know: unclean elections."""

import logging

import pytest

from minikafka.controller import leader_elections
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions

PREFERRED, UNCLEAN, DESIGNATION = range(3)


@pytest.fixture
def warned(caplog):
    caplog.set_level(logging.WARNING, "minikafka.controller")
    return lambda: [each.getMessage() for each in caplog.records]


def end_uncleanly(world):
    """ISR and ELR are empty; broker 1 was the last leader."""
    for broker in (3, 2, 1):
        world.fence(broker)
    for broker in (3, 2, 1):
        world.register(broker)
    assert world.partition().isr == world.partition().elr == ()


def elect(world, kind, desired=None):
    request = ElectLeadersRequest(
        election_type=kind,
        topic_partitions=[TopicPartitions("t", [0], None if desired is None else [desired])],
    )
    return world.apply(world.controller.decide(leader_elections.elect_leaders, request, 3))


@pytest.mark.parametrize(("kind", "name"), [(UNCLEAN, "UNCLEAN"), (DESIGNATION, "DESIGNATION")])
def test_an_operators_unclean_election_is_a_warning(elr_topic, warned, kind, name):
    """L8."""
    end_uncleanly(elr_topic)
    elr_topic.heartbeat(3)
    former = elr_topic.partition()
    assert former.leader == -1
    elect(elr_topic, kind, 3 if kind == DESIGNATION else None)
    now = elr_topic.partition()
    (line,) = warned()
    assert line.startswith(
        f"t-0: unclean leader: broker 3 leads epoch {now.leader_epoch} after no "
        f"leader in epoch {former.leader_epoch}; ISR [] -> [3], ELR [] -> []"
    )
    assert line.endswith(f"acknowledged records may be lost; reason: ElectLeaders {name}")


def test_an_unclean_election_by_configuration_is_a_warning(elr_topic, warned):
    """L6, L8."""
    end_uncleanly(elr_topic)
    elr_topic.heartbeat(3)
    assert warned() == []
    elr_topic.set_config("t", "unclean.leader.election.enable", "true")
    elr_topic.advance(1_000)
    (line,) = warned()
    assert "broker 3 leads" in line
    assert line.endswith("reason: unclean.leader.election.enable=true")


def test_a_member_of_the_last_known_elr_is_not_called_the_last_leader(elr_topic, warned):
    """L6: broker 1 was eligible, and broker 2 was the last leader."""
    for broker in (3, 1, 2):
        elr_topic.fence(broker)
    for broker in (3, 1, 2):
        elr_topic.register(broker)
    now = elr_topic.partition()
    assert (now.last_known_elr, now.last_known_leader) == ((2,), 2)
    elr_topic.heartbeat(1)
    elr_topic.set_config("t", "unclean.leader.election.enable", "true")
    elr_topic.advance(1_000)
    assert elr_topic.partition().leader == 1
    (line,) = warned()
    assert line.endswith("reason: unclean.leader.election.enable=true")


def test_the_last_known_leader_is_named_as_such(elr_topic, warned):
    """L6, L8."""
    end_uncleanly(elr_topic)
    elr_topic.heartbeat(1)
    assert elr_topic.partition().leader == 1
    (line,) = warned()
    assert line.endswith("reason: ISR and ELR are empty, and the broker is the last known leader")


def test_a_clean_election_is_none(elr_topic, warned):
    """L1, L2."""
    for broker in (3, 2, 1):
        elr_topic.fence(broker)
    elr_topic.heartbeat(1)
    assert elr_topic.partition().leader == 1
    assert warned() == []
