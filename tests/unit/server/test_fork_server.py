"""Processes that are forked by a fork server, with a properties file that no node can start with."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from minikafka.server.fork_server import ForkServer, ForkServerError, own_fork_server
from minikafka.server.launch import Lifeline

FORK = """
import sys
from pathlib import Path
from minikafka.server.launch import Lifeline
from minikafka.server.fork_server import ForkServer
fork_server = ForkServer.fork()
with open(sys.argv[2], "ab") as log:
    node, ready = fork_server.launch(Path(sys.argv[1]), log, Lifeline())
print(node.wait(30), end="")
Path(sys.argv[3]).write_text(str(node.returncode))
fork_server.close()
"""


PID = 999_999_999
"""No process has it."""


class Fake:
    """The other end of a fork server's connection, in this process."""

    def __init__(self):
        ours, self.connection = socket.socketpair()
        self.fork_server = ForkServer(ours, lambda: None)
        self.lines = self.connection.makefile("rb")

    def launch(self, lifeline, environ=None):
        """Launch in another thread; the result is the node."""

        def launch():
            with Path(os.devnull).open("ab") as log:
                node, ready = self.fork_server.launch(Path("file"), log, lifeline, environ)
            os.close(ready)
            return node

        return ThreadPoolExecutor().submit(launch)

    def launched(self, pid, lifeline):
        """The node of a launch that is answered with `pid`."""
        node = self.launch(lifeline)
        self.write(pid=pid, number=self.read()["number"])
        return node.result(30)

    def read(self):
        return json.loads(self.lines.readline())

    def write(self, **message):
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def end(self):
        self.lines.close()
        self.connection.close()


@pytest.fixture
def fake():
    fake = Fake()
    yield fake
    fake.end()
    fake.fork_server.close()


@pytest.fixture
def fork_server():
    fork_server = ForkServer.spawn()
    yield fork_server
    fork_server.close()


@pytest.fixture
def lifeline():
    lifeline = Lifeline()
    yield lifeline
    lifeline.close()


@pytest.fixture
def launch(fork_server, lifeline, tmp_path):
    """Launch a node with a file of one bad line; returns the process and what it has logged."""
    file = tmp_path / "server.properties"
    file.write_text("no.such.key\n")

    def launch(**environ):
        log = tmp_path / "log"
        with log.open("ab") as opened:
            node, ready = fork_server.launch(file, opened, lifeline, environ)
        with os.fdopen(ready, "rb") as pipe:
            assert pipe.read() == b""
        return node, log

    return launch


def test_a_node_that_cannot_start_has_its_status_and_its_lines(launch):
    for count in (1, 2):
        node, log = launch()
        assert node.wait(30) == node.poll() == node.returncode == 2
        assert log.read_text().count("process.roles") == count
    node.send_signal(signal.SIGKILL)  # it has ended: nothing happens


def test_an_owner_whose_working_directory_was_removed_launches_nodes(launch, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    node, log = launch()
    assert node.wait(30) == 2
    assert "process.roles" in log.read_text()


def test_a_forked_fork_server_is_as_one_that_was_spawned(tmp_path):
    file = tmp_path / "server.properties"
    file.write_text("no.such.key\n")
    command = [sys.executable, "-c", FORK, str(file), str(tmp_path / "log"), os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("2", "")
    assert "process.roles" in (tmp_path / "log").read_text()


def test_an_ended_fork_server_says_so_and_is_replaced(tmp_path, lifeline):
    first = own_fork_server()
    assert own_fork_server() is first
    first.close()
    with (tmp_path / "log").open("ab") as log, pytest.raises(ForkServerError, match="has ended"):
        first.launch(tmp_path / "absent", log, lifeline)
    second = own_fork_server()
    assert second is not first
    with (tmp_path / "log").open("ab") as log:
        node, ready = second.launch(tmp_path / "absent", log, lifeline)
    os.close(ready)
    assert node.wait(30) == 2


def test_a_fork_server_ends_with_its_owner():
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "minikafka.server.fork_server", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
        )
    ours.close()
    assert process.wait(60) == 0


def test_a_fork_that_fails_is_told():
    """The owner gets the reason, and the fork server goes on."""
    script = """
import os, socket, sys
from minikafka.server import fork_server
def fail():
    raise OSError(11, "Resource temporarily unavailable")
os.fork = fail
fork_server.serve(socket.socket(fileno=int(sys.argv[1])))
"""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(theirs.fileno())], pass_fds=(theirs.fileno(),)
        )
    fork_server = ForkServer(ours, process.wait)
    lifeline = Lifeline()
    for _ in range(2):
        with (
            Path(os.devnull).open("ab") as log,
            pytest.raises(ForkServerError, match="temporarily"),
        ):
            fork_server.launch(Path("absent"), log, lifeline)
    lifeline.close()
    fork_server.close()
    fork_server.close()
    assert process.returncode == 0


