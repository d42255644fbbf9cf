"""minikafka dev, as a person uses it."""

import contextlib
import signal
import subprocess
import sys

from minikafka.testing.base_ports import free_base_port


def test_two_lines_then_ctrl_c_is_a_controlled_shutdown(tmp_path):
    base = free_base_port(2)
    command = [
        sys.executable, "-m", "minikafka", "dev", "--nodes", "2",
        "--base-port", str(base), "--dir", str(tmp_path / "cluster"),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == (
            f"bootstrap.servers=127.0.0.1:{base},127.0.0.1:{base + 1}\n"
        )
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline().startswith("node 101 leads the quorum, epoch ")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    for node in (1, 2):
        assert (tmp_path / "cluster" / f"node-{node}" / "data" / ".kafka_cleanshutdown").exists()
        assert not (tmp_path / "cluster" / f"node-{node}.pid").exists()


@contextlib.contextmanager
def dev(directory, *arguments):
    """`minikafka dev` with a directory; yields its process, after its addresses."""
    command = [
        sys.executable,
        "-m",
        "minikafka",
        "dev",
        "--dir",
        str(directory),
        "--base-port",
        "0",
    ]
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            servers = process.stdout.readline().rstrip().removeprefix("bootstrap.servers=")
            yield process, servers
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def act(directory, *words):
    command = [sys.executable, "-m", "minikafka", "dev", *words, "--dir", str(directory)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def tool(*arguments):
    command = [sys.executable, "-m", "minikafka", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def lines_until(process, expected):
    """The lines up to the first that ends like this; without their times."""
    found = []
    for line in process.stdout:
        found.append(line.rstrip().partition(" ")[2])
        if found[-1].endswith(expected):
            return found
    raise AssertionError(found)


def test_two_killed_brokers_leave_a_leader_and_an_elr(tmp_path):
    """The obvious experiment: the controller is a separate process, so a leader remains."""
    home = tmp_path / "cluster"
    with dev(home) as (process, servers):
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline().startswith("node 101 leads the quorum")
        made = tool("topics", "--bootstrap-server", servers, "--create", "--topic", "t",
                    "--replica-assignment", "1:2:3")  # fmt: skip
        assert made.returncode == 0
        lines_until(process, "t-0: is new, leader 1")
        assert act(home, "kill", "3").returncode == 0
        assert "node 3 was killed" in lines_until(process, "t-0: 3 left the ISR")
        assert act(home, "kill", "2").returncode == 0
        assert "node 2 was killed" in lines_until(process, "t-0: 2 joined the ELR")
        first = servers.partition(",")[0]
        told = tool("topics", "--bootstrap-server", first, "--describe", "--topic", "t")
        assert "Isr: 1\tElr: 2" in told.stdout
        status = act(home, "status").stdout
        assert [line.split()[2] for line in status.splitlines()[3:]] == [
            "running", "killed", "killed", "running",
        ]  # fmt: skip

        lost = act(home, "kill", "101")
        assert "the quorum has lost its majority" in lost.stdout
        told = tool("topics", "--bootstrap-server", first, "--describe", "--topic", "t")
        assert told.returncode == 0
        assert "Isr: 1\tElr: 2" in told.stdout
        assert "reassignments unknown" in told.stderr

        process.send_signal(signal.SIGINT)
        # The broker cannot hand over its leaderships, and is killed after a second.
        assert process.wait(30) == 1


def test_a_start_that_hangs_is_explained_and_ends_with_ctrl_c(tmp_path):
    given = "controller.quorum.bootstrap.servers=127.0.0.1:1"
    with dev(tmp_path / "cluster", "--nodes", "2", "--config", given) as (process, _):
        said = process.stderr.readline()
        assert said.startswith("waiting until node 1 and 2 serve")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        out, err = process.communicate()
        assert out == ""
        assert err.endswith("minikafka dev: interrupted.\n")
