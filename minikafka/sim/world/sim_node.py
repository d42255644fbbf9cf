"""A simulated machine: disks that outlive its process, and the process itself.

The `Node` is that of production; the shell is replaced: the work of `server/driver.py`,
`listener.py` and `outbound.py` with sockets and threads is done on the world's heap.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from minikafka.common import effects as fx
from minikafka.common import events
from minikafka.common.budget import STEP_UNITS
from minikafka.common.clock import Now
from minikafka.common.faults import DISK_ERRORS, OutOfFilesError, StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.config.node_config import NodeConfig, node_config
from minikafka.log.checkpoints import CLEAN_SHUTDOWN, BadMetaPropertiesError
from minikafka.log.directories.future_logs import SLICE_BYTES
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.node.assembly import assemble
from minikafka.node.inputs import NodeInputs
from minikafka.node.node import Node
from minikafka.sim.world.crashes import Crash, CrashWithinStep, PlannedCrashes
from minikafka.sim.world.machine_clock import DeadlineTimer, MachineClock
from minikafka.sim.world.network import SimNetwork
from minikafka.sim.world.sim_connections import SimConnections
from minikafka.sim.world.sim_disk import Buffer, SimDisk
from minikafka.sim.world.sim_threads import SimThreads
from minikafka.sim.world.step_bounds import require_short_step
from minikafka.sim.world.violation import endless_work
from minikafka.sim.world.world import World


@dataclass(slots=True, eq=False, repr=False)
class SimNode:
    """A machine: `start` it, then `kill`, `pause` or `shut_down` it, or let it `lose_power`.

    `given` is its configuration as in a properties file. `flush_us` is the range of the duration of
    a flush, `work_us` that of a computation outside the step; `step_units` is the budget of a step,
    `slice_bytes` what a move between log directories copies in one.
    `on_step` is called after every step of the node: checkers run there. `on_decided` is called
    before the messages of the step leave. `on_fault` is called with the fault of a disk that ends
    the process, `on_end` when the process has ended, before its disks lose anything.
    """

    world: World
    network: SimNetwork
    host: str
    cluster_id: str
    given: Mapping[str, str]
    flush_us: tuple[int, int] = (100, 3000)
    work_us: tuple[int, int] = (50, 20_000)
    step_units: int = STEP_UNITS
    slice_bytes: int = SLICE_BYTES
    on_step: Callable[["SimNode"], None] = lambda _: None
    on_decided: Callable[["SimNode"], None] = lambda _: None
    on_fault: Callable[["SimNode", StorageFault], None] = lambda *_: None
    on_power_loss: Callable[["SimNode"], None] = lambda _: None
    on_end: Callable[["SimNode"], None] = lambda _: None
    config: NodeConfig = field(init=False)
    disks: dict[str, SimDisk] = field(init=False)
    clock: MachineClock = field(init=False)
    node: Node | None = None
    started: bool = False
    started_ms: int = 0
    exit_code: int | None = None
    stopping: bool = False
    """A shutdown was requested, and the process has not ended yet."""
    ended_cleanly: bool = True
    """The last process completed a controlled shutdown, and its disks were not replaced since; no
    start that ended early has removed a clean shutdown file."""
    began_cleanly: bool = True
    """`ended_cleanly` at the start of the present process."""
    has_old_disks: bool = False
    """The disks were replaced by older copies, which may hold a clean shutdown file."""
    stop_was_cut: bool = False
    """The power was lost during the last shutdown: the disks may hold a clean shutdown file."""
    taken_out: dict[str, SimDisk] = field(default_factory=dict)
    """The disks of the log directories that are not in `log.dirs` for a time."""
    failed_directories: tuple[str, ...] = ()
    """The log directories without which the last process that had replicas ended."""
    replicas_online: frozenset[TopicPartition] = frozenset()
    """The replicas that were online when that process ended."""
    starts: int = 0
    steps: int = 0
    flushes: int = 0
    replicas_given_up: int = 0
    """Number of replicas that former processes took offline because of damaged logs."""
    _closed: tuple[str, ...] = ()
    """The log directories in which the last process has left a clean shutdown file."""
    _rng: Random = field(init=False)
    _paused: bool = False
    _posted: deque[Callable[[], None]] = field(default_factory=deque)
    _connections: SimConnections = field(init=False)
    _threads: SimThreads = field(init=False)
    _timer: DeadlineTimer = field(init=False)
    _crashes: PlannedCrashes = field(default_factory=PlannedCrashes)

    def __post_init__(self) -> None:
        """Create empty disks, and what every process of the machine uses."""
        self.config = node_config(self.given)
        self.disks = {path: SimDisk(path) for path in self.config.all_log_dirs}
        self._rng = self.world.rng(self.host)
        self.clock = MachineClock(self.world)
        self._connections = SimConnections(
            self.world, self.network, self.host, self.post, self._step
        )
        self._threads = SimThreads(self.world, self._rng)
        self._timer = DeadlineTimer(self.clock, self.post, lambda: self._step(events.Tick()))

    @property
    def alive(self) -> bool:
        """True if the process runs, or is paused."""
        return self.node is not None

    @property
    def has_lost_directory(self) -> bool:
        """True if the process runs without a log directory that failed."""
        broker = None if self.node is None else self.node.broker
        return broker is not None and any(not x.is_online for x in broker.logs.directories)

    @property
    def closed_directories(self) -> tuple[str, ...]:
        """The log directories that the last shutdown has closed, and no start has loaded since."""
        if not self.ended_cleanly:
            return ()
        return tuple(path for path in self._closed if self.disks[path].exists(CLEAN_SHUTDOWN))

    @property
    def now(self) -> Now:
        """The time of the machine's clocks."""
        return self.clock.now

    @property
    def closing_operations(self) -> int:
        """Number of disk operations with which the last process closed its logs."""
        return self._crashes.closing_operations

    # Faults and operations

    def use(self, disks: dict[str, SimDisk]) -> None:
        """Change `log.dirs`. The last shutdown was clean if it has closed all that are left."""
        assert self.node is None, f"{self.host} runs"
        self.disks = disks
        self._closed = tuple(path for path in self._closed if path in disks)
        self.ended_cleanly |= len(self._closed) == len(disks)
        self.given = {**self.given, "log.dirs": ",".join(disks)}
        self.config = node_config(self.given)

    def start(self, crash: Crash | None = None) -> None:
        """Start the process; it exits with code 1 at once if it cannot use its disks."""
        assert self.node is None, f"{self.host} runs already"
        self.network.boot(self.host)
        self._crashes.process_starts(crash)
        for disk in self.disks.values():
            disk.before_change = self._before_change
        self.starts += 1
        self.ended_cleanly = self.ended_cleanly and self.closed_directories == self._closed
        self.began_cleanly = self.ended_cleanly
        self.started = False
        self.exit_code = None
        for disk in self.disks.values():
            disk.has_refused = False
            # Those of the process before are free.
            disk.few_files = None
            disk.step_begins()
        ports = {listener.name: listener.port for listener in self.config.listeners}
        rng = Random(f"{self.world.seed}/{self.host}/{self.starts}")
        try:
            node = assemble(
                self.config, NodeInputs(self.disks, ports, self.cluster_id, rng, self.now)
            )
        except (BadMetaPropertiesError, *DISK_ERRORS) as error:
            fault = error
            if not isinstance(fault, StorageFault):
                fault = StorageFault(self.config.metadata_log_dir, str(error))
            self.world.note(self.host, f"cannot start: {fault}")
            self._process_ended(1)
            self.on_fault(self, fault)
            return
        except CrashWithinStep:
            self._crashed()
            return
        finally:
            self._end_on_disks()
        node.env.on_contained = _bug
        node.env.on_endless_work = endless_work
        node.env.units_per_step = self.step_units
        if node.broker is not None:
            node.broker.logs.futures.slice_bytes = self.slice_bytes
            for directory in node.broker.logs.directories:
                self.disks[directory.disk.root].loads += directory.is_loaded
        self.node = node
        self.world.note(self.host, "starts")
        for listener in self.config.controller_listeners:
            self._connections.serve(listener.name, listener.port)
        self._run(lambda: node.start(self.now))
        if node.broker is not None:
            node.broker.lifecycle.listener = _StopObserver(node, self._begins_to_close)

    def set_clock_rate(self, rate: float) -> None:
        """Change the rate of the clocks, without a jump."""
        self.clock.set_rate(rate)
        if self._timer.cancel():
            assert self.node is not None
            self._timer.set(self.node.next_deadline_ms())

    def kill(self) -> None:
        """Kill the process as SIGKILL does: written bytes stay, and connections are closed."""
        if self.node is not None:
            self.world.note(self.host, "is killed")
            self._process_ended(None)

    def lose_power(self, *, flips: bool = False) -> None:
        """Cut the power: unsynced bytes are lost, and peers are not notified."""
        self.world.note(self.host, "loses power" + (", and bits are flipped" if flips else ""))
        self.on_power_loss(self)
        self.network.lose_power(self.host)
        self._process_ended(None)
        for disk in (*self.disks.values(), *self.taken_out.values()):
            disk.lose_power(self._rng, flips=flips)

    def shut_down(self) -> None:
        """Request a controlled shutdown, as SIGTERM does."""
        self.world.note(self.host, "receives SIGTERM")
        self.stopping = self.alive
        if self.node is not None and self.node.broker is None:
            self._begins_to_close()
        self.post(lambda: self._step(events.ShutdownRequested()))

    def lose_power_in_stop(
        self, operations: int, on_crash: Callable[[], None] = lambda: None
    ) -> None:
        """Request a controlled shutdown, and cut the power in the step that closes the logs.

        The power is cut after `operations` disk operations of that step, or as soon as the process
        has ended, if it needs no more than that.
        """
        if self.node is not None:
            self._crashes.in_closing = Crash(operations, power=True, on_crash=on_crash)
        self.shut_down()

    def crash_within_step(self, crash: Crash | None) -> None:
        """Crash the process or its machine at one of its next disk operations; None: cancel."""
        self._crashes.next = None if self.node is None else crash

    def _begins_to_close(self) -> None:
        self._crashes.begins_to_close()

    def _before_change(self, operation: str, data: Buffer) -> None:
        """Begin a disk operation, or crash the process instead."""
        self.world.add_to_digest(operation.encode(), data)
        self._crashes.before_operation()

    def _crashed(self) -> None:
        crash, was_closing = self._crashes.next, self._crashes.is_closing
        assert crash is not None
        self.world.note(self.host, "crashes at a disk operation")
        if crash.power:
            self.lose_power()
        else:
            self._process_ended(None)
        self.stop_was_cut = was_closing
        crash.on_crash()

    def pause(self) -> None:
        """Pause the process as SIGSTOP does; the kernel still receives bytes."""
        self.world.note(self.host, "is paused")
        self._paused = True

    def resume(self) -> None:
        """Resume a paused process with everything that arrived meanwhile."""
        if not self._paused:
            return
        self.world.note(self.host, "is resumed")
        self._paused = False
        posted, self._posted = self._posted, deque()
        for action in posted:
            self.post(action)

    # The process

    def post(self, action: Callable[[], None]) -> None:
        """Run an action in the process: now, or when it is resumed."""
        if self._paused:
            self._posted.append(action)
        elif self.node is not None:
            action()

    def _step(self, event: events.Event) -> None:
        node = self.node
        if node is not None:
            self._run(partial(node.step, event, self.now))

    def _run(self, work: Callable[[], Sequence[fx.Effect]]) -> None:
        """Run a step. A storage fault ends the process; any other error is a bug and propagates."""
        self.steps += 1
        before = self._disk_work()
        self._begin_on_disks()
        try:
            effects = work()
            if not self.stopping:
                require_short_step(self.host, self.node, self._disk_work() - before)
            self.on_decided(self)
            for effect in effects:
                self._carry_out(effect)
                if self.node is None:
                    return
        except StorageFault as fault:
            self.world.note(self.host, f"stops on a storage fault: {fault}")
            self._process_ended(1)
            self.on_fault(self, fault)
            return
        except CrashWithinStep:
            self._crashed()
            return
        finally:
            self._end_on_disks()
        assert self.node is not None
        self._timer.set(self.node.next_deadline_ms())
        self.on_step(self)

    def _disk_work(self) -> int:
        work = 0
        # Twice a step: a loop is faster than `sum`.
        for disk in self.disks.values():
            work += disk.syncs + disk.folders_changed
        return work

    def _carry_out(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Reply(connection, parts):
                self._connections.reply(connection, parts)
            case fx.Send(channel, parts):
                self._connections.send(channel, parts)
            case fx.Mute(connection):
                self._connections.mute(connection)
            case fx.Unmute(connection):
                self._connections.unmute(connection)
            case fx.Disconnect(connection) | fx.Reset(connection):
                self._connections.disconnect(connection)
            case fx.CloseChannel(channel):
                self._connections.close_channel(channel)
            case fx.Flush(token, targets):
                self._flush(token, targets)
            case fx.Work(token, function):
                self._work(token, function)
            case fx.Started():
                self.started, self.started_ms = True, self.world.now_ms
                self.world.note(self.host, "serves clients")
                for listener in self.config.broker_listeners:
                    self._connections.serve(listener.name, listener.port)
            case fx.Halt(exit_code, reason):
                self._halted(exit_code, reason)

    def _halted(self, exit_code: int, reason: str) -> None:
        self.world.note(self.host, f"stops: {reason}")
        crash = self._crashes.in_closing if self._crashes.is_closing else None
        self._process_ended(exit_code)
        if crash is not None:
            self.lose_power()
            crash.on_crash()

    def _flush(self, token: int, targets: Sequence[fx.SyncTarget]) -> None:
        """Queue a flush; it may include bytes that are written while it waits."""
        self.flushes += 1
        life = self.starts
        sync_after_us, end_after_us = self._threads.queue_flush(self.flush_us)
        outcome: list[StorageFault | OutOfFilesError | None] = [None]

        def sync() -> None:
            if self.node is None or self.starts != life:
                return
            self._begin_on_disks()
            try:
                for target in targets:
                    target.run()
            except DISK_ERRORS as error:
                outcome[0] = error
            except CrashWithinStep:
                self._crashed()
            finally:
                self._end_on_disks()

        def done() -> None:
            if self.starts == life:
                self._step(events.FlushDone(token, outcome[0]))

        self.world.after(sync_after_us, sync)
        self.world.after(end_after_us, lambda: self.post(done))

    def _begin_on_disks(self) -> None:
        for disk in self.disks.values():
            disk.step_begins()

    def _end_on_disks(self) -> None:
        for disk in self.disks.values():
            disk.step_ends()

    def _work(self, token: int, function: Callable[[], object]) -> None:
        """Run at most two functions at a time beside the node, as the shell does."""
        life = self.starts

        def done() -> None:
            if self.starts != life:
                return
            self._step(_outcome(token, function))

        self.world.after(self._threads.queue_work(self.work_us), lambda: self.post(done))

    def _process_ended(self, exit_code: int | None) -> None:
        self.network.close_all(self.host)
        self.on_end(self)
        if any(disk.has_unwritten for disk in self.disks.values()):
            self.on_power_loss(self)
        if self.node is not None:
            broker = self.node.broker
            self.replicas_given_up += 0 if broker is None else broker.replicas.damaged_count
            self.ended_cleanly = self.stopping and exit_code == 0
            self.has_old_disks = self.stop_was_cut = False
            homes = () if broker is None else broker.logs.directories
            self.failed_directories, self.replicas_online = last_directories(self)
            # A directory that failed at the start keeps the file of an earlier process.
            self._closed = tuple(x.disk.root for x in homes if _is_closed(x, self.disks))
        self._crashes.process_ended()
        self.node = None
        self.stopping = self.started = self._paused = False
        self.exit_code = exit_code
        self._posted.clear()
        self._connections.clear()
        self._threads.end()
        self._timer.cancel()
        for disk in self.disks.values():
            disk.crash()


def last_directories(node: SimNode) -> tuple[tuple[str, ...], frozenset[TopicPartition]]:
    """`failed_directories` and `replicas_online`, if the process ended now."""
    broker = None if node.node is None else node.node.broker
    if broker is None or not broker.replicas.partitions:
        return node.failed_directories, node.replicas_online
    failed = tuple(x.disk.root for x in broker.logs.directories if not x.is_online)
    return failed, frozenset(broker.replicas.partitions)


def _bug(what: str, error: Exception) -> None:
    """Propagate an error that a node would contain: here it is a finding."""
    del what
    raise error


def _outcome(token: int, function: Callable[[], object]) -> events.WorkDone:
    try:
        return events.WorkDone(token, function(), None)
    except Exception as error:  # noqa: BLE001 - as a thread would hand it over
        return events.WorkDone(token, None, error)


@dataclass(slots=True)
class _StopObserver:
    """Follows a broker's states for its node, and reports first when the node closes its logs."""

    node: Node
    on_stop: Callable[[], None]

    def broker_caught_up(self) -> None:
        self.node.broker_caught_up()

    def broker_running(self) -> None:
        self.node.broker_running()

    def broker_may_stop(self) -> None:
        self.on_stop()
        self.node.broker_may_stop()

    def broker_rejected(self, why: str) -> None:
        self.node.broker_rejected(why)


def _is_closed(home: LogDirectory, disks: Mapping[str, SimDisk]) -> bool:
    return home.is_loaded and disks[home.disk.root].exists(CLEAN_SHUTDOWN)
