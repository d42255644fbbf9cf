"""One replica on this broker: leading or following; ISR, high watermark, append, follower progress.

States: leading (`is_leader`), following a leader, following nobody. `apply` moves between them; a
registration with a lower partition epoch than the one in force is ignored. Proposals for the ISR go
out through `IsrProposals`; `alter_partition` brings back what became of them.

Invariants: the high watermark moves only while the committed ISR has at least min ISR members (H1,
H3), and never past what the maximal ISR holds (H2). At most one proposal is under way.

Source: `Partition.scala`, KIP-966 "Strict min ISR", KIP-903.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    ErrorCode,
    FencedLeaderEpochError,
    NotEnoughReplicasError,
    NotLeaderOrFollowerError,
    UnknownLeaderEpochError,
)
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.common.summed_lines import SummedLines
from minikafka.common.wait_key import WaitKey
from minikafka.log.leader_epoch_cache import EpochEnd
from minikafka.log.results import LogAppendInfo
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
    effective_min_isr,
)
from minikafka.records.batch import BatchHeader
from minikafka.records.validation import Origin
from minikafka.replica.append_queue import QueuedAppend
from minikafka.replica.high_watermark import next_high_watermark
from minikafka.replica.in_sync_replicas import IsrState, may_join
from minikafka.replica.isr_proposals import IsrProposal, IsrProposals
from minikafka.replica.news import News, Watcher
from minikafka.replica.replica_state import ReplicaState
from minikafka.replica.topic_counts import TopicCounts

_log = logging.getLogger("minikafka.replica")


NO_ISR = IsrState(())


UNCLEAN = "unclean leadership"
_CLEAN = "leadership"


def leadership_lines() -> SummedLines:
    """What one turn has to say of partitions that this broker leads."""
    return SummedLines(_log, {UNCLEAN: logging.WARNING, _CLEAN: logging.INFO})


def _nobody_flushes(_: UnifiedLog) -> None:
    """What a partition without a broker around it does."""


@dataclass(slots=True)
class Partition:
    """A replica of `topic_partition` in `log`."""

    env: Environment
    broker_id: int
    topic_partition: TopicPartition
    topic_id: Uuid
    log: UnifiedLog
    configured_min_isr: int
    lag_max_ms: int
    brokers: Callable[[], Mapping[int, BrokerRegistration]]
    propose: Callable[[IsrProposal], None]
    own_epoch: Callable[[], int]
    replicas: tuple[int, ...] = ()
    min_isr: int = 0
    adding_count: int = 0
    is_gone: bool = False
    leader: int = NO_LEADER
    leader_epoch: int = -1
    partition_epoch: int = -1
    leader_epoch_start_offset: int = 0
    isr: IsrState = NO_ISR
    recovery_state: LeaderRecoveryState = LeaderRecoveryState.RECOVERED
    followers: dict[int, ReplicaState] = field(default_factory=dict)
    appended: WaitKey = field(default_factory=lambda: WaitKey("appended"))
    committed: WaitKey = field(default_factory=lambda: WaitKey("committed"))
    progress: WaitKey = field(default_factory=lambda: WaitKey("log start of followers"))
    request_flush: Callable[[UnifiedLog], None] = _nobody_flushes
    counts: TopicCounts = field(default_factory=TopicCounts)
    lines: SummedLines = field(default_factory=leadership_lines)
    """Written by the broker, for all its partitions together."""
    watchers: dict[Watcher, None] = field(default_factory=dict)
    queued: deque[QueuedAppend] = field(default_factory=deque)
    """Appends whose records are being validated, in the order in which they came."""
    proposals: IsrProposals = field(init=False, compare=False, repr=False)
    told_log_start: int = 0
    """What watchers know of `log.log_start_offset` at least."""

    def __post_init__(self) -> None:
        """Prepare to propose ISRs."""
        self.proposals = IsrProposals(self)

    @property
    def is_leader(self) -> bool:
        """Whether this broker leads the partition."""
        return self.leader == self.broker_id

    def set_min_isr(self, configured: int) -> None:
        """Take on another `min.insync.replicas`; what it means here is `min_isr` (H6)."""
        self.configured_min_isr = configured
        self.min_isr = effective_min_isr(configured, len(self.replicas))

    @property
    def is_under_min_isr(self) -> bool:
        """Whether this broker leads with fewer in-sync replicas than the minimum (M1)."""
        return self.is_leader and len(self.isr.committed) < self.min_isr

    @property
    def is_at_min_isr(self) -> bool:
        """Whether this broker leads with exactly the minimum of in-sync replicas (M1)."""
        return self.is_leader and len(self.isr.committed) == self.min_isr

    @property
    def is_under_replicated(self) -> bool:
        """Whether this broker leads and a replica is out of sync (M1).

        Replicas that a reassignment adds do not count yet (`OngoingReassignmentState`).
        """
        wanted = len(self.replicas) - self.adding_count
        return self.is_leader and len(self.isr.committed) < wanted

    @property
    def high_watermark_is_behind_epoch(self) -> bool:
        """Whether a new leader has not yet committed anything of its own epoch.

        Until then it may not know everything that was committed before it (KIP-207).
        """
        return self.log.high_watermark < self.leader_epoch_start_offset

    # What the metadata says

    def apply(self, registration: PartitionRegistration) -> bool:
        """Take on a committed registration; whether the leader epoch is a new one."""
        if registration.partition_epoch < self.partition_epoch:
            return False
        # First: what followers have shown so far counts for what follows.
        self.tell()
        new_epoch = registration.leader_epoch > self.leader_epoch
        # Unlike Kafka: metadata may arrive late and all at once, and tell of a leadership that came
        # back; whoever led meanwhile may have had followers truncate what they were seen to hold.
        was_leader = self.is_leader and registration.leader_epoch <= self.leader_epoch + 1
        # Unlike Kafka: metadata that brings what an answer to a proposal has brought before takes
        # nothing back. A proposal that was made since is under way, and counts (H2).
        knows_isr = not new_epoch and registration.partition_epoch == self.partition_epoch
        self.replicas = registration.replicas
        self.adding_count = len(registration.adding_replicas)
        self.set_min_isr(self.configured_min_isr)
        self.partition_epoch = registration.partition_epoch
        self.leader = registration.leader
        self.leader_epoch = registration.leader_epoch
        if self.is_leader:
            if not knows_isr:
                self.proposals.take(registration)
            self._lead(registration, new_epoch=new_epoch, was_leader=was_leader)
        else:
            self.isr = NO_ISR
            self.followers.clear()
        if new_epoch:
            # Whoever waits here for an older epoch has to learn that it is over.
            self.wake_all()
        return new_epoch

    def wake_all(self) -> None:
        """Have everything that waits for this partition looked at again."""
        self.env.notify(self.committed)
        self.env.notify(self.appended)
        self.env.notify(self.progress)
        self.tell(News.ALL)

    def tell(self, news: News = News.OTHER) -> None:
        """Something changed that a fetch could show, or that decides what becomes of it."""
        for watcher in list(self.watchers):
            watcher.changed(news)

    def has_appended(self) -> None:
        """The log has grown."""
        self.env.notified.append(self.appended)
        if self.watchers:
            self.tell(News.APPENDED)

    def has_committed(self) -> None:
        """The high watermark moved, or what waits for it can be decided."""
        self.env.notified.append(self.committed)
        if self.watchers:
            self.tell(News.COMMITTED)

    def _lead(
        self, registration: PartitionRegistration, *, new_epoch: bool, was_leader: bool
    ) -> None:
        now_ms = self.env.clock.monotonic_ms
        self.recovery_state = registration.leader_recovery_state
        kept = self.followers
        self.followers = {
            broker: kept.get(broker) or ReplicaState(broker)
            for broker in registration.replicas
            if broker != self.broker_id
        }
        if new_epoch:
            end_offset = self.log.log_end_offset
            self.leader_epoch_start_offset = end_offset
            self.log.assign_epoch_start_offset(self.leader_epoch, end_offset)
            for broker, follower in self.followers.items():
                follower.reset(
                    in_isr=broker in registration.isr,
                    still_leader=was_leader,
                    leader_end_offset=end_offset,
                    now_ms=now_ms,
                )
            self._log_leadership(registration.isr, end_offset)
        self.advance_high_watermark()
        if self.recovery_state is LeaderRecoveryState.RECOVERING and self.isr.proposed is None:
            # Nothing more is to be done here for what was lost: say so (L8).
            self.proposals.propose(self.isr.committed)

    def _log_leadership(self, isr: Sequence[int], end_offset: int) -> None:
        kind = _CLEAN
        line = (
            f"broker {self.broker_id} leads epoch {self.leader_epoch} from offset {end_offset}; "
            f"ISR {list(isr)}, high watermark {self.log.high_watermark}"
        )
        if self.recovery_state is LeaderRecoveryState.RECOVERING:
            kind = UNCLEAN
            line += "; acknowledged records that are not in this log are lost"
        self.lines.add(kind, str(self.topic_partition), line)

    # Checks

    def check_leader_epoch(self, requested: int) -> None:
        """Compare the epoch that a request names with the one in force.

        Raises:
            FencedLeaderEpochError: the request is behind.
            UnknownLeaderEpochError: this broker is behind.
        """
        if requested < 0 or requested == self.leader_epoch:
            return
        if requested < self.leader_epoch:
            raise FencedLeaderEpochError
        raise UnknownLeaderEpochError

    def check_any_leader_epoch(self, requested: int) -> None:
        """As `check_leader_epoch`, but only -1 is no epoch: what is below it is an old one.

        As Kafka: everywhere but in Fetch.
        """
        if requested < -1:
            raise FencedLeaderEpochError
        self.check_leader_epoch(requested)

    def require_leader(self) -> None:
        """Raises NotLeaderOrFollowerError unless this broker leads."""
        if self.leader != self.broker_id:
            raise NotLeaderOrFollowerError

    # Appending

    def append_as_leader(
        self, records: memoryview, *, required_acks: int, origin: Origin = Origin.CLIENT
    ) -> LogAppendInfo:
        """Append a producer's records (H4).

        Raises:
            NotLeaderOrFollowerError: this broker does not lead.
            NotEnoughReplicasError: acks=all, and the committed ISR is under min ISR; nothing was
                written.
            RecordValidationError, StorageFault: see `UnifiedLog.append_as_leader`.
            OverBudgetError: `records` belong into `append_queue`.
        """
        self._check_may_append(required_acks)
        env = self.env
        info = self.log.append_as_leader(
            records,
            leader_epoch=self.leader_epoch,
            now=env.clock.now,
            origin=origin,
            budget=env.budget,
        )
        self._has_taken(info, len(records))
        return info

    def append_validated(
        self, batch: memoryview, header: BatchHeader, *, required_acks: int
    ) -> LogAppendInfo:
        """Append a client's batch that was validated elsewhere; raises as `append_as_leader`."""
        self._check_may_append(required_acks)
        info = self.log.append_validated(
            batch, header, leader_epoch=self.leader_epoch, now=self.env.clock.now
        )
        self._has_taken(info, len(batch))
        return info

    def _check_may_append(self, required_acks: int) -> None:
        if self.leader != self.broker_id:
            raise NotLeaderOrFollowerError
        if required_acks == -1 and len(self.isr.committed) < self.min_isr:
            raise NotEnoughReplicasError(
                f"{self.topic_partition} has {len(self.isr.committed)} in-sync replicas, "
                f"needs {self.min_isr}"
            )

    def _has_taken(self, info: LogAppendInfo, size_bytes: int) -> None:
        counts = self.counts
        counts.messages_in += info.last_offset + 1 - info.first_offset
        counts.bytes_in += size_bytes
        self.has_appended()
        if self.log.awaits_flush:
            self.request_flush(self.log)
        self.advance_high_watermark()

    def append_outcome(self, leader_epoch: int, end_offset: int) -> ErrorCode | None:
        """What became of an acks=all append; None while it is not decided.

        `end_offset` is exclusive. Source: `Partition.checkEnoughReplicasReachOffset`.
        """
        if self.leader != self.broker_id or self.leader_epoch != leader_epoch:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.log.high_watermark < end_offset:
            return None
        if len(self.isr.maximal) < self.min_isr:
            return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return ErrorCode.NONE

    def flush_outcome(self, leader_epoch: int, end_offset: int) -> ErrorCode | None:
        """What became of an acks=1 append that must be flushed; None while it is not decided."""
        if not self.is_leader or self.leader_epoch != leader_epoch:
            # What was not flushed yet may be truncated by now.
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return ErrorCode.NONE if self.log.recovery_point >= end_offset else None

    def flushed(self) -> None:
        """More of the log is durable: what waited for that is decided now."""
        self.advance_high_watermark()
        self.has_committed()

    # Followers

    def follower_fetched(
        self, broker: int, *, broker_epoch: int, fetch_offset: int, log_start_offset: int,
        leader_end_offset: int,
    ) -> None:  # fmt: skip
        """A follower proved to hold everything below `fetch_offset`.

        `leader_end_offset` is this log's end when the fetch was read.
        """
        follower = self.followers[broker]
        before = follower.log_end_offset
        start_before = follower.log_start_offset
        if fetch_offset != before or log_start_offset != start_before:
            # It may have had another session until now, and said something else there.
            for watcher in self.watchers:
                watcher.follower_moves(broker)
        follower.fetched(
            fetch_offset=fetch_offset,
            log_start_offset=log_start_offset,
            leader_end_offset=leader_end_offset,
            now_ms=self.env.clock.monotonic_ms,
            broker_epoch=broker_epoch,
        )
        if broker not in self.isr.maximal:
            self.proposals.consider_joining(follower)
        if fetch_offset != before:
            self.advance_high_watermark()
        if follower.log_start_offset != start_before:
            self.env.notify(self.progress)

    def follower_was_idle(self, broker: int, until_ms: int) -> None:
        """A follower that has the whole log fetched at its end, last at `until_ms` (monotonic)."""
        follower = self.followers.get(broker)
        if follower is not None:
            follower.was_idle(until_ms)

    def is_calm_for(self, broker: int) -> bool:
        """Whether a fetch at the log's end changes nothing: it may let a follower into the ISR."""
        return broker < 0 or broker in self.isr.maximal

    def is_stale_epoch(self, broker: int, broker_epoch: int) -> bool:
        """Whether a fetch comes from an earlier incarnation than the registered one (KIP-903)."""
        registration = self.brokers().get(broker)
        return broker_epoch != -1 and registration is not None and registration.epoch > broker_epoch

    def end_offset_for_epoch(self, epoch: int) -> EpochEnd:
        """See `UnifiedLog.end_offset_for_epoch`."""
        return self.log.end_offset_for_epoch(epoch)

    def advance_high_watermark(self) -> bool:
        """Move the high watermark as far as it may go; whether it moved."""
        log = self.log
        isr = self.isr
        current = log.high_watermark
        if current >= log.log_end_offset:
            return False
        reached = log.recovery_point if log.awaits_flush else log.log_end_offset
        # Of a leader without followers all that it holds is committed.
        if self.followers or len(isr.committed) < self.min_isr:
            reached = next_high_watermark(
                leader_end_offset=reached,
                followers=self.followers,
                maximal_isr=isr.maximal,
                joining=self._joining() if len(self.followers) >= len(isr.maximal) else (),
                isr_size=len(isr.committed),
                min_isr=self.min_isr,
                current=current,
            )
        if not log.update_high_watermark(reached):
            return False
        self.has_committed()
        return True

    def _joining(self) -> list[int]:
        """Followers outside the ISR that keep up and may enter it: they must not fall behind it."""
        end_offset = self.log.log_end_offset
        now_ms = self.env.clock.monotonic_ms
        brokers = self.brokers()
        maximal = self.isr.maximal
        return [
            broker
            for broker, follower in self.followers.items()
            if broker not in maximal
            and follower.is_caught_up(end_offset, now_ms, self.lag_max_ms)
            and may_join(follower, brokers.get(broker))
        ]
