"""Nodes without file descriptors: requests are refused, no log directory goes offline."""

import pytest

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.incidents import Fault, Incident, OperatorAction
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.world import sim_disk

DURATION_MS = 20_000
SHORT = tuple(
    Incident(at_ms=3_000 + 2_500 * turn, what=what, node=1 + turn % 3, for_ms=4_000)
    for turn, what in enumerate(
        (
            Fault.FEW_FILES, Fault.FEW_FILES, OperatorAction.ROLL, Fault.FEW_FILES, OperatorAction.SWAP,
            OperatorAction.TOPIC, Fault.FEW_FILES,
        )
    )
)  # fmt: skip


def run(seed):
    plan = draw(seed, DURATION_MS).changed(
        brokers=3, replication_factor=3, min_isr=2, roll_ms=1_000,
        incidents=SHORT,
    )  # fmt: skip
    return Simulation(plan).run()


@pytest.mark.parametrize("seed", range(4))
def test_no_directory_goes_offline_and_nothing_is_lost(seed):
    outcome = run(seed)
    assert outcome.violation is None, outcome.traceback or outcome.violation
    assert outcome.files_refused > 10
    assert outcome.acknowledged > 0


def test_plans_have_that_fault():
    plans = [draw(seed, DURATION_MS) for seed in range(1, 101)]
    short = [p for p in plans if any(each.what is Fault.FEW_FILES for each in p.faults.incidents)]
    assert 5 < len(short) < 40


def test_a_fault_that_takes_the_directory_offline_is_found(monkeypatch):
    """As it was: the system's EMFILE was a fault like any other."""
    monkeypatch.setattr(sim_disk, "OutOfFilesError", sim_disk.StorageFault)
    found = [run(seed).violation for seed in range(4)]
    assert any("sound disk" in (each or "") for each in found), found
