import argparse

import pytest

from minikafka.cli import sim


def run(*words):
    parser = argparse.ArgumentParser()
    sim.add_arguments(parser)
    return sim.run(parser.parse_args(["--seconds", "5", *map(str, words)]))


def test_a_run_can_be_drawn(tmp_path, capsys):
    path = tmp_path / "run.html"
    assert run("--seed", 3, "--html", path) == 0
    page = path.read_text()
    assert "Nothing that was promised was broken." in page
    assert "minikafka sim --seed 3 --seconds 5" in page
    assert '"what"' not in page
    assert "Fetch" in page
    assert "nothing that was promised was broken" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing/run.html", "."])
def test_a_page_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, capsys, name):
    assert run("--html", tmp_path / name) == 3
    out, err = capsys.readouterr()
    assert "no such folder" in err
    assert out == ""


def test_a_machine_without_what_draws_is_told_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sim, "find_spec", lambda name: None)
    assert run("--html", tmp_path / "run.html") == 3
    assert "minikafka[verify]" in capsys.readouterr().err
