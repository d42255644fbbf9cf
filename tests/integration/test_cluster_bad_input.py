"""`minikafka.testing.Cluster` in surroundings that are wrong: one sentence, and nothing is left."""

import asyncio
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest
import uvloop

from minikafka.testing import Cluster, ClusterError
from minikafka.testing.nodes import Nodes


@pytest.fixture(scope="module")
def shared():
    """One node for tests that leave it as it is."""
    with Cluster() as running:
        yield running


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files of this process and of programs that it starts."""
    folder = tmp_path / "für Dateien"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def left(folder):
    """What clusters have left in a folder, except the locks of ports."""
    return [path.name for path in folder.iterdir() if not path.name.startswith(".minikafka-ports")]


def processes_of(folder):
    """The processes that have a file in a folder open, or its path on their command line."""
    name, found = str(folder), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            files = [str(each.readlink()) for each in (process / "fd").iterdir()]
            files.append((process / "cmdline").read_text())
        except OSError:  # it has ended
            continue
        if int(process.name) != os.getpid() and any(name in each for each in files):
            found.append(int(process.name))
    return found


def await_end(pid):
    """Wait until a process has ended; the timeout of the test is the limit."""
    while Path(f"/proc/{pid}").exists():
        os.sched_yield()


def test_a_node_that_ends_by_itself_is_named():
    with Cluster() as cluster:
        assert cluster.crashes == []
        os.kill(cluster.pid(1), signal.SIGKILL)
        cluster.wait_for(lambda: cluster.crashes == ["node 1 ended by itself, signal 9"])
        assert "node 1 ended by itself, signal 9" in cluster.state_text()
        cluster.heal()
        cluster.kill(1)
        assert cluster.crashes == []


def test_nodes_that_ended_by_themselves_are_named_at_the_end():
    with ExitStack() as opened:
        nodes = opened.enter_context(Nodes(1))
        os.kill(nodes.pids()[1], signal.SIGABRT)
        while nodes.is_alive(1):
            os.sched_yield()
        assert nodes.how_ended(1) == "signal 6"
        assert nodes.running == []
        with pytest.raises(ClusterError, match="^node 1 ended by itself, signal 6$"):
            opened.close()
    assert not nodes.directory.exists()


def test_a_node_whose_pid_file_cannot_be_written_does_not_run(monkeypatch):
    def full(self, *_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    with Cluster() as cluster:
        cluster.kill(1)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "write_text", full)
            with pytest.raises(ClusterError, match="/node-1.pid: No space left on device$"):
                cluster.start(1)
        assert cluster.running == []
        cluster.start(1)
        assert cluster.topics() == []


def test_an_interrupt_while_it_ends_leaves_nothing(temporary, monkeypatch):
    cluster = Cluster()
    cluster.open()
    usual = shutil.rmtree

    def interrupt(*_, **__):
        monkeypatch.setattr(shutil, "rmtree", usual)
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cluster.close()
    # As at the exit of the process.
    cluster.close()
    assert left(temporary) == []
    assert processes_of(temporary) == []


def in_fork(work):
    """Return what `work` puts into a queue in a forked process, which ends as multiprocessing's."""
    context = get_context("fork")
    said = context.SimpleQueue()
    child = context.Process(target=work, args=(said,))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    found = []
    while not said.empty():
        found.append(said.get())
    return found


def why(verb):
    """Return why a verb is refused."""
    try:
        verb()
    except ClusterError as error:
        return str(error)
    return "done"


FORKED = "this process was forked from the one that opened the cluster, which owns the nodes"


def test_a_forked_process_uses_a_cluster_and_does_not_break_it(shared):
    shared.create_topic("of-both")
    shared.produce("of-both", "parent's")

    def use(said):
        shared.produce("of-both", "child's")
        said.put([it.value for it in shared.records("of-both")])
        for verb in (shared.kill, shared.stop, shared.start, shared.pause):
            said.put(why(partial(verb, 1)))
        said.put(why(shared.node(1).kill))
        said.put(why(shared.shut_down))
        said.put(why(shared.open))
        shared.close()

    values, *refused = in_fork(use)
    assert values == [b"parent's", b"child's"]
    assert refused[:-1] == [FORKED] * 6
    assert refused[-1] == "the cluster is open"
    assert shared.directory.is_dir()
    assert len(shared.records("of-both")) == 2


def test_a_forked_process_does_not_open_the_cluster_of_its_parent():
    with Cluster() as cluster:
        cluster.shut_down()
        assert in_fork(lambda said: said.put(why(cluster.open))) == [FORKED]
        cluster.open()
        assert cluster.topics() == []


