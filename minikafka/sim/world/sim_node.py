"""A simulated machine: disks that outlive its process, and the process itself.

The `Node` is that of production; the shell is replaced: the work of `server/driver.py`,
`listener.py` and `outbound.py` with sockets and threads is done on the world's heap. The memory of
a frame is overwritten after its step, which reveals views that are kept too long.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from random import Random

from minikafka.common import effects as fx
from minikafka.common import events
from minikafka.common.budget import STEP_UNITS
from minikafka.common.clock import Now
from minikafka.common.faults import RecordsGoneError, StorageFault
from minikafka.common.file_slice import FileSlice
from minikafka.config.node_config import NodeConfig, node_config
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.node.assembly import Surroundings, assemble
from minikafka.node.node import Node
from minikafka.sim.world.network import SimNetwork, SimStream
from minikafka.sim.world.sim_disk import Buffer, CrashWithinStep, SimDisk
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS, ScheduledAction, World

EPOCH_MS = 1_700_000_000_000
"""The wall clock of every machine at the start of the world, without its offset."""
MOST_DISK_WORK = 100
"""Maximum number of syncs and of folders created, renamed or removed in one step: about 100 ms of a
slow disk."""
_SCRIBBLE = b"\xee"
_SIZE_BYTES = 4


@dataclass(slots=True)
class Crash:
    """A crash at the disk operation that comes after `operations` others.

    The machine loses power (`power`), or only the process is killed. An append that the crash
    interrupts has written `share` of its bytes. `on_crash` is called after the crash.
    """

    operations: int
    power: bool
    share: float = 0.0
    on_crash: Callable[[], None] = lambda: None


@dataclass(slots=True)
class SimInbound:
    """A connection that a client or another node has opened to this node."""

    owner: "SimNode"
    number: int
    stream: SimStream
    waiting: deque[bytearray] = field(default_factory=deque)
    muted: bool = False

    def arrived(self, data: bytes) -> None:
        """Queue a request."""
        self.waiting.append(bytearray(data))
        self.owner.post(partial(self.owner.hand_out, self))

    def ended(self, reason: str) -> None:
        """Close the connection after its peer did."""
        del reason
        self.owner.post(partial(self.owner.inbound_ended, self))


@dataclass(slots=True)
class SimOutbound:
    """A channel that this node has opened."""

    owner: "SimNode"
    channel: fx.Channel
    stream: SimStream | None = None

    def arrived(self, data: bytes) -> None:
        """Hand a response to the node."""
        self.owner.post(partial(self.owner.response, self, bytearray(data)))

    def ended(self, reason: str) -> None:
        """Report the lost channel to the node."""
        self.owner.post(partial(self.owner.outbound_ended, self, reason))


@dataclass(slots=True, eq=False, repr=False)
class SimNode:
    """A machine: `start` it, then `kill`, `pause` or `shut_down` it, or let it `lose_power`.

    `given` is its configuration as in a properties file. `clock_offset_ms` is added to its wall
    clock, `clock_rate` is the speed of both its clocks (1.0: that of the world). `flush_us` is the
    range of the duration of a flush, `work_us` that of a computation outside the step; `step_units`
    is the budget of a step. `on_step` is called after every step of the node: checkers run there.
    `on_fault` is called with the fault of a disk that ends the process.
    """

    world: World
    network: SimNetwork
    host: str
    cluster_id: str
    given: Mapping[str, str]
    clock_offset_ms: int = 0
    clock_rate: float = 1.0
    flush_us: tuple[int, int] = (100, 3000)
    work_us: tuple[int, int] = (50, 20_000)
    step_units: int = STEP_UNITS
    on_step: Callable[["SimNode"], None] = lambda _: None
    on_fault: Callable[["SimNode", StorageFault], None] = lambda *_: None
    on_power_loss: Callable[["SimNode"], None] = lambda _: None
    config: NodeConfig = field(init=False)
    disks: dict[str, SimDisk] = field(init=False)
    node: Node | None = None
    started: bool = False
    exit_code: int | None = None
    stopping: bool = False
    """A shutdown was requested, and the process has not ended yet."""
    ended_cleanly: bool = True
    """The last process completed a controlled shutdown, and its disks were not replaced since."""
    began_cleanly: bool = True
    """`ended_cleanly` at the start of the present process."""
    has_old_disks: bool = False
    """The disks were replaced by older copies, which may hold a clean shutdown file."""
    stop_was_cut: bool = False
    """The power was lost during the last shutdown: the disks may hold a clean shutdown file."""
    starts: int = 0
    steps: int = 0
    flushes: int = 0
    replicas_given_up: int = 0
    """Number of replicas that former processes took offline because of damaged logs."""
    _rng: Random = field(init=False)
    _paused: bool = False
    _posted: deque[Callable[[], None]] = field(default_factory=deque)
    _inbound: dict[int, SimInbound] = field(default_factory=dict)
    _outbound: dict[fx.Channel, SimOutbound] = field(default_factory=dict)
    _connections: int = 0
    closing_operations: int = 0
    """Number of disk operations with which the last process closed its logs."""
    _crash: Crash | None = None
    _crash_in_closing: Crash | None = None
    _is_closing: bool = False
    """The process closes its logs in this step."""
    _tick: ScheduledAction | None = None
    _tick_at_ms: int = -1
    _flusher_free_at_us: int = 0
    _workers_free_at_us: list[int] = field(default_factory=lambda: [0, 0])
    _anchor_us: int = 0
    """The time of the last change of the clock rate; the clocks showed `_anchor_local_us` then."""
    _anchor_local_us: int = 0

    def __post_init__(self) -> None:
        """Create empty disks."""
        self.config = node_config(self.given)
        self.disks = {path: SimDisk(path) for path in self.config.all_log_dirs}
        self._rng = self.world.rng(self.host)

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
    def now(self) -> Now:
        """The time of the machine's clocks."""
        since_us = self.world.now_us - self._anchor_us
        monotonic_ms = (self._anchor_local_us + int(since_us * self.clock_rate)) // US_PER_MS
        return Now(monotonic_ms, EPOCH_MS + monotonic_ms + self.clock_offset_ms)

    # Faults and operations

    def start(self, crash: Crash | None = None) -> None:
        """Start the process; it exits with code 1 at once if it cannot use its disks."""
        assert self.node is None, f"{self.host} runs already"
        self.network.boot(self.host)
        self._crash = crash
        self.closing_operations = 0
        for disk in self.disks.values():
            disk.before_change = self._before_change
        self.starts += 1
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
                self.config, Surroundings(self.disks, ports, self.cluster_id, rng, self.now)
            )
        except (BadMetaPropertiesError, StorageFault) as error:
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
        node.env.units_per_step = self.step_units
        self.node = node
        self.world.note(self.host, "starts")
        for listener in self.config.controller_listeners:
            self._serve(listener.name, listener.port)
        self._run(lambda: node.start(self.now))
        if node.broker is not None:
            node.broker.lifecycle.listener = _StopObserver(node, self._begins_to_close)

    def set_clock_rate(self, rate: float) -> None:
        """Change the rate of the clocks, without a jump."""
        since_us = self.world.now_us - self._anchor_us
        self._anchor_local_us += int(since_us * self.clock_rate)
        self._anchor_us = self.world.now_us
        self.clock_rate = rate
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
            self._set_tick()

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
        for disk in self.disks.values():
            disk.lose_power(self._rng, flips=flips)

    def shut_down(self) -> None:
        """Request a controlled shutdown, as SIGTERM does."""
        self.world.note(self.host, "is asked to shut down")
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
            self._crash_in_closing = Crash(operations, power=True, on_crash=on_crash)
        self.shut_down()

    def crash_within_step(self, crash: Crash | None) -> None:
        """Crash the process or its machine at one of its next disk operations; None: cancel."""
        self._crash = None if self.node is None else crash

    def _begins_to_close(self) -> None:
        self._is_closing = True
        if self._crash_in_closing is not None:
            self._crash = self._crash_in_closing

    def _before_change(self, operation: str, data: Buffer) -> None:
        """Begin a disk operation, or crash the process instead."""
        self.world.add_to_digest(operation.encode(), data)
        crash = self._crash
        if crash is not None:
            if crash.operations <= 0:
                share, crash.share = crash.share, 0.0
                raise CrashWithinStep(share)
            crash.operations -= 1
        if self._is_closing:
            self.closing_operations += 1

    def _crashed(self) -> None:
        crash, was_closing = self._crash, self._is_closing
        assert crash is not None
        self.world.note(self.host, "ends within a step")
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
        self.world.note(self.host, "goes on")
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

    def hand_out(self, inbound: SimInbound) -> None:
        """Hand the requests of a connection to the node, one per step, until it mutes them."""
        while inbound.waiting and not inbound.muted and inbound.number in self._inbound:
            frame = inbound.waiting.popleft()
            self._step(events.RequestFrame(inbound.number, memoryview(frame)[_SIZE_BYTES:]))
            frame[:] = _SCRIBBLE * len(frame)

    def inbound_ended(self, inbound: SimInbound) -> None:
        """Report to the node that a peer closed its connection."""
        if self._inbound.pop(inbound.number, None) is not None:
            self._step(events.ConnectionClosed(inbound.number))

    def response(self, outbound: SimOutbound, frame: bytearray) -> None:
        """Hand a response on a channel to the node."""
        if self._outbound.get(outbound.channel) is outbound:
            self._step(events.ResponseFrame(outbound.channel, memoryview(frame)[_SIZE_BYTES:]))
            frame[:] = _SCRIBBLE * len(frame)

    def outbound_ended(self, outbound: SimOutbound, reason: str) -> None:
        """Report to the node that a channel is down."""
        if self._outbound.get(outbound.channel) is outbound:
            del self._outbound[outbound.channel]
            self._step(events.ChannelDown(outbound.channel, reason))

    def _serve(self, listener: str, port: int) -> None:
        self.network.listen((self.host, port), partial(self._accept, listener))

    def _accept(self, listener: str, stream: SimStream) -> SimInbound | None:
        if self.node is None:
            return None
        self._connections += 1
        inbound = SimInbound(self, self._connections, stream)
        self._inbound[inbound.number] = inbound
        opened = events.ConnectionOpened(inbound.number, listener, stream.hosts[0])
        self.post(lambda: self._step(opened))
        return inbound

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
            self._is_bounded(self._disk_work() - before)
            for effect in effects:
                self._carry_out(effect)
                if self.node is None:
                    return
        except StorageFault as fault:
            self.world.note(self.host, f"cannot go on: {fault}")
            self._process_ended(1)
            self.on_fault(self, fault)
            return
        except CrashWithinStep:
            self._crashed()
            return
        finally:
            self._end_on_disks()
        self._set_tick()
        self.on_step(self)

    def _disk_work(self) -> int:
        work = 0
        # Twice a step: a loop is faster than `sum`.
        for disk in self.disks.values():
            work += disk.syncs + disk.folders_changed
        return work

    def _is_bounded(self, disk_work: int) -> None:
        """Check that a step is too short to delay heartbeats, or those of a combined controller.

        Loading logs and stopping are exempt.
        """
        if not self.stopping and disk_work > MOST_DISK_WORK:
            raise Violation(
                f"Steps: {self.host} changes or syncs {disk_work} folders and files in one step, "
                f"at most {MOST_DISK_WORK} were expected"
            )

    def _carry_out(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Reply(connection, parts):
                self._reply(connection, parts)
            case fx.Send(channel, parts):
                self._send(channel, _joined(parts))
            case fx.Mute(connection):
                self._inbound[connection].muted = True
            case fx.Unmute(connection):
                self._unmute(connection)
            case fx.Disconnect(connection):
                self._disconnect(connection)
            case fx.CloseChannel(channel):
                self._close_channel(channel)
            case fx.Flush(token, targets):
                self._flush(token, targets)
            case fx.Work(token, function):
                self._work(token, function)
            case fx.Started():
                self.started = True
                self.world.note(self.host, "serves clients")
                for listener in self.config.broker_listeners:
                    self._serve(listener.name, listener.port)
            case fx.Halt(exit_code, reason):
                self._halted(exit_code, reason)

    def _close_channel(self, channel: fx.Channel) -> None:
        outbound = self._outbound.pop(channel, None)
        if outbound is not None and outbound.stream is not None:
            self.network.close(outbound.stream, 0)

    def _halted(self, exit_code: int, reason: str) -> None:
        self.world.note(self.host, f"stops: {reason}")
        crash = self._crash_in_closing if self._is_closing else None
        self._process_ended(exit_code)
        if crash is not None:
            self.lose_power()
            crash.on_crash()

    def _reply(self, connection: int, parts: Sequence[fx.Part]) -> None:
        inbound = self._inbound.get(connection)
        if inbound is None:
            return
        try:
            data = _joined(parts)
        except StorageFault as fault:
            self._disconnect(connection)
            failed = events.ReadFailed(fault)
            self.world.after(0, lambda: self.post(lambda: self._step(failed)))
            return
        except RecordsGoneError:
            # Another partition of the same response has taken this one offline.
            self._disconnect(connection)
            return
        self.network.send(inbound.stream, 1, data)

    def _disconnect(self, connection: int) -> None:
        inbound = self._inbound.pop(connection, None)
        if inbound is not None:
            self.network.close(inbound.stream, 1)

    def _send(self, channel: fx.Channel, data: bytes) -> None:
        outbound = self._outbound.get(channel)
        if outbound is None:
            outbound = self._outbound[channel] = SimOutbound(self, channel)
            outbound.stream = self.network.connect(
                self.host, (channel.host, channel.port), outbound
            )
        assert outbound.stream is not None
        self.network.send(outbound.stream, 0, data)

    def _unmute(self, connection: int) -> None:
        inbound = self._inbound.get(connection)
        if inbound is not None:
            inbound.muted = False
            self.world.after(0, lambda: self.post(partial(self.hand_out, inbound)))

    def _flush(self, token: int, targets: Sequence[fx.SyncTarget]) -> None:
        """Queue a flush; it may include bytes that are written while it waits."""
        self.flushes += 1
        life = self.starts
        begin_us = max(self.world.now_us, self._flusher_free_at_us)
        took_us = self._rng.randint(*self.flush_us)
        synced_us = begin_us + self._rng.randint(0, took_us)
        self._flusher_free_at_us = begin_us + took_us
        outcome: list[StorageFault | None] = [None]

        def sync() -> None:
            if self.node is None or self.starts != life:
                return
            self._begin_on_disks()
            try:
                for target in targets:
                    target.run()
            except StorageFault as fault:
                outcome[0] = fault
            except CrashWithinStep:
                self._crashed()
            finally:
                self._end_on_disks()

        def done() -> None:
            if self.starts == life:
                self._step(events.FlushDone(token, outcome[0]))

        self.world.after(synced_us - self.world.now_us, sync)
        self.world.after(self._flusher_free_at_us - self.world.now_us, lambda: self.post(done))

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

        free_at_us = self._workers_free_at_us
        worker = free_at_us.index(min(free_at_us))
        began_us = max(free_at_us[worker], self.world.now_us)
        free_at_us[worker] = began_us + self._rng.randint(*self.work_us)
        self.world.after(free_at_us[worker] - self.world.now_us, lambda: self.post(done))

    def _set_tick(self) -> None:
        assert self.node is not None
        deadline_ms = self.node.next_deadline_ms()
        if deadline_ms is None:
            return
        if self._tick is not None:
            if self._tick_at_ms <= deadline_ms:
                return
            self._tick.cancel()
        left_us = deadline_ms * US_PER_MS - self._anchor_local_us
        at_us = self._anchor_us + ceil(left_us / self.clock_rate)
        self._tick_at_ms = deadline_ms
        self._tick = self.world.after(at_us - self.world.now_us, lambda: self.post(self._ticked))

    def _ticked(self) -> None:
        self._tick = None
        self._step(events.Tick())

    def _process_ended(self, exit_code: int | None) -> None:
        self.network.close_all(self.host)
        if any(disk.has_unwritten for disk in self.disks.values()):
            self.on_power_loss(self)
        if self.node is not None:
            broker = self.node.broker
            self.replicas_given_up += 0 if broker is None else broker.replicas.damaged_count
            self.ended_cleanly = self.stopping and exit_code == 0
            self.has_old_disks = self.stop_was_cut = False
        self.stopping = self._is_closing = False
        self._crash = self._crash_in_closing = None
        self.node = None
        self.started = self._paused = False
        self.exit_code = exit_code
        self._workers_free_at_us = [0, 0]
        self._posted.clear()
        self._inbound.clear()
        self._outbound.clear()
        self._flusher_free_at_us = 0
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        for disk in self.disks.values():
            disk.crash()


def _bug(what: str, error: Exception) -> None:
    """Propagate an error that a node would contain: here it is a finding."""
    del what
    raise error


def _joined(parts: Sequence[fx.Part]) -> bytes:
    return b"".join(part.read() if isinstance(part, FileSlice) else part for part in parts)


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
