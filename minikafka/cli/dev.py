"""minikafka dev: a cluster on this machine, and commands that act on one node of it.

Node i (from 1) serves clients on base-port + i - 1 and the other brokers on base-port + 100 + i;
node 1 is also the controller, on base-port + 100. Every node is a process of its own, whose pid and
log are in the cluster's directory; with `--one-process` all nodes share one, which starts faster
and cannot be killed in part.

The process that started the cluster owns its nodes. `dev kill|stop|start|pause|resume` ask it, by a
socket in the cluster's directory, so that it always knows which nodes should be running.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import chdir, suppress
from pathlib import Path
from typing import IO

from minikafka.common.faults import StorageFault
from minikafka.config.broker import METRICS_HTTP_LISTEN
from minikafka.config.node_config import ConfigErrors, NodeConfig, node_config
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.server.launch import Lifeline, launch_node
from minikafka.server.ports import is_free

_HOST = "127.0.0.1"
_CONTROLLER_PORT_OFFSET = 100
_CLIENTS, _BROKERS = "PLAINTEXT", "INTERNAL"
"""Listeners. Brokers have one of their own: what only a broker may say counts nowhere else."""
_CONTROL = "control.sock"
_CLUSTER = "cluster.json"
_UNFINISHED = "cluster.json.new"
_WHOLE = "cluster.json.whole"
_ACTIONS = ("kill", "stop", "start", "pause", "resume")
_STOP_TIMEOUT_S = 60
_ACQUAINTANCE_TIMEOUT_S = 10
_SHOWN_LINES = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    # Not `choices`, nor a type: what follows an option that does not exist would be blamed for it.
    parser.add_argument("action", nargs="?", metavar=f"{{{','.join(_ACTIONS)}}}",
                        help="act on one node")  # fmt: skip
    parser.add_argument("node", nargs="?", help="the node to act on")
    parser.add_argument("--nodes", type=int, default=3, metavar="N", help="how many (default 3)")
    parser.add_argument("--base-port", type=int, default=19092, metavar="PORT",
                        help="the first node's port (default 19092)")  # fmt: skip
    # Not `required`: an option that does not exist would not be named.
    parser.add_argument("--dir", type=Path, help="where the cluster lives; must be given")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE",
                        help="a value for every node; may be given several times")  # fmt: skip
    parser.add_argument("--one-process", action="store_true", help="all nodes in one process")


def run(args: argparse.Namespace) -> int:
    """Start a cluster and stay until it is stopped, or act on one node."""
    if args.dir is None:
        print("dev: give --dir DIR, where the cluster lives", file=sys.stderr)
        return 2
    if args.action is not None:
        if args.action not in _ACTIONS:
            print(f"dev {args.action}: one of {', '.join(_ACTIONS)}", file=sys.stderr)
            return 2
        if args.node is None:
            print(f"dev {args.action}: which node?", file=sys.stderr)
            return 2
        if not args.node.isdecimal():
            print(f"dev {args.action} {args.node}: is no node's number", file=sys.stderr)
            return 2
        return _ask_owner(args.dir, f"{args.action} {args.node}")
    try:
        layout = Layout.make(args)
        layout.prepare()
    except ConfigErrors as error:
        for line in error.errors:
            print(line, file=sys.stderr)
        return 2
    except LayoutError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or args.dir}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"bootstrap.servers={layout.bootstrap_servers}", flush=True)
    if args.one_process:
        return _run_in_one_process(layout)
    return Supervisor(layout).run()


class LayoutError(Exception):
    """Why a cluster cannot be laid out as asked."""


class Layout:
    """Directories, ports and configurations of a cluster's nodes."""

    def __init__(self, directory: Path, nodes: int, base_port: int, given: dict[str, str]) -> None:
        """Lay out `nodes` nodes from `base_port` on."""
        self.directory = directory.absolute()
        self.nodes = range(1, nodes + 1)
        self.base_port = base_port
        self._given = given

    @classmethod
    def make(cls, args: argparse.Namespace) -> "Layout":
        """The layout that the arguments ask for.

        Raises:
            LayoutError: for numbers that do not fit, and overrides that are no KEY=VALUE.
        """
        if args.nodes < 1:
            raise LayoutError(f"--nodes {args.nodes}: a cluster has at least one node")
        if not 1 <= args.base_port <= 65535 - _CONTROLLER_PORT_OFFSET - args.nodes:
            raise LayoutError(f"--base-port {args.base_port}: out of range")
        if args.nodes > _CONTROLLER_PORT_OFFSET:
            raise LayoutError(f"--nodes {args.nodes}: at most {_CONTROLLER_PORT_OFFSET}")
        given = {}
        for text in args.config:
            key, separator, value = text.partition("=")
            if not separator or not key:
                raise LayoutError(f"--config {text!r}: is no KEY=VALUE")
            given[key.strip()] = value
        return cls(args.dir, args.nodes, args.base_port, given)

    @property
    def bootstrap_servers(self) -> str:
        """Every node's address, comma-separated."""
        return ",".join(f"{_HOST}:{self.base_port + node - 1}" for node in self.nodes)

    def home(self, node: int) -> Path:
        """Where a node's files are."""
        return self.directory / f"node-{node}"

    def properties_file(self, node: int) -> Path:
        """A node's configuration."""
        return self.home(node) / "server.properties"

    def values(self, node: int) -> dict[str, str]:
        """A node's configuration values."""
        controller_port = self.base_port + _CONTROLLER_PORT_OFFSET
        factor = str(min(3, len(self.nodes)))
        own = "listeners" not in self._given
        listeners = advertised = ",".join(
            (
                f"{_CLIENTS}://{_HOST}:{self.base_port + node - 1}",
                *([f"{_BROKERS}://{_HOST}:{controller_port + node}"] if own else ()),
            )
        )
        if node == 1:
            listeners += f",CONTROLLER://{_HOST}:{controller_port}"
        protocols = ",".join(f"{name}:PLAINTEXT" for name in (_CLIENTS, _BROKERS, "CONTROLLER"))
        return {
            "process.roles": "broker,controller" if node == 1 else "broker",
            "node.id": str(node),
            "listeners": listeners,
            "advertised.listeners": advertised,
            "listener.security.protocol.map": protocols,
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": _BROKERS if own else _CLIENTS,
            "controller.quorum.voters": f"1@{_HOST}:{controller_port}",
            "log.dirs": str(self.home(node) / "data"),
            "default.replication.factor": factor,
            "offsets.topic.replication.factor": factor,
            # As in the properties files that Kafka ships: nobody wants to wait for more members.
            "group.initial.rebalance.delay.ms": "0",
            **self._given,
            **self._metrics_values(node),
        }

    def _metrics_values(self, node: int) -> dict[str, str]:
        """Every node needs a metrics port of its own: the given one, and those that follow it."""
        name = METRICS_HTTP_LISTEN.name
        host, _, port = self._given.get(name, "").rpartition(":")
        if not (port.isascii() and port.isdigit()) or int(port) == 0:
            return {}
        return {name: f"{host}:{int(port) + node - 1}"}

    def config(self, node: int) -> NodeConfig:
        """A node's checked configuration."""
        return node_config(self.values(node))

    def prepare(self) -> None:
        """Write configurations, format what is new.

        Raises:
            ConfigErrors: for values that do not work.
            LayoutError: where the directory holds another cluster, or one of another size, and
                where a port is in use; nothing was written then.
        """
        configs = [self.config(node) for node in self.nodes]
        if self.directory.exists() and not self.directory.is_dir():
            raise LayoutError(f"--dir {self.directory}: is a file, must be a directory or new")
        if _is_owned(self.directory):
            raise LayoutError(f"a cluster runs in {self.directory} already; stop it first")
        _check_ports(configs)
        self.directory.mkdir(parents=True, exist_ok=True)
        known = self.directory / _CLUSTER
        if known.exists():
            _, nodes = _read_cluster(known)
            if nodes != len(self.nodes):
                raise LayoutError(
                    f"{self.directory} holds a cluster of {nodes} nodes, not of {len(self.nodes)}"
                )
            self._write_properties()
            return
        # Named before anything is formatted, so that a start that was cut short can be repeated.
        unfinished = self.directory / _UNFINISHED
        others = [each for each in self.directory.iterdir() if each != unfinished]
        if not unfinished.exists() and others:
            raise LayoutError(f"{self.directory} is neither empty nor a cluster of this program")
        if not others:
            # The file was cut short if it is there.
            _write_cluster(unfinished, len(self.nodes))
        cluster_id, _ = _read_cluster(unfinished)
        self._write_properties()
        self._format(configs, cluster_id)
        # A file of its own, which is there as a whole or not at all: the other names the cluster.
        whole = self.directory / _WHOLE
        _write_cluster(whole, len(self.nodes), cluster_id)
        whole.replace(known)
        unfinished.unlink()

    def _write_properties(self) -> None:
        for node in self.nodes:
            self.home(node).mkdir(exist_ok=True)
            lines = [f"{key}={value}" for key, value in self.values(node).items()]
            self.properties_file(node).write_text("\n".join(lines) + "\n")

    def _format(self, configs: Sequence[NodeConfig], cluster_id: str) -> None:
        from contextlib import redirect_stdout

        from minikafka.cli.storage import FormatError, format_node
        from minikafka.metadata.features import DEFAULT_LEVELS

        try:
            with redirect_stdout(None):
                for config in configs:
                    format_node(
                        config, cluster_id, dict(DEFAULT_LEVELS), None, ignore_formatted=True
                    )
        except (FormatError, StorageFault, BadMetaPropertiesError) as error:
            raise LayoutError(str(error)) from None