def run(program, *words, prefix=(), options=()):
    """Run a program with `minikafka.testing`; return its output, and require no other."""
    done = subprocess.run(
        [*prefix, sys.executable, "-W", "error", *options, "-c", program, *map(str, words)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_a_forked_process_that_exits_leaves_the_cluster_as_it_was(temporary):
    said = run(
        """
import os, sys
from minikafka.testing import Cluster
with Cluster() as cluster:
    cluster.create_topic("t")
    child = os.fork()
    if child == 0:
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), cluster.running, cluster.topics())
"""
    )
    assert said == ["7 [1] ['t']"]
    assert left(temporary) == []


def test_a_cluster_of_a_forked_process_ends_with_it(temporary):
    folder, pid = run(
        """
import os
from minikafka.testing import Cluster
with Cluster() as of_parent:
    child = os.fork()
    if child == 0:
        with Cluster() as closed:
            closed.create_topic("t")
        own = Cluster()
        own.open()
        print(own.directory, own.pid(1), sep="\\n", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    assert of_parent.topics() == []
"""
    )
    await_end(int(pid))
    assert [str(temporary / name) for name in left(temporary)] == [folder]
    with Cluster():
        # The start of the next one has removed it.
        assert folder not in map(str, temporary.iterdir())
    assert left(temporary) == []


PLAIN = """
from minikafka.testing import AsyncCluster, Cluster

async def main():
    with Cluster() as cluster:
        cluster.seed({"t": ["a"]})
        print(len(cluster.records("t")))
    async with AsyncCluster() as cluster:
        await cluster.seed({"t": ["a"]})
        print(len(await cluster.records("t")))
        # A loop in a thread beside the one that runs.
        print(await asyncio.to_thread(lambda: asyncio.run(cluster.topics())))
"""


@pytest.mark.parametrize("start", ["import asyncio", "import asyncio, uvloop"])
def test_a_cluster_works_inside_a_running_loop(temporary, start):
    library = start.split()[-1]
    assert run(f"{start}\n{PLAIN}\n{library}.run(main())") == ["1", "1", "['t']"]
    assert left(temporary) == []


def test_loops_run_inside_the_block_of_a_cluster(shared):
    async def use():
        shared.create_topic(f"loop-{type(asyncio.get_running_loop()).__module__}")

    asyncio.run(use())
    uvloop.run(use())
    assert {"loop-uvloop", "loop-asyncio.unix_events"} <= set(shared.topics())


UNSHARE = ("unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]))
STARTING = """
import sys
from minikafka.testing import Cluster, ClusterError
from minikafka.testing.nodes import Nodes
try:
    with Cluster() as cluster:
        cluster.create_topic("t")
        while True:
            cluster.produce("t", "x" * 50_000)
except ClusterError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (64, "node 1 did not start: the limit on open files is 64, which leaves none for connec"),
        (
            16,
            r"this process can open 1\d more files, a cluster needs 23: Too many open files; see u",
        ),
    ],
)
def test_a_runner_that_may_open_few_files_is_told(temporary, files, reason):
    said = run(STARTING, prefix=("prlimit", f"--nofile={files}"))
    assert len(said) == 1
    assert re.match(reason, said[0])
    assert left(temporary) == []


@pytest.mark.parametrize(
    ("size_kib", "reason"),
    [
        (4, "No space left on device"),
        (16, "No space left on device"),
        (24, "No space left on device"),
        (28, "No space left on device"),
        (32, "No space left on device"),
        (300, "records for t: "),
    ],
)
def test_a_full_disk_is_told(temporary, size_kib, reason):
    mounting = f'mount -t tmpfs -o size={size_kib}k none "$TMPDIR"; "$@"; ls "$TMPDIR"'
    said = run(STARTING, prefix=(*UNSHARE, "--mount", "sh", "-c", mounting, "sh"))
    assert len(said) == 1
    assert reason in said[0]
    assert processes_of(temporary) == []


def test_no_ipv6_is_needed(temporary):
    without = 'ip link set lo up; sysctl -qw net.ipv6.conf.all.disable_ipv6=1; exec "$@"'
    said = run(
        """
import socket
from minikafka.testing import Cluster
try:
    socket.create_server(("::1", 0), family=socket.AF_INET6)
except OSError:
    print("without IPv6")
with Cluster(nodes=2) as cluster:
    cluster.seed({"t": ["a"]})
    print(len(cluster.records("t")))
""",
        prefix=(*UNSHARE, "--net", "sh", "-c", without, "sh"),
    )
    assert said == ["without IPv6", "1"]
    assert left(temporary) == []
