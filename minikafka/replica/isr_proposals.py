"""A leader's proposals for the ISR, and the controller's decisions about them.

`AlterPartitionManager` sends the proposals and returns the responses. At most one proposal of a
partition is in progress: `Partition.isr` has it, and the high watermark respects it at once (H2).

Source: `Partition.prepareIsrExpand`, `Partition.submitAlterPartition`.
"""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from minikafka.common.errors import ErrorCode, error_of
from minikafka.metadata.partition_registration import LeaderRecoveryState, PartitionRegistration
from minikafka.replica.in_sync_replicas import IsrState, may_join, out_of_sync
from minikafka.replica.replica_state import ReplicaState

if TYPE_CHECKING:
    from minikafka.replica.partition import Partition

_log = logging.getLogger("minikafka.replica")
_LAG_SHARE = 2


class IsrProposal(NamedTuple):
    """An ISR that a leader asks the controller to commit."""

    partition: "Partition"
    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    broker_epochs: tuple[int, ...]
    recovery_state: LeaderRecoveryState


@dataclass(slots=True, eq=False, repr=False)
class IsrProposals:
    """The proposals of one partition for which this broker is leader."""

    partition: "Partition"

    def apply_metadata(self, registration: PartitionRegistration) -> None:
        """Use the ISR of the metadata."""
        partition = self.partition
        if sorted(partition.isr.proposed or ()) == sorted(registration.isr):
            # The metadata may have the proposed ISR before the response to the proposal arrives.
            self._count_isr_change(registration.isr)
        partition.isr = IsrState(registration.isr)

    def consider_joining(self, follower: ReplicaState) -> None:
        """Propose an ISR with this follower if it has caught up and may join (KIP-903)."""
        partition = self.partition
        if partition.isr.proposed is not None or follower.broker_id not in partition.replicas:
            return
        reached = max(partition.log.high_watermark, partition.leader_epoch_start_offset)
        if follower.log_end_offset < reached or not self._keeps_pace(follower):
            return
        if may_join(follower, partition.brokers().get(follower.broker_id)):
            self.propose(partition.isr.expanded(follower.broker_id).proposed or ())

    def _keeps_pace(self, follower: ReplicaState) -> bool:
        """True if a follower at the high watermark would stay in the ISR.

        Below min ISR the high watermark stands still, and a follower that is far behind reaches it
        (H1). Unlike Kafka (row 139), where it joins, and leaves again as it lags. Half of the lag
        is left for the next time that it reaches the leader.
        """
        partition = self.partition
        if len(partition.isr.committed) >= partition.min_isr:
            return True
        return follower.keeps_pace(
            partition.env.clock.monotonic_ms, partition.lag_max_ms // _LAG_SHARE
        )

    def shrink(self) -> None:
        """Propose an ISR without the followers that lag."""
        partition = self.partition
        if not partition.is_leader or partition.isr.proposed is not None:
            return
        lagging = out_of_sync(
            partition.isr.committed,
            partition.followers,
            leader_end_offset=partition.log.log_end_offset,
            now_ms=partition.env.clock.monotonic_ms,
            lag_max_ms=partition.lag_max_ms,
            min_isr=partition.min_isr,
        )
        if lagging:
            self.propose(partition.isr.shrunk(lagging).proposed or ())

    def propose(self, isr: tuple[int, ...]) -> None:
        """Propose an ISR. The high watermark waits for all of its members at once (H2)."""
        partition = self.partition
        partition.tell()
        partition.isr = IsrState(partition.isr.committed, isr)
        epochs = tuple(
            partition.own_epoch() if broker == partition.broker_id else self._known_epoch(broker)
            for broker in isr
        )
        _log.info(
            "[Partition %s broker=%d] proposes ISR %s instead of %s, partition epoch %d",
            partition.topic_partition,
            partition.broker_id,
            list(isr),
            list(partition.isr.committed),
            partition.partition_epoch,
        )
        partition.propose(
            IsrProposal(
                partition,
                partition.leader_epoch,
                partition.partition_epoch,
                isr,
                epochs,
                LeaderRecoveryState.RECOVERED,
            )
        )

    def _known_epoch(self, broker: int) -> int:
        epoch = self.partition.followers[broker].broker_epoch
        return -1 if epoch is None else epoch

    def committed(self, proposal: IsrProposal, isr: tuple[int, ...], partition_epoch: int) -> None:
        """Use the ISR that the controller committed, or that it has instead."""
        partition = self.partition
        if not self._is_current(proposal) or partition_epoch < partition.partition_epoch:
            return
        self._count_isr_change(isr)
        partition.tell()
        partition.isr = IsrState(isr)
        partition.partition_epoch = partition_epoch
        partition.recovery_state = LeaderRecoveryState.RECOVERED
        _log.info(
            "[Partition %s broker=%d] ISR is %s, partition epoch %d",
            partition.topic_partition,
            partition.broker_id,
            list(isr),
            partition_epoch,
        )
        partition.advance_high_watermark()
        # Waiting appends can now be acknowledged, or fail with NOT_ENOUGH_REPLICAS_AFTER_APPEND.
        partition.has_committed()

    def _count_isr_change(self, isr: tuple[int, ...]) -> None:
        partition = self.partition
        before = len(partition.isr.committed)
        partition.counts.isr_expands += len(isr) > before
        partition.counts.isr_shrinks += len(isr) < before

    def failed(self, proposal: IsrProposal, code: int) -> None:
        """Note that the controller refused a proposal.

        If the error means that this broker's metadata is behind, the proposal stays as it is until
        new metadata arrives. Source: `Partition.handleAlterPartitionError`.
        """
        partition = self.partition
        if not self._is_current(proposal):
            return
        _log.info(
            "[Partition %s broker=%d] ISR %s refused: %s",
            partition.topic_partition,
            partition.broker_id,
            list(proposal.isr),
            error_of(code).code.name,
        )
        if code in (ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA):
            partition.tell()
            partition.isr = IsrState(partition.isr.committed)
        elif code not in _WAIT_FOR_METADATA:
            partition.propose(proposal)

    def _is_current(self, proposal: IsrProposal) -> bool:
        partition = self.partition
        return (
            partition.is_leader
            and partition.leader_epoch == proposal.leader_epoch
            and partition.partition_epoch == proposal.partition_epoch
            and partition.isr.proposed == proposal.isr
        )


_WAIT_FOR_METADATA = frozenset(
    (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    )
)
