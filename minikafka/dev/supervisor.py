"""The process that owns a cluster's nodes, and the socket by which it gets commands.

`dev kill|stop|start|pause|resume` send it a command by a socket in the cluster's directory, so it
always knows which nodes should be running.
"""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import chdir, suppress
from pathlib import Path
from typing import IO

from minikafka.config.node_config import NodeConfig
from minikafka.dev.layout import CONTROL, Layout
from minikafka.dev.stop_signal import StopSignal
from minikafka.server.launch import Lifeline
from minikafka.server.nursery import ForkedNode, Nursery, NurseryError

ACTIONS = ("kill", "stop", "start", "pause", "resume")
_STOP_TIMEOUT_S = 60
_ACQUAINTANCE_TIMEOUT_S = 10
_SHOWN_LINES = 5
_SILENCE_S = 2
"""After this time a command says what it waits for."""


def run_in_one_process(layout: Layout) -> int:
    """Run all nodes in this process until they are stopped; return the exit status."""
    from minikafka.server.log_lines import set_up_logging
    from minikafka.server.process import StartError, run_nodes

    set_up_logging(
        "%(asctime)s %(levelname)s %(name)s: %(message)s", path=layout.directory / "cluster.log"
    )
    waiting = dict.fromkeys(layout.nodes)
    notice = _notice(layout)

    def started(config: NodeConfig) -> None:
        waiting.pop(config.node_id, None)
        if not waiting:
            notice.cancel()
            # In another thread, since it waits for answers of the brokers in this thread.
            threading.Thread(target=_say_ready, args=(layout,), daemon=True).start()

    for node in layout.nodes:
        (layout.directory / f"node-{node}.pid").write_text(f"{os.getpid()}\n")
    try:
        return run_nodes([layout.config(node) for node in layout.nodes], started)
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        notice.cancel()
        for node in layout.nodes:
            (layout.directory / f"node-{node}.pid").unlink(missing_ok=True)


def _say_ready(layout: Layout) -> None:
    """Print "ready" as soon as every broker can name all brokers to clients."""
    if len(layout.nodes) > 1:
        # Imported here, since a cluster of one node does not need it.
        from minikafka.admin.client import AdminError
        from minikafka.admin.membership import await_everybody

        try:
            addresses = layout.bootstrap_servers.split(",")
            await_everybody(addresses, layout.nodes, timeout_s=_ACQUAINTANCE_TIMEOUT_S)
        except AdminError as error:
            print(f"not every broker knows the others yet: {error}", file=sys.stderr)
    print("ready", flush=True)
    _say_leader(layout)


def _say_leader(layout: Layout) -> None:
    from minikafka.admin.client import AdminClient, AdminError
    from minikafka.admin.quorum import read_quorum_leader

    try:
        with AdminClient(
            layout.bootstrap_servers, client_id="dev", timeout_s=_ACQUAINTANCE_TIMEOUT_S
        ) as client:
            leader = read_quorum_leader(client)
    except AdminError:
        return
    if leader is not None:
        print(leader, flush=True)


