"""Commands to the owner of a `minikafka dev`, and starts that it refuses."""

import contextlib
import signal
import subprocess
import sys

from minikafka.admin.client import AdminClient
from minikafka.admin.topics import create_topic, list_topics
from minikafka.testing import Cluster
from minikafka.testing.base_ports import free_base_port


def dev(*words, directory):
    return subprocess.run(
        [sys.executable, "-m", "minikafka", "dev", *map(str, words), "--dir", str(directory)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@contextlib.contextmanager
def running(directory, *words):
    """A `minikafka dev` that is ready; its process and its bootstrap servers."""
    base = free_base_port(3)
    command = [
        sys.executable, "-m", "minikafka", "dev", *words,
        "--base-port", str(base), "--dir", str(directory),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        try:
            servers = owner.stdout.readline().removeprefix("bootstrap.servers=").strip()
            assert owner.stdout.readline() == "ready\n"
            yield owner, servers
        finally:
            owner.send_signal(signal.SIGTERM)
            assert owner.wait(60) == 0


def pid(directory, node):
    return int((directory / f"node-{node}.pid").read_text())


def test_nodes_are_killed_stopped_and_started_from_outside(tmp_path):
    with running(tmp_path / "dev", "--nodes", "1") as (_, servers):
        first = pid(tmp_path / "dev", 1)
        for action in ("kill", "start", "stop", "start", "pause", "resume"):
            done = dev(action, 1, directory=tmp_path / "dev")
            assert (done.returncode, done.stderr) == (0, "")
        assert pid(tmp_path / "dev", 1) != first
        refused = dev("start", 1, directory=tmp_path / "dev")
        assert (refused.returncode, refused.stderr) == (1, "error: node 1 is running\n")
        refused = dev("kill", 2, directory=tmp_path / "dev")
        assert (refused.returncode, refused.stderr) == (
            1,
            "error: there is no node 2; the nodes are 1\n",
        )
        with AdminClient(servers, client_id="test") as client:
            assert list_topics(client) == []


def test_all_nodes_in_one_process(tmp_path):
    with (
        running(tmp_path / "dev", "--nodes", "3", "--one-process") as (owner, servers),
        AdminClient(servers, client_id="test") as client,
    ):
        create_topic(client, "t", partitions=3, replication_factor=3)
        assert {pid(tmp_path / "dev", node) for node in (1, 2, 3)} == {owner.pid}


def test_a_cluster_of_another_size_is_refused(tmp_path):
    with running(tmp_path / "dev", "--nodes", "1"):
        pass
    done = dev("--nodes", 2, "--base-port", free_base_port(2), directory=tmp_path / "dev")
    assert done.returncode == 2
    assert "holds a cluster with --nodes 1, not --nodes 2" in done.stderr


def test_a_node_that_does_not_start_is_explained(tmp_path):
    home = tmp_path / "dev"
    with running(home, "--nodes", "2"):
        pass
    (home / "node-2" / "data" / "meta.properties").unlink()
    done = dev("--nodes", 2, "--base-port", free_base_port(2), directory=home)
    assert done.returncode == 1
    title, line = done.stderr.splitlines()
    assert title == "node 2 did not start:"
    # Not what the process before it logged.
    assert "is not formatted" in line


def test_ports_in_use_are_named_and_nothing_is_written(tmp_path):
    with Cluster() as other:
        done = dev("--nodes", 1, "--base-port", other.base_port, directory=tmp_path / "dev")
    assert done.returncode == 2
    assert "in use: PLAINTEXT://127.0.0.1:" in done.stderr
    assert not (tmp_path / "dev").exists()
