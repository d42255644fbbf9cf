"""Issue 51: a fault that no command can do is told before the run."""

import pytest

from minikafka.harness.plan.external import impossible_faults
from minikafka.harness.plan.schedule import PlannedFault, Schedule
from minikafka.harness.plan.settings import RunSettings

COMMANDS = {
    "pause_command": "true {node}",
    "resume_command": "true {node}",
    "cut_command": "true {node} {other}",
    "heal_command": "true {node} {other}",
    "restart_command": "true {node}",
}


def problems(*faults, **settings):
    chosen = RunSettings(**{"bootstrap_servers": "h:1", **settings})
    return impossible_faults(chosen, Schedule(faults=faults))


def fault(kind, *targets, **parameters):
    return PlannedFault(kind=kind, at_s=1, targets=targets, parameters=parameters)


def test_faults_with_their_commands_are_possible():
    kinds = ("pause", "cut", "isolate", "restart", "rolling-restart", "min-isr", "elect")
    assert problems(*map(fault, kinds), **COMMANDS) == []


@pytest.mark.parametrize(
    ("planned", "problem"),
    [
        (
            fault("pause", 1),
            "The schedule has the fault 'pause', which needs --pause-command and --resume-command.",
        ),
        (
            fault("restart", 1),
            (
                "The schedule has the fault 'restart', which needs --stop-command and --start-command, or"
                " --restart-command."
            ),
        ),
        (
            fault("clock", 1),
            (
                "The schedule has the fault 'clock', which a cluster that --bootstrap-server names cannot"
                " have."
            ),
        ),
    ],
)
def test_a_fault_without_its_commands_is_named(planned, problem):
    assert problems(planned, planned) == [problem]
    assert problems(planned, lenient=("faults",)) == []
    assert problems(planned, bootstrap_servers="") == []


@pytest.mark.parametrize(
    "planned", [fault("cut", 1, "clients"), fault("isolate", 1, from_clients=True)]
)
def test_commands_do_not_cut_clients_off(planned):
    [found] = problems(planned, **COMMANDS)
    assert found.endswith("of clients, but --cut-command cuts only nodes from each other.")
