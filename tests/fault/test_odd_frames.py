"""Odd frames for three real nodes; `python -m tests.fuzz --processes` sends more of them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.processes import attack

FRAMES = 1_400
ANSWERED = 500
"""Frames behind one that closes its connection get no answer: the slower the machine, the more."""


def test_nodes_outlive_odd_frames_and_an_honest_producer_loses_nothing():
    counts, _ = attack(seed=1, frames=FRAMES, connections=16, idle_s=0)
    assert counts["answered"] > ANSWERED
    assert counts["failed records"] == 0


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_stopped_leaves_no_cluster(tmp_path, ending):
    command = [sys.executable, "-m", "tests.fuzz", "--processes", "--frames", "1000000"]
    # The cluster has its own directory, so that its processes can be identified.
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        for line in running.stdout:
            if "frames" in line:
                break
        (folder,) = tmp_path.glob("minikafka-*")
        pids = [int(each.read_text()) for each in folder.glob("node-*.pid")]
        assert len(pids) == 3
        running.send_signal(ending)
        running.stdout.read()
    assert running.returncode
    assert not folder.exists()
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
