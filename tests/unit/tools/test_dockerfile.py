"""The command of the container, with a program that prints its arguments in place of minikafka."""

import argparse
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from minikafka.cli.dev import add_arguments

TEXT = (Path(__file__).parents[3] / "Dockerfile").read_text()
USUAL = ["dev", "--nodes", "1", "--host", "0.0.0.0", "--advertised-host", "localhost"]


@pytest.fixture
def started(tmp_path):
    """Run the entry point; return the arguments with which minikafka is started."""
    program = tmp_path / "minikafka"
    program.write_text('#!/bin/sh\nfor word; do echo "$word"; done\n')
    program.chmod(0o755)
    entry_point = json.loads(re.search(r"^ENTRYPOINT (.*)$", TEXT, re.MULTILINE)[1])

    def run(*words, options=None):
        environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        environ.pop("MINIKAFKA_DEV_OPTIONS", None)
        if options is not None:
            environ["MINIKAFKA_DEV_OPTIONS"] = options
        done = subprocess.run(
            [*entry_point, *words], env=environ, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    return run


def test_without_arguments_it_is_one_node(started):
    assert started() == USUAL
    assert started(options="") == USUAL


def test_options_come_from_a_variable(started):
    given = "--advertised-host kafka --faults-host 0.0.0.0 --faults-port 19100"
    assert started(options=given) == [*USUAL, *given.split()]


def test_arguments_are_another_command(started):
    words = ["dev", "--config", "a=b c", "status"]
    assert started(*words, options="--nodes 3") == words


def test_the_last_of_two_options_counts():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args([*USUAL[1:], "--advertised-host", "kafka"])
    assert (args.nodes, args.host, args.advertised_host) == (1, "0.0.0.0", "kafka")


def test_the_port_is_the_usual_one():
    assert "EXPOSE 19092\n" in TEXT
