"""A cluster for tests: real processes on this machine, with handles to break them.

    with Cluster(nodes=3) as cluster:
        cluster.create_topic("orders", partitions=3)
        client = connect(cluster.bootstrap_servers)
        killed = cluster.kill_leader("orders", 0)
        cluster.start(killed)

The nodes are processes of this process: they end when it ends, also by SIGKILL. Directory and ports
are laid out as by `minikafka dev`, which can start a directory that was kept.
"""

import atexit
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from minikafka.common.addresses import server_text
from minikafka.dev.base_ports import HOST, are_free
from minikafka.testing import base_ports, fencing
from minikafka.testing.errors import ClusterError
from minikafka.testing.faults import ClusterFaults
from minikafka.testing.folders import ClusterFolder, open_folder, remove_leftovers
from minikafka.testing.hopeless import start_watch
from minikafka.testing.machine import error_of, prepare_machine
from minikafka.testing.node_handle import NodeHandle
from minikafka.testing.operations import KafkaOperations
from minikafka.testing.processes import FORKED, NodeProcesses
from minikafka.testing.settings import ALL, check_settings, former_base_port

if TYPE_CHECKING:
    from minikafka.admin.client_login import ClientLogin

_P = ParamSpec("_P")
_T = TypeVar("_T")
_START_TIMEOUT_S = 60.0
_PORT_TRIES = 5
_TAKEN = ("in use: ", "Address already in use")
"""Texts of a failed start if another program took a port between the choice and the start."""


