"""Nodes end with the process that owns them."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from minikafka.testing import Cluster, ClusterError
from minikafka.testing.base_ports import free_base_port
from minikafka.testing.nodes import Nodes


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])


def test_nodes_end_with_the_process_that_forked_them():
    """No process would learn how they end, so they must not stay behind."""
    with Nodes(2) as cluster:
        nodes = cluster.pids()
        (fork_server,) = {parent(pid) for pid in nodes.values()}
        assert fork_server != os.getpid()
        os.kill(fork_server, signal.SIGKILL)
        for handle in map(os.pidfd_open, nodes.values()):
            assert select.select([handle], [], [], 30)[0] == [handle]
            os.close(handle)
        cluster.kill(*nodes)
        cluster.start(*nodes)
        assert {parent(pid) for pid in cluster.pids().values()} != {fork_server}


def test_a_cluster_starts_nodes_again_without_the_process_that_forked_them():
    with Cluster(nodes=1) as cluster:
        os.kill(parent(cluster.pid(1)), signal.SIGKILL)
        with os.fdopen(os.pidfd_open(cluster.pid(1))) as handle:
            select.select([handle], [], [], 30)
        cluster.start(1)
        assert cluster.pid(1)


RUNNER = """
import os, sys, time
from pathlib import Path
from minikafka.testing import Cluster
with Cluster(nodes=2) as cluster:
    cluster.pause(2)
    child = os.fork()
    if child == 0:
        # It has neither the nodes' lifeline nor the lock of the folder.
        time.sleep(60)
    print(cluster.directory, child, *map(cluster.pid, (1, 2)), flush=True)
    time.sleep(60)
"""


def ended_within(handle, timeout_s):
    """A handle of a process can be read when the process has ended."""
    return select.select([handle], [], [], timeout_s)[0] == [handle]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_test_run_that_is_killed_leaves_no_process_after_a_second(tmp_path, end):
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER], stdout=subprocess.PIPE, text=True, env=environ
    ) as runner:
        folder, *words = runner.stdout.readline().split()
        child, *pids = map(int, words)
        (fork_server,) = {parent(pid) for pid in pids}
        handles = [os.pidfd_open(pid) for pid in (*pids, fork_server)]
        runner.send_signal(end)
        runner.wait(10)
        try:
            assert all(ended_within(handle, 1) for handle in handles)
        finally:
            os.kill(child, signal.SIGKILL)
            for handle in handles:
                os.close(handle)
    assert Path(folder).is_dir()
    program = "from minikafka.testing import Cluster\nwith Cluster() as c: print(c.directory)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environ, check=True
    )
    assert done.stdout.strip() != folder
    # The next start has removed the folder, and its end its own.
    assert [path for path in tmp_path.iterdir() if "ports" not in path.name] == []


def test_a_test_run_that_never_closes_its_cluster_leaves_nothing(tmp_path):
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    program = "from minikafka.testing import Cluster; c = Cluster(); c.open(); print(c.pid(1))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environ, check=True
    )
    assert done.stderr == ""
    assert not Path("/proc", done.stdout.strip()).exists()
    assert [path for path in tmp_path.iterdir() if "ports" not in path.name] == []


def test_a_process_that_is_forked_from_a_test_does_not_own_its_cluster():
    with Cluster() as cluster:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                cluster.close()
                cluster.kill(1)
            except ClusterError as error:
                status = 0 if "was forked from" in str(error) else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        cluster.create_topic("t")
        assert cluster.topics() == ["t"]


def test_a_forked_process_has_clusters_of_its_own():
    with Cluster() as outer:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                with Cluster() as inner:
                    inner.create_topic("inner")
                    status = 0 if inner.topics() == ["inner"] else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert "inner" not in outer.topics()


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
