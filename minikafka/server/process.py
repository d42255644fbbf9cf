"""Nodes in this process: disks, sockets, signals, and the loop that runs them.

Start-up is kept short: it imports only uvloop and the modules that a node needs, and collects no
garbage; later all permanent objects are frozen, so that the collector skips them.
"""

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from minikafka.common.addresses import server_text
from minikafka.common.events import ShutdownRequested
from minikafka.common.faults import DISK_ERRORS
from minikafka.config import broker as keys
from minikafka.config.node_config import Listener, NodeConfig
from minikafka.config.sasl_keys import SASL_SERVER_MAX_RECEIVE_SIZE
from minikafka.config.values import Config
from minikafka.log.checkpoints import BadMetaPropertiesError, read_meta_properties
from minikafka.node.assembly import assemble
from minikafka.node.inputs import NodeInputs
from minikafka.node.node import Node
from minikafka.records import summary
from minikafka.server import unsynced_disk
from minikafka.server.advertised import advertised_names, warn_of_unknown_names
from minikafka.server.bound_sockets import BoundSockets, bind_sockets
from minikafka.server.connection_limits import ConnectionLimits, configured_limits
from minikafka.server.debug_hooks import FOR_FAULTS, VARIABLE, DebugHooks, UnknownHookError
from minikafka.server.descriptors import least_limit, most_connections, raise_limit, share_of_files
from minikafka.server.driver import Driver, read_clock
from minikafka.server.open_files import OPEN_FILES
from minikafka.server.os_disk import OsDisk
from minikafka.server.unsynced_disk import UnsyncedDisk

if TYPE_CHECKING:
    # A node without them never imports the metrics server, TLS, or the injection of faults.
    from minikafka.server.fault_socket import FaultSocket
    from minikafka.server.key_files import KeyFiles
    from minikafka.server.metrics_http import MetricsServer
    from minikafka.server.node_tls import NodeTls

_log = logging.getLogger("minikafka.server")
_COLLECT_AFTER_S = 1.0
_METRICS_BACKLOG = 100


class StartError(Exception):
    """A node could not be started; the message names the cause."""


def run_nodes(configs: Sequence[NodeConfig], on_started: Callable[[NodeConfig], None]) -> int:
    """Run nodes until all have stopped; return the exit code of the first that failed, or 0.

    SIGTERM and SIGINT start a controlled shutdown.

    Raises:
        StartError: a node cannot start; it names the file, directory or address at fault.
    """
    try:
        import uvloop  # noqa: PLC0415 - asyncio's loop is used if uvloop is not installed

        runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    except ImportError:
        runner = asyncio.Runner()
    with runner:
        return runner.run(_run(configs, on_started))


async def _run(configs: Sequence[NodeConfig], on_started: Callable[[NodeConfig], None]) -> int:
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []
    for warning in dict.fromkeys(each for config in configs for each in config.warnings):
        _log.warning("%s", warning)
    with ExitStack() as opened:
        bound = [opened.enter_context(closing(await bind_node(config))) for config in configs]
        running: list[RunningNode] = []
        for each in bound:
            node = opened.enter_context(closing(RunningNode(each, loop, on_started)))
            node.start()
            running.append(node)
        if summary.compiled is None:
            _log.warning(
                "the compiled part is missing: large batches take longer. `pip install .` builds "
                "it if there is a C compiler"
            )
        names = advertised_names(configs)
        if names:
            checking = loop.create_task(warn_of_unknown_names(names))
            opened.callback(checking.cancel)
        # Delayed, since a collection would delay the first clients.
        loop.call_later(_COLLECT_AFTER_S, _tune_collector)

        def stop() -> None:
            stopping.append(loop.create_task(_stop_in_order(running)))

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop)
        codes = await asyncio.gather(*(each.driver.halted for each in running))
        for node in running:
            if node.problem is not None:
                raise node.problem
    return next((code for code in codes if code), 0)


async def _stop_in_order(running: Sequence["RunningNode"]) -> None:
    """Stop brokers first, then controllers: a broker's shutdown needs the active controller."""
    brokers = [each for each in running if not each.config.is_controller]
    for each in brokers:
        each.driver.step(ShutdownRequested())
    if brokers:
        await asyncio.wait([each.driver.halted for each in brokers])
    for each in running:
        if each.config.is_controller:
            each.driver.step(ShutdownRequested())