def test_a_signal_to_a_whole_group_ends_no_fork_server():
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "minikafka.server.fork_server", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
        )
    fork_server = ForkServer(ours, process.wait)
    lifeline = Lifeline()
    for _ in range(2):
        with Path(os.devnull).open("ab") as log:
            node, ready = fork_server.launch(Path("absent"), log, lifeline)
        os.close(ready)
        assert node.wait(30) == 2
        process.send_signal(signal.SIGTERM)
    lifeline.close()
    fork_server.close()
    assert process.returncode == 0


def test_a_node_stops_by_sigterm_although_its_fork_server_does_not(fork_server, lifeline, tmp_path):
    pipe = tmp_path / "server.properties"
    os.mkfifo(pipe)  # the node waits for its properties
    with (tmp_path / "log").open("ab") as log:
        node, ready = fork_server.launch(pipe, log, lifeline)
    os.close(ready)
    with pipe.open("wb"):
        node.send_signal(signal.SIGTERM)
        assert node.wait(30) == -signal.SIGTERM


def test_a_fork_server_that_ends_before_it_reads_everything_has_ended(fake, lifeline):
    """The owner can neither read its end of the connection then, nor write to it."""
    node, other = (fake.launched(pid, lifeline) for pid in (PID, PID + 1))
    with fake.fork_server._changed:  # so that the answer finds no reader
        fake.write(exited=PID, status=0)
        fake.end()
    assert (node.wait(30), other.wait(30)) == (0, -signal.SIGKILL)
    with pytest.raises(ForkServerError, match="has ended"):
        fake.launch(lifeline).result(30)


def test_the_node_of_an_interrupted_launch_is_killed_and_no_other_gets_its_pid(fake, lifeline):
    def interrupt(_):
        raise KeyboardInterrupt

    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as forked:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fake.fork_server._changed, "wait_for", interrupt)
            with pytest.raises(KeyboardInterrupt):
                fake.launch(lifeline).result(30)
        launched = fake.launch(lifeline)
        interrupted, number = fake.read()["number"], fake.read()["number"]
        fake.write(pid=forked.pid, number=interrupted)
        fake.write(pid=PID, number=number)
        assert launched.result(30).pid == PID
        assert forked.wait(30) == -signal.SIGKILL


def test_a_long_request_is_not_mixed_with_the_answer_to_an_exit(fake, lifeline):
    fake.launched(PID, lifeline)
    launched = fake.launch(lifeline, {"LONG": "x" * 2_000_000})
    start = fake.lines.read(1)
    fake.write(exited=PID, status=0)
    request = json.loads(start + fake.lines.readline())
    assert fake.read() == {"reap": PID}
    fake.write(pid=PID, number=request["number"])
    assert launched.result(30).pid == PID


def test_the_exit_of_a_forked_process_ends_no_fork_server_of_its_parent(tmp_path):
    script = """
import os, sys
from pathlib import Path
from minikafka.server.launch import Lifeline
from minikafka.server.fork_server import own_fork_server
fork_server, lifeline = own_fork_server(), Lifeline()
for _ in range(2):
    with open(os.devnull, "ab") as log:
        node, ready = fork_server.launch(Path("absent"), log, lifeline)
    print(node.wait(30), flush=True)
    pid = os.fork()
    if pid == 0:
        sys.exit(0)
    os.waitpid(pid, 0)
"""
    # Newer versions of Python warn of a fork beside the thread that waits for the node.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("2\n2\n", "")


def test_an_owner_without_standard_files_has_nodes_with_a_log(tmp_path):
    file, log, status = (tmp_path / name for name in ("server.properties", "log", "status"))
    file.write_text("no.such.key\n")
    command = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", FORK]
    subprocess.run([*command, file, log, status], check=True, timeout=60)
    assert status.read_text() == "2"
    assert "process.roles" in log.read_text()
    assert "Traceback" not in log.read_text()


def test_a_forked_fork_server_has_no_files_of_its_owner():
    script = """
import os, select
from minikafka.server.fork_server import ForkServer
before = os.pipe()
fork_server = ForkServer.fork()
os.close(before[1])
print(bool(select.select(before[:1], [], [], 10)[0]), end="")
fork_server.close()
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True", "")


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_paused_node_ends_with_its_fork_server(lifeline, tmp_path, is_killed):
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "minikafka.server.fork_server", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
        )
    fork_server = ForkServer(ours, process.wait)
    pipe = tmp_path / "server.properties"
    os.mkfifo(pipe)  # the node waits for its properties
    with (tmp_path / "log").open("ab") as log:
        node, ready = fork_server.launch(pipe, log, lifeline)
    os.close(ready)
    handle = os.pidfd_open(node.pid)
    with pipe.open("wb"):  # it has begun to wait
        node.send_signal(signal.SIGSTOP)
        if is_killed:
            process.kill()
        else:
            fork_server.close()
        assert node.wait(30) == -signal.SIGKILL
        # A handle of a process can be read when the process has ended.
        assert select.select([handle], [], [], 10)[0] == [handle]
    os.close(handle)
    fork_server.close()
