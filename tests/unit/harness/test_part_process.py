"""A part of a run is a process in its own session that ends with its standard input."""

import os

import pytest

from minikafka.harness.part_process import close_input, start_part


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "echo.py").write_text(
        "import sys\nprint(sys.argv[1:], flush=True)\nprint(sys.stdin.read(), file=sys.stderr)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "echo"


def test_a_part_gets_its_argument_and_writes_its_log(module, tmp_path):
    log = tmp_path / "part.log"
    log.write_text("of another run\n")
    for append in (False, True):
        process = start_part(module, '{"a": 1}', log, append=append)
        assert os.getsid(process.pid) == process.pid
        process.stdin.write(b"command")
        close_input(process)
        assert process.wait(30) == 0
    assert log.read_text() == "['{\"a\": 1}']\ncommand\n" * 2


def test_the_input_of_a_dead_part_can_be_closed(module, tmp_path):
    process = start_part(module, "", tmp_path / "part.log")
    process.kill()
    process.wait(30)
    process.stdin.write(b"lost")
    close_input(process)
    close_input(process)
    assert process.stdin.closed
