"""The process that owns a cluster's nodes.

`dev kill|stop|start|pause|resume` send it commands by a socket in the cluster's directory, so it
always knows which nodes should be running.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

from minikafka.config.node_config import NodeConfig
from minikafka.dev.control import ERROR, OK, STOPPING, Control, Say
from minikafka.dev.layout import Layout
from minikafka.dev.node_process import STOP_TIMEOUT_S, NodeProcess
from minikafka.dev.stop_signal import StopSignal
from minikafka.server.fork_server import ForkServer, ForkServerError
from minikafka.server.launch import Lifeline

if TYPE_CHECKING:
    from minikafka.dev.cluster_faults import DevFaults

POWER_CUT = "power-cut"
ACTIONS = ("kill", "stop", "start", "pause", "resume", POWER_CUT)
STATUS = "status"
INTERRUPTED = 130
"""The exit status after Ctrl-C before the cluster was ready."""
_ACQUAINTANCE_TIMEOUT_S = 10
_SILENCE_S = 2.0
"""After this time a command says what it waits for."""
_WARNINGS_AFTER_S = 4.0
"""After this time it repeats the last warning of each node that it waits for."""
_GRACE_S = 0.8
"""The time in which nodes stop that cannot hand over their leaderships."""
_ONE_PROCESS = "they cannot be controlled one by one (--one-process)"
_NO_FAULTS = "the cluster was started without --faults, so what is synced is unknown; use kill"
_LOOK_EVERY_S = 0.01
_DONE = {"pause": "was paused", "resume": "goes on"}


def run_in_one_process(layout: Layout) -> int:
    """Run all nodes in this process until they are stopped; return the exit status."""
    from minikafka.server.log_lines import set_up_logging
    from minikafka.server.process import StartError, run_nodes

    set_up_logging(
        "%(asctime)s %(levelname)s %(name)s: %(message)s", path=layout.directory / "cluster.log"
    )
    waiting = dict.fromkeys(layout.all_nodes)
    notice = threading.Timer(
        _SILENCE_S, lambda: _tell(f"{_waiting_for(list(waiting))}; see cluster.log")
    )
    notice.daemon = True
    notice.start()

    def started(config: NodeConfig) -> None:
        waiting.pop(config.node_id, None)
        if not waiting:
            notice.cancel()
            # In another thread, since it waits for answers of the brokers in this thread.
            threading.Thread(target=_say_ready, args=(layout,), daemon=True).start()

    for node in layout.all_nodes:
        (layout.directory / f"node-{node}.pid").write_text(f"{os.getpid()}\n")
    control = Control(layout.directory)
    control.serve(lambda *_: f"{ERROR}all nodes run in process {os.getpid()}: {_ONE_PROCESS}")
    try:
        return run_nodes([layout.config(node) for node in layout.all_nodes], started)
    except StartError as error:
        _tell(str(error))
        return 1
    finally:
        notice.cancel()
        control.close()
        for node in layout.all_nodes:
            (layout.directory / f"node-{node}.pid").unlink(missing_ok=True)


def _say_ready(layout: Layout, is_wanted: Callable[[], bool] = lambda: True) -> None:
    """Print "ready" as soon as every broker can name all brokers to clients."""
    if len(layout.nodes) > 1:
        # Imported here, since a cluster of one node does not need it.
        from minikafka.admin.client import AdminError
        from minikafka.admin.membership import await_everybody

        try:
            addresses = layout.local_servers.split(",")
            await_everybody(
                addresses,
                layout.nodes,
                timeout_s=_ACQUAINTANCE_TIMEOUT_S,
                security=layout.client_security(),
                hosts=layout.client_host.hosts,
            )
        except AdminError as error:
            if is_wanted():
                _tell(f"not every broker knows the others yet: {error}")
    if is_wanted():
        print("ready", flush=True)
        _say_leader(layout)


def _say_leader(layout: Layout) -> None:
    from minikafka.admin.client import AdminError
    from minikafka.admin.quorum import read_quorum_leader

    try:
        with layout.local_client(_ACQUAINTANCE_TIMEOUT_S) as client:
            leader = read_quorum_leader(client)
    except AdminError:
        return
    if leader is not None:
        print(leader, flush=True)


class Supervisor:
    """Owns the processes of a cluster."""

    def __init__(self, layout: Layout) -> None:
        """Start no process; `run` does."""
        self._layout = layout
        self.on_event: Callable[[str], object] = lambda _: None
        """Called, from any thread, with a sentence about each change of a node's process."""
        self.faults: DevFaults | None = None
        """The faults of the nodes, if they have the means for them; set before `run`."""
        # First, while this process has one thread, and no descriptor that a node must not have.
        self._fork_server = ForkServer.fork()
        lifeline = Lifeline()
        self.nodes = {node: NodeProcess(layout, node, lifeline) for node in layout.all_nodes}
        self._stop = StopSignal()
        self._lock = threading.Lock()
        self._started = threading.Event()
        """Set when commands may act on nodes, or at the end."""

    def run(self, on_ready: Callable[[], object] | None = None) -> int:
        """Start all nodes, wait for a stop signal, stop all nodes; return the exit status."""
        self._stop.install()
        control = Control(self._layout.directory)
        control.serve(self.act)
        is_ready, status = False, 0
        try:
            for process in self.nodes.values():
                self._launch(process)
            failed = self._await_start()
            if failed is not None:
                self._explain(failed)
                status = 1
            elif not self._stop.is_set:
                is_ready = True
                self._await_acquaintance()
                for process in self.nodes.values():
                    self._watch_end(process)
                    self._await_faults(process)
                self._started.set()
                if on_ready is not None:
                    on_ready()
                self._stop.wait()
        except ForkServerError as error:
            _tell(f"a node cannot be started: {error}")
            status = 1
        finally:
            self._started.set()
            control.close()
            stopped = self._stop_all(is_ready=is_ready)
            status = status or (stopped if is_ready else INTERRUPTED)
            self._fork_server.close()
        return status

    # The start

    def _await_start(self) -> NodeProcess | None:
        """Wait until every node serves, or for a stop signal; return a node that exited first."""
        waiting = list(self.nodes.values())
        begun_s, is_silent = time.monotonic(), True
        told: dict[int, str] = {}
        while waiting and not self._stop.is_set:
            fds = self._stop.wait(*(each.ready_fd for each in waiting), timeout_s=0.5)
            for process in [each for each in waiting if each.ready_fd in fds]:
                waiting.remove(process)
                if not process.await_ready():
                    return None if self._stop.is_set else process
            waited_s = time.monotonic() - begun_s
            if waiting and is_silent and waited_s >= _SILENCE_S:
                is_silent = False
                _tell(f"{self._wait_of_start(waiting)}; the logs are in {self._layout.directory}")
            if waited_s >= _WARNINGS_AFTER_S:
                # Of all nodes: those that serve may refuse the ones that do not.
                self._repeat_warnings(list(self.nodes.values()), told, _tell)
        return None

    def _wait_of_start(self, waiting: Sequence[NodeProcess]) -> str:
        text = _waiting_for([each.node for each in waiting])
        away = [node for node in self._layout.voters if not self._votes(node)]
        if len(away) >= self._majority:
            text += f"; a majority of the controllers does not run: {_listed(away)}"
        return text

    def _repeat_warnings(
        self, waiting: Sequence[NodeProcess], told: dict[int, str], say: Say
    ) -> None:
        """Say the last warning of each node, unless it was told."""
        for process in waiting:
            warning = process.last_warning()
            if warning and warning != told.get(process.node):
                told[process.node] = warning
                say(f"node {process.node}: {warning}")

    def _await_acquaintance(self) -> None:
        """Say that the cluster is ready, unless there is a stop signal before."""
        done, finish = os.pipe()

        def work() -> None:
            try:
                _say_ready(self._layout, lambda: not self._stop.is_set)
            finally:
                os.close(finish)

        # In another thread, so that a signal does not wait for the answers of the brokers.
        threading.Thread(target=work, daemon=True).start()
        self._stop.wait(done)
        os.close(done)

    def _explain(self, failed: NodeProcess) -> None:
        """Print the last log lines of the nodes that exited."""
        with suppress(subprocess.TimeoutExpired):
            # The pipe closes a moment before the process exits.
            failed.wait()
        for process in self.nodes.values():
            if process is failed or not process.is_running:
                lines = process.last_lines() or ["it exited before it logged anything"]
                _tell("\n".join([f"node {process.node} did not start:", *lines]))

    def _watch_end(self, process: NodeProcess) -> None:
        """Report the end of a process, unless all nodes are stopped."""

        def watch() -> None:
            assert process.process is not None
            process.process.wait()
            if not self._stop.is_set:
                how = process.how_ended
                how = f"was {how}" if how in {"killed", "stopped"} else how
                self.on_event(f"node {process.node} {how}")

        threading.Thread(target=watch, daemon=True).start()

    # Commands

    def act(self, words: Sequence[str], say: Say = lambda _: None) -> str:
        """Do what a command says; return the last line of the answer."""
        if list(words) == [STATUS]:
            say(json.dumps(self._status()))
            return OK
        if len(words) != 2 or words[0] not in ACTIONS:
            return f"{ERROR}unknown command {' '.join(words)!r}"
        process = next((it for node, it in self.nodes.items() if str(node) == words[1]), None)
        if process is None:
            known = _listed(list(self.nodes))
            return f"{ERROR}there is no node {words[1]}; the nodes are {known}"
        if not self._started.wait(_SILENCE_S):
            say("waiting until the cluster has started")
            self._started.wait()
        if words[0] == "start":
            return self._start(process, say)
        with self._lock:
            had_majority = self._has_majority
            answer = self._act_on(process, words[0], say)
            if answer == OK and had_majority and not self._has_majority:
                self._tell_loss(say)
            return answer

    def _start(self, process: NodeProcess, say: Say) -> str:
        with self._lock:
            if process.is_running:
                return f"{ERROR}node {process.node} is running"
            try:
                if self._fork_server.has_ended:
                    # It was ended from outside, with all nodes. This process has threads by now.
                    self._fork_server = ForkServer.spawn()
                self._launch(process)
            except ForkServerError as error:
                return f"{ERROR}{error}"
        self._watch_end(process)
        begun_s, is_silent = time.monotonic(), True
        told: dict[int, str] = {}
        while not self._stop.wait(process.ready_fd, timeout_s=0.5) and not self._stop.is_set:
            waited_s = time.monotonic() - begun_s
            if is_silent and waited_s >= _SILENCE_S:
                is_silent = False
                say(self._wait_of_start([process]))
            if waited_s >= _WARNINGS_AFTER_S:
                self._repeat_warnings([process], told, say)
        if self._stop.is_set:
            return f"{ERROR}{STOPPING}"
        if not process.await_ready():
            return f"{ERROR}node {process.node} did not start: see {process.log_file}"
        self._await_faults(process)
        self.on_event(f"node {process.node} serves")
        return OK

    def _launch(self, process: NodeProcess) -> None:
        if self.faults is None:
            process.launch(self._fork_server)
            return
        process.launch(self._fork_server, self.faults.environ(process.node))
        self.faults.launched(process.node)

    def _await_faults(self, process: NodeProcess) -> None:
        if self.faults is not None:
            self.faults.await_held(process.node)

    def _act_on(self, process: NodeProcess, action: str, say: Say) -> str:
        if not process.is_running:
            return f"{ERROR}node {process.node} is not running"
        if action == "pause":
            with nullcontext() if self.faults is None else self.faults.uncounted():
                process.pause()
        elif action == "resume":
            process.signal(signal.SIGCONT)
            process.is_paused = False
            if self.faults is not None:
                self.faults.resumed(process.node)
        if action in _DONE:
            self.on_event(f"node {process.node} {_DONE[action]}")
            return OK
        if action == "stop" and not self._has_majority:
            return (
                f"{ERROR}node {process.node} cannot hand over its leaderships: "
                f"{self._lost_majority}; `kill` ends it"
            )
        if action == POWER_CUT and self.faults is None:
            return f"{ERROR}{_NO_FAULTS}"
        process.signal(signal.SIGTERM if action == "stop" else signal.SIGKILL)
        try:
            try:
                status = process.wait(_SILENCE_S)
            except subprocess.TimeoutExpired:
                say(f"waiting until node {process.node} has handed over its leaderships")
                status = process.wait(STOP_TIMEOUT_S - _SILENCE_S)
        except subprocess.TimeoutExpired:
            return f"{ERROR}node {process.node} did not stop within {STOP_TIMEOUT_S} s"
        if action == POWER_CUT:
            self._lose_unsynced(process.node, say)
        if action == "stop" and status != 0:
            return f"{ERROR}node {process.node} exited with status {status}"
        return OK

    def _lose_unsynced(self, node: int, say: Say) -> None:
        """Drop what a node that has ended had not synced; say which records are lost."""
        # Only a cluster with faults has the journal for it.
        from minikafka.server.sync_journal import lose_unsynced

        assert self.faults is not None
        lost = lose_unsynced(self.faults.node_folder(node))[1]
        text = f"node {node} lost {', '.join(map(str, lost)) or 'no record'} with its power"
        say(text)
        self.on_event(text)

    def node_states(self) -> list[dict[str, Any]]:
        """Return the state of each node."""
        layout = self._layout
        return [
            {
                "node": each.node,
                "roles": layout.values(each.node)["process.roles"],
                "state": each.state,
                "pid": each.process.pid if each.process and each.is_running else None,
                "listeners": layout.values(each.node)["advertised.listeners"],
                "log": str(each.log_file),
            }
            for each in self.nodes.values()
        ]

    def _status(self) -> dict[str, Any]:
        return {
            "bootstrap.servers": self._layout.bootstrap_servers,
            "nodes": self.node_states(),
            "quorum": "" if self._has_majority else self._lost_majority,
            "faults": [] if self.faults is None else self.faults.lines(),
        }

    # The quorum

    @property
    def _majority(self) -> int:
        return len(self._layout.voters) // 2 + 1

    def _votes(self, node: int) -> bool:
        return self.nodes[node].is_running and not self.nodes[node].is_paused

    @property
    def _has_majority(self) -> bool:
        return sum(map(self._votes, self._layout.voters)) >= self._majority

    @property
    def _lost_majority(self) -> str:
        voters = self._layout.voters
        count = sum(map(self._votes, voters))
        return (
            f"the quorum has lost its majority ({count} of {len(voters)} controllers "
            f"{'runs' if count == 1 else 'run'})"
        )

    def _tell_loss(self, say: Say) -> None:
        away = [node for node in self._layout.voters if not self._votes(node)]
        text = (
            f"{self._lost_majority}: no leader is elected, and nothing is created or changed, "
            f"until node {_listed(away, 'or')} is back"
        )
        say(text)
        self.on_event(text)

    # The end

    def _stop_all(self, *, is_ready: bool) -> int:
        """Stop the brokers first, then the controllers: brokers need them to shut down."""
        for process in self.nodes.values():
            if process.is_paused and process.is_running:
                process.signal(signal.SIGCONT)
                process.is_paused = False
        voters = self._layout.voters
        groups = (
            [each for each in self.nodes.values() if each.node not in voters],
            [self.nodes[node] for node in voters],
        )
        if not is_ready or not self._has_majority:
            if is_ready and any(each.is_running for each in self.nodes.values()):
                _tell(f"{self._lost_majority}: the brokers cannot hand over their leaderships")
            return self._stop_together([*groups[0], *groups[1]], _GRACE_S, is_told=is_ready)
        with self._lock:
            status = self._stop_together(groups[0], STOP_TIMEOUT_S)
            return self._stop_together(groups[1], STOP_TIMEOUT_S) or status

    def _stop_together(
        self, processes: Sequence[NodeProcess], patience_s: float, *, is_told: bool = True
    ) -> int:
        """Stop nodes; kill those that still run after `patience_s`, or after a second signal."""
        running = [process for process in processes if process.is_running]
        for process in running:
            process.signal(signal.SIGTERM)
        begun_s, is_silent = time.monotonic(), True
        while any(each.is_running for each in running):
            waited_s = time.monotonic() - begun_s
            if waited_s >= patience_s or self._stop.is_repeated:
                break
            if is_silent and waited_s >= _SILENCE_S:
                is_silent = False
                left = [each.node for each in running if each.is_running]
                _tell(f"waiting until node {_listed(left)} has stopped; Ctrl-C again kills it")
            time.sleep(_LOOK_EVERY_S)
        status = 0
        for process in running:
            if process.is_running:
                process.signal(signal.SIGKILL)
                if is_told:
                    _tell(f"node {process.node} did not stop in time; killed")
                process.wait()
                status = 1
            else:
                status = process.wait() or status
        return status


def _waiting_for(nodes: Sequence[int]) -> str:
    return f"waiting until node {_listed(nodes)} {'serves' if len(nodes) == 1 else 'serve'}"


def _listed(nodes: Sequence[int], word: str = "and") -> str:
    """Return ids as "1, 2 and 3"."""
    *first, last = map(str, nodes)
    return f"{', '.join(first)} {word} {last}" if first else last


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