def _of_faults(
    method: Callable[Concatenate[ClusterFaults, _P], _T],
) -> "Callable[Concatenate[Cluster, _P], _T]":
    """Make a method of the cluster from one of its faults."""

    @wraps(method)
    def call(self: "Cluster", /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return method(self.faults, *args, **kwargs)

    return call


class Cluster(KafkaOperations):
    """A cluster of `nodes` nodes; node ids start at 1."""

    def __init__(
        self,
        nodes: int = 1,
        *,
        voters: int | None = None,
        config: Mapping[str, object] | None = None,
        node_config: Mapping[int, Mapping[str, object]] | None = None,
        racks: Sequence[str] | Mapping[int, str] | None = None,
        features: Mapping[str, int] | None = None,
        base_port: int = 0,
        directory: Path | str | None = None,
        keep: bool = False,
        log_level: str | None = None,
        open_files: int | None = None,
        one_process: bool = False,
        kafka_defaults: bool = False,
        tls: bool = False,
        sasl: str | None = None,
        host: str = HOST,
        advertised_host: str | None = None,
    ) -> None:
        """Describe a cluster; it starts with `open` or a `with` block.

        Args:
            nodes: the number of nodes; each is a broker.
            voters: the number of controllers, the first nodes; None for 3, or 1 of 1 or 2.
            config: configuration of every node, over the `testing.defaults`.
            node_config: configuration of single nodes, by node id.
            racks: the racks of the nodes in order, or by node id.
            features: the levels of features that differ from the default.
            base_port: the port of node 1 for clients; 0 for free ports.
            directory: where the nodes have their files; it is kept. The default is a temporary
                one, whose files are not synced, since they need not outlive the machine.
            keep: keep the temporary directory.
            log_level: the least level of what the nodes log; INFO by default.
            open_files: the limit on the descriptors of each node.
            one_process: all nodes share one process: none can be killed alone, or have faults.
            kafka_defaults: for measurements: Kafka's sessions, synced files, and no faults.
            tls: connections are encrypted, by certificates that are made for the cluster; needs
                the extra `security`.
            sasl: clients log in by this mechanism: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; see
                `login`. With `tls` or `sasl` nodes know one another, too, and ACLs count: the user
                admin may do everything, and others what no ACL is about.
            host: the address on which nodes serve clients, such as 0.0.0.0 for all addresses.
            advertised_host: the name that clients are told; the default is `host`. It need not
                resolve on this machine.

        Raises:
            ClusterError: an argument has no meaning.
        """
        super().__init__()
        self._settings = check_settings(
            nodes, voters=voters, config=config, node_config=node_config, racks=racks,
            features=features, log_level=log_level, open_files=open_files, one_process=one_process,
            kafka_defaults=kafka_defaults, tls=tls, sasl=sasl,
            host=host, advertised_host=advertised_host,
        )  # fmt: skip
        self._clients.hosts = self.hosts
        if self.is_secured:
            self._clients.login = lambda: self.login().properties()
        if not isinstance(base_port, int):
            raise ClusterError(f"base_port={base_port!r}: not a number")
        self.nodes = nodes
        self.base_port = base_port
        self._given_port = base_port
        self._given_directory = None if directory is None else Path(directory)
        self._keep = keep
        self._folder: ClusterFolder | None = None
        self._kept: Path | None = None
        self._claim: base_ports.PortClaim | None = None
        self._processes: NodeProcesses | None = None
        self._faults: ClusterFaults | None = None
        self._given_up = threading.Event()
        self._owner = 0
        """The process that has opened the cluster."""

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        # The error of the block says more than that of the shutdown after it.
        ignored = () if kind is None else (ClusterError,)
        with suppress(*ignored):
            self.close()

    @property
    def is_open(self) -> bool:
        """True between `open` and `close`."""
        return self._processes is not None

    @property
    def node_ids(self) -> range:
        """The ids of the nodes."""
        return range(1, self.nodes + 1)

    @property
    def voters(self) -> range:
        """The nodes that are controllers."""
        return self.node_ids[: self._settings.voters]

    @property
    def directory(self) -> Path:
        """The directory of the nodes' files.

        Raises:
            ClusterError: it is temporary, and the cluster is not open.
        """
        if self._folder is not None:
            return self._folder.path
        known = self._given_directory or self._kept
        if known is None:
            raise ClusterError("the cluster is not open")
        return known

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all nodes, as clients are told, separated by commas.

        Raises:
            ClusterError: the cluster is not open.
        """
        return self._addresses(self._settings.client_host.advertised, self.node_ids)

    @property
    def hosts(self) -> Mapping[str, str]:
        """The address by which this machine reaches a host that clients are told."""
        return self._settings.client_host.hosts

    def _servers(self) -> str:
        """The addresses of the nodes that answer: a dead or paused one would cost time."""
        answering = self._opened().answering
        if self._faults is not None:
            # The others may have old metadata.
            answering = self._faults.connected(answering)
        nodes = answering if answering != [ALL] else self.node_ids
        return self._addresses(self._settings.client_host.local, nodes or self.node_ids)

    def _addresses(self, host: str, nodes: Sequence[int]) -> str:
        return ",".join(server_text(host, self.port(node)) for node in nodes)

    @property
    def is_secured(self) -> bool:
        """True if clients need a `login`."""
        return self._settings.tls or bool(self._settings.sasl)

    def login(self, user: str = "admin") -> "ClientLogin":
        """Return what a client needs to be a user of a cluster with `tls` or `sasl`.

        The users are admin, who may do everything, and alice.

        Raises:
            ClusterError: there is no such user, or the cluster is not secured or was never open.
        """
        secured = self._settings.secured(self.directory)
        if secured is None:
            raise ClusterError("the cluster is not secured; make it with tls=True or sasl=…")
        try:
            return secured.login(user)
        except KeyError:
            raise ClusterError(f"there is no user {user!r}; there are admin and alice") from None

    def port(self, node: int) -> int:
        """Return the port on which a node serves clients."""
        self._check_node(node)
        if not self.base_port:
            raise ClusterError("the cluster is not open")
        return self.base_port + node - 1

    def pid(self, node: int) -> int:
        """Return the process id of a running node."""
        self._check_node(node)
        return self._opened().pid(ALL if self._settings.one_process else node)

    @property
    def running(self) -> list[int]:
        """The nodes whose processes run, including paused ones."""
        running = self._opened().running
        return list(self.node_ids) if running == [ALL] else running

    @property
    def crashes(self) -> Sequence[str]:
        """A sentence for each node that has ended by itself."""
        return self._opened().crashes

    def log_text(self, node: int) -> str:
        """Return the log output of a node; of all nodes if they share one process."""
        self._check_node(node)
        return self._settings.log_file(self.directory, node).read_text(errors="replace")

    def log_dir(self, node: int) -> Path:
        """Return the log directory of a node."""
        self._check_node(node)
        return self.directory / f"node-{node}" / "data"

    def node(self, node: int) -> NodeHandle:
        """Return a handle on one node."""
        self._check_node(node)
        return NodeHandle(self, node)

    def open(self) -> None:
        """Start the cluster, and wait until every broker serves.

        After an error or an interrupt nothing is left that it made.

        Raises:
            ClusterError: the cluster does not start; the message has the reason.
        """
        if self._processes is not None:
            raise ClusterError("the cluster is open")
        if self._folder is not None and self._owner != os.getpid():
            raise ClusterError(FORKED)
        self._given_up.clear()
        self._owner = os.getpid()
        prepare_machine(self.nodes)
        # For a test run that ends without `close`.
        atexit.register(self.close)
        is_again = self._folder is not None
        try:
            if self._folder is None:
                remove_leftovers()
                self._folder = open_folder(self._given_directory, keep=self._keep)
            self._open_on_ports(self._folder)
        except BaseException as error:
            self._end(failed=not is_again)
            if isinstance(error, OSError):
                raise error_of(error) from None
            raise

    def _open_on_ports(self, folder: ClusterFolder) -> None:
        known = self.base_port or former_base_port(folder.path)
        if known and (known == self.base_port or are_free(known, self.nodes)):
            self.base_port = known
            self._start_all(folder)
            return
        refused: list[base_ports.PortClaim] = []
        try:
            while True:
                claim = self._claim = base_ports.claim_ports(self.nodes)
                self.base_port = claim.base_port
                try:
                    self._start_all(folder)
                except ClusterError as error:
                    is_taken = any(text in str(error) for text in _TAKEN)
                    if len(refused) + 1 >= _PORT_TRIES or not is_taken:
                        raise
                    # Kept until the end, so that the next choice is another one.
                    refused.append(claim)
                    self._end_processes()
                    folder.clear()
                else:
                    return
        finally:
            for claim in refused:
                claim.close()

    def _start_all(self, folder: ClusterFolder) -> None:
        is_synced = self._settings.kafka_defaults or not folder.is_temporary
        layout = self._settings.layout(folder.path, self.base_port, is_synced=is_synced)
        # Here, since the fork server imports at the same time; they are for later.
        from minikafka.admin import membership  # noqa: F401
        from minikafka.testing import partitions, records  # noqa: F401

        programs = self._settings.programs(layout, is_synced=is_synced)
        self._processes = NodeProcesses(programs)
        if not self._settings.why_no_faults:
            self._faults = ClusterFaults(folder.path, self.node_ids, self.voters, self._processes)
        self._start_together(self._processes, list(programs))
        if self.nodes > 1:
            self._clients.await_brokers(layout.local_servers, layout.nodes, _START_TIMEOUT_S)

    def close(self) -> None:
        """End the cluster; remove its directory if it is temporary.

        Nodes whose directory is kept are stopped by controlled shutdowns, others are killed. In a
        process that was forked from the owner it does nothing.

        Raises:
            ClusterError: the controlled shutdown failed.
        """
        if self._owner != os.getpid():
            self._clients.close()
            return
        try:
            if self._folder is not None and not self._folder.is_temporary:
                self._stop_all()
        finally:
            self._end(failed=False)

    def shut_down(self) -> None:
        """Stop the nodes by controlled shutdowns, and keep the directory until `close`.

        `open` starts them again, on the same ports.

        Raises:
            ClusterError: the controlled shutdown failed.
        """
        try:
            self._stop_all()
        finally:
            self._end_processes()

    def give_up(self) -> None:
        """Let an `open` or `start` that another thread waits for fail soon."""
        self._given_up.set()

    def _stop_all(self) -> None:
        """Stop brokers first, then controllers: a broker's shutdown needs a controller."""
        if self._processes is not None:
            self._undo_faults()
            self._processes.stop_all(last=self.voters)

    def _end(self, *, failed: bool) -> None:
        """Release everything that `open` has taken; after an interrupt a second call does it."""
        self._end_processes()
        if self._folder is not None:
            self._kept = self._folder.close(failed=failed)
            self._folder = None
        if self._claim is not None:
            self._claim.close()
            self._claim = None
        self.base_port = self._given_port
        atexit.unregister(self.close)

    def _end_processes(self) -> None:
        self._clients.close()
        if self._faults is not None:
            self._faults.close()
            self._faults = None
        if self._processes is not None:
            self._processes.close()
            self._processes = None

    def kill(self, *nodes: int) -> None:
        """Send SIGKILL to nodes, and wait until they have ended."""
        self.separate(nodes, "killed").kill(nodes)

    def stop(self, *nodes: int) -> None:
        """Stop nodes by controlled shutdowns, and wait until they have ended."""
        self.separate(nodes, "stopped").stop(nodes)

    def start(self, *nodes: int) -> None:
        """Start nodes that were killed or stopped, and wait until they serve.

        Raises:
            ClusterError: a node runs already, or does not start; the message has the reason.
        """
        self._given_up.clear()
        self._start_together(self.separate(nodes, "started"), nodes)

    def _start_together(self, processes: NodeProcesses, nodes: Sequence[int]) -> None:
        voters = () if self._settings.one_process else self.voters
        watch = start_watch(processes, voters, self._given_up)
        with nullcontext() if self._faults is None else self._faults.starting(nodes):
            processes.start(nodes, _START_TIMEOUT_S, watch)

    def pause(self, *nodes: int) -> None:
        """Send SIGSTOP to nodes: for others they look like nodes behind a dead network."""
        processes = self.separate(nodes, "paused")
        (self._faults or processes).pause(nodes)

    def resume(self, *nodes: int) -> None:
        """Send SIGCONT to nodes."""
        self.separate(nodes, "resumed").resume(nodes)
        if self._faults is not None:
            self._faults.apply()

    fence = fencing.fence
    shrink_isr = fencing.shrink_isr
    kill_leader = fencing.kill_leader
    fault = _of_faults(ClusterFaults.fault)
    cut = _of_faults(ClusterFaults.cut)
    isolate = _of_faults(ClusterFaults.isolate)
    slow = _of_faults(ClusterFaults.slow)
    clock = _of_faults(ClusterFaults.clock)
    fill_disk = _of_faults(ClusterFaults.fill_disk)
    free_disk = _of_faults(ClusterFaults.free_disk)
    slow_disk = _of_faults(ClusterFaults.slow_disk)
    lose_power = _of_faults(ClusterFaults.lose_power)

    @property
    def faults(self) -> ClusterFaults:
        """The faults of answers, links, clocks and disks.

        Raises:
            ClusterError: the cluster is not open, or no fault can be injected into its nodes.
        """
        self._opened()
        if self._faults is None:
            raise ClusterError(self._settings.why_no_faults)
        return self._faults

    def heal(self) -> None:
        """Remove all faults, resume nodes that are paused, and start those that do not run."""
        self._undo_faults()
        gone = self._opened().gone
        if gone:
            self.start(*gone)

    def _undo_faults(self) -> None:
        self._opened().resume(self._opened().paused)
        if self._faults is not None:
            self._faults.heal()

    def separate(self, nodes: Sequence[int], done: str) -> NodeProcesses:
        """Return the processes, if each of these nodes has its own.

        Raises:
            ClusterError: they share one process, one of them does not exist, or none is given.
        """
        if not nodes:
            raise ClusterError(f"no node is given: which are to be {done}, of 1 to {self.nodes}?")
        for node in nodes:
            self._check_node(node)
        processes = self._opened()
        if self._settings.one_process:
            raise ClusterError(
                f"a node of a cluster in one process cannot be {done} alone; "
                "leave out one_process=True"
            )
        return processes

    def state_text(self) -> str:
        """Return the state for the report of a failed test: nodes, partitions, last log lines."""
        processes = self._processes
        if processes is None:
            return "the cluster is not open"
        lines = [f"minikafka in {self.directory}", *processes.report()]
        lines += self._faults.report() if self._faults is not None else []
        return "\n".join([*lines, self._partition_table()])

    def _opened(self) -> NodeProcesses:
        if self._processes is None:
            raise ClusterError("the cluster is not open")
        return self._processes

    def _check_node(self, node: int) -> None:
        if node not in self.node_ids:
            raise ClusterError(f"there is no node {node!r} in a cluster of {self.nodes}")
