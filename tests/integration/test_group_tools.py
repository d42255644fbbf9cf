"""The tools for groups as processes, against the nodes of a cluster."""

import subprocess
import sys
from pathlib import Path

from minikafka.testing import Cluster

BIN = Path(__file__).resolve().parents[2] / "bin"


def ran(tool, cluster, *words):
    command = [sys.executable, BIN / tool, "--bootstrap-server", cluster.bootstrap_servers, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_offsets_are_reset_listed_and_deleted():
    """A reset makes a group that only has offsets; the rows have the order of a Java HashMap."""
    with Cluster(1) as cluster:
        cluster.create_topic("t", partitions=2)
        reset = ("--reset-offsets", "--group", "g", "--to-latest", "--topic", "t:0,1")
        status, out, err = ran("kafka-consumer-groups.py", cluster, *reset, "--execute", "--export")
        assert (status, out, err) == (0, "t,1,0\nt,0,0\n\n", "")
        status, out, err = ran("kafka-groups.py", cluster, "--list")
        assert (status, err) == (0, "")
        assert [line.split() for line in out.splitlines()] == [
            ["GROUP", "TYPE", "PROTOCOL"],
            ["g", "Classic"],
        ]
        assert ran("kafka-consumer-groups.py", cluster, "--delete", "--group", "g") == (
            0,
            "Deletion of requested consumer groups ('g') was successful.\n",
            "",
        )
        assert ran("kafka-consumer-groups.py", cluster, "--list") == (0, "", "")
        assert ran("kafka-consumer-groups.py", cluster)[0] == 1
