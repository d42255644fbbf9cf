"""The end of `make test`: counts of tests that ran, and those that are missing."""

import json

import pytest

from tests import summary
from tests.simulation import floors
from tests.simulation.mutations import MUTATIONS

MODULES = summary.modules()
KILLERS = "tests.simulation.test_killers"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Summarise a run of these tests: (classname, name, outcome); status and output."""
    monkeypatch.setattr(summary, "modules", lambda: ["tests.unit.test_x", "tests.fuzz.test_x"])

    def summarise(cases, seeds=None):
        lines = [
            f'<testcase classname="{where}" name="{name}" time="0.5">'
            f"{outcome and f'<{outcome}/>'}</testcase>"
            for where, name, outcome in cases
        ]
        text = f"<testsuites><testsuite>{''.join(lines)}</testsuite></testsuites>"
        (tmp_path / "all.xml").write_text(text)
        if seeds is not None:
            (tmp_path / "floors.json").write_text(json.dumps(seeds))
        monkeypatch.setattr("sys.argv", ["summary", str(tmp_path)])
        return summary.main(), capsys.readouterr().out

    return summarise


def complete():
    """The fewest tests that are enough."""
    killed = [(KILLERS, f"test_a_mutant_is_killed[{each.name[:9]}]", "") for each in MUTATIONS]
    others = [
        (f"tests.{kind}.test_x", f"test_{number}", "")
        for kind, least in summary.LEAST.items()
        for number in range(least - (len(killed) if kind == "simulation" else 0))
    ]
    return killed + others


SEEDS = {"seeds": len(floors.SEEDS), "floors reached": floors.count(), "problems": 0}


def test_a_complete_run_is_reported_by_kind(run):
    status, out = run(complete(), SEEDS)
    assert status == 0, out
    lines = [line.split() for line in out.splitlines()]
    fault = summary.LEAST["fault"]
    assert ["fault", str(fault), str(fault / 2)] in lines
    assert ["golden", "sequences", "16"] in lines
    assert ["seeds", str(len(floors.SEEDS))] in lines
    assert ["mutants", "killed", "by", "their", "plans", str(len(MUTATIONS))] in lines


@pytest.mark.parametrize("kind", summary.LEAST)
def test_a_kind_that_is_missing_is_named(run, kind):
    cases = [case for case in complete() if not case[0].startswith(f"tests.{kind}.")]
    status, out = run(cases, SEEDS)
    assert status == 1
    assert f"{kind}: 0 tests, at least {summary.LEAST[kind]} are stated" in out


def test_a_module_of_which_no_test_ran_is_named(run, monkeypatch):
    known = ["tests.unit.test_x", "tests.unit.test_x_more", "tests.unit.sim.test_y"]
    monkeypatch.setattr(summary, "modules", lambda: known)
    cases = [("tests.unit.sim.test_y.TestIt", "test_it", "")]
    status, out = run([*complete(), *cases], SEEDS)
    assert status == 1
    assert "tests.unit.test_x_more: no test of this module ran" in out
    assert out.count("no test of this module ran") == 1


def test_the_modules_are_those_on_disk():
    assert __name__.rpartition(".")[2] in {name.rpartition(".")[2] for name in MODULES}
    assert {name.split(".")[1] for name in MODULES} == set(summary.LEAST)


@pytest.mark.parametrize("outcome", ["failure", "error", "skipped"])
def test_a_test_that_did_not_pass_is_named(run, outcome):
    status, out = run([*complete(), ("tests.unit.test_x", "test_it", outcome)], SEEDS)
    assert status == 1
    assert f"tests.unit.test_x.test_it: {outcome}" in out


def test_a_mutant_that_was_not_killed_is_missed(run):
    _, *others = complete()
    status, out = run([*others, (KILLERS, "test_a_mutant_is_killed[x]", "failure")], SEEDS)
    assert status == 1
    assert f"{len(MUTATIONS) - 1} of {len(MUTATIONS)} mutants were killed" in out


def test_a_kind_without_a_stated_number_is_named(run):
    status, out = run([*complete(), ("tests.new.test_x", "test_it", "")], SEEDS)
    assert status == 1
    assert "new: a kind of test that is not stated" in out


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        (None, "no seeds, "),
        ({**SEEDS, "seeds": 7}, "7 seeds, "),
        ({**SEEDS, "floors reached": 1}, "1 floors reached,"),
        ({**SEEDS, "problems": 2}, "2 problems, 0 are wanted"),
    ],
)
def test_seeds_that_did_not_run_are_named(run, seeds, said):
    status, out = run(complete(), seeds)
    assert status == 1
    assert said in out


def test_missing_data_is_named(run, monkeypatch):
    missing = summary.evidence.Evidence("golden sequences", 16, lambda: 15)
    monkeypatch.setattr(summary.evidence, "ALL", {"golden": (missing,)})
    status, out = run(complete(), SEEDS)
    assert status == 1
    assert "golden sequences: 15, 16 are stated" in out
