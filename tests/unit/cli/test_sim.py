import argparse
import re

import pytest

from minikafka.cli import sim
from minikafka.commands.sim_trace import build
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.plan_file import plan_of, plan_text
from tests.mutation import applied
from tests.simulation.mutations import MUTATIONS


def run(*words):
    parser = argparse.ArgumentParser()
    sim.add_arguments(parser)
    return sim.run(parser.parse_args(["--seconds", "5", *map(str, words)]))


def test_a_run_can_be_drawn(tmp_path, capsys):
    path = tmp_path / "run.html"
    assert run("--seed", 3, "--html", path) == 0
    page = path.read_text()
    assert "No promise was broken." in page
    assert "minikafka sim --seed 3 --seconds 5" in page
    assert '"what"' not in page
    assert "Fetch" in page
    assert "no promise was broken" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing/run.html", "."])
def test_a_page_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, capsys, name):
    assert run("--html", tmp_path / name) == 3
    out, err = capsys.readouterr()
    assert "no such folder" in err
    assert out == ""


def test_a_machine_without_what_draws_is_told_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sim, "find_spec", lambda name: None)
    assert run("--html", tmp_path / "run.html") == 3
    assert "minikafka[page]" in capsys.readouterr().err


def test_a_trace_begins_with_commit_seed_and_all_options(tmp_path, capsys):
    path = tmp_path / "run.trace"
    assert run("--seed", 3, "--trace", path) == 0
    first, *lines = path.read_text().splitlines()
    plan = draw(3, 5_000)
    assert first.startswith(f"{build()} sim --seed 3 --seconds 5: ")
    for name, value in plan.settings.items():
        if name not in ("seed", "incidents"):
            assert f" {name}={value}" in first
    planned = [line for line in lines if line.startswith("planned ")]
    assert len(planned) == len(plan.faults.incidents)
    transitions = lines[1 + len(planned) :]
    assert all(re.match(r" +\d+\.\d{6}  \S+ +\S", line) for line in transitions)
    assert any("t-0      leader " in line for line in transitions)


def test_a_run_ends_after_so_many_steps(tmp_path, capsys):
    path = tmp_path / "run.trace"
    assert run("--seed", 3, "--steps", 400, "--trace", path) == 0
    first, *lines = path.read_text().splitlines()
    assert " sim --seed 3 --seconds 5 --steps 400: " in first
    (healed,) = [line for line in lines if line.endswith("all faults have ended")]
    assert 0 < float(healed.split()[0]) < 4
    assert run("--steps", -1) == 3
    assert "--steps -1: at least 0" in capsys.readouterr().err


def test_a_broken_seed_is_told_as_a_story(capsys):
    """H2: what is told is shortened, names the rule, and who held what."""
    (mutant,) = [
        each
        for each in MUTATIONS
        if each.name.startswith("H2: the high watermark needs the leader")
    ]
    with applied(mutant):
        status = run("--seed", 1, "--seeds", 1)
    out = capsys.readouterr().out
    assert status == 1
    assert "  The rule: " in out
    assert " a rule is broken: " in out
    assert "\n1 seed, " in out
    assert "0 unclean elections; no faults\n" in out
    assert "broken: seed 1\n" in out


def test_a_plan_is_saved_and_played_again(tmp_path, capsys):
    """A saved plan is the shortened one, and tells the same story."""
    path = tmp_path / "plan.json"
    (mutant,) = [
        each
        for each in MUTATIONS
        if each.name.startswith("H2: the high watermark needs the leader")
    ]
    with applied(mutant):
        assert run("--seed", 1, "--save-plan", path) == 1
        first = capsys.readouterr().out
        assert run("--plan", path, "--no-shrink", "--trace", tmp_path / "trace") == 1
        second = capsys.readouterr().out
    assert plan_of(path.read_text()).load.producers == 1
    stories = [[x for x in out.splitlines() if x.startswith("  ")] for out in (first, second)]
    assert stories[0] == stories[1] != []
    assert f" sim --plan {path}: " in (tmp_path / "trace").read_text().splitlines()[0]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--plan", "missing.json"], "--plan missing.json: No such file"),
        (["--plan", "pyproject.toml"], "--plan pyproject.toml: not JSON"),
        (["--save-plan", "missing/plan.json"], "--save-plan missing/plan.json: no such folder"),
    ],
)
def test_a_plan_that_cannot_be_read_or_written_is_refused(capsys, words, problem):
    assert run(*words) == 3
    out, err = capsys.readouterr()
    assert problem in err
    assert out == ""


def test_a_plan_is_one_run(tmp_path, capsys):
    path = tmp_path / "plan.json"
    path.write_text(plan_text(draw(3, 5_000)), encoding="utf-8")
    assert run("--plan", path, "--seeds", 2) == 3
    assert "--plan plays one run" in capsys.readouterr().err
