"""Too little coverage is named, and makes CI red."""

import json

import pytest

from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.drive.simulation import RunOutcome
from tests.simulation import floors


def covered():
    """A coverage that is exactly at its floors."""
    coverage = Coverage()
    coverage.events.update(floors.EVENTS)
    coverage.rules.update(floors.RULES)
    coverage.faults.update(floors.FAULTS)
    return coverage


def run_with(monkeypatch, outcome, *words):
    monkeypatch.setattr(floors, "outcomes", lambda _: [outcome])
    monkeypatch.setattr("sys.argv", ["floors", *words])
    return floors.main()


def test_counts_at_their_floors_are_enough(monkeypatch):
    assert floors.below_floors(covered()) == []
    assert run_with(monkeypatch, RunOutcome(1, coverage=covered(), acknowledged=1)) == 0


@pytest.mark.parametrize(
    ("kind", "name"),
    [("events", "elections from the ELR"), ("rules", "U6"), ("faults", "crash-after-log-info")],
)
def test_counts_below_their_floors_are_named(monkeypatch, capsys, kind, name):
    coverage = covered()
    getattr(coverage, kind)[name] -= 1
    [line] = floors.below_floors(coverage)
    assert repr(name) in line
    assert run_with(monkeypatch, RunOutcome(1, coverage=coverage, acknowledged=1)) == 1
    assert line in capsys.readouterr().out


def test_a_seed_that_breaks_a_rule_is_named(monkeypatch, capsys):
    outcome = RunOutcome(1, "H1: broken", coverage=covered(), acknowledged=1)
    assert run_with(monkeypatch, outcome) == 1
    assert "seed 1: H1: broken" in capsys.readouterr().out


def test_a_seed_without_an_acknowledgement_is_named(monkeypatch, capsys):
    assert run_with(monkeypatch, RunOutcome(1, coverage=covered())) == 1
    assert "nothing was acknowledged" in capsys.readouterr().out


def test_results_of_the_seeds_are_written(monkeypatch, tmp_path):
    coverage = covered()
    coverage.rules["U6"] -= 1
    file = tmp_path / "new" / "floors.json"
    outcome = RunOutcome(1, coverage=coverage, acknowledged=7)
    assert run_with(monkeypatch, outcome, "--json", str(file)) == 1
    came_to = json.loads(file.read_text())
    assert (came_to["seeds"], came_to["records acknowledged"], came_to["problems"]) == (1, 7, 1)
    assert came_to["floors reached"] == floors.count() - 1
