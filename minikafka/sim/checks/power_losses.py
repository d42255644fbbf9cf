"""The records that a machine may have lost in power losses, or with its disks.

Without eligible leader replicas a broker that comes back after a power failure may lead although
records are missing from its log (E13). That excuses the loss of records that were not flushed on
that machine, in its partitions, and of the start offset of an empty log, but of nothing else; a
machine with replaced disks may have lost everything. A replica whose folder was removed must be
copied before it leads, unless an operator accepts an empty log since all others are lost, too. With
ELR nothing is excused: such a broker is in no ISR and no ELR (E7).
"""

from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.log.unified_log import UnifiedLog
from minikafka.replica.partition import Partition
from minikafka.sim.world.sim_node import SimNode

_Key = tuple[int, TopicPartition]
"""Node and partition."""


@dataclass(slots=True)
class _End:
    """The state of a replica at its last check."""

    recovery_point: int
    log_end_offset: int
    log_start_offset: int = 0
    epoch: int = -1
    """The leader epoch of the last record, -1 without records."""


@dataclass(slots=True)
class _Gap:
    """Offsets from `start` to below `end` that a replica may have lost.

    Those below `log_start` it had deleted: it need not have them again if it has lost the log start
    offset, too.
    """

    start: int
    end: int
    elr_was_off: bool
    log_start: int = 0
    epoch: int = -1

    def include(self, former: "_Gap | None") -> None:
        """Widen this gap to what an earlier one lacks, if there is one."""
        if former is not None:
            self.start = min(self.start, former.start)
            self.end = max(self.end, former.end)
            self.elr_was_off |= former.elr_was_off
            self.log_start = max(self.log_start, former.log_start)
            self.epoch = max(self.epoch, former.epoch)


@dataclass(slots=True)
class PowerLosses:
    """The gaps of all replicas.

    A gap is closed when the log has its former length and last epoch again: an older copy of the
    log may be longer.
    """

    _ends: dict[_Key, _End] = field(default_factory=dict)
    _gaps: dict[_Key, _Gap] = field(default_factory=dict)
    _removed: dict[_Key, _Gap] = field(default_factory=dict)
    """Logs whose folder was removed: no excuse before an empty log is accepted."""

    def record(self, node: SimNode, partition: Partition) -> None:
        """Record the end of a replica's log and its recovery point."""
        key = (node.config.node_id, partition.topic_partition)
        log = partition.log
        end = self._ends.get(key)
        if end is None:
            end = self._ends[key] = _End(0, 0)
        end.recovery_point, end.log_end_offset = log.recovery_point, log.log_end_offset
        end.log_start_offset = log.log_start_offset
        end.epoch = _last_epoch(log)
        for gaps in (self._gaps, self._removed):
            gap = gaps.get(key)
            if (
                gap is not None
                and node.started
                and log.log_end_offset >= gap.end
                and end.epoch >= gap.epoch
            ):
                del gaps[key]

    def forget(self, topic: str) -> None:
        """Forget the logs of a topic that was deleted."""
        self._ends = {key: end for key, end in self._ends.items() if key[1].topic != topic}
        self._gaps = {key: gap for key, gap in self._gaps.items() if key[1].topic != topic}
        self._removed = {key: gap for key, gap in self._removed.items() if key[1].topic != topic}

    def removed(self, node_id: int, where: TopicPartition, *, elr_is_on: bool) -> None:
        """Record that the folder of a log was removed."""
        end = self._ends.get((node_id, where))
        if end is not None:
            self._removed[node_id, where] = _Gap(
                0, end.log_end_offset, not elr_is_on, end.log_start_offset, end.epoch
            )

    def accepted(self, node_id: int, where: TopicPartition) -> None:
        """Let an empty log that an operator has accepted take the place of a removed one."""
        gap = self._removed.pop((node_id, where), None)
        if gap is not None:
            gap.include(self._gaps.get((node_id, where)))
            self._gaps[node_id, where] = gap

    def lost(self, node_id: int, *, everything: bool, elr_is_on: bool) -> list[TopicPartition]:
        """Record a loss of unflushed records, or of `everything`; return the partitions."""
        found = []
        for (holder, where), end in self._ends.items():
            if holder != node_id:
                continue
            start = 0 if everything else end.recovery_point
            gap = _Gap(start, end.log_end_offset, not elr_is_on, end.log_start_offset, end.epoch)
            gap.include(self._gaps.get((holder, where)))
            # An empty log may come back without its start, at offset 0.
            if gap.start < gap.end or 0 < gap.end == gap.log_start:
                self._gaps[holder, where] = gap
                found.append(where)
        return found

    def elr_is_off(self) -> None:
        """Excuse all present gaps: ELR is off in the metadata log."""
        for gap in (*self._gaps.values(), *self._removed.values()):
            gap.elr_was_off = True

    def excuses(self, node_id: int, where: TopicPartition, offset: int) -> bool:
        """Return True if a replica may lead without the record at `offset`."""
        gap = self._gaps.get((node_id, where))
        if gap is None or not gap.elr_was_off:
            return False
        if offset < gap.log_start:
            # It has lost everything: may it lack the first record that it had?
            return gap.start <= gap.log_start
        return gap.start <= offset < gap.end


def _last_epoch(log: UnifiedLog) -> int:
    epoch = log.epoch_at(log.log_end_offset - 1)
    return -1 if epoch is None else epoch
