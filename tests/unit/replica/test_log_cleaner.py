"""The choice of logs to clean, and the cleanings, one step at a time."""

import logging
from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.clock import Now
from minikafka.common.effects import Flush, Work
from minikafka.common.environment import Environment
from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.config.values import Config
from minikafka.log.cleaner import cleaning
from minikafka.log.config import LogConfig
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import read_records
from minikafka.replica.log_cleaner import LogCleaner
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.broker_view import Faulted, local_broker

CONFIG = {"compacted": True, "deletes": False, "segment_bytes": 400}


class World:
    """A cleaner, and a shell that carries out what it asks for."""

    def __init__(self, given=(), logs=1, **config):
        self.env = Environment(Random(1))
        self.env.clock.set(Now(1_000, 50_000))
        self.disk = SimDisk()
        self.config = CONFIG | config
        self.logs = {}
        for index in range(logs):
            at = TopicPartition("t", index)
            self.logs[at] = UnifiedLog.open(
                self.disk, f"t-{index}", at, config=LogConfig(**self.config),
                checkpointed=CheckpointedOffsets(clean=False), now=self.env.clock.now, rng=Random(1),
            )  # fmt: skip
        self.image = None
        broker = local_broker(self, Config(dict(given)))
        self.works = 0
        self.checkpointed = {}
        manager = SimpleNamespace(logs=self.logs, get=self.logs.get, directory_of=lambda _: self)
        self.receiver = Faulted()
        self.cleaner = LogCleaner(self.env, manager, broker, self.receiver)
        self.cleaner.start()

    def checkpoint_recovery_points(self):
        self.checkpointed = {at: log.recovery_point for at, log in self.logs.items()}

    def checkpoint_cleaned_offsets(self):
        self.saved = [log.cleaned_offset for log in self.logs.values()]

    def fill(self, index=0, rounds=12, *, flushes=True):
        log = self.logs[TopicPartition("t", index)]
        for number in range(rounds):
            rows = [NewRecord(50_000, key, b"%d" % number * 20) for key in (b"a", b"b")]
            data = memoryview(build_batch(rows, BatchOptions()))
            log.append_as_leader(data, leader_epoch=0, now=self.env.clock.now, guard=UNCHECKED)
        if flushes:
            request = log.take_flush(everything=True)
            request.run()
            log.flushed(request)
        log.update_high_watermark(log.log_end_offset)
        return log

    def pass_time(self, ms):
        """Let time pass, and carry out everything."""
        clock = self.env.clock
        until = clock.monotonic_ms + ms
        while True:
            effects, self.env.effects = list(self.env.effects), []
            for effect in effects:
                self.perform(effect)
            if effects:
                continue
            work = self.env.take_later()
            if work is not None:
                work()
                continue
            deadline = self.env.timers.next_deadline_ms()
            if deadline is None or deadline > until:
                break
            clock.set(Now(max(deadline, clock.monotonic_ms), clock.now.wall_ms))
            self.env.timers.fire_due(clock.monotonic_ms)
        clock.set(Now(until, clock.now.wall_ms))

    def perform(self, effect):
        if isinstance(effect, Work):
            self.works += 1
            try:
                result, error = effect.function(), None
            except Exception as found:
                result, error = None, found
            self.env.work_done(effect.token, result, error)
        elif isinstance(effect, Flush):
            fault = None
            try:
                for target in effect.targets:
                    target.run()
            except StorageFault as found:
                fault = found
            self.env.flush_done(effect.token, fault)


def keys_of(log):
    found = []
    for segment in log.segments.items:
        data = bytes(segment.file.read_at(0, segment.size))
        found += [record.key for record in read_records(data)]
    return found


def test_a_dirty_log_is_cleaned_after_the_backoff(caplog):
    caplog.set_level(logging.INFO)
    world = World()
    log = world.fill()
    world.pass_time(14_999)
    assert (world.works, log.cleaned_offset) == (0, None)
    world.pass_time(1)
    assert log.cleaned_offset == log.segments.active.base_offset
    assert keys_of(log).count(b"a") < 5
    assert world.saved == [log.cleaned_offset]
    assert "cleaned up to offset" in caplog.text
    works = world.works
    world.pass_time(60_000)
    assert world.works == works, "a clean log is left alone"


def test_the_next_log_follows_at_once():
    world = World(logs=3)
    logs = [world.fill(index) for index in range(3)]
    world.pass_time(15_000)
    assert all(log.cleaned_offset for log in logs)


def test_other_logs_and_a_cleaner_that_is_off_do_nothing():
    for world in (World({"log.cleaner.enable": "false"}), World(compacted=False, deletes=True)):
        log = world.fill()
        world.pass_time(60_000)
        assert (world.works, log.cleaned_offset) == (0, None)


