"""Commands that say 3 for a usage error say so for every one."""

import sys
from unittest.mock import Mock

import pytest

from minikafka import __version__
from minikafka.cli import main as main_module
from minikafka.cli._usage import USAGE
from minikafka.cli.main import COMMANDS, main, run_tool
from minikafka.commands import demo_elr
from minikafka.harness import judge_again, preflight
from minikafka.harness import run as run_module


@pytest.mark.parametrize("command", ["sim", "judge", "demo-elr", "verify"])
def test_an_unknown_option_is_a_usage_error(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--no-such-option"])
    assert ended.value.code == USAGE
    assert f"minikafka {command}: error: unrecognized arguments: --no-such-option" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "--seconds", "abc"),
        ("dev", "--nodez", "3"),
        ("dev", "--nodes", "x"),
        ("dev", "slow", "1", "2"),
        ("bench", "--no-such-option"),
        ("watch", "--bootstrap-server", "h:1", "--interval", "x"),
        ("metrics",),
        ("completion", "csh"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line(words, capsys):
    with pytest.raises(SystemExit):
        main(words)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"minikafka {words[0]}")
    assert line.endswith(" --help")
    assert "_" not in line


@pytest.mark.parametrize(
    ("command", "status"),
    [("sim", 2), ("judge", 2), ("demo-elr", 2), ("verify", 2), ("topics", 130), ("dump-log", 130)],
)
def test_ctrl_c_while_a_command_is_loaded_is_one_line(command, status, monkeypatch, capsys):
    monkeypatch.setattr(main_module, "import_module", Mock(side_effect=KeyboardInterrupt))
    assert main([command]) == status
    assert capsys.readouterr() == ("", f"minikafka {command}: interrupted.\n")
    assert run_tool(command) == status


@pytest.mark.parametrize("command", COMMANDS)
def test_every_tool_has_a_version(command, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [command, "--version"])
    assert run_tool(command) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


@pytest.mark.parametrize(
    ("error", "said", "is_traced"),
    [
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device.", False),
        (KeyError("x"), "KeyError: 'x'.", True),
    ],
)
@pytest.mark.parametrize("command", ["verify", "judge", "demo-elr"])
def test_an_error_does_not_end_as_a_broken_promise(
    command, error, said, is_traced, monkeypatch, capsys, tmp_path
):
    """Python's own status after an uncaught exception is 1."""
    monkeypatch.setattr(preflight, "check", lambda _: "17")
    monkeypatch.setattr(run_module, "verify", Mock(side_effect=error))
    monkeypatch.setattr(judge_again, "judge_again", Mock(side_effect=error))
    monkeypatch.setattr(demo_elr, "_both_sides", Mock(side_effect=error))
    out = str(tmp_path / "out")
    words = {"verify": ["--out", out], "judge": [str(tmp_path), "--out", out], "demo-elr": []}
    assert main([command, *words[command]]) == 2
    err = capsys.readouterr().err
    assert f"minikafka {command}: ended without a verdict: {said}" in err
    assert ("Traceback" in err) == is_traced
