"""The cleaner of a broker's compacted logs: it chooses the dirtiest ones, and drives each cleaning.

The computations run outside of steps, and so do the syncs; a cleaning's reads and writes are a
chunk in each step. A log that cannot be cleaned is left alone until its configuration changes, or
the broker starts again.

Source: `LogCleaner`, `LogCleanerManager`.
"""

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from minikafka.common.environment import Environment
from minikafka.common.faults import (
    FaultReceiver,
    InvariantViolation,
    MissingPathFault,
    OutOfFilesError,
    StorageFault,
)
from minikafka.common.ids import TopicPartition
from minikafka.config import cleaner_keys as keys
from minikafka.log.cleaner.cleaning import (
    Cleaning,
    CleaningAbortedError,
    Computation,
    Moved,
    Steps,
    Sync,
    Task,
)
from minikafka.log.cleaner.log_to_clean import (
    CleanerRules,
    LogToClean,
    SegmentFacts,
    dirtiest,
    dirty_range,
    log_to_clean,
)
from minikafka.log.config import UNLIMITED, LogConfig
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.segment import Segment
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.offset_map import SLOT_BYTES, OffsetMap

_log = logging.getLogger("minikafka.log")


@dataclass(slots=True, eq=False, repr=False)
class _Run:
    """A cleaning in progress."""

    log: UnifiedLog
    cleaning: Cleaning
    steps: Steps
    started_ms: int


@dataclass(slots=True)
class LastCleaning:
    """Figures for the metrics: of the last cleaning, and of the last look for logs."""

    recopied_percent: int = 0
    """Written bytes of 100 that were read."""
    map_used_percent: int = 0
    took_ms: int = 0
    overdue_ms: int = 0
    """The longest time since a log had a record that is older than `max.compaction.lag.ms`."""
    dirty_percent: int = 0
    """The greatest share of dirty bytes of a log."""