def _write_cluster(path: Path, nodes: int, cluster_id: str | None = None) -> None:
    from minikafka.cli.storage import random_uuid

    content = {"cluster.id": cluster_id or str(random_uuid()), "nodes": nodes}
    path.write_text(json.dumps(content) + "\n")


def _check_ports(configs: Sequence[NodeConfig]) -> None:
    """Name every address that is in use.

    Raises:
        LayoutError: if there is one.
    """
    taken = [
        f"{name} of node {config.node_id}"
        for config in configs
        for name, host, port in _addresses(config)
        if port and not is_free(host, port)
    ]
    if taken:
        raise LayoutError(f"in use: {', '.join(taken)}; choose another --base-port")


def _addresses(config: NodeConfig) -> Iterator[tuple[str, str, int]]:
    """Name, host and port of everything that a node listens on."""
    for listener in config.listeners:
        yield str(listener), listener.host, listener.port
    if config.metrics_address is not None:
        host, port = config.metrics_address
        yield f"{METRICS_HTTP_LISTEN.name} {host}:{port}", host, port


def _read_cluster(path: Path) -> tuple[str, int]:
    """The cluster's id, and how many nodes it has.

    Raises:
        LayoutError: if the file does not say it.
    """
    try:
        found = json.loads(path.read_text())
        cluster_id, nodes = found["cluster.id"], found["nodes"]
    except (ValueError, KeyError, TypeError) as error:
        raise LayoutError(f"{path} cannot be read: {error!r}") from None
    if not isinstance(cluster_id, str) or not isinstance(nodes, int):
        raise LayoutError(f"{path} cannot be read: it must name a cluster.id and a number of nodes")
    return cluster_id, nodes


