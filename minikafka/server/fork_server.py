"""A process that has imported a node, and from which nodes are forked.

The import takes most of the time that a node needs to start. A fork server does it once, so that a
cluster starts, and a node starts again, in a part of that time. It has one thread, because a fork
copies no other. Its owner may have many:

    owner       -> fork server  a line of JSON and three descriptors: fork a node
    fork server -> owner        {"pid": ...}, with the request's "number"
    fork server -> owner        {"exited": pid, "status": ...} when a node ends
    owner       -> fork server  {"reap": pid}: the owner knows, the pid may be used again

A fork server ends when its owner closes the socket or ends. A node that it has forked is its child;
like every node it ends with its owner's lifeline (`launch`).
"""

import atexit
import gc
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from minikafka.server.launch import Lifeline

_MODULES: Final = (
    "minikafka.server.one_node", "minikafka.server.process", "minikafka.server.log_lines",
    "minikafka.controller.quorum_controller",
    *(f"minikafka.apis.{name}" for name in (
        "api_versions", "broker_heartbeat", "broker_registration", "controller_registration",
        "vote", "begin_quorum_epoch", "fetch", "metadata", "describe_quorum",
    )),
)  # fmt: skip
"""The modules that a node of a cluster imports before it is ready."""
_MAX_BYTES: Final = 1 << 20
_DESCRIPTORS: Final = 3
"""Log, ready pipe and lifeline."""
_STANDARD_FILES: Final = 3
_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that stop a node or its owner, but no fork server."""


class ForkServerError(Exception):
    """The fork server has ended, or could not fork."""


class ForkedNode:
    """A node's process: see `OwnedProcess`."""

    def __init__(self, pid: int, fork_server: "ForkServer") -> None:
        """Watch the process `pid`."""
        self.pid = pid
        self.returncode: int | None = None
        self._fork_server = fork_server

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status when the process has ended.

        Raises:
            subprocess.TimeoutExpired: it has not ended within `timeout` seconds.
        """
        if not self._fork_server.await_exit(self, timeout):
            raise subprocess.TimeoutExpired(f"node process {self.pid}", timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        self._fork_server.signal(self, number)


class ForkServer:
    """The owner's end of a fork server. Its methods may be called from any thread."""

    def __init__(self, connection: socket.socket, reap: Callable[[], object]) -> None:
        """Use the fork server at the other end of `connection`; `reap` waits for its end."""
        self._connection = connection
        self._owner = os.getpid()
        self._reap = reap
        self._changed = threading.Condition()
        self._launching = threading.Lock()
        self._sending = threading.Lock()
        self._nodes: dict[int, ForkedNode] = {}
        self._number = 0
        """The number of the request whose reply is awaited."""
        self._reply: ForkedNode | str | None = None
        self._reader: threading.Thread | None = None
        self.has_ended = False
        """True if no node can be launched any more."""
        self._is_closed = False

    @classmethod
    def fork(cls) -> "ForkServer":
        """Fork one from this process, which must have one thread."""
        _open_standard_files()
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid:
            theirs.close()
            return cls(ours, lambda: os.waitpid(pid, 0))
        status = 1
        try:
            ours.close()
            os.setsid()
            # A node has no other files of the owner, as if it had been started as a program.
            os.closerange(_STANDARD_FILES, theirs.fileno())
            os.closerange(theirs.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
            serve(theirs)
            status = 0
        except BaseException:  # noqa: BLE001 - nothing may return into the owner's code
            sys.__excepthook__(*sys.exc_info())
        finally:
            os._exit(status)

    @classmethod
    def spawn(cls) -> "ForkServer":
        """Start a fork server from a process that may have several threads."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - the command is our own
                [sys.executable, "-m", "minikafka.server.fork_server", str(theirs.fileno())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),), start_new_session=True,
            )  # fmt: skip
        return cls(ours, process.wait)

    def launch(
        self,
        properties_file: Path | Sequence[Path],
        log: IO[bytes],
        lifeline: Lifeline,
        environ: Mapping[str, str] | None = None,
        open_files: int | None = None,
    ) -> tuple[ForkedNode, int]:
        """As `launch.launch_node`; several files are nodes that share one process.

        `open_files` is the limit on descriptors, None for that of this process.

        Raises:
            ForkServerError: the fork server has ended, or cannot fork.
        """
        files = [properties_file] if isinstance(properties_file, Path) else properties_file
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        request = {
            "properties_files": [str(file) for file in files],
            "environ": {**os.environ, **(environ or {})},
            "directory": _directory(),
            "open_files": limit if open_files is None else (open_files, open_files),
        }
        read_end, write_end = os.pipe()
        try:
            with self._launching:
                try:
                    node = self._ask(request, (log.fileno(), write_end, lifeline.read_end))
                except BaseException:
                    self._give_up()
                    raise
        except BaseException:
            os.close(read_end)
            raise
        finally:
            os.close(write_end)
        return node, read_end

    def _ask(self, request: Mapping[str, Any], descriptors: tuple[int, ...]) -> ForkedNode:
        if self.has_ended:
            raise ForkServerError("the fork server has ended")
        if self._reader is None:
            self._reader = threading.Thread(target=self._read, name="fork server", daemon=True)
            self._reader.start()
        with self._changed:
            self._number, self._reply = self._number + 1, None
        line = _line({**request, "number": self._number})
        try:
            with self._sending:
                sent = socket.send_fds(self._connection, [line], descriptors)
                self._connection.sendall(line[sent:])
        except OSError as error:
            raise ForkServerError(f"the fork server has ended: {error.strerror}") from None
        with self._changed:
            self._changed.wait_for(lambda: self._reply is not None or self.has_ended)
            reply = self._reply
        if reply is None:
            raise ForkServerError("the fork server has ended")
        if isinstance(reply, str):
            raise ForkServerError(f"the fork server cannot fork: {reply}")
        return reply

    def _give_up(self) -> None:
        """After an interrupt no caller gets the node: kill it, now or when it is forked."""
        with self._changed:
            node, self._number = self._reply, self._number + 1
            if isinstance(node, ForkedNode):
                self.signal(node, signal.SIGKILL)

    def await_exit(self, node: ForkedNode, timeout: float | None) -> bool:
        """Wait until a node has ended; return False after `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: node.returncode is not None, timeout)

    def signal(self, node: ForkedNode, number: int) -> None:
        """Send a signal to a node, unless it has ended: until then its pid is not reaped."""
        with self._changed:
            if node.returncode is None:
                with suppress(ProcessLookupError):  # it has ended with its fork server
                    os.kill(node.pid, number)

    def close(self) -> None:
        """End the fork server, and with it every node that still runs. A second call does nothing.

        Nor does that of a process that the owner has forked: its exit ends no node of the owner.
        """
        if os.getpid() != self._owner:
            return
        with self._launching:
            if self._is_closed:
                return
            self._is_closed = self.has_ended = True
        with suppress(OSError):  # it has ended
            self._connection.shutdown(socket.SHUT_RDWR)
        if self._reader is not None:
            self._reader.join()
        self._connection.close()
        self._reap()

    def abandon(self) -> None:
        """Close this process's copy of the connection, without the end of the fork server."""
        # `close` would wait for the end of the reader, a thread that a fork does not copy.
        os.close(self._connection.detach())

    def _read(self) -> None:
        try:
            with suppress(OSError), self._connection.makefile("rb") as lines:  # it has ended
                for line in lines:
                    self._handle(json.loads(line))
        finally:
            with self._changed:
                self.has_ended = True
                for node in self._nodes.values():
                    # A node ends with its fork server; a paused one cannot do so itself.
                    self.signal(node, signal.SIGKILL)
                    node.returncode = -signal.SIGKILL
                self._changed.notify_all()

    def _handle(self, message: Mapping[str, Any]) -> None:
        with self._changed:
            if "pid" in message:
                node = self._nodes[message["pid"]] = ForkedNode(message["pid"], self)
                if message["number"] == self._number:
                    self._reply = node
                else:
                    self.signal(node, signal.SIGKILL)
            elif "error" in message:
                if message["number"] == self._number:
                    self._reply = message["error"]
            else:
                self._nodes.pop(message["exited"]).returncode = message["status"]
                with self._sending:
                    self._connection.sendall(_line({"reap": message["exited"]}))
            self._changed.notify_all()


_own: dict[int, ForkServer] = {}
_own_lock = threading.Lock()


def own_fork_server() -> ForkServer:
    """The fork server of this process, which is spawned when it is first needed."""
    with _own_lock:
        # By pid: a process that was forked from this one needs another.
        fork_server = _own.get(os.getpid())
        if fork_server is None or fork_server.has_ended:
            _own.clear()
            fork_server = _own[os.getpid()] = ForkServer.spawn()
            atexit.register(fork_server.close)
        return fork_server


def _forget_in_fork() -> None:
    """In a process that was forked: close the connection, which must end with its owner."""
    global _own_lock  # noqa: PLW0603 - another thread of the owner may have held it
    _own_lock = threading.Lock()
    for fork_server in _own.values():
        fork_server.abandon()
    _own.clear()


os.register_at_fork(after_in_child=_forget_in_fork)


def serve(connection: socket.socket) -> None:
    """Be a fork server until the owner closes its end."""
    # A signal to a whole group, as a service manager sends, must leave the nodes the time to stop.
    # Blocked, not ignored: a node gets the signal that is sent to it while it is forked.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    gc.disable()
    for name in _MODULES:
        import_module(name)
    with suppress(ImportError):  # asyncio's loop is used if uvloop is not installed
        import_module("uvloop")
    gc.freeze()
    _Server(connection).run()


class _Server:
    """The fork server's end."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._running: dict[int, bool] = {}
        """By pid: True if the owner was told that the process has ended."""
        self._alive, self._until_the_end = os.pipe()
        """The second is open until the fork server ends, which ends the nodes."""
        self._woken, self._wake = os.pipe()

    def run(self) -> None:
        """Fork nodes until the owner has ended; then end them, also those that are paused."""
        try:
            with suppress(ConnectionError):  # the owner has ended
                self._serve()
        finally:
            for pid in self._running:
                os.kill(pid, signal.SIGKILL)

    def _serve(self) -> None:
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        received, descriptors = b"", []
        while True:
            ready, _, _ = select.select([self._connection.fileno(), self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 512)
                self._report_ended()
            if self._connection.fileno() not in ready:
                continue
            data, found, _, _ = socket.recv_fds(self._connection, _MAX_BYTES, _DESCRIPTORS)
            if not data:
                return
            *lines, received = (received + data).split(b"\n")
            descriptors += found
            for line in lines:
                message = json.loads(line)
                if "reap" in message:
                    os.waitpid(message["reap"], 0)
                    del self._running[message["reap"]]
                else:
                    self._fork(message, descriptors)
                    descriptors = []

    def _report_ended(self) -> None:
        for pid, is_told in list(self._running.items()):
            if is_told:
                continue
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                has_exited = ended.si_code == os.CLD_EXITED
                status = ended.si_status if has_exited else -ended.si_status
                self._running[pid] = True
                self._connection.sendall(_line({"exited": pid, "status": status}))

    def _fork(self, request: Mapping[str, Any], descriptors: list[int]) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            pid = -1
            self._connection.sendall(_line({"error": error.strerror, "number": request["number"]}))
        if pid == 0:
            self._become_node(request, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        if pid > 0:
            self._running[pid] = False
            self._connection.sendall(_line({"pid": pid, "number": request["number"]}))

    def _become_node(self, request: Mapping[str, Any], descriptors: list[int]) -> None:
        # Not above: an owner needs none of it before the fork server has started.
        import logging  # noqa: PLC0415

        from minikafka.server.one_node import run_node  # noqa: PLC0415

        status = 1
        try:
            log, ready, lifeline = descriptors
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
            self._connection.close()
            for descriptor in (self._woken, self._wake, self._until_the_end):
                os.close(descriptor)
            null = os.open(os.devnull, os.O_RDONLY)
            for source, target in ((null, 0), (log, 1), (log, 2)):
                os.dup2(source, target)
            os.close(null)
            os.close(log)
            # Python has no streams if the owner was started with closed files.
            sys.stdout = sys.stdout or os.fdopen(1, "w")
            sys.stderr = sys.stderr or os.fdopen(2, "w", buffering=1)
            os.environ.clear()
            os.environ.update(request["environ"])
            if request["directory"] is not None:
                os.chdir(request["directory"])
            resource.setrlimit(resource.RLIMIT_NOFILE, tuple(request["open_files"]))
            status = run_node(
                *request["properties_files"], ready_fd=ready, lifeline_fds=(lifeline, self._alive)
            )
        except BaseException:  # noqa: BLE001 - nothing may return into the fork server's code
            sys.__excepthook__(*sys.exc_info())
        finally:
            try:
                logging.shutdown()
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)


def _open_standard_files() -> None:
    """Open those of the first three files that are closed: no other file may take their place."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor < _STANDARD_FILES:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


def _directory() -> str | None:
    """Return the owner's working directory; None if it was removed, which ends no program."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
