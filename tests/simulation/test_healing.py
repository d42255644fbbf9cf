"""Conditions that a run waits for after its faults have ended, and violations that it finds."""

from dataclasses import replace

import pytest

from minikafka.sim.checks.election_checks import ElectionChecks
from minikafka.sim.drive.healing import Healing
from minikafka.sim.drive.plan import draw
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import ConditionTimeoutError

PLAN = replace(draw(3, 5_000), incidents=(), producers=1, groups=0)


@pytest.fixture
def simulation():
    simulation = Simulation(PLAN)
    simulation.cluster.start()
    simulation.create_topic()
    simulation.world.run(1_000)
    return simulation


def test_a_node_that_was_asked_to_shut_down_does_not_serve(simulation):
    """Its shutdown takes leaders away later, after the last check for an operator."""
    assert simulation.healing.all_serve()
    node = simulation.cluster.nodes[1]
    node.pause()
    node.shut_down()
    assert node.started
    assert not simulation.healing.all_serve()


def test_no_operator_takes_the_place_of_a_rule(simulation, monkeypatch):
    """L4, L6: forbidden while the strategy, or a member of ISR or ELR, brings a leader."""
    found = []
    monkeypatch.setattr(Healing, "all_led", lambda _: False)
    monkeypatch.setattr(
        ElectionChecks,
        "check_leaders_owed",
        lambda _, image: found.append(image),
    )
    simulation.healing.elect_by_hand()
    # Once more where logs had to be accepted as empty.
    assert len(found) == 2
    assert [each.election_type for each in simulation.checkers.elections._requests] == [1, 1]


def test_replicas_that_never_agree_are_a_violation(simulation, monkeypatch):
    simulation.healing.replicas_agree()
    monkeypatch.setattr(Healing, "difference", lambda _: "t-0: n2 ends at 2")
    with pytest.raises(Violation, match="ReplicasAgree: t-0: n2 ends at 2") as caught:
        simulation.healing.replicas_agree()
    assert not isinstance(caught.value, ConditionTimeoutError)
