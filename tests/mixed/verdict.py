"""`minikafka verify` on a mixed cluster, whose nodes it breaks by commands."""

import json
import shlex
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

from minikafka.harness.plan.schedule import PlannedFault, Schedule
from tests.harness import foreign_cluster
from tests.mixed.nodes import MixedError

FAULTS = (
    PlannedFault(kind="kill", at_s=3, duration_s=2, targets=("leader of 0",)),
    PlannedFault(kind="restart", at_s=17, duration_s=2, targets=("leader of 1",)),
    PlannedFault(kind="kill", at_s=31, duration_s=2, targets=("leader of 2",)),
)
SECONDS = 45
_RUN_S = 240


@contextmanager
def commands(nodes):
    """Take actions for the nodes during the block; yields the command, which lacks the action."""
    with foreign_cluster.listening(nodes.directory) as server:
        taker = threading.Thread(
            target=foreign_cluster.take_actions, args=(server, nodes), daemon=True
        )
        taker.start()
        try:
            yield shlex.join([sys.executable, foreign_cluster.__file__, str(nodes.directory)])
        finally:
            server.shutdown(socket.SHUT_RDWR)
            taker.join()


def verified(nodes):
    """Run `verify` against the cluster; return its counts.

    Raises:
        MixedError: the verdict is not that every promise was kept.
    """
    out, schedule = nodes.directory / "verify", nodes.directory / "schedule.json"
    Schedule(faults=FAULTS, seconds=SECONDS).write(schedule)
    words = [sys.executable, "-m", "minikafka.cli.verify", "--engine", "local", "--rate", "400"]
    words += ["--seconds", str(SECONDS), "--bootstrap-server", nodes.bootstrap_servers]
    words += ["--partitions", "3", "--schedule", str(schedule), "--out", str(out)]
    with commands(nodes) as command:
        for action in ("kill", "stop", "start"):
            words += [f"--{action}-command", f"{command} {action} {{node}}"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=_RUN_S, check=False)
    if done.returncode:
        raise MixedError(f"verify ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads((out / "verdict.json").read_text())["counts"]