def _run_in_one_process(layout: Layout) -> int:
    from minikafka.server.log_lines import set_up_logging
    from minikafka.server.process import StartError, run_nodes

    set_up_logging(
        "%(asctime)s %(levelname)s %(name)s: %(message)s", path=layout.directory / "cluster.log"
    )
    waiting = dict.fromkeys(layout.nodes)

    def started(config: NodeConfig) -> None:
        waiting.pop(config.node_id, None)
        if not waiting:
            # The brokers, whom it asks, are in this thread.
            threading.Thread(target=_say_ready, args=(layout,), daemon=True).start()

    for node in layout.nodes:
        (layout.directory / f"node-{node}.pid").write_text(f"{os.getpid()}\n")
    try:
        return run_nodes([layout.config(node) for node in layout.nodes], started)
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        for node in layout.nodes:
            (layout.directory / f"node-{node}.pid").unlink(missing_ok=True)


def _say_ready(layout: Layout) -> None:
    """Tell whoever waits, as soon as clients may ask any broker for all of them."""
    if len(layout.nodes) > 1:
        # Here, since a cluster of one node needs none of it.
        from minikafka.admin.client import AdminError
        from minikafka.admin.membership import await_everybody

        try:
            addresses = layout.bootstrap_servers.split(",")
            await_everybody(addresses, layout.nodes, timeout_s=_ACQUAINTANCE_TIMEOUT_S)
        except AdminError as error:
            print(f"not every broker knows the others yet: {error}", file=sys.stderr)
    print("ready", flush=True)


