"""Brokers and controllers, each a separate process, so that every node can be stopped.

    with Nodes(brokers=3, config={"broker.session.timeout.ms": "1500"}) as nodes:
        nodes.kill(2, 3)
        nodes.start(3)

`testing.cluster` is the cluster for most tests; its node 1 is both broker and controller. Here the
brokers are 1, 2, … and by default the only controller is 101, so that a partition can lose all its
replicas and the controller can still be inspected. `voters` names other controllers: brokers among
them are combined nodes. The quorum is static.
"""

import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Self

from minikafka.admin.client import AdminError
from minikafka.admin.membership import await_everybody
from minikafka.common.ids import Uuid
from minikafka.log.checkpoints import read_meta_properties
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.metadata.features import DEFAULT_LEVELS
from minikafka.raft.storage import format_directory, format_metadata_directory
from minikafka.server.os_disk import OsDisk
from minikafka.testing.base_ports import free_base_port
from minikafka.testing.errors import ClusterError
from minikafka.testing.folders import ClusterFolder, open_folder, remove_leftovers
from minikafka.testing.processes import NodeProcesses, Program

CONTROLLER = 101
_TIMEOUT_S = 60
_HOST = "127.0.0.1"


class Placement:
    """The addresses and environment of the processes: on loopback, with direct connections.

    Derived classes use other addresses, or put proxies between the processes.
    """

    def host(self, node: int) -> str:  # noqa: ARG002 - for derived classes
        """Return the address on which a node listens."""
        return _HOST

    def advertised(self, node: int, port: int) -> tuple[str, int]:
        """Return the address and port that clients and other nodes use for a node."""
        return self.host(node), port

    def prefix(self, node: int) -> list[str]:  # noqa: ARG002 - for derived classes
        """Return the words to put before the command of a node."""
        return []

    def environ(self, node: int) -> dict[str, str]:  # noqa: ARG002 - for derived classes
        """Return additional environment variables of a node."""
        return {}

    def prepare(self, node: int, home: Path) -> None:
        """Prepare a node before its directories are created."""


