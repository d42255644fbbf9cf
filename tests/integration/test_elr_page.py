"""The commands of docs/elr-in-three-minutes.md show what the page says."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from minikafka.testing.base_ports import free_base_port

PAGE = Path(__file__).parents[2] / "docs" / "elr-in-three-minutes.md"
TIMEOUT_S = 30


def blocks():
    return re.findall(r"^```(sh|text)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def words(command, base):
    """The words of a command of the page, for a cluster on other ports."""
    for port in (19094, 19093, 19092):
        command = command.replace(str(port), str(base + port - 19092))
    program, *arguments = shlex.split(command)
    assert program == "minikafka"
    return [sys.executable, "-m", "minikafka", *arguments]


def test_the_page_shows_what_happens(tmp_path):
    base = free_base_port(3)
    environ = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    (_, first), *rest = blocks()
    start = [*words(first, base), "--base-port", str(base)]
    with subprocess.Popen(start, stdout=subprocess.PIPE, text=True, env=environ) as cluster:
        try:
            while cluster.stdout.readline() != "ready\n":
                assert cluster.poll() is None
            command = []
            for kind, text in rest:
                if kind == "text":
                    await_output(command, text, environ)
                    continue
                for line in text.splitlines():
                    command = words(line, base)
                    subprocess.run(command, check=True, env=environ, timeout=TIMEOUT_S)
        finally:
            cluster.send_signal(signal.SIGINT)
            cluster.communicate(timeout=TIMEOUT_S)
    assert cluster.returncode == 0
    assert list((tmp_path / "state" / "minikafka").iterdir()) == []


def await_output(command, expected, environ):
    """Repeat a command until it prints the expected line."""
    end_s = time.monotonic() + TIMEOUT_S
    (wanted,) = expected.splitlines()
    while True:
        done = subprocess.run(
            command, check=True, env=environ, timeout=TIMEOUT_S, capture_output=True, text=True
        )
        if " ".join(wanted.split()) in (
            " ".join(line.split()) for line in done.stdout.splitlines()
        ):
            return
        assert time.monotonic() < end_s, done.stdout
        time.sleep(0.2)