def test_the_throttle_spreads_the_work_over_time():
    world = World({"log.cleaner.io.max.bytes.per.second": "500"})
    log = world.fill()
    size = log.size_bytes
    world.pass_time(15_000)
    assert log.cleaned_offset is None
    world.pass_time(size * 3 // 500 * 1_000)
    assert log.cleaned_offset is not None


def test_what_is_not_durable_here_is_no_reason_to_remove_records():
    world = World()
    durable = world.fill(rounds=6).log_end_offset
    log = world.fill(flushes=False)
    world.pass_time(15_000)
    bases = [segment.base_offset for segment in log.segments.items]
    assert log.cleaned_offset == max(base for base in bases if base <= durable) < max(bases)


def test_a_log_that_was_recovered_is_flushed_and_then_cleaned():
    """A start knows only the saved recovery point; without writes, no roll would want a flush."""
    world = World()
    log = world.fill(flushes=False)
    log.take_flush()
    log.abandon()
    at = log.topic_partition
    world.disk.crash()
    log = world.logs[at] = UnifiedLog.open(
        world.disk, "t-0", at, config=LogConfig(**CONFIG),
        checkpointed=CheckpointedOffsets(clean=False), now=world.env.clock.now, rng=Random(1),
    )  # fmt: skip
    log.update_high_watermark(log.log_end_offset)
    assert log.recovery_point == 0 < log.segments.active.base_offset
    world.pass_time(15_000)
    request = log.take_flush()
    assert request.up_to == log.segments.active.base_offset
    request.run()
    log.flushed(request)
    world.pass_time(15_000)
    assert log.cleaned_offset == log.segments.active.base_offset
    assert log.take_flush() is None


def test_damage_is_reported_once_and_tried_again_with_another_configuration(caplog):
    world = World()
    log = world.fill()
    path = log.segments.items[1].path(".log")
    world.disk.flip(path, 100, 3)
    world.pass_time(60_000)
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert path in line
    assert list(world.cleaner.uncleanable) == [TopicPartition("t", 0)]
    world.disk.flip(path, 100, 3)
    world.pass_time(60_000)
    assert not log.cleaned_offset
    log.renew_config(LogConfig(**CONFIG, retention_ms=5))
    world.pass_time(15_000)
    assert log.cleaned_offset is not None
    assert not world.cleaner.uncleanable


def test_a_fault_of_the_disk_is_reported():
    world = World()
    world.fill()
    world.disk.broken = "gone"
    world.pass_time(15_000)
    assert [fault.log_dir for fault in world.receiver.faults] == ["disk"]


def test_a_log_that_is_truncated_is_let_go():
    world = World({"log.cleaner.io.max.bytes.per.second": "500"})
    log = world.fill()
    world.pass_time(16_000)
    log.truncate_to(3, world.env.clock.now)
    world.pass_time(60_000)
    assert not world.cleaner._runs
    assert not [name for name in world.disk.list("t-0") if name.endswith((".cleaned", ".swap"))]


def test_recovery_points_are_saved_before_a_cleaning():
    """A start that looks for the end of the flushed records must not meet the gaps."""
    world = World({"log.cleaner.io.max.bytes.per.second": "500"})
    log = world.fill()
    world.pass_time(15_000)
    assert not log.cleaned_offset
    assert world.checkpointed == {log.topic_partition: log.log_end_offset}


@pytest.mark.parametrize("kind", [OutOfFilesError, StorageFault])
def test_an_error_in_the_choice_of_a_log_does_not_end_the_node(monkeypatch, kind):
    """Some rules read timestamps from the segments; the next look chooses again."""
    world = World(min_compaction_lag_ms=1)
    log = world.fill()
    refused = [2]

    def facts_of(self, at, log, facts_of=LogCleaner._facts_of):
        if refused[0]:
            refused[0] -= 1
            raise kind("disk", "an error")
        return facts_of(self, at, log)

    monkeypatch.setattr(LogCleaner, "_facts_of", facts_of)
    world.env.clock.set(Now(1_000, 60_000))
    world.pass_time(30_000)
    assert log.cleaned_offset is None
    world.pass_time(15_000)
    assert log.cleaned_offset
    assert len(world.receiver.faults) == (2 if kind is StorageFault else 0)


def test_an_unexpected_error_costs_only_the_cleaning_of_its_log(caplog, monkeypatch):
    world = World(logs=2)
    for index in range(2):
        world.fill(index)

    def fail(*_):
        monkeypatch.undo()
        raise RuntimeError("a bug")

    monkeypatch.setattr(cleaning, "map_chunk", fail)
    world.pass_time(60_000)
    (line,) = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert "a bug" in line
    assert len(world.cleaner.uncleanable) == 1
    assert sum(log.cleaned_offset is not None for log in world.logs.values()) == 1