@dataclass(slots=True, eq=False)
class LogCleaner:
    """Cleans the compacted logs of `logs`."""

    env: Environment
    logs: LogManager
    view: BrokerView
    faults: FaultReceiver
    uncleanable: dict[TopicPartition, tuple[UnifiedLog, LogConfig]] = field(default_factory=dict)
    """The logs that could not be cleaned, with their configuration then."""
    last: LastCleaning = field(default_factory=LastCleaning)
    last_run_ms: int = 0
    """The time of the last look for logs (monotonic)."""
    _runs: dict[TopicPartition, _Run] = field(default_factory=dict)
    _free_ms: int = 0
    """The time from which the throttle allows more bytes (monotonic)."""

    def start(self) -> None:
        """Look for logs now and then."""
        if self.view.config[keys.LOG_CLEANER_ENABLE]:
            self._wait()

    def _wait(self) -> None:
        self.env.after(self.view.config[keys.LOG_CLEANER_BACKOFF_MS], self._look)

    def _look(self) -> None:
        """Start as many cleanings as may run; then wait."""
        self.last_run_ms = self.env.clock.monotonic_ms
        for _ in range(self.view.config[keys.LOG_CLEANER_THREADS] - len(self._runs)):
            if not self._start_next():
                break
        self._wait()

    def _start_next(self) -> bool:
        """Start the cleaning of the dirtiest log; False if none is due."""
        candidates = self._candidates()
        self.last.dirty_percent = int(100 * max((x.dirty_ratio for x in candidates), default=0.0))
        self.last.overdue_ms = max((each.overdue_ms for each in candidates), default=0)
        chosen = dirtiest(candidates)
        if chosen is None:
            return False
        log = self.logs.get(chosen.topic_partition)
        assert log is not None, "it was chosen in this step"
        if not self._has_saved_recovery_point(log, chosen.dirty.end_offset):
            return False
        dirty = chosen.dirty
        config = self.view.config
        room = config[keys.LOG_CLEANER_DEDUPE_BUFFER_SIZE]
        load_factor = config[keys.LOG_CLEANER_IO_BUFFER_LOAD_FACTOR]
        # There are not more keys than offsets.
        needed = int((dirty.end_offset - dirty.first_offset + 1) * SLOT_BYTES / load_factor)
        share = room // max(config[keys.LOG_CLEANER_THREADS], 1)
        offsets = OffsetMap(
            min(share, needed + SLOT_BYTES), self.env.rng.randbytes(16), load_factor
        )
        now = self.env.clock.now
        cleaning = Cleaning(log, dirty.first_offset, dirty.end_offset, offsets, now)
        run = _Run(log, cleaning, cleaning.run(), now.monotonic_ms)
        self._runs[chosen.topic_partition] = run
        self._advance(run)
        return True

    def _has_saved_recovery_point(self, log: UnifiedLog, end_offset: int) -> bool:
        """Make durable that everything before `end_offset` is flushed.

        A start looks for the end of the flushed records, and must not meet the gaps of a cleaning.
        """
        home = self.logs.directory_of(log.topic_partition)
        if home is None:
            return False
        if home.checkpointed.get(log.topic_partition, 0) < end_offset:
            try:
                home.checkpoint_recovery_points()
            except OutOfFilesError:
                return False
            except StorageFault as fault:
                self.faults.take_offline(fault)
                return False
        return True

    def uncleanable_logs(self, log_dir: str) -> list[UnifiedLog]:
        """Return the logs in a directory that could not be cleaned."""
        return [
            log
            for at, (log, _) in self.uncleanable.items()
            if log.disk.root == log_dir and self.logs.get(at) is log
        ]

    def _candidates(self) -> list[LogToClean]:
        """Return the facts about the logs that can be cleaned, as far as they can be read."""
        found = []
        faults: dict[str, StorageFault] = {}
        for at, log in self.logs.logs.items():
            if log.config.compacted and at not in self._runs and not self._is_uncleanable(at, log):
                try:
                    found.append(self._facts_of(at, log))
                except DamagedRecordsError as damage:
                    self._give_up(log, damage)
                except OutOfFilesError:
                    continue  # The next look is soon enough.
                except StorageFault as fault:
                    faults.setdefault(fault.log_dir, fault)
        for first in faults.values():
            self.faults.take_offline(first)
        # The others may be in a directory that is offline now.
        return [] if faults else found

    def _is_uncleanable(self, at: TopicPartition, log: UnifiedLog) -> bool:
        found = self.uncleanable.get(at)
        if found is None:
            return False
        if found[0] is log and found[1] == log.config:
            return True
        del self.uncleanable[at]
        return False

    def _facts_of(self, at: TopicPartition, log: UnifiedLog) -> LogToClean:
        config = log.config
        rules = CleanerRules(
            config.min_cleanable_dirty_ratio,
            config.min_compaction_lag_ms,
            config.max_compaction_lag_ms,
        )
        segments = [_facts(segment, rules) for segment in log.segments.items]
        now_ms = self.env.clock.now.wall_ms
        stable = min(log.last_stable_offset, log.segments.active.base_offset)
        if log.recovery_point < stable:
            # After a recovery, no roll has wanted the flush of these segments.
            log.want_flush(stable)
        dirty = dirty_range(
            segments, rules,
            checkpoint=log.cleaned_offset, log_start_offset=log.log_start_offset,
            log_end_offset=log.log_end_offset,
            # Unlike the last stable offset, the recovery point is this replica's own: what is not
            # durable here must not be the reason to remove an older record.
            last_stable_offset=min(log.last_stable_offset, log.recovery_point), now_ms=now_ms,
        )  # fmt: skip
        return log_to_clean(at, segments, rules, dirty, now_ms)

    def _advance(self, run: _Run, result: Any = None, error: Exception | None = None) -> None:
        """Go on with a cleaning, and carry out its next task."""
        if self._runs.get(run.log.topic_partition) is not run:
            return
        try:
            task = run.steps.send(result) if error is None else run.steps.throw(error)
        except StopIteration:
            self._finish(run)
        except CleaningAbortedError:
            self._forget(run)
        except DamagedRecordsError as damage:
            self._forget(run)
            self._give_up(run.log, damage)
        except OutOfFilesError:
            self._forget(run)
        except StorageFault as fault:
            self._forget(run)
            self.faults.take_offline(fault)
        except InvariantViolation:
            raise
        except Exception as bug:  # noqa: BLE001 - one log that cannot be cleaned stops no node
            self._forget(run)
            self._give_up(run.log, bug)
        else:
            self._carry_out(run, task)

    def _carry_out(self, run: _Run, task: Task) -> None:
        if isinstance(task, Computation):
            self.env.work(task.function, partial(self._computed, run))
        elif isinstance(task, Sync):
            self.env.flush((task.target,), partial(self._synced, run))
        else:
            self._throttle(run, task)

    def _computed(self, run: _Run, result: object, error: Exception | None) -> None:
        self._advance(run, result, error)

    def _synced(self, run: _Run, fault: StorageFault | None) -> None:
        if isinstance(fault, MissingPathFault):
            # The log was deleted or set aside meanwhile: its folder has another name.
            self._advance(run, error=CleaningAbortedError())
        elif fault is not None:
            self._forget(run)
            self.faults.take_offline(fault)
        else:
            self._advance(run)

    def _throttle(self, run: _Run, moved: Moved) -> None:
        now_ms = self.env.clock.monotonic_ms
        rate = max(self.view.config[keys.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND], 1.0)
        self._free_ms = max(self._free_ms, now_ms) + int(moved.size_bytes * 1_000 / rate)
        if self._free_ms > now_ms:
            self.env.after(self._free_ms - now_ms, partial(self._advance, run))
        else:
            self.env.later(partial(self._advance, run))

    def _finish(self, run: _Run) -> None:
        log, stats = run.log, run.cleaning.stats
        log.cleaned_offset = stats.end_offset
        self.last.took_ms = self.env.clock.monotonic_ms - run.started_ms
        self.last.map_used_percent = 100 * stats.mapped_keys // run.cleaning.offsets.capacity
        self.last.recopied_percent = 100 * stats.written_bytes // max(stats.read_bytes, 1)
        self._forget(run)
        self.env.attempt(partial(self._save, log))
        _log.info(
            "%s/%s: cleaned up to offset %d in %d ms: %d of %d records and %d of %d bytes are left",
            log.disk.root, log.folder, stats.end_offset,
            self.last.took_ms,
            stats.written_records, stats.read_records, stats.written_bytes, stats.read_bytes,
        )  # fmt: skip
        self.env.later(self._look_again)

    def _save(self, log: UnifiedLog) -> None:
        home = self.logs.directory_of(log.topic_partition)
        if home is None:
            return
        try:
            home.checkpoint_cleaned_offsets()
        except StorageFault as fault:
            self.faults.take_offline(fault)

    def _look_again(self) -> None:
        if len(self._runs) < self.view.config[keys.LOG_CLEANER_THREADS]:
            self._start_next()

    def _give_up(self, log: UnifiedLog, error: Exception) -> None:
        self.uncleanable[log.topic_partition] = (log, log.config)
        _log.error(
            "%s/%s cannot be cleaned, and keeps all its records until its configuration changes: "
            "%s",
            log.disk.root, log.folder, error,
            exc_info=None if isinstance(error, DamagedRecordsError) else error,
        )  # fmt: skip

    def _forget(self, run: _Run) -> None:
        del self._runs[run.log.topic_partition]


def _facts(segment: Segment, rules: CleanerRules) -> SegmentFacts:
    """Return the facts about a segment; timestamps are read only where a rule needs them."""
    latest = first = -1
    if rules.min_compaction_lag_ms > 0:
        latest = segment.indexes.find_latest().timestamp
    if rules.max_compaction_lag_ms < UNLIMITED:
        known = segment.indexes.first_timestamp
        first = segment.indexes.read_first_timestamp() if known is None else known
    return SegmentFacts(segment.base_offset, segment.size, latest, first)
