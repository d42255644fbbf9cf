"""Conditions that a run waits for after its faults have ended, and violations that it finds."""

from dataclasses import replace

import pytest

from minikafka.sim.checks.election_checks import ElectionChecks
from minikafka.sim.drive.directory_healing import DirectoryHealing
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


@pytest.fixture
def with_two_directories():
    simulation = Simulation(replace(PLAN, log_dirs=2, partitions=6))
    simulation.cluster.start()
    simulation.create_topic()
    simulation.world.run(2_000)
    return simulation


def test_a_move_that_does_not_end_is_a_violation(with_two_directories, monkeypatch):
    simulation = with_two_directories
    simulation.healing._directories_settle()
    monkeypatch.setattr(DirectoryHealing, "open_moves", lambda _: iter(["t-0 on 1"]))
    with pytest.raises(Violation, match="liveness: every move between directories ends.*: t-0 on"):
        simulation.healing._directories_settle()


def test_a_directory_that_the_metadata_does_not_have_is_a_violation(with_two_directories):
    simulation = with_two_directories
    logs = simulation.cluster.nodes[1].node.broker.logs
    at, home = next((at, home) for home in logs.directories for at in home.logs)
    other = next(each for each in logs.directories if each is not home)
    logs._homes[at] = other
    assert list(simulation.healing._directories.wrong_assignments()) == [f"{at} on 1"]


def test_what_a_broker_led_in_a_failed_directory_moves(with_two_directories):
    simulation = with_two_directories
    simulation.healing._lose_a_directory()
    assert simulation.checkers.coverage.events["leaders moved from a failed directory"] > 0
    assert simulation.healing.all_serve()


def test_leaders_that_stay_on_a_failed_directory_are_a_violation(with_two_directories, monkeypatch):
    simulation = with_two_directories
    monkeypatch.setattr(DirectoryHealing, "has_moved_leaders", lambda *_: False)
    with pytest.raises(ConditionTimeoutError, match="liveness: n. serves without /n.-1"):
        simulation.healing._lose_a_directory()
