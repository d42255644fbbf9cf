"""Broker 1: a real `LogManager` and `ReplicaManager` on simulated disks, process after process."""

import re
from random import Random
from types import SimpleNamespace

from minikafka.common.clock import Now
from minikafka.common.effects import Flush, Work
from minikafka.common.environment import Environment
from minikafka.common.faults import StorageFault
from minikafka.config.values import Config, ConfigLayers
from minikafka.controller import cluster_control, replication_control
from minikafka.controller.directory_assignments import assign_replicas_to_dirs
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.log.directories.log_manager import LogManager, LogManagerSettings
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.log_settings import log_config
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.replica.settings import FetchSettings, ReplicaSettings
from minikafka.rpc.calls import Calls
from minikafka.sim.world.crashes import Crash, CrashWithinStep
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.log_directories import checks
from tests.log_directories.model import ProcessEndedError, ViolationError
from tests.worlds.broker_view import local_broker

STATIC = {"log.segment.delete.delay.ms": "3000", "file.delete.delay.ms": "3000"}
SETTINGS = LogManagerSettings(
    flush_offset_checkpoint_interval_ms=2000,
    flush_start_offset_checkpoint_interval_ms=2000,
    initial_task_delay_ms=1000,
)
FETCH = FetchSettings(17, 500, 1, 1 << 20, 1 << 20, 1000, 30_000)
NO_LISTENER = "INTERNAL"
"""No broker has an address there, so the fetchers are idle: `actions` copy from broker 2."""
_MAX_TURNS = 20_000


class Channel:
    """Keeps requests until they are answered."""

    def __init__(self):
        self.requests = []

    def send(self, request, version, *, timeout_ms, on_done):
        self.requests.append((request, on_done))


