"""One replica on this broker: leader or follower; ISR, high watermark, append, follower progress.

States: leader (`is_leader`), follower of a leader, without a leader. `apply` moves between them; a
registration with a lower partition epoch than the current one is ignored. `in_sync_replicas`
decides what to propose for the ISR; `alter_partition` sends it and returns the result.

Invariants: the high watermark moves only while the committed ISR has at least min ISR members (H1,
H3), and never beyond the log of a maximal ISR member (H2). At most one proposal is in progress.

Source: `Partition.scala`, KIP-966 "Strict min ISR", KIP-903.
"""

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    NotEnoughReplicasError,
    NotLeaderOrFollowerError,
    error_of,
)
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.common.summed_lines import SummedLines
from minikafka.common.wait_key import WaitKey
from minikafka.log.appends import LogAppendInfo
from minikafka.log.producers.verification import NOT_VERIFIED, VerificationGuard
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.local_broker import BrokerView
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
    effective_min_isr,
)
from minikafka.records.batch import BatchHeader
from minikafka.records.builder import TransactionEnd, build_end_marker
from minikafka.records.validation import AppendOrigin
from minikafka.replica.high_watermark import next_high_watermark
from minikafka.replica.in_sync_replicas import (
    FollowerFetched,
    IsrDecided,
    IsrEvent,
    IsrProposal,
    IsrRefused,
    IsrState,
    IsrView,
    LagChecked,
    ProposalSender,
    UncleanLeaderRecovered,
    broker_epochs,
    joining_followers,
    next_isr,
)
from minikafka.replica.log_flusher import LogFlusher
from minikafka.replica.partition_event import PartitionEvent, PartitionWatcher
from minikafka.replica.queued_append import QueuedAppend
from minikafka.replica.replica_state import ReplicaState
from minikafka.replica.topic_counts import TopicCounts

_log = logging.getLogger("minikafka.replica")


NO_ISR = IsrState(())


UNCLEAN = "unclean leadership"
_CLEAN = "leadership"


def leadership_lines() -> SummedLines:
    """The log lines about new leaderships of this broker, summed up for one step."""
    return SummedLines(_log, {UNCLEAN: logging.WARNING, _CLEAN: logging.INFO})


