"""Issue 51: a cluster that the run did not start is paused, cut and restarted by commands."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minikafka.harness.plan.schedule import PlannedFault, Schedule

pytestmark = pytest.mark.slow

FAULTS = (
    PlannedFault(kind="pause", at_s=2, duration_s=3, targets=("leader of 0",)),
    PlannedFault(kind="cut", at_s=6, duration_s=3, targets=(1, 2)),
    PlannedFault(kind="restart", at_s=11, duration_s=1, targets=("leader of 1",)),
    PlannedFault(kind="kill", at_s=13, duration_s=1, targets=(7,)),
)
TOOL = Path(__file__).with_name("foreign_cluster.py")


@pytest.fixture
def foreign(tmp_path):
    """The folder of a running cluster; MINIKAFKA_FOREIGN_TOOLS starts an Apache Kafka."""
    folder = tmp_path / "foreign"
    folder.mkdir()
    tools = [it for it in [os.environ.get("MINIKAFKA_FOREIGN_TOOLS", "")] if it]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, str(TOOL), "serve", str(folder), *tools], stdout=log, stderr=log
        )
    deadline_s = time.monotonic() + 60
    while not (folder / "bootstrap").exists():
        assert server.poll() is None and time.monotonic() < deadline_s, (folder / "log").read_text()
        time.sleep(0.1)
    yield folder
    server.send_signal(signal.SIGTERM)
    server.wait(60)


@pytest.mark.timeout(300)
def test_a_foreign_cluster_is_broken_by_commands(foreign, tmp_path):
    out, schedule = tmp_path / "out", tmp_path / "schedule.json"
    Schedule(faults=FAULTS, seconds=15).write(schedule)
    tool = shlex.join([sys.executable, str(TOOL), str(foreign)])
    words = [sys.executable, "-m", "minikafka.cli.verify", "--seconds", "15", "--rate", "400"]
    words += ["--bootstrap-server", (foreign / "bootstrap").read_text(), "--partitions", "3"]
    words += ["--schedule", str(schedule), "--out", str(out), "--lenient", "faults"]
    for action in ("stop", "start", "pause", "resume", "kill"):
        words += [f"--{action}-command", f"{tool} {action} {{node}}"]
    for action in ("cut", "heal"):
        words += [f"--{action}-command", f"{tool} {action} {{node}} {{other}}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads((out / "verdict.json").read_text())
    assert verdict["outcome"] == "verified"
    assert verdict["run"]["network"] == "the commands --cut-command and --heal-command"
    *done_faults, killed = verdict["faults"]
    assert [fault["problem"] for fault in done_faults] == ["", "", ""]
    assert all(fault["healed_at_ms"] > fault["done_at_ms"] > 0 for fault in done_faults)
    assert killed["problem"].startswith("not done: ")
    assert " exited with status 1: " in killed["problem"], "the last line of its standard error"