class NodeProcess:
    """One node's process. Not running where `process` is None."""

    def __init__(self, layout: Layout, node: int, lifeline: Lifeline) -> None:
        """Nothing runs yet."""
        self._layout = layout
        self._lifeline = lifeline
        self.node = node
        self.process: subprocess.Popen[bytes] | None = None
        self._ready: IO[bytes] | None = None
        self._logged_bytes = 0

    @property
    def pid_file(self) -> Path:
        """Where the pid is noted."""
        return self._layout.directory / f"node-{self.node}.pid"

    @property
    def log_file(self) -> Path:
        """Where the node writes what it does."""
        return self._layout.directory / f"node-{self.node}.log"

    @property
    def is_running(self) -> bool:
        """Whether the process lives."""
        return self.process is not None and self.process.poll() is None

    def launch(self) -> None:
        """Start the process; `await_ready` waits until it serves."""
        with self.log_file.open("ab") as log:
            self._logged_bytes = log.tell()
            self.process, ready = launch_node(
                self._layout.properties_file(self.node), log, self._lifeline
            )
        self._ready = os.fdopen(ready, "rb")
        self.pid_file.write_text(f"{self.process.pid}\n")

    def await_ready(self) -> bool:
        """Whether the node serves; False where it ended before."""
        assert self._ready is not None
        with self._ready as pipe:
            return bool(pipe.readline())

    def last_lines(self) -> list[str]:
        """The last lines that the process has logged; none of the one before it."""
        with self.log_file.open("rb") as log:
            log.seek(self._logged_bytes)
            return log.read().decode(errors="replace").splitlines()[-_SHOWN_LINES:]

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self) -> int:
        """Wait for the end; the exit status."""
        assert self.process is not None
        status = self.process.wait(timeout=_STOP_TIMEOUT_S)
        self.pid_file.unlink(missing_ok=True)
        # A process that a signal ended has a negative status, which is no exit status.
        return status if status >= 0 else 128 - status


class Supervisor:
    """Owns the processes of a cluster."""

    def __init__(self, layout: Layout) -> None:
        """Nothing runs yet."""
        self._layout = layout
        lifeline = Lifeline()
        self._nodes = {node: NodeProcess(layout, node, lifeline) for node in layout.nodes}
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> int:
        """Start all nodes, stay until asked to stop, stop all nodes."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stop.set())
        control = self._listen()
        status = 0
        try:
            for process in self._nodes.values():
                process.launch()
            failed = next((each for each in self._nodes.values() if not each.await_ready()), None)
            if failed is None:
                _say_ready(self._layout)
                threading.Thread(target=self._serve, args=(control,), daemon=True).start()
                self._stop.wait()
            elif not self._stop.is_set():
                self._explain(failed)
                status = 1
        finally:
            control.close()
            (self._layout.directory / _CONTROL).unlink(missing_ok=True)
            status = self._stop_all() or status
        return status

    def _listen(self) -> socket.socket:
        control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # A relative name: the path of a socket may have 107 bytes only.
        with chdir(self._layout.directory):
            Path(_CONTROL).unlink(missing_ok=True)
            control.bind(_CONTROL)
        control.listen()
        return control

    def _explain(self, failed: NodeProcess) -> None:
        """Show what the nodes that ended logged last."""
        with suppress(subprocess.TimeoutExpired):
            # Its pipe is closed a moment before the process is gone.
            failed.wait()
        for process in self._nodes.values():
            if process is failed or not process.is_running:
                lines = process.last_lines() or ["it ended before it logged anything"]
                print(f"node {process.node} did not start:", *lines, sep="\n", file=sys.stderr)

    def _serve(self, control: socket.socket) -> None:
        while True:
            try:
                connection, _ = control.accept()
            except OSError:
                return
            with connection, connection.makefile("rw") as stream:
                words = stream.readline().split()
                if words:
                    stream.write(self._act(words) + "\n")

    def _act(self, words: Sequence[str]) -> str:
        if len(words) != 2 or words[0] not in _ACTIONS or not words[1].isdigit():
            return f"error: {' '.join(words)!r} is no command"
        process = self._nodes.get(int(words[1]))
        if process is None:
            return f"error: there is no node {words[1]}"
        with self._lock:
            return self._act_on(process, words[0])

    def _act_on(self, process: NodeProcess, action: str) -> str:
        if action == "start":
            if process.is_running:
                return f"error: node {process.node} is running"
            process.launch()
            return "ok" if process.await_ready() else f"error: see {process.log_file}"
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
            return f"error: node {process.node} ended with status {status}"
        return "ok"

    def _stop_all(self) -> int:
        """Brokers first, then the controller, which they need in order to leave."""
        with self._lock:
            followers = [p for p in self._nodes.values() if p.node != 1]
            status = _stop_together(followers)
            return _stop_together([self._nodes[1]]) or status


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


def _is_owned(directory: Path) -> bool:
    """Whether a process answers for the cluster in a directory."""
    try:
        with chdir(directory), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(_CONTROL)
    except OSError:
        return False
    return True


def _ask_owner(directory: Path, command: str) -> int:
    try:
        with chdir(directory), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(_CONTROL)
            with connection.makefile("rw") as stream:
                stream.write(command + "\n")
                stream.flush()
                answer = stream.readline().strip()
    except OSError as error:
        print(f"no cluster runs in {directory}: {error.strerror}", file=sys.stderr)
        return 1
    if answer == "ok":
        return 0
    print(answer, file=sys.stderr)
    return 1