@dataclass(slots=True, eq=False, repr=False)
class BoundNode:
    """A node whose addresses are bound, and of whose disks nothing has been read."""

    config: NodeConfig
    limits: ConnectionLimits
    listeners: dict[str, BoundSockets] = field(default_factory=dict)
    metrics: BoundSockets | None = None
    tls: "NodeTls | None" = None
    key_files: "KeyFiles | None" = None

    def close(self) -> None:
        """Close the sockets."""
        for each in self.listeners.values():
            each.close()
        if self.metrics is not None:
            self.metrics.close()


async def bind_node(config: NodeConfig) -> BoundNode:
    """Bind every listener, so that an address in use is noticed before anything is written.

    Raises:
        StartError: an address cannot be bound, a host name in the limits cannot be resolved, or
            keys, certificates or tokens cannot be used.
    """
    limit = raise_limit()
    if most_connections(limit) < 1:
        raise StartError(
            f"the limit on open files is {limit}, which leaves none for connections: raise it to "
            f"at least {least_limit()}; see ulimit -n"
        )
    OPEN_FILES.most = share_of_files(limit)
    names = tuple(each.name for each in config.listeners)
    _check_tokens(config)
    try:
        limits = configured_limits(config.values, names, most_connections(limit))
    except OSError as error:
        raise StartError(_unknown_address(config.values, error)) from None
    bound = BoundNode(config, limits, tls=_tls(config), key_files=_key_files(config))
    try:
        await _bind_listeners(bound)
    except StartError:
        bound.close()
        raise
    return bound


def _tls(config: NodeConfig) -> "NodeTls | None":
    """Read the keys and certificates, if a listener has TLS.

    Raises:
        StartError: one of them cannot be used.
    """
    if not config.ssl:
        return None
    from minikafka.server.node_tls import NodeTls  # noqa: PLC0415
    from minikafka.tls.stores import TlsError  # noqa: PLC0415

    try:
        return NodeTls(config)
    except TlsError as error:
        raise StartError(str(error)) from None


def _key_files(config: NodeConfig) -> "KeyFiles | None":
    """Read the keys of signed tokens, if a listener accepts such tokens.

    Raises:
        StartError: a file cannot be used.
    """
    paths = config.sasl.key_files
    if not paths:
        return None
    from minikafka.server.key_files import KeyFileError, KeyFiles  # noqa: PLC0415

    try:
        return KeyFiles(paths)
    except KeyFileError as error:
        raise StartError(str(error)) from None


def _check_tokens(config: NodeConfig) -> None:
    """Check the tokens by which the node logs in to others; each login reads them again.

    Raises:
        StartError: a file has none.
    """
    if not config.sasl.token_files:
        return
    from minikafka.tls.token_file import TokenFileError, read_token  # noqa: PLC0415

    for path in sorted(config.sasl.token_files):
        try:
            read_token(path)
        except TokenFileError as error:
            raise StartError(str(error)) from None


async def _bind_listeners(bound: BoundNode) -> None:
    config = bound.config
    backlog = config.values[keys.SOCKET_LISTEN_BACKLOG_SIZE]
    for listener in config.listeners:
        try:
            bound.listeners[listener.name] = await bind_sockets(
                listener.host, listener.port, backlog
            )
        except OSError as error:
            raise StartError(f"listeners: cannot bind {listener}: {error.strerror}") from None
    if config.metrics_address is not None:
        await _bind_metrics(bound, *config.metrics_address)


async def _bind_metrics(bound: BoundNode, host: str, port: int) -> None:
    config, name = bound.config, keys.METRICS_HTTP_LISTEN.name
    try:
        import minikafka.server.prometheus_text  # noqa: F401, PLC0415
    except ImportError:
        raise StartError(
            f"{name} needs the extra metrics: pip install 'minikafka[metrics]'"
        ) from None
    try:
        bound.metrics = await bind_sockets(host, port, _METRICS_BACKLOG)
    except OSError as error:
        raise StartError(
            f"{name}: cannot bind {config.values[keys.METRICS_HTTP_LISTEN]}: {error.strerror}"
        ) from None
    # DescribeConfigs returns the port that was bound, so that clients can find it.
    port = bound.metrics.port
    shown = server_text(host, port)
    given = {**config.values.given, name: shown}
    bound.config = config._replace(values=Config(given), metrics_address=(host, port))
    _log.info("node %d serves its metrics at http://%s/metrics", config.node_id, shown)


