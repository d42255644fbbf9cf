"""Directories, ports and configurations of a cluster on this machine.

Node ids start at 1. Node i serves clients on base-port + i - 1 and the other brokers on base-port +
100 + i. Either the first nodes are also controllers, on base-port + 200 + i, or the controller is a
separate node, CONTROLLER, on base-port + 100. The controllers are the voters of a dynamic quorum.
"""

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from minikafka.common.addresses import server_text
from minikafka.common.faults import DISK_ERRORS
from minikafka.common.ids import Uuid
from minikafka.config.broker import CONTROLLER_QUORUM_VOTERS, METRICS_HTTP_LISTEN
from minikafka.config.node_config import NodeConfig, node_config
from minikafka.dev.base_ports import BROKERS_OFFSET, CONTROLLERS_OFFSET, HOST
from minikafka.dev.client_host import ClientHost
from minikafka.dev.private_files import write_private
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.server.ports import is_free

if TYPE_CHECKING:
    from minikafka.admin.client import AdminClient
    from minikafka.admin.security import ClientSecurity
    from minikafka.dev.secured import Secured
    from minikafka.raft.voter_set import VoterSet

_MAX_NODES = 100
_VOTERS = 3
CONTROLLER = 101
"""The id of the controller that is no broker; above the ids of all brokers."""
_CLIENTS, _BROKERS, _CONTROLLERS = "PLAINTEXT", "INTERNAL", "CONTROLLER"
"""Listener names. Brokers have a separate listener, the only one that accepts their requests."""
CONTROL = "control.sock"
"""The socket on which the owner of a cluster gets commands."""
FAULTS = "faults"
"""The folder for faults, if they can be set; see `dev.cluster_faults`."""
LOCK_SUFFIX = ".lock"
"""The end of the names of files by whose locks an owner is known; they are no part of a cluster."""
CLUSTER = "cluster.json"
"""The file with the cluster's id, size and voters."""
_UNFINISHED = "cluster.json.new"
_WHOLE = "cluster.json.whole"


class LayoutError(Exception):
    """A cluster cannot be laid out as requested; the message says why."""


