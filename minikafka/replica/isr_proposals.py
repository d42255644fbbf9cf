"""What a leader asks the controller to make of the ISR, and what became of it.

`AlterPartitionManager` carries proposals there and brings back the answers. At most one proposal of
a partition is under way: `Partition.isr` holds it, and the high watermark obeys it at once (H2).

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


class IsrProposal(NamedTuple):
    """What a leader wants the controller to commit."""

    partition: "Partition"
    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    broker_epochs: tuple[int, ...]
    recovery_state: LeaderRecoveryState


@dataclass(slots=True)
class IsrProposals:
    """The proposals of one partition, which this broker leads."""

    partition: "Partition"

    def take(self, registration: PartitionRegistration) -> None:
        """Take over the ISR that metadata brings."""
        partition = self.partition
        if sorted(partition.isr.proposed or ()) == sorted(registration.isr):
            # The metadata may bring what was proposed before the answer to the proposal does.
            self._count_isr_change(registration.isr)
        partition.isr = IsrState(registration.isr)

    def consider_joining(self, follower: ReplicaState) -> None:
        """Propose an ISR with a follower that has caught up, and may join (KIP-903)."""
        partition = self.partition
        if partition.isr.proposed is not None or follower.broker_id not in partition.replicas:
            return
        reached = max(partition.log.high_watermark, partition.leader_epoch_start_offset)
        if follower.log_end_offset < reached:
            return
        if may_join(follower, partition.brokers().get(follower.broker_id)):
            self.propose(partition.isr.expanded(follower.broker_id).proposed or ())

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
        )
        if lagging:
            self.propose(partition.isr.shrunk(lagging).proposed or ())

    def propose(self, isr: tuple[int, ...]) -> None:
        """Propose an ISR; from now on the high watermark waits for all of its members (H2)."""
        partition = self.partition
        partition.tell()
        partition.isr = IsrState(partition.isr.committed, isr)
        epochs = tuple(
            partition.own_epoch() if broker == partition.broker_id else self._known_epoch(broker)
            for broker in isr
        )
        _log.info(
            "[Partition %s broker=%d] proposes ISR %s after %s, epoch %d",
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
        """Take over what the controller committed, or says that holds in its place."""
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
        # Appends that waited for a full ISR, and those that a smaller one lets fail, are decided
        # now.
        partition.has_committed()

    def _count_isr_change(self, isr: tuple[int, ...]) -> None:
        partition = self.partition
        before = len(partition.isr.committed)
        partition.counts.isr_expands += len(isr) > before
        partition.counts.isr_shrinks += len(isr) < before

    def failed(self, proposal: IsrProposal, code: int) -> None:
        """Take note that the controller refused a proposal.

        Where the refusal says that this broker's metadata is behind, the proposal stays as it is:
        the metadata on its way decides. Source: `Partition.handleAlterPartitionError`.
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
