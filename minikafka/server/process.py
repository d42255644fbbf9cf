"""Nodes in this process: disks, sockets, signals, and the loop that runs them.

Start-up is kept short: it imports only uvloop and the modules that a node needs, and collects no
garbage; later all permanent objects are frozen, so that the collector skips them.
"""

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING

from minikafka.common.events import ShutdownRequested
from minikafka.common.faults import StorageFault
from minikafka.config import broker as keys
from minikafka.config.node_config import NodeConfig
from minikafka.config.values import Config
from minikafka.log.checkpoints import BadMetaPropertiesError, read_meta_properties
from minikafka.node.assembly import Surroundings, assemble
from minikafka.node.node import Node
from minikafka.records import summary
from minikafka.server.connection_limits import configured_limits
from minikafka.server.debug_hooks import DebugDisk, DebugHooks
from minikafka.server.descriptors import most_connections, raise_limit, share_of_files
from minikafka.server.driver import Driver, read_clock
from minikafka.server.open_files import OPEN_FILES
from minikafka.server.os_disk import OsDisk

if TYPE_CHECKING:
    # A node without a metrics listener never imports the metrics server.
    from minikafka.server.metrics_http import MetricsServer

_log = logging.getLogger("minikafka.server")
_COLLECT_AFTER_S = 1.0


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
    running = [RunningNode(config, loop, on_started) for config in configs]
    try:
        for each in running:
            await each.bind()
        for each in running:
            each.start()
        if summary.compiled is None:
            _log.warning("minikafka was installed without a C compiler: large batches take longer")
        # Delayed, since a collection would delay the first clients.
        loop.call_later(_COLLECT_AFTER_S, _tune_collector)

        def stop() -> None:
            stopping.append(loop.create_task(_stop_in_order(running)))

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop)
        codes = await asyncio.gather(*(each.driver.halted for each in running))
    finally:
        for each in running:
            each.close()
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


class RunningNode:
    """One node with its driver."""

    def __init__(
        self,
        config: NodeConfig,
        loop: asyncio.AbstractEventLoop,
        on_started: Callable[[NodeConfig], None],
    ) -> None:
        """Prepare the node; nothing is opened yet.

        Raises:
            StartError: a host name in the limits cannot be resolved.
        """
        self.config = config
        self._on_started = on_started
        self._loop = loop
        self._ports: dict[str, int] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._metrics: MetricsServer | None = None
        self._hooks = DebugHooks.from_environment(os.environ)
        self._clock = self._hooks.clock(read_clock) if self._hooks else read_clock
        self.driver = Driver(
            loop, self._started, self._clock, self._follow_limits, self._queued_bytes
        )
        values = config.values
        limit = raise_limit()
        OPEN_FILES.most = share_of_files(limit)
        names = tuple(each.name for each in config.listeners)
        try:
            self.driver.connections.limits = configured_limits(
                values, names, most_connections(limit)
            )
        except OSError as error:
            raise StartError(_unknown_address(values, error)) from None
        bound_bytes = values[keys.QUEUED_MAX_REQUEST_BYTES]
        if bound_bytes > 0:
            self.driver.connections.memory.bound_bytes = bound_bytes
        if len(config.broker_listeners) > 1 or not config.is_broker:
            self.driver.connections.node_listeners = frozenset(
                (config.inter_broker_listener_name, *config.controller_listener_names)
            )
        self._followed = values
        self.node: Node

    async def bind(self) -> None:
        """Bind every listener, so that an address in use is noticed before anything is written.

        Raises:
            StartError: an address cannot be bound.
        """
        connections = self.driver.connections
        backlog = self.config.values[keys.SOCKET_LISTEN_BACKLOG_SIZE]
        for listener in self.config.listeners:
            try:
                self._ports[listener.name] = await connections.listen(
                    listener.name, listener.host, listener.port, backlog
                )
            except OSError as error:
                raise StartError(f"listeners: cannot bind {listener}: {error.strerror}") from None
        if self.config.metrics_address is not None:
            await self._bind_metrics(*self.config.metrics_address)

    async def _bind_metrics(self, host: str, port: int) -> None:
        name = keys.METRICS_HTTP_LISTEN.name
        try:
            from minikafka.server.prometheus_text import exposition  # noqa: PLC0415
        except ImportError:
            raise StartError(
                f"{name} needs the extra metrics: pip install 'minikafka[metrics]'"
            ) from None
        from minikafka.node.metrics import node_samples  # noqa: PLC0415
        from minikafka.server.metrics_http import MetricsServer  # noqa: PLC0415

        server = MetricsServer(lambda: node_samples(self.node), exposition)
        try:
            bound = await server.bind(host, port)
        except OSError as error:
            raise StartError(
                f"{name}: cannot bind {self.config.values[keys.METRICS_HTTP_LISTEN]}: "
                f"{error.strerror}"
            ) from None
        self._metrics = server
        # DescribeConfigs returns the port that was bound, so that clients can find it.
        shown = f"[{host}]:{bound}" if ":" in host else f"{host}:{bound}"
        given = {**self.config.values.given, name: shown}
        self.config = self.config._replace(values=Config(given), metrics_address=(host, bound))
        _log.info("node %d serves its metrics at http://%s/metrics", self.config.node_id, shown)

    def start(self) -> None:
        """Load the disks and start the node.

        Raises:
            StartError: a log directory is not formatted, or cannot be used.
        """
        config = self.config
        try:
            disks = {path: self._disk(path) for path in config.all_log_dirs}
            identity = read_meta_properties(disks[config.metadata_log_dir])
            if identity is None:
                raise StartError(
                    f"{config.metadata_log_dir} is not formatted: it has no meta.properties; "
                    "run bin/kafka-storage.py format first"
                )
            self.node = assemble(
                config,
                Surroundings(
                    disks,
                    self._ports,
                    identity.cluster_id,
                    Random(int.from_bytes(os.urandom(8), "big")),
                    self._clock(),
                ),
            )
        except (BadMetaPropertiesError, StorageFault) as error:
            raise StartError(str(error)) from None
        for listener in config.controller_listeners:
            self._serve(listener.name)
        if self._metrics is not None:
            self._tasks.append(self._loop.create_task(self._metrics.serve()))
        self.driver.start(self.node)

    def _queued_bytes(self) -> int:
        return self.node.env.queued_bytes

    def _follow_limits(self) -> None:
        """Update the connection limits of a broker if its configuration has changed."""
        broker = self.node.broker
        if broker is None or broker.dynamic.current is self._followed:
            return
        values = broker.dynamic.current
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
        if self._metrics is not None:
            self._metrics.close()
        self.driver.close()

    def _disk(self, path: str) -> OsDisk:
        return DebugDisk(path, self._hooks) if self._hooks else OsDisk(path)

    def _started(self) -> None:
        self._tasks.append(self._loop.create_task(self._let_clients_in()))

    async def _let_clients_in(self) -> None:
        """Open the broker listeners after the broker was unfenced, then report the start."""
        for listener in self.config.broker_listeners:
            await self.driver.connections.serve(listener.name)
        self._on_started(self.config)

    def _serve(self, listener: str) -> None:
        self._tasks.append(self._loop.create_task(self.driver.connections.serve(listener)))


def _unknown_address(values: Config, error: OSError) -> str:
    key = keys.MAX_CONNECTIONS_PER_IP_OVERRIDES
    return f"{key.name}: {values[key]}: {error.strerror}"


def _tune_collector() -> None:
    """Freeze the objects of the start-up, and collect less often than by default."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 1_000)
    gc.enable()