class Layout:
    """Directories, ports and configurations of a cluster's nodes."""

    def __init__(
        self,
        directory: Path,
        nodes: int,
        base_port: int,
        given: dict[str, str],
        voters: int | None = None,
        *,
        by_node: Mapping[int, Mapping[str, str]] | None = None,
        levels: Mapping[str, int] | None = None,
        is_synced: bool = True,
        host: str = HOST,
        advertised_host: str = "",
        secured: "Secured | None" = None,
    ) -> None:
        """Lay out `nodes` nodes; node 1 has the port `base_port`.

        `voters` is the number of nodes that are controllers, too; None for the usual one, 0 for a
        separate controller. `given` are values for every node, and `by_node` values for single
        nodes. `levels` are the levels of features in a new cluster that differ from the default.
        Unless `is_synced`, new directories are not made durable. `host` is the address on which
        nodes serve clients, `advertised_host` the name that clients are told; "" for `host`.
        `secured` says how listeners are secured; None: not at all.
        """
        self.directory = directory.absolute()
        self.nodes = range(1, nodes + 1)
        """The brokers."""
        self.base_port = base_port
        self._given = given
        self._by_node = by_node or {}
        self.levels = levels or {}
        self._is_synced = is_synced
        usual = _VOTERS if nodes >= _VOTERS else 1
        first = self.nodes[: usual if voters is None else voters]
        self.voters: Sequence[int] = first or (CONTROLLER,)
        """The nodes that are controllers."""
        self.client_host = ClientHost(host, advertised_host)
        """Where clients reach the nodes."""
        self.secured = secured
        self._clients = _CLIENTS if secured is None else secured.protocol.value
        self.all_nodes: Sequence[int] = (*self.nodes, *(() if first else self.voters))
        """The brokers, and the controller that is no broker."""

    @classmethod
    def make(
        cls,
        directory: Path,
        nodes: int,
        base_port: int,
        overrides: Sequence[str],
        voters: int | None = None,
        *,
        levels: Mapping[str, int] | None = None,
        host: str = HOST,
        advertised_host: str = "",
        secured: "Secured | None" = None,
    ) -> "Layout":
        """Return the layout for a command line; `overrides` are KEY=VALUE.

        Raises:
            LayoutError: if a number is out of range, or an override is not KEY=VALUE.
        """
        if nodes < 1:
            raise LayoutError(f"--nodes {nodes}: a cluster has at least one node")
        if not 1 <= base_port <= 65535 - CONTROLLERS_OFFSET - nodes:
            raise LayoutError(f"--base-port {base_port}: out of range")
        if nodes > _MAX_NODES:
            raise LayoutError(f"--nodes {nodes}: at most {_MAX_NODES}")
        if voters is not None and not 0 <= voters <= nodes:
            raise LayoutError(
                f"--voters {voters}: at most one on each node, or 0 for a separate controller"
            )
        given = {}
        for text in overrides:
            key, separator, value = text.partition("=")
            if not separator or not key:
                raise LayoutError(f"--config {text!r}: expected KEY=VALUE")
            given[key.strip()] = value
        return cls(
            directory, nodes, base_port, given, voters, levels=levels,
            host=host, advertised_host=advertised_host, secured=secured,
        )  # fmt: skip

    def controller_address(self, node: int) -> tuple[str, int]:
        """Host and port of a controller."""
        if node == CONTROLLER:
            return HOST, self.base_port + BROKERS_OFFSET
        return HOST, self.base_port + CONTROLLERS_OFFSET + node

    @property
    def bootstrap_servers(self) -> str:
        """The client addresses of all nodes, as clients are told, separated by commas."""
        return self._client_addresses(self.client_host.advertised)

    @property
    def local_servers(self) -> str:
        """The client addresses of all nodes for a program on this machine."""
        return self._client_addresses(self.client_host.local)

    def _client_addresses(self, host: str) -> str:
        return ",".join(self._client_address(host, node) for node in self.nodes)

    def _client_address(self, host: str, node: int) -> str:
        return server_text(host, self.base_port + node - 1)

    def local_client(self, timeout_s: float) -> "AdminClient":
        """Return a client on this machine that is the administrator."""
        from minikafka.admin.client import AdminClient

        return AdminClient(
            self.local_servers,
            client_id="dev",
            timeout_s=timeout_s,
            security=self.client_security(),
            hosts=self.client_host.hosts,
        )

    def client_security(self) -> "ClientSecurity":
        """Return how a client on this machine is the administrator."""
        from minikafka.admin.security import security_of

        return security_of({} if self.secured is None else self.secured.login().properties())

    def home(self, node: int) -> Path:
        """The directory with a node's files."""
        return self.directory / f"node-{node}"

    def properties_file(self, node: int) -> Path:
        """The path of a node's configuration."""
        return self.home(node) / "server.properties"

    def values(self, node: int) -> dict[str, str]:
        """Return a node's configuration values."""
        broker_port = self.base_port + BROKERS_OFFSET + node
        controllers = {each: "{}:{}".format(*self.controller_address(each)) for each in self.voters}
        factor = str(min(3, len(self.nodes)))
        own = "listeners" not in self._given
        listeners, advertised = (
            ",".join(
                (
                    f"{self._clients}://{self._client_address(host, node)}",
                    *([f"{_BROKERS}://{HOST}:{broker_port}"] if own else ()),
                )
            )
            for host in (self.client_host.address, self.client_host.advertised)
        )
        if node == CONTROLLER:
            listeners = advertised = f"CONTROLLER://{controllers[node]}"
        elif node in controllers:
            listeners += f",CONTROLLER://{controllers[node]}"
        return {
            "process.roles": ",".join(self._roles(node)),
            "node.id": str(node),
            "listeners": listeners,
            "advertised.listeners": advertised,
            "listener.security.protocol.map": self._protocols(),
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": _BROKERS if own else self._clients,
            "controller.quorum.bootstrap.servers": ",".join(controllers.values()),
            "log.dirs": str(self.home(node) / "data"),
            "default.replication.factor": factor,
            "offsets.topic.replication.factor": factor,
            "transaction.state.log.replication.factor": factor,
            # As Kafka's properties files for development: groups start without a delay.
            "group.initial.rebalance.delay.ms": "0",
            **self._security_values(),
            **self._given,
            **self._metrics_values(node),
            **self._by_node.get(node, {}),
        }

    def _protocols(self) -> str:
        between = "PLAINTEXT" if self.secured is None else self.secured.nodes_protocol.value
        names = {self._clients: self._clients, _BROKERS: between, _CONTROLLERS: between}
        return ",".join(f"{name}:{protocol}" for name, protocol in names.items())

    def _security_values(self) -> dict[str, str]:
        if self.secured is None:
            return {}
        return self.secured.values(self._clients, (_BROKERS, _CONTROLLERS))

    def _roles(self, node: int) -> Iterator[str]:
        if node in self.nodes:
            yield "broker"
        if node in self.voters:
            yield "controller"

    def _metrics_values(self, node: int) -> dict[str, str]:
        """Give each node its own metrics port: the given port for node 1, then the next ones."""
        name = METRICS_HTTP_LISTEN.name
        host, _, port = self._given.get(name, "").rpartition(":")
        if not (port.isascii() and port.isdigit()) or int(port) == 0:
            return {}
        return {name: f"{host}:{int(port) + self.all_nodes.index(node)}"}

    def config(self, node: int) -> NodeConfig:
        """Return a node's validated configuration."""
        return node_config(self.values(node))

    def prepare(self) -> None:
        """Write configurations, and format new nodes.

        Raises:
            ConfigErrors: if a value is invalid.
            LayoutError: if the directory has other files or a cluster of another size, or a port is
                in use; then nothing was written.
        """
        configs = [self.config(node) for node in self.all_nodes]
        if self.directory.exists() and not self.directory.is_dir():
            raise LayoutError(f"--dir {self.directory}: is a file; name a directory or a new path")
        if is_owned(self.directory):
            raise LayoutError(f"a cluster is already running in {self.directory}; stop it first")
        _check_ports(configs)
        self.directory.mkdir(parents=True, exist_ok=True)
        self._secure()
        known = self.directory / CLUSTER
        if known.exists():
            found = read_cluster(known)
            if found.nodes != len(self.nodes):
                raise LayoutError(
                    f"{self.directory} holds a cluster with --nodes {found.nodes}, not --nodes"
                    f" {len(self.nodes)}"
                )
            if list(found.voters) != list(self.voters):
                raise LayoutError(
                    f"{self.directory} holds a cluster with --voters {found.voters_option}, not "
                    f"--voters {0 if CONTROLLER in self.voters else len(self.voters)}"
                )
            self._write_properties()
            return
        # Written before anything is formatted, so that an interrupted start can be repeated.
        unfinished = self.directory / _UNFINISHED
        own = (unfinished, None if self.secured is None else self.secured.folder)
        others = [
            each
            for each in self.directory.iterdir()
            if each not in own and each.suffix != LOCK_SUFFIX
        ]
        if not unfinished.exists() and others:
            raise LayoutError(f"{self.directory} is neither empty nor a cluster of minikafka dev")
        if not others:
            # If the file exists, it may be incomplete.
            _draw_cluster(self).write(unfinished)
        cluster = read_cluster(unfinished)
        self._write_properties()
        self._format(configs, cluster)
        # A separate file, so that the renamed one is complete; the other file has the ids.
        whole = self.directory / _WHOLE
        cluster.write(whole)
        whole.replace(known)
        unfinished.unlink()

    def _secure(self) -> None:
        """Write the files of the security.

        Raises:
            LayoutError: a package is missing.
        """
        if self.secured is None:
            return
        from minikafka.dev.certificates import MissingPackageError

        try:
            self.secured.make((self.client_host.local, self.client_host.advertised))
        except MissingPackageError as error:
            raise LayoutError(str(error)) from None

    def _write_properties(self) -> None:
        for node in self.all_nodes:
            self.home(node).mkdir(exist_ok=True)
            lines = [f"{key}={_escaped(value)}" for key, value in self.values(node).items()]
            # With SASL they have passwords; so may given values.
            write_private(self.properties_file(node), ("\n".join(lines) + "\n").encode())

    def _first_voters(self, cluster: "ClusterFile") -> "VoterSet | None":
        """The voters of a dynamic quorum; None if the given values make a static one."""
        from minikafka.metadata.broker_registration import Endpoint
        from minikafka.raft.voter_set import RaftVoter, VoterSet

        if CONTROLLER_QUORUM_VOTERS.name in self._given:
            return None
        listener = self.config(self.voters[0]).controller_listener_names[0]
        return VoterSet.of(
            RaftVoter(
                node,
                Uuid.parse(directory_id),
                (Endpoint(listener, *self.controller_address(node)),),
            )
            for node, directory_id in cluster.voters.items()
        )

    def _format(self, configs: Sequence[NodeConfig], cluster: "ClusterFile") -> None:
        from minikafka.metadata.features import DEFAULT_LEVELS
        from minikafka.server.format import FormatError, format_node
        from minikafka.server.os_disk import OsDisk
        from minikafka.server.unsynced_disk import UnsyncedDisk

        try:
            voters = self._first_voters(cluster)
            records = [] if self.secured is None else self.secured.records()
            for config in configs:
                format_node(
                    config,
                    cluster.cluster_id,
                    {**DEFAULT_LEVELS, **self.levels},
                    voters if config.is_controller else None,
                    ignore_formatted=True,
                    disk_of=OsDisk if self._is_synced else UnsyncedDisk,
                    others=records,
                )
        except (FormatError, BadMetaPropertiesError, *DISK_ERRORS) as error:
            raise LayoutError(str(error)) from None