class Nodes:
    """The processes of a cluster: brokers 1, 2, …, and the controllers that are no brokers."""

    def __init__(
        self,
        brokers: int = 3,
        *,
        config: Mapping[str, str] | None = None,
        features: Mapping[str, int] | None = None,
        base_port: int = 0,
        directory: Path | None = None,
        placement: Placement | None = None,
        voters: Sequence[int] = (CONTROLLER,),
        directories: int = 1,
    ) -> None:
        """Prepare; the cluster starts with `open` or a `with` block.

        `features` are the levels that differ from the default. `voters` are the controllers. Broker
        n listens on base_port + n - 1, the controllers on the ports after those of the brokers, in
        the order of `voters`; base port 0 means free ports. A given `directory` is kept; without
        one a directory is created, and removed at the end. Each broker has this number of log
        `directories`.
        """
        self.brokers: Sequence[int] = range(1, brokers + 1)
        self.voters: Sequence[int] = tuple(voters)
        self._config = dict(config or {})
        self._levels = {**DEFAULT_LEVELS, **(features or {})}
        remove_leftovers()
        self._folder: ClusterFolder | None = None
        if directory is None:
            self._folder = open_folder(None, keep=False)
            directory = self._folder.path
        self.directory = directory
        self.base_port = base_port
        self._placement = placement or Placement()
        self._directories = directories
        self._processes: NodeProcesses | None = None

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def node_ids(self) -> list[int]:
        """The ids of the brokers, then of the controllers that are no brokers."""
        return [*self.brokers, *(node for node in self.voters if node not in self.brokers)]

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, separated by commas."""
        return ",".join(map(self._address, self.brokers))

    def _address(self, node: int) -> str:
        return "{}:{}".format(*self._placement.advertised(node, self.port(node)))

    def _controller_address(self, node: int) -> str:
        return "{}:{}".format(*self._placement.advertised(node, self._controller_port(node)))

    @property
    def running(self) -> list[int]:
        """The brokers whose processes run, including paused ones."""
        return [node for node in self.brokers if node in self._alive]

    @property
    def _alive(self) -> list[int]:
        return [] if self._processes is None else self._processes.running

    def is_alive(self, node: int) -> bool:
        """True if a node's process is running."""
        return node in self._alive

    def how_ended(self, node: int) -> str:
        """Return how a node's process ended unexpectedly; "" if it runs or was ended on purpose."""
        return "" if self._processes is None else self._processes.how_ended(node)

    def log_file(self, node: int) -> Path:
        """Return the log file of a node."""
        return self._home(node) / "node.log"

    def pids(self) -> dict[int, int]:
        """Return the process ids by node, also of nodes that have ended by themselves."""
        return {} if self._processes is None else self._processes.pids()

    def port(self, node: int) -> int:
        """Return the port on which a broker listens for clients, or a controller for nodes."""
        if node in self.brokers:
            return self.base_port + node - 1
        return self._controller_port(node)

    def ports(self, node: int) -> list[int]:
        """Return all ports on which a node listens."""
        own = [self.port(node)] if node in self.brokers else []
        return [*own, *([self._controller_port(node)] if node in self.voters else [])]

    def _controller_port(self, node: int) -> int:
        return self.base_port + len(self.brokers) + self.voters.index(node)

    def log_dirs(self, node: int) -> list[Path]:
        """Return the log directories of a node."""
        count = self._directories if node in self.brokers else 1
        names = ["data", *(f"data-{number}" for number in range(2, count + 1))]
        return [self._home(node) / name for name in names]

    def log_text(self, node: int) -> str:
        """Return the log output of a node."""
        return (self._home(node) / "node.log").read_text(errors="replace")

    def open(self) -> None:
        """Format new directories, start all nodes, and wait until every broker serves.

        Raises:
            ClusterError: a node does not start.
        """
        if self.base_port == 0:
            self.base_port = free_base_port(len(self.brokers) + len(self.voters))
        if not self._home(self.voters[0]).exists():
            self._format()
        self._processes = NodeProcesses({node: self._program(node) for node in self.node_ids})
        self.start(*self.node_ids)
        addresses = list(map(self._address, self.brokers))
        try:
            await_everybody(addresses, self.brokers, timeout_s=_TIMEOUT_S)
        except AdminError as error:
            raise ClusterError(str(error)) from None

    def close(self) -> None:
        """Stop brokers, then the other controllers; remove the directory unless it was given.

        Raises:
            ClusterError: a controlled shutdown failed, or a node had ended by itself.
        """
        try:
            if self._processes is not None:
                crashes = self._processes.crashes
                self._processes.resume(self._alive)
                self._processes.stop(self.running)
                self._processes.stop(self._alive)
                if crashes:
                    raise ClusterError(crashes[0])
        finally:
            if self._processes is not None:
                self._processes.close()
            if self._folder is not None:
                self._folder.close(failed=False)

    def start(self, *nodes: int) -> None:
        """Start nodes, and wait until they serve; a killed broker waits until its session ends.

        Raises:
            ClusterError: a node ended, or timed out; the message has the reason.
        """
        self._opened().start(nodes, _TIMEOUT_S, lambda: "")

    def kill(self, *nodes: int) -> None:
        """Send SIGKILL to nodes, and wait until they have ended."""
        if nodes:
            self._opened().kill(nodes)

    def stop(self, *nodes: int) -> None:
        """Stop nodes by controlled shutdowns, all at the same time, and wait until they have ended.

        Raises:
            ClusterError: a node ends with another status than 0, or does not end.
        """
        self._opened().stop(nodes)

    def pause(self, *nodes: int) -> None:
        """Send SIGSTOP to nodes: for the others they look like nodes behind a dead network."""
        self._opened().pause(nodes)

    def resume(self, *nodes: int) -> None:
        """Send SIGCONT to nodes."""
        self._opened().resume(nodes)

    def _opened(self) -> NodeProcesses:
        if self._processes is None:
            raise ClusterError("the cluster is not open")
        return self._processes

    def _home(self, node: int) -> Path:
        return self.directory / f"node-{node}"

    def wipe(self, node: int) -> int:
        """Format the directory of a stopped node again; return the number of bytes that it lost.

        Raises:
            ClusterError: the node is running.
        """
        folder = self._stopped_data(node)
        properties = read_meta_properties(OsDisk(str(folder)))
        assert properties is not None
        lost_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        for path in list(folder.iterdir()):
            _remove(path)
        self._format_node(node, properties.cluster_id, Random(secrets.randbits(128)))
        return lost_bytes

    def copy_metadata(self, node: int, copy: Path) -> None:
        """Copy the metadata log and `quorum-state` of a stopped node to a new folder.

        Raises:
            ClusterError: the node is running.
        """
        shutil.copytree(self._stopped_data(node) / METADATA_FOLDER, copy)

    def restore_metadata(self, node: int, copy: Path) -> None:
        """Replace the metadata log and `quorum-state` of a stopped node by an older copy.

        Raises:
            ClusterError: the node is running.
        """
        folder = self._stopped_data(node) / METADATA_FOLDER
        shutil.rmtree(folder)
        shutil.copytree(copy, folder)

    def _stopped_data(self, node: int) -> Path:
        if self.is_alive(node):
            raise ClusterError(f"node {node} is running")
        return self._home(node) / "data"

    def _format(self) -> None:
        draw = Random(secrets.randbits(128))
        cluster_id = str(Uuid.draw(draw))
        for node in self.node_ids:
            self._placement.prepare(node, self._home(node))
            for path in self.log_dirs(node):
                path.mkdir(parents=True, exist_ok=True)
            lines = [f"{key}={value}" for key, value in self._values(node).items()]
            (self._home(node) / "server.properties").write_text("\n".join(lines) + "\n")
            self._format_node(node, cluster_id, draw)

    def _format_node(self, node: int, cluster_id: str, draw: Random) -> None:
        if node in self.voters:
            now_ms = time.time_ns() // 1_000_000
            disk = OsDisk(str(self._home(node) / "data"))
            format_metadata_directory(disk, levels=self._levels, voters=None, now_ms=now_ms)
        for path in self.log_dirs(node):
            directory_id = Uuid.draw(draw)
            format_directory(
                OsDisk(str(path)), cluster_id=cluster_id, node_id=node, directory_id=directory_id
            )

    def _values(self, node: int) -> dict[str, str]:
        host = self._placement.host(node)
        factor = str(min(3, len(self.brokers)))
        roles, listeners, advertised = [], [], []
        if node in self.brokers:
            roles.append("broker")
            listeners.append(f"PLAINTEXT://{host}:{self.port(node)}")
            advertised.append(f"PLAINTEXT://{self._address(node)}")
        if node in self.voters:
            roles.append("controller")
            listeners.append(f"CONTROLLER://{host}:{self._controller_port(node)}")
            advertised.append(f"CONTROLLER://{self._controller_address(node)}")
        voters = [f"{voter}@{self._controller_address(voter)}" for voter in self.voters]
        values = {
            "process.roles": ",".join(roles),
            "node.id": str(node),
            "listeners": ",".join(listeners),
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": ",".join(voters),
            "log.dirs": ",".join(map(str, self.log_dirs(node))),
            "offsets.topic.replication.factor": factor,
            "transaction.state.log.replication.factor": factor,
            "group.initial.rebalance.delay.ms": "0",
        }
        if node in self.brokers:
            values["inter.broker.listener.name"] = "PLAINTEXT"
        values["advertised.listeners"] = ",".join(advertised)
        return {**values, **self._config}

    def _program(self, node: int) -> Program:
        home = self._home(node)
        return Program(
            f"node {node}",
            properties_files=[home / "server.properties"],
            log_file=self.log_file(node),
            pid_file=home / "node.pid",
            environ=self._placement.environ(node),
            prefix=self._placement.prefix(node),
        )


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