class Broker:
    """The processes of broker 1, one after another; `manager` is None while there is none."""

    def __init__(self, world):
        self.world = world
        self.rng = world.rng
        self.env = Environment(Random(1))
        self.manager = self.logs = None
        self.started_ms = 1_000_000
        self.crash = None
        """The planned crash of this process."""
        self.flushes = []
        self.channel = Channel()
        self.unreported_dirs = []
        self.reported_dirs = []
        self.is_starting = False
        self.closed_cleanly = set()
        """The roots whose last shutdown may have left a clean shutdown file."""
        self.clean_epoch = None
        """The epoch that the next start must find if no directory is missing, or None."""
        self.at(0)

    def __bool__(self):
        return self.manager is not None

    # Start

    def start(self, crash=None, broken=()):
        """Start a process and let it make its replicas; True if it runs then."""
        world = self.world
        world.starts += 1
        world.say("START", world.starts, "out", sorted(world.out), "broken", *broken, crash or "")
        self.env = Environment(Random(self.rng.random()))
        self.env.on_contained = _raise
        self.started_ms += 1_000_000
        self.at(0)
        self.flushes, self.unreported_dirs, self.reported_dirs = [], [], []
        self.channel = Channel()
        self.crash = crash
        for disk in world.disks:
            disk.broken = IO_ERROR if disk.root in broken else None
            disk.before_change = self._before_change
        clean_epoch, self.clean_epoch = self.clean_epoch, None
        if not self._load(broken):
            return False
        found = self.logs.previous_broker_epoch
        if clean_epoch is not None and not (broken or world.out) and found != clean_epoch:
            raise ViolationError(f"a clean shutdown of epoch {clean_epoch} counts as unclean")
        self._register()
        self._make_replicas()
        checks.after_start(world)
        if self.rng.random() < 0.95:
            self._unfence()
        self.run(self.rng.choice((0, 20, 500)))
        return True

    def _load(self, broken):
        world = self.world
        try:
            self.logs = LogManager.open(
                world.present, cluster_id="c", node_id=1, rng=Random(self.rng.random()),
                settings=SETTINGS,
            )  # fmt: skip
            faults = self.logs.load(lambda _: log_config(self.layers(), {}), self.env.clock.now)
        except CrashWithinStep:
            self.end(power=self.crash.power)
            return False
        except BadMetaPropertiesError as refusal:
            world.refuse(str(refusal))
            self._release_disks()
            return False
        except StorageFault as fault:
            faults = [fault]
        for fault in faults:
            if fault.log_dir not in broken:
                raise ViolationError(f"a healthy directory fails at the start: {fault}")
        if {disk.root for disk in world.present} <= {fault.log_dir for fault in faults}:
            self._release_disks()
            return False
        return True

    def _register(self):
        """Register as the controller does, after a clean or an unclean shutdown."""
        metadata = self.world.metadata
        known = metadata.image.brokers.get(1)
        is_clean = known is not None and self.logs.previous_broker_epoch == known.epoch
        if is_clean and not {disk.root for disk in self.world.present} <= self.closed_cleanly:
            raise ViolationError("an unclean shutdown counts as clean")
        self.closed_cleanly = set()
        if not metadata.elr:
            removal = replication_control.removal_from_isrs_and_stale_elrs
        elif is_clean:
            removal = replication_control.removal_from_isrs
        else:
            removal = replication_control.removal_after_unclean_shutdown
        self.world.commit(removal(metadata.view, 1))
        self.epoch = metadata.register([home.directory_id for home in self.logs.online])
        self.world.say("registers after", "a clean" if is_clean else "an unclean", "shutdown")

    def _make_replicas(self):
        world, made = self.world, []
        self.loader = SimpleNamespace(image=world.metadata.image)
        view = local_broker(self.loader, Config(STATIC), listener=NO_LISTENER, epoch=self.epoch)
        self.assignments = DirectoryAssignments(self.env, self.channel, view)
        self.manager = ReplicaManager(
            env=self.env, calls=Calls(self.env, "test"), view=view, logs=self.logs,
            alter_partition=AlterPartitionManager(self.env, Channel(), view),
            assignments=self.assignments,
            lifecycle=SimpleNamespace(report_offline_dir=self._goes_offline),
            metadata_log_dir="/meta",
            settings=ReplicaSettings(FETCH, 30_000, 3000),
        )  # fmt: skip
        self.env.on_storage_fault = self.manager.take_offline
        checks.before_replicas(world)
        self.is_starting = True
        self.step(lambda: self.manager.start(self.loader.image, lambda: made.append(True)))
        self.is_starting = False
        checks.observe(world)
        if self.rng.random() < 0.2:
            world.change_topics()
        for _ in range(200):
            if made:
                return
            self.run(10)
        self.run(3000)
        if not made:
            raise ViolationError("a start does not make all replicas")

    def _unfence(self):
        metadata = self.world.metadata
        self.world.commit(cluster_control.unfencing(metadata.view, metadata.image.brokers[1]))
        self.publish()

    def layers(self):
        return ConfigLayers(dynamic_broker={}, dynamic_default={}, static=STATIC)

    def _goes_offline(self, directory_id):
        world = self.world
        (root,) = (x.disk.root for x in self.logs.directories if x.directory_id == directory_id)
        world.say("a directory goes offline:", root)
        self.unreported_dirs.append(directory_id)
        if world.disk(root).broken is None:
            raise ViolationError(f"a healthy directory goes offline: {root}")

    # End

    def end(self, *, power):
        """Kill the process, or cut the power of its machine."""
        self.world.say("POWER LOSS" if power else "KILL")
        for replica in self.world.replicas.values():
            if replica.own is not None and power:
                replica.least = replica.durable
            elif replica.open_log is not None:
                replica.least = len(replica.own)
        self._gone(power=power)

    def shut_down(self, crash):
        """Stop as `Node.stop` does, maybe with a crash within that; then the power may be cut."""
        world = self.world
        self.crash = crash
        unreported, faults = True, []

        def close():
            nonlocal unreported
            self.manager.stop_fetching()
            unreported = self.manager.unreported
            faults.extend(self.logs.shutdown(self.epoch, is_clean=not unreported))

        try:
            self.step(close)
        except ProcessEndedError:
            self.closed_cleanly = {
                disk.root for disk in world.present if disk.exists(".kafka_cleanshutdown")
            }
            raise
        if not unreported:
            self.closed_cleanly = {home.disk.root for home in self.logs.online}
            self.closed_cleanly -= {fault.log_dir for fault in faults}
            if self.closed_cleanly == {disk.root for disk in world.disks} and not self.logs.lost:
                self.clean_epoch = self.epoch
        power = self.rng.random() < 0.3
        world.say("stopped", "uncleanly" if unreported else "", *faults, "+ power" * power)
        for replica in world.own_replicas():
            log = replica.open_log
            if log is not None and self.logs.get(replica.at) is log and not faults:
                replica.least = replica.durable = len(replica.own)
            elif power and replica.own is not None:
                replica.least = replica.durable
        self._gone(power=power)
        raise ProcessEndedError

    def _gone(self, *, power):
        self.manager = self.crash = None
        self._release_disks(power=power)
        for replica in self.world.replicas.values():
            replica.open_log = None
        metadata = self.world.metadata
        if not metadata.is_fenced(1):
            # Its session ends.
            self.world.commit(cluster_control.fencing(metadata.view, metadata.image.brokers[1]))

    def _release_disks(self, *, power=False):
        for disk in self.world.disks:
            disk.before_change = _no_change
            if power:
                disk.lose_power(self.rng)
            else:
                disk.crash()

    def _before_change(self, operation, data):
        if self.world.shows_operations:
            is_name = operation in ("rename", "make", "remove", "sync folder")
            self.world.say("   disk:", operation, bytes(data[:90]) if is_name else len(data))
        if self.crash is not None:
            if self.crash.operations <= 0:
                raise CrashWithinStep(self.rng.choice((0.0, 0.5)))
            self.crash.operations -= 1

    def plan_crash(self, *operations):
        """Plan a crash at one of the next disk operations."""
        return Crash(self.rng.choice(operations), self.rng.random() < 0.5)

    # Steps

    def step(self, work):
        """Do something in the process; the planned crash may come."""
        if self.manager is None:
            raise ProcessEndedError
        checks.before_step(self.world)
        try:
            result = work()
            self._do_effects()
        except CrashWithinStep:
            self.end(power=self.crash.power)
            raise ProcessEndedError from None
        except StorageFault as fault:
            if self.logs.online:
                raise ViolationError(f"a StorageFault escapes a step: {fault!r}") from fault
            self.world.say("no directory is left:", fault)
            self.end(power=False)
            raise ProcessEndedError from None
        if not self.is_starting:
            checks.observe(self.world)
        return result

    def guarded(self, work):
        """Do something with a log, whose directory may fail."""

        def guard():
            try:
                work()
            except StorageFault as fault:
                self.manager.take_offline(fault)

        self.step(guard)

    def _do_effects(self):
        while self.env.effects:
            effects, self.env.effects = self.env.effects, []
            for effect in effects:
                if isinstance(effect, Flush):
                    self.flushes.append(effect)
                elif isinstance(effect, Work):
                    self.env.work_done(effect.token, effect.function(), None)

    def publish(self):
        """Let the process see the present metadata."""
        if self.manager is not None:
            self.loader.image = self.world.metadata.image
            self.step(lambda: self.manager.apply(self.loader.image))

    # Time

    def at(self, ms):
        self.env.clock.set(Now(ms, ms + self.started_ms))

    def run(self, ms):
        """Let time pass, with turns, flushes and answers of the controller."""
        until = self.env.clock.monotonic_ms + ms
        for _ in range(_MAX_TURNS):
            due = self.env.next_deadline_ms()
            if due is not None and due <= until:
                self.at(max(due, self.env.clock.monotonic_ms))
                self.step(self._turn)
                if self.rng.random() < 0.3:
                    self.serve()
            elif self.flushes or self.channel.requests or self.unreported_dirs:
                self.serve()
            else:
                self.at(until)
                return
        raise ViolationError("the process is never idle")

    def _turn(self):
        work = self.env.take_later()
        self.env.renew_budget()
        self.env.timers.fire_due(self.env.clock.monotonic_ms)
        if work is not None:
            work()

    def serve(self):
        """Do some of what the process waits for."""
        if self.flushes and self.rng.random() < 0.7:
            flush = self.flushes.pop(0)
            self.step(lambda: self._run_flush(flush))
        if self.unreported_dirs and self.rng.random() < 0.7:
            self._report_dirs()
        if self.channel.requests and self.rng.random() < 0.6:
            self._answer_assignments()

    def _run_flush(self, flush):
        fault = None
        try:
            for target in flush.targets:
                target.run()
        except StorageFault as failed:
            fault = failed
        self.env.flush_done(flush.token, fault)

    def _report_dirs(self):
        """A heartbeat names the directories that are offline."""
        self.reported_dirs += self.unreported_dirs
        self.unreported_dirs = []
        metadata = self.world.metadata
        self.world.say("reports offline directories:", len(self.reported_dirs))
        self.world.commit(
            cluster_control._offline_directories(
                metadata.view, metadata.image.brokers[1], self.reported_dirs, moved=False
            )
        )
        self.publish()

    def _answer_assignments(self):
        """Answer a request; it or its response may be lost, or overtaken by the metadata."""
        request, on_done = self.channel.requests.pop(0)
        if self.rng.random() < 0.1:
            self.step(lambda: on_done(None, "the request was lost"))
            return
        result = assign_replicas_to_dirs(self.world.metadata.view, request)
        self.world.say("assigned:", _lines(request))
        self.world.commit(result.records)
        response = None if self.rng.random() < 0.1 else result.response
        steps = [self.publish, lambda: self.step(lambda: on_done(response, "it was lost"))]
        if self.rng.random() < 0.5:
            steps.reverse()
        for each in steps:
            each()


def _lines(request):
    return [
        f"{topic.topic_id}-{partition.partition_index} in {directory.id}"
        for directory in request.directories
        for topic in directory.topics
        for partition in topic.partitions
    ]


def _raise(_, error):
    raise error


def _no_change(_operation, _data):
    """No process writes."""


TWO_LOGS = re.compile(r"(\S+-\d+) is in both (\S+) and (\S+):")
"""The refusal of a start."""
