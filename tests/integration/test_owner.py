"""Nodes end with the process that owns them."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from minikafka.testing.cluster import Cluster, free_base_port
from minikafka.testing.nodes import Nodes


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])


def test_nodes_end_with_the_process_that_forked_them():
    """No process would learn how they end, so they must not stay behind."""
    with Nodes(2) as cluster:
        nodes = cluster.pids()
        (nursery,) = {parent(pid) for pid in nodes.values()}
        assert nursery != os.getpid()
        os.kill(nursery, signal.SIGKILL)
        for handle in map(os.pidfd_open, nodes.values()):
            assert select.select([handle], [], [], 30)[0] == [handle]
            os.close(handle)
        cluster.kill(*nodes)
        cluster.start(*nodes)
        assert {parent(pid) for pid in cluster.pids().values()} != {nursery}


def test_a_cluster_starts_nodes_again_without_the_process_that_forked_them():
    with Cluster(nodes=1) as cluster:
        os.kill(parent(cluster.pid(1)), signal.SIGKILL)
        with os.fdopen(os.pidfd_open(cluster.pid(1))) as handle:
            select.select([handle], [], [], 30)
        cluster.start(1)
        assert cluster.pid(1)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_nodes_end_with_the_process_that_started_them(tmp_path, end):
    command = [
        sys.executable, "-m", "minikafka", "dev", "--nodes", "2", "--base-port",
        str(free_base_port(2)), "--dir", str(tmp_path / "cluster"),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert [owner.stdout.readline() for _ in range(2)][1] == "ready\n"
        pids = [int((tmp_path / "cluster" / f"node-{n}.pid").read_text()) for n in (1, 2)]
        watched = [os.pidfd_open(pid) for pid in pids]
        owner.send_signal(end)
        owner.wait(60)
    for handle in watched:
        # A handle of a process can be read when the process has ended.
        assert select.select([handle], [], [], 30)[0] == [handle]
        os.close(handle)