@dataclass(slots=True, eq=False, repr=False)
class Partition:
    """A replica of `topic_partition` in `log`."""

    env: Environment
    view: BrokerView
    topic_partition: TopicPartition
    topic_id: Uuid
    log: UnifiedLog
    configured_min_isr: int
    lag_max_ms: int
    proposals: ProposalSender
    flusher: LogFlusher
    broker_id: int = field(init=False)
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
    counts: TopicCounts = field(default_factory=TopicCounts)
    lines: SummedLines = field(default_factory=leadership_lines)
    """Log lines that the broker writes for all its partitions together."""
    watchers: dict[PartitionWatcher, None] = field(default_factory=dict)
    queued: deque[QueuedAppend] = field(default_factory=deque)
    """Appends whose records are being validated, in the order of their arrival."""
    notified_log_start: int = 0
    """The log start offset that was last reported to the watchers."""

    def __post_init__(self) -> None:
        """Begin without a leader."""
        self.broker_id = self.view.broker_id

    @property
    def is_leader(self) -> bool:
        """True if this broker is the leader of the partition."""
        return self.leader == self.broker_id

    def set_min_isr(self, configured: int) -> None:
        """Set `min.insync.replicas`; the effective minimum is `min_isr` (H6)."""
        self.configured_min_isr = configured
        self.min_isr = effective_min_isr(configured, len(self.replicas))

    @property
    def high_watermark_is_behind_epoch(self) -> bool:
        """True if a new leader has not committed a record of its epoch yet.

        Until then its high watermark may be below that of the previous leader (KIP-207).
        """
        return self.log.high_watermark < self.leader_epoch_start_offset

    # Metadata

    def apply(self, registration: PartitionRegistration) -> bool:
        """Apply a committed registration; return True if the leader epoch is new."""
        if registration.partition_epoch < self.partition_epoch:
            return False
        # First, so that fetches of followers until now are counted in the old state.
        self.notify_watchers()
        new_epoch = registration.leader_epoch > self.leader_epoch
        # Unlike Kafka (row I11): late metadata may arrive in one image and show a leadership that
        # went to another broker and came back. Followers may have truncated to that broker's log.
        was_leader = self.is_leader and registration.leader_epoch <= self.leader_epoch + 1
        # Unlike Kafka (row I11): a follower may have been dropped, and added with an empty log.
        is_next = registration.partition_epoch <= self.partition_epoch + 1
        # Unlike Kafka (row I11): metadata with the partition epoch of an earlier AlterPartition
        # response does not reset the ISR. A proposal that was made since is in progress and counts
        # (H2).
        knows_isr = not new_epoch and registration.partition_epoch == self.partition_epoch
        self.replicas = registration.replicas
        self.adding_count = len(registration.adding_replicas)
        self.set_min_isr(self.configured_min_isr)
        self.partition_epoch = registration.partition_epoch
        self.leader = registration.leader
        self.leader_epoch = registration.leader_epoch
        if self.is_leader:
            if not knows_isr:
                if sorted(self.isr.proposed or ()) == sorted(registration.isr):
                    # The metadata has the proposed ISR before the response to the proposal.
                    self.counts.isr_changed(len(self.isr.committed), len(registration.isr))
                self.isr, _ = next_isr(self.isr, IsrDecided(registration.isr))
            known = registration.replicas if is_next else registration.isr
            self._lead(registration, new_epoch=new_epoch, known=known if was_leader else ())
        else:
            self.isr = NO_ISR
            self.followers.clear()
        if new_epoch:
            # Requests that wait for an older epoch must fail now.
            self.wake_all()
        return new_epoch

    def stop(self) -> None:
        """End the use of this replica: it is removed, or its log is offline."""
        self.leader = NO_LEADER
        self.is_gone = True
        self.wake_all()

    def replace_log(self, log: UnifiedLog) -> None:
        """Use another log with the same records, all of which are durable."""
        log.producers.unverified = self.log.producers.unverified
        log.producers.unreplicated = self.log.producers.unreplicated
        self.log = log
        self.notify_watchers()
        if self.is_leader:
            self.flushed()

    def wake_all(self) -> None:
        """Wake everything that waits for this partition."""
        self.env.notify(self.committed)
        self.env.notify(self.appended)
        self.env.notify(self.progress)
        self.notify_watchers(PartitionEvent.ALL)

    def notify_watchers(self, event: PartitionEvent = PartitionEvent.OTHER) -> None:
        """Notify the watchers of a change that a fetch response could show or that decides it."""
        for watcher in list(self.watchers):
            watcher.changed(event)

    def has_appended(self) -> None:
        """Notify that the log has grown."""
        self.env.notified.append(self.appended)
        if self.watchers:
            self.notify_watchers(PartitionEvent.APPENDED)

    def has_committed(self) -> None:
        """Notify that the high watermark moved, or that requests waiting for it can be decided."""
        self.env.notified.append(self.committed)
        if self.watchers:
            self.notify_watchers(PartitionEvent.COMMITTED)

    def _lead(
        self, registration: PartitionRegistration, *, new_epoch: bool, known: tuple[int, ...]
    ) -> None:
        """Lead the partition; the progress of the `known` followers is still true."""
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
                    still_leader=broker in known,
                    leader_end_offset=end_offset,
                    now_ms=now_ms,
                )
            _log_leadership(self, registration.isr)
        self.advance_high_watermark()
        if self.recovery_state is LeaderRecoveryState.RECOVERING:
            # The recovery is complete: this broker can do nothing more for lost records (L8).
            self._change_isr(UncleanLeaderRecovered())

    # Checks

    def require_leader(self) -> None:
        """Raise NotLeaderOrFollowerError unless this broker is leader."""
        if self.leader != self.broker_id:
            raise NotLeaderOrFollowerError

    # Appending

    def append_as_leader(
        self,
        records: memoryview,
        *,
        required_acks: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        guard: VerificationGuard = NOT_VERIFIED,
        transaction_version: int = 0,
    ) -> LogAppendInfo:
        """Append a producer's records (H4).

        Transactional records need an ongoing transaction or the `guard` of their verification.

        Raises:
            NotLeaderOrFollowerError: this broker is not leader.
            NotEnoughReplicasError: acks=all, and the committed ISR is under min ISR; nothing was
                written.
            RecordValidationError, StorageFault: see `UnifiedLog.append_as_leader`.
            OverBudgetError: `records` must go through `append_queue`.
        """
        self._check_may_append(required_acks)
        env = self.env
        info = self.log.append_as_leader(
            records,
            leader_epoch=self.leader_epoch,
            now=env.clock.now,
            origin=origin,
            budget=env.budget,
            guard=guard,
            transaction_version=transaction_version,
        )
        self._has_taken(info, len(records))
        return info

    def append_validated(
        self, batch: memoryview, header: BatchHeader, *, required_acks: int,
        guard: VerificationGuard = NOT_VERIFIED,
    ) -> LogAppendInfo:  # fmt: skip
        """Append a client's batch that was validated elsewhere; raises as `append_as_leader`."""
        self._check_may_append(required_acks)
        info = self.log.append_validated(
            batch, header, leader_epoch=self.leader_epoch, now=self.env.clock.now, guard=guard
        )
        self._has_taken(info, len(batch))
        return info

    def append_end_marker(self, end: TransactionEnd) -> LogAppendInfo:
        """Append the marker that ends a producer's transaction here, as with acks=all.

        Raises:
            NotLeaderOrFollowerError, NotEnoughReplicasError, StorageFault: see `append_as_leader`.
            RecordValidationError: INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED.
        """
        batch = build_end_marker(end, self.env.clock.wall_ms)
        return self.append_as_leader(
            memoryview(batch),
            required_acks=-1,
            origin=AppendOrigin.COORDINATOR,
            transaction_version=end.transaction_version,
        )

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
            self.flusher.flush(self.log)
        self.advance_high_watermark()

    def flushed(self) -> None:
        """Note that more of the log is durable, and wake the requests that wait for it."""
        self.advance_high_watermark()
        self.has_committed()

    # Followers

    def follower_fetched(
        self, broker: int, *, broker_epoch: int, fetch_offset: int, log_start_offset: int,
        leader_end_offset: int,
    ) -> None:  # fmt: skip
        """Note a fetch that proves that the follower has everything below `fetch_offset`.

        `leader_end_offset` is the end of this log at the time of the fetch.
        """
        follower = self.followers[broker]
        before = follower.log_end_offset
        start_before = follower.log_start_offset
        if fetch_offset != before or log_start_offset != start_before:
            # An older session of this follower may have another position.
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
            self._change_isr(FollowerFetched(broker, self._isr_view()))
        if fetch_offset != before:
            self.advance_high_watermark()
        if follower.log_start_offset != start_before:
            self.env.notify(self.progress)

    def follower_was_idle(self, broker: int, until_ms: int) -> None:
        """Note fetches of a follower at the log's end, the last one at `until_ms` (monotonic)."""
        follower = self.followers.get(broker)
        if follower is not None:
            follower.was_idle(until_ms)

    def is_calm_for(self, broker: int) -> bool:
        """True if a fetch at the log's end changes nothing: it cannot add `broker` to the ISR."""
        return broker < 0 or broker in self.isr.maximal

    # In-sync replicas

    def _isr_view(self) -> IsrView:
        log = self.log
        return IsrView(
            self.replicas, self.followers, self.view.image.brokers,
            max(log.high_watermark, self.leader_epoch_start_offset), log.log_end_offset,
            self.env.clock.monotonic_ms, self.lag_max_ms, self.min_isr,
        )  # fmt: skip

    def check_lag(self) -> None:
        """Propose an ISR without the followers that lag."""
        if self.is_leader:
            self._change_isr(LagChecked(self._isr_view()))

    def _change_isr(self, event: IsrEvent) -> None:
        """Take over the ISR that follows from an event of the leader; propose it if necessary."""
        after, isr = next_isr(self.isr, event)
        if isr is None:
            return
        self.notify_watchers()
        self.isr = after
        proposal = IsrProposal(
            self.leader_epoch,
            self.partition_epoch,
            isr,
            broker_epochs(isr, self.followers, self.broker_id, self.view.broker_epoch),
            LeaderRecoveryState.RECOVERED,
        )
        _log_isr(self, f"proposes ISR {list(isr)} instead of {list(after.committed)}")
        self.proposals.propose(self, proposal)

    def isr_committed(
        self, proposal: IsrProposal, isr: tuple[int, ...], partition_epoch: int
    ) -> None:
        """Use the ISR that the controller committed, or that it has instead."""
        if not self._is_current(proposal) or partition_epoch < self.partition_epoch:
            return
        self.counts.isr_changed(len(self.isr.committed), len(isr))
        self.notify_watchers()
        self.isr, _ = next_isr(self.isr, IsrDecided(isr))
        self.partition_epoch = partition_epoch
        self.recovery_state = LeaderRecoveryState.RECOVERED
        _log_isr(self, f"ISR is {list(isr)}")
        self.advance_high_watermark()
        # Waiting appends can now be acknowledged, or fail with NOT_ENOUGH_REPLICAS_AFTER_APPEND.
        self.has_committed()

    def isr_refused(self, proposal: IsrProposal, code: int) -> None:
        """Note that the controller refused a proposal."""
        if not self._is_current(proposal):
            return
        _log_isr(self, f"ISR {list(proposal.isr)} refused: {error_of(code).code.name}")
        after, again = next_isr(self.isr, IsrRefused(code))
        if after is not self.isr:
            self.notify_watchers()
            self.isr = after
        elif again is not None:
            self.proposals.propose(self, proposal)

    def _is_current(self, proposal: IsrProposal) -> bool:
        return (
            self.is_leader
            and self.leader_epoch == proposal.leader_epoch
            and self.partition_epoch == proposal.partition_epoch
            and self.isr.proposed == proposal.isr
        )

    def advance_high_watermark(self) -> bool:
        """Move the high watermark as far as it may go; return True if it moved."""
        log = self.log
        isr = self.isr
        current = log.high_watermark
        if current >= log.log_end_offset:
            return False
        reached = log.recovery_point if log.awaits_flush else log.log_end_offset
        # With no followers, all records of the leader are committed.
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
        return joining_followers(
            self.followers, self.isr.maximal, self.view.image.brokers,
            leader_end_offset=self.log.log_end_offset,
            now_ms=self.env.clock.monotonic_ms, lag_max_ms=self.lag_max_ms,
        )  # fmt: skip


def _log_isr(partition: Partition, what: str) -> None:
    _log.info(
        "[Partition %s broker=%d] %s, partition epoch %d",
        partition.topic_partition, partition.broker_id, what, partition.partition_epoch,
    )  # fmt: skip


def _log_leadership(partition: Partition, isr: Sequence[int]) -> None:
    kind = _CLEAN
    line = (
        f"broker {partition.broker_id} leads epoch {partition.leader_epoch} from offset "
        f"{partition.leader_epoch_start_offset}; ISR {list(isr)}, "
        f"high watermark {partition.log.high_watermark}"
    )
    if partition.recovery_state is LeaderRecoveryState.RECOVERING:
        kind = UNCLEAN
        line += "; acknowledged records that are not in this log are lost"
    partition.lines.add(kind, str(partition.topic_partition), line)