class RunningNode:
    """One node with its driver and its listeners."""

    def __init__(
        self,
        bound: BoundNode,
        loop: asyncio.AbstractEventLoop,
        on_started: Callable[[NodeConfig], None],
    ) -> None:
        """Load the disks; nothing runs before `start`.

        Raises:
            StartError: a log directory is not formatted, or cannot be used.
        """
        self.config = bound.config
        self.problem: StartError | None = None
        """Why the node shut down before it was started."""
        self._on_started = on_started
        self._loop = loop
        self._tasks: list[asyncio.Task[None]] = []
        self._closing = ExitStack()
        self._hooks = _debug_hooks()
        self._clock = self._hooks.clock(read_clock) if self._hooks else read_clock
        self._followed = self.config.values
        self._tls = bound.tls
        ports = {name: each.port for name, each in bound.listeners.items()}
        self.node = self._assemble(ports, bound)
        self.driver = Driver(
            self.node,
            loop,
            self._started,
            self._clock,
            follow_limits=self._follow_limits,
            held_bytes=self._queued_bytes,
        )
        sasl = self.config.sasl
        if sasl.to_brokers is not None or sasl.to_controllers is not None:
            # A node without SASL imports nothing of it.
            from minikafka.server.outbound_login import OutboundLogins  # noqa: PLC0415

            self.driver.outbound.logins = OutboundLogins(sasl, str(self.config.node_id), loop)
        self._metrics = None if bound.metrics is None else _metrics_server(bound.metrics, self.node)
        self._faults = None if self._hooks is None else _fault_socket(self._hooks, self)
        self._prepare_connections(bound)

    def _assemble(self, ports: Mapping[str, int], bound: BoundNode) -> Node:
        config = self.config
        try:
            disks = {path: self._disk(path) for path in config.all_log_dirs}
            identity = read_meta_properties(disks[config.metadata_log_dir])
            if identity is None:
                raise StartError(
                    f"{config.metadata_log_dir} is not formatted: it has no meta.properties; "
                    "run bin/kafka-storage.py format first"
                )
            rng = Random(int.from_bytes(os.urandom(8), "big"))
            inputs = NodeInputs(
                disks, ports, identity.cluster_id, rng, self._clock(), os.urandom, keys=bound.tls
            )
            if bound.key_files is not None:
                inputs = inputs._replace(key_files=bound.key_files.texts)
            return assemble(config, inputs)
        except (BadMetaPropertiesError, *DISK_ERRORS) as error:
            raise StartError(str(error)) from None

    def _prepare_connections(self, bound: BoundNode) -> None:
        config, connections = self.config, self.driver.connections
        connections.limits = bound.limits
        bound_bytes = config.values[keys.QUEUED_MAX_REQUEST_BYTES]
        if bound_bytes > 0:
            connections.memory.bound_bytes = bound_bytes
        if len(config.broker_listeners) > 1 or not config.is_broker:
            connections.node_listeners = frozenset(
                (config.inter_broker_listener_name, *config.controller_listener_names)
            )
        connections.before_login = {
            name: listener.values[SASL_SERVER_MAX_RECEIVE_SIZE]
            for name, listener in config.sasl.listeners.items()
        }
        for name, sockets in bound.listeners.items():
            connections.listen(name, sockets)
        if bound.tls is not None:
            self._secure(bound.tls)
        if bound.key_files is not None:
            self._closing.callback(bound.key_files.follow(self._loop, self.driver.step))

    def _secure(self, tls: "NodeTls") -> None:
        """Use TLS on the listeners that have it, and to those of other nodes."""
        driver = self.driver
        failures = tls.failures(self._loop, driver.step)
        driver.connections.secured = tls.secured(self._loop, driver.connections, failures)
        driver.outbound.secure = tls.outbound(self._loop)
        self._closing.callback(failures.close)
        self._closing.callback(tls.follow(self._loop, self._values))

    def _values(self) -> Mapping[str, str]:
        """Return the values in force."""
        broker = self.node.broker
        return (self.config.values if broker is None else broker.local.config).given

    def start(self) -> None:
        """Start the node; open the listeners for controllers and metrics.

        Raises:
            StartError: another process listens on an address since it was bound.
        """
        self._open(self.config.controller_listeners)
        if self._metrics is not None:
            self._tasks.append(self._loop.create_task(self._serve_metrics(self._metrics)))
        if self._faults is not None:
            self._tasks.append(self._loop.create_task(self._faults.serve()))
        self.driver.start()

    def _queued_bytes(self) -> int:
        return self.node.env.queued_bytes

    def _follow_limits(self) -> None:
        """Update the connection limits of a broker if its configuration has changed."""
        broker = self.node.broker
        if broker is None or broker.local.config is self._followed:
            return
        values = broker.local.config
        self._followed = values
        connections = self.driver.connections
        names = tuple(each.name for each in self.config.listeners)
        try:
            connections.limits = configured_limits(values, names, connections.limits.descriptors)
        except OSError as error:
            _log.warning(
                "the connection limits are not changed: %s", _unknown_address(values, error)
            )

    def close(self) -> None:
        """Close everything that is open."""
        self._closing.close()
        if self._metrics is not None:
            self._metrics.close()
        if self._faults is not None:
            self._faults.close()
        self.driver.close()

    def _disk(self, path: str) -> OsDisk:
        is_synced = not os.environ.get(unsynced_disk.VARIABLE)
        disk = self._hooks and self._hooks.disk(path, is_synced=is_synced)
        return disk or (OsDisk(path) if is_synced else UnsyncedDisk(path))

    def _started(self) -> None:
        """Open the broker listeners after the broker was unfenced, then report the start."""
        if self._tls is not None:
            # Now the dynamic configuration is known, which may name other certificates.
            self._tls.reload(self._values(), at_once=True)
        try:
            self._open(self.config.broker_listeners)
        except StartError as error:
            self._give_up(error)
        else:
            self._on_started(self.config)

    def _open(self, listeners: Sequence[Listener]) -> None:
        for listener in listeners:
            try:
                self.driver.connections.serve(listener.name)
            except OSError as error:
                raise StartError(
                    f"listeners: cannot listen on {listener}: {error.strerror}"
                ) from None

    async def _serve_metrics(self, metrics: "MetricsServer") -> None:
        try:
            await metrics.serve()
        except OSError as error:
            self._give_up(StartError(f"the metrics listener cannot listen: {error.strerror}"))

    def _give_up(self, problem: StartError) -> None:
        """Shut the node down, since one of its listeners cannot be opened."""
        self.problem = problem
        _log.critical("%s", problem)
        self.driver.step(ShutdownRequested())


