"""The programs that an installation puts on PATH."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from minikafka import __version__
from minikafka.cli import main as cli

ROOT = Path(cli.__file__).parents[2]
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]


def test_each_tool_of_kafka_is_a_program():
    tools = {path.stem for path in (ROOT / "bin").glob("kafka-*.py")}
    assert SCRIPTS.keys() == {"minikafka", *tools}
    assert set(SCRIPTS.values()) == {"minikafka.__main__:main"}
    assert {name.removeprefix("kafka-") for name in tools} <= cli.COMMANDS.keys()


@pytest.mark.parametrize(
    "name", ["kafka-topics", "kafka-topics.exe", "kafka-topics.py", "minikafka-topics"]
)
def test_a_program_is_the_tool_of_its_name(monkeypatch, capsys, name):
    path = f"/usr/bin/{name}"
    monkeypatch.setattr(sys, "argv", [path, "--bootstrap-server", "x"])
    assert cli.run_program(path) == 1
    assert "Command must include exactly one action" in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["minikafka", "kafka-nothing", "__main__.py"])
def test_every_other_name_is_the_program_with_commands(monkeypatch, capsys, name):
    monkeypatch.setattr(sys, "argv", [name, "toppics"])
    assert cli.run_program(name) == 2
    assert "minikafka toppics: there is no such command" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted((ROOT / "bin").glob("*-*.py")), ids=lambda path: path.name)
def test_a_script_of_a_checkout_needs_no_installation(path, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    done = subprocess.run(
        [sys.executable, path, "--version"], cwd=tmp_path, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout == f"{__version__}\n"