def _escaped(value: str) -> str:
    """Return a value as a properties file has it."""
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


class ClusterFile(NamedTuple):
    """The file of a cluster: its id, its number of nodes, the directory id of each voter."""

    cluster_id: str
    nodes: int
    voters: dict[int, str]

    @property
    def voters_option(self) -> int:
        """The value of `--voters`."""
        return 0 if CONTROLLER in self.voters else len(self.voters)

    def write(self, path: Path) -> None:
        """Write the file."""
        content = {"cluster.id": self.cluster_id, "nodes": self.nodes, "voters": self.voters}
        path.write_text(json.dumps(content) + "\n")


def _draw_cluster(layout: Layout) -> ClusterFile:
    from minikafka.server.format import random_uuid

    directory_ids = {node: str(random_uuid()) for node in layout.voters}
    return ClusterFile(str(random_uuid()), len(layout.nodes), directory_ids)


def _check_ports(configs: Sequence[NodeConfig]) -> None:
    """Check that no address is in use.

    Raises:
        LayoutError: names all addresses that are in use.
    """
    taken = [
        f"{name} of node {config.node_id}"
        for config in configs
        for name, host, port in _addresses(config)
        if port and not is_free(host, port)
    ]
    if taken:
        raise LayoutError(f"in use: {', '.join(taken)}; choose another base port")


def _addresses(config: NodeConfig) -> Iterator[tuple[str, str, int]]:
    """Yield name, host and port of each address on which a node listens."""
    for listener in config.listeners:
        yield str(listener), listener.host, listener.port
    if config.metrics_address is not None:
        host, port = config.metrics_address
        yield f"{METRICS_HTTP_LISTEN.name} {host}:{port}", host, port


def read_cluster(path: Path) -> ClusterFile:
    """Read the file of a cluster.

    Raises:
        LayoutError: if the file lacks them.
    """
    try:
        found = json.loads(path.read_text())
        cluster_id, nodes = found["cluster.id"], found["nodes"]
        voters = {int(node): str(Uuid.parse(text)) for node, text in found["voters"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LayoutError(f"{path} cannot be read: {error!r}") from None
    if not isinstance(cluster_id, str) or not isinstance(nodes, int) or not voters:
        raise LayoutError(f"{path} cannot be read: cluster.id, nodes and voters are expected")
    return ClusterFile(cluster_id, nodes, voters)


def is_owned(directory: Path) -> bool:
    """True if a process owns the cluster in a directory."""
    try:
        with chdir(directory), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(CONTROL)
    except OSError:
        return False
    return True