def _notice(layout: Layout) -> threading.Timer:
    """Start a timer that says after two seconds what the start of a cluster waits for."""
    majority = len(layout.voters) // 2 + 1
    text = (
        f"waiting until {len(layout.nodes)} nodes serve; the quorum needs {majority} of"
        f" {len(layout.voters)} controllers; the nodes' logs are in {layout.directory}"
    )
    timer = threading.Timer(_SILENCE_S, print, (text,), {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    return timer


class NodeProcess:
    """One node's process; `process` is None before the first launch."""

    def __init__(self, layout: Layout, node: int, lifeline: Lifeline) -> None:
        """Start no process; `launch` does."""
        self._layout = layout
        self._lifeline = lifeline
        self.node = node
        self.process: ForkedNode | None = None
        self._ready: IO[bytes] | None = None
        self._logged_bytes = 0

    @property
    def pid_file(self) -> Path:
        """The file with the pid."""
        return self._layout.directory / f"node-{self.node}.pid"

    @property
    def log_file(self) -> Path:
        """The node's log file."""
        return self._layout.directory / f"node-{self.node}.log"

    @property
    def is_running(self) -> bool:
        """True while the process exists."""
        return self.process is not None and self.process.poll() is None

    def launch(self, nursery: Nursery) -> None:
        """Start the process; `await_ready` waits until it serves."""
        with self.log_file.open("ab") as log:
            self._logged_bytes = log.tell()
            self.process, ready = nursery.launch(
                self._layout.properties_file(self.node), log, self._lifeline
            )
        self._ready = os.fdopen(ready, "rb")
        self.pid_file.write_text(f"{self.process.pid}\n")

    def await_ready(self) -> bool:
        """Wait until the node serves; return False if it exited first."""
        assert self._ready is not None
        with self._ready as pipe:
            return bool(pipe.readline())

    def last_lines(self) -> list[str]:
        """Return the last lines that this process has logged, none of earlier processes."""
        with self.log_file.open("rb") as log:
            log.seek(self._logged_bytes)
            return log.read().decode(errors="replace").splitlines()[-_SHOWN_LINES:]

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self) -> int:
        """Wait until the process exits; return its exit status."""
        assert self.process is not None
        status = self.process.wait(timeout=_STOP_TIMEOUT_S)
        self.pid_file.unlink(missing_ok=True)
        # A process killed by a signal has a negative status; shells use 128 + signal instead.
        return status if status >= 0 else 128 - status


class Supervisor:
    """Owns the processes of a cluster."""

    def __init__(self, layout: Layout) -> None:
        """Start no process; `run` does."""
        self._layout = layout
        # First, while this process has one thread, and no descriptor that a node must not have.
        self._nursery = Nursery.fork()
        lifeline = Lifeline()
        self._nodes = {node: NodeProcess(layout, node, lifeline) for node in layout.nodes}
        self._stop = StopSignal()
        self._lock = threading.Lock()

    def run(self) -> int:
        """Start all nodes, wait for a stop signal, stop all nodes; return the exit status."""
        self._stop.install()
        control = self._listen()
        notice = _notice(self._layout)
        status = 0
        try:
            for process in self._nodes.values():
                process.launch(self._nursery)
            failed = next((each for each in self._nodes.values() if not each.await_ready()), None)
            notice.cancel()
            if failed is None:
                _say_ready(self._layout)
                threading.Thread(target=self._serve, args=(control,), daemon=True).start()
                self._stop.wait()
            elif not self._stop.is_set:
                self._explain(failed)
                status = 1
        except NurseryError as error:
            print(f"a node cannot be started: {error}", file=sys.stderr)
            status = 1
        finally:
            notice.cancel()
            control.close()
            (self._layout.directory / CONTROL).unlink(missing_ok=True)
            status = self._stop_all() or status
            self._nursery.close()
        return status

    def _listen(self) -> socket.socket:
        control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # A relative name, since the path of a socket must not exceed 107 bytes.
        with chdir(self._layout.directory):
            Path(CONTROL).unlink(missing_ok=True)
            control.bind(CONTROL)
        control.listen()
        return control

    def _explain(self, failed: NodeProcess) -> None:
        """Print the last log lines of the nodes that exited."""
        with suppress(subprocess.TimeoutExpired):
            # The pipe closes a moment before the process exits.
            failed.wait()
        for process in self._nodes.values():
            if process is failed or not process.is_running:
                lines = process.last_lines() or ["it exited before it logged anything"]
                print(f"node {process.node} did not start:", *lines, sep="\n", file=sys.stderr)

    def _serve(self, control: socket.socket) -> None:
        while True:
            try:
                connection, _ = control.accept()
            except OSError:
                return
            # A thread for each: a node that starts may wait for another one, for a quorum.
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rw") as stream, suppress(OSError):
            words = stream.readline().split()
            if words:
                stream.write(self._act(words) + "\n")
                stream.flush()

    def _act(self, words: Sequence[str]) -> str:
        if len(words) != 2 or words[0] not in ACTIONS:
            return f"error: unknown command {' '.join(words)!r}"
        process = next((it for node, it in self._nodes.items() if str(node) == words[1]), None)
        if process is None:
            return f"error: there is no node {words[1]}"
        if words[0] == "start":
            return self._start(process)
        with self._lock:
            return self._act_on(process, words[0])

    def _start(self, process: NodeProcess) -> str:
        with self._lock:
            if process.is_running:
                return f"error: node {process.node} is running"
            try:
                if self._nursery.has_ended:
                    # It was ended from outside, with all nodes. This process has threads by now.
                    self._nursery = Nursery.spawn()
                process.launch(self._nursery)
            except NurseryError as error:
                return f"error: {error}"
        return "ok" if process.await_ready() else f"error: see {process.log_file}"

    def _act_on(self, process: NodeProcess, action: str) -> str:
        if not process.is_running:
            return f"error: node {process.node} is not running"
        if action in _SIGNALS:
            process.signal(_SIGNALS[action])
            return "ok"
        process.signal(signal.SIGKILL if action == "kill" else signal.SIGTERM)
        try:
            status = process.wait()
        except subprocess.TimeoutExpired:
            return f"error: node {process.node} did not stop within {_STOP_TIMEOUT_S} s"
        if action == "stop" and status != 0:
            return f"error: node {process.node} exited with status {status}"
        return "ok"

    def _stop_all(self) -> int:
        """Stop the brokers first, then the controllers: brokers need them to shut down."""
        with self._lock:
            voters = self._layout.voters
            status = _stop_together([p for p in self._nodes.values() if p.node not in voters])
            return _stop_together([self._nodes[node] for node in voters]) or status


_WAITS = {
    "start": "waiting until the node serves; it needs a majority of the controllers",
    "stop": "waiting until the node has handed over its leaderships and has stopped",
}
_SIGNALS = {"pause": signal.SIGSTOP, "resume": signal.SIGCONT}


def _stop_together(processes: Sequence[NodeProcess]) -> int:
    running = [process for process in processes if process.is_running]
    for process in running:
        process.signal(signal.SIGCONT)
        process.signal(signal.SIGTERM)
    status = 0
    for process in running:
        try:
            status = process.wait() or status
        except subprocess.TimeoutExpired:
            print(f"node {process.node} did not stop in time; killed", file=sys.stderr)
            process.signal(signal.SIGKILL)
            process.wait()
            status = 1
    return status


def ask_owner(directory: Path, command: str) -> int:
    """Send a command ("kill 2") to the owner of a cluster; return the exit status."""
    try:
        with chdir(directory), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(CONTROL)
            with connection.makefile("rw") as stream:
                stream.write(command + "\n")
                stream.flush()
                if not select.select([connection], [], [], _SILENCE_S)[0]:
                    print(
                        f"{command}: {_WAITS.get(command.split(maxsplit=1)[0], 'waiting')}",
                        flush=True,
                    )
                answer = stream.readline().strip()
    except OSError as error:
        print(f"no cluster runs in {directory}: {error.strerror}", file=sys.stderr)
        return 1
    if answer == "ok":
        return 0
    print(answer, file=sys.stderr)
    return 1
