"""`minikafka sim --scenario`: what is printed, and the exit status."""

import argparse

import pytest

from minikafka.cli import sim
from minikafka.commands.scenario import NAMED
from minikafka.commands.sim_trace import build

COMMANDS = "cluster brokers=1\ntopic t replicas=1\nproduce 2\n"
PLAYED = """\
cluster brokers=1
topic t replicas=1
    5.0s    t        leader 1, epoch 0, ISR 1
produce 2
    10.0s   t        r1-r2 (acks=all) acknowledged at 0-1
"""


def run(scenario):
    parser = argparse.ArgumentParser()
    sim.add_arguments(parser)
    return sim.run(parser.parse_args(["--scenario", str(scenario)]))


def test_a_file_is_played_and_printed(tmp_path, capsys):
    path = tmp_path / "mine.txt"
    path.write_text(COMMANDS)
    assert run(path) == 0
    assert capsys.readouterr().out == PLAYED
    path.write_text(PLAYED)
    assert run(path) == 0


def test_another_outcome_is_shown_as_a_difference(tmp_path, capsys):
    path = tmp_path / "mine.txt"
    path.write_text(PLAYED.replace("at 0-1", "at 5-6"))
    assert run(path) == 1
    out = capsys.readouterr().out
    assert "The result differs from the file:" in out
    assert "\n-    t        r1-r2 (acks=all) acknowledged at 5-6\n" in out
    assert "\n+    t        r1-r2 (acks=all) acknowledged at 0-1\n" in out


def test_a_name_is_a_file_of_the_source_tree(capsys):
    assert run("last-replica-standing") == 0
    assert "isolate 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [("cluster\nkil 1\n", ":2: no command kil; "), ("cluster\nkill 7\n", ":2: there is no node 7")],
)
def test_a_command_that_cannot_be_is_one_line(tmp_path, capsys, text, message):
    path = tmp_path / "mine.txt"
    path.write_text(text)
    assert run(path) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"minikafka sim: {path}{message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("wrong", "meant"), [("no-such", ""), ("worked-exmaple", " (worked-example?)")]
)
def test_an_unknown_name_is_told_what_was_meant(capsys, wrong, meant):
    assert run(wrong) == 3
    assert capsys.readouterr().err == (
        f"minikafka sim: --scenario {wrong}: no such file or name{meant}; --list prints the names\n"
    )


def test_the_list_has_each_scenario_and_what_it_shows(capsys):
    parser = argparse.ArgumentParser()
    sim.add_arguments(parser)
    assert sim.run(parser.parse_args(["--list"])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(NAMED.rglob("*.txt")))
    (line,) = [each for each in lines if each.startswith("worked-example ")]
    assert line.split(maxsplit=1)[1].startswith("E13, H7: the worked example.")


def test_a_trace_names_the_scenario(tmp_path, capsys):
    path, trace = tmp_path / "mine.txt", tmp_path / "mine.trace"
    path.write_text(COMMANDS)
    parser = argparse.ArgumentParser()
    sim.add_arguments(parser)
    assert sim.run(parser.parse_args(["--scenario", str(path), "--trace", str(trace)])) == 0
    first, _, rest = trace.read_text().partition("\n")
    assert first == f"{build()} sim --scenario {path}"
    assert rest == PLAYED


def test_a_page_of_a_scenario_is_refused_with_a_sentence(tmp_path, capsys):
    parser = argparse.ArgumentParser()
    sim.add_arguments(parser)
    path = tmp_path / "mine.txt"
    path.write_text(COMMANDS)
    page = tmp_path / "page.html"
    assert sim.run(parser.parse_args(["--scenario", str(path), "--html", str(page)])) == 3
    told = capsys.readouterr()
    assert not page.exists()
    assert told.out == ""
    assert "--html draws the run of a seed, not a scenario" in told.err