def _metrics_server(bound: BoundSockets, node: Node) -> "MetricsServer":
    # A node without a metrics listener never imports these.
    from minikafka.node.metrics import node_samples  # noqa: PLC0415
    from minikafka.server.metrics_http import MetricsServer  # noqa: PLC0415
    from minikafka.server.prometheus_text import exposition  # noqa: PLC0415

    return MetricsServer(bound, lambda: node_samples(node), exposition)


def _debug_hooks() -> DebugHooks | None:
    """Return the hooks if the environment enables them.

    Raises:
        StartError: their folder cannot be used, or there is no such hook.
    """
    try:
        return DebugHooks.from_environment(os.environ)
    except UnknownHookError as error:
        raise StartError(str(error)) from None
    except OSError as error:
        raise StartError(f"{VARIABLE}: {error.filename}: {error.strerror}") from None


def _fault_socket(hooks: DebugHooks, running: RunningNode) -> "FaultSocket | None":
    """Let faults be injected into a node, if that is wanted.

    Raises:
        StartError: the socket cannot be created.
    """
    if FOR_FAULTS not in hooks.wanted:
        return None
    from minikafka.server.faulty_node import fault_socket  # noqa: PLC0415

    try:
        return fault_socket(hooks, running.node, running.driver)
    except OSError as error:
        raise StartError(f"{hooks.folder}: cannot create a socket: {error.strerror}") from None


def _unknown_address(values: Config, error: OSError) -> str:
    key = keys.MAX_CONNECTIONS_PER_IP_OVERRIDES
    return f"{key.name}: {values[key]}: {error.strerror}"


def _tune_collector() -> None:
    """Freeze the objects of the start-up, and collect less often than by default."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 1_000)
    gc.enable()
