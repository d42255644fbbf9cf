"""Every command explains itself in an installation without extras."""

import subprocess
import sys

import pytest

from minikafka.cli.main import COMMANDS

BARE = """
import sys
from importlib.machinery import PathFinder

ALLOWED = {*sys.stdlib_module_names, "minikafka", "crc32c", "cramjam", "uvloop"}

class Bare(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        is_there = name.partition(".")[0] in ALLOWED
        return PathFinder.find_spec(name, path, target) if is_there else None

sys.meta_path[sys.meta_path.index(PathFinder)] = Bare
from minikafka.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def bare(*arguments):
    return subprocess.run(
        [sys.executable, "-c", BARE, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_without_extras(command):
    done = bare(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: minikafka {command}")


def test_a_run_without_the_extra_names_it():
    done = bare("verify")
    assert done.returncode == 2
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_misspelled_command_is_named_with_the_one_that_was_meant():
    done = bare("dve", "--nodes", "3")
    assert done.returncode == 2
    assert done.stderr == "minikafka dve: there is no such command; did you mean dev?\n"
