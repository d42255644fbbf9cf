"""Which records a machine may have lost with its power or its disks.

Without eligible leader replicas a broker that comes back after a power failure may lead although
records are missing from its log (E13). That excuses the loss of what had not been flushed on that
machine, in the partitions that it held, and of nothing else; a machine that gets other disks may
have lost everything. With ELR nothing is excused: such a broker is in no ISR and no ELR (E7).
"""

from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.replica.partition import Partition
from minikafka.sim.world.sim_node import SimNode

_Key = tuple[int, TopicPartition]
"""Node and partition."""


@dataclass(slots=True)
class _End:
    """A replica as it was looked at last."""

    recovery_point: int
    log_end_offset: int


@dataclass(slots=True)
class _Gap:
    """Offsets from `start` to below `end` that a replica had, and may not have any more."""

    start: int
    end: int
    elr_was_off: bool


@dataclass(slots=True)
class PowerLosses:
    """The gaps of all replicas. A gap is closed when the replica's log is as long as before."""

    _ends: dict[_Key, _End] = field(default_factory=dict)
    _gaps: dict[_Key, _Gap] = field(default_factory=dict)

    def record(self, node: SimNode, partition: Partition) -> None:
        """Note how far a replica's log goes, and how much of it is flushed."""
        key = (node.config.node_id, partition.topic_partition)
        log = partition.log
        end = self._ends.get(key)
        if end is None:
            self._ends[key] = _End(log.recovery_point, log.log_end_offset)
        else:
            end.recovery_point, end.log_end_offset = log.recovery_point, log.log_end_offset
        gap = self._gaps.get(key)
        if gap is not None and node.started and log.log_end_offset >= gap.end:
            del self._gaps[key]

    def lost(self, node_id: int, *, everything: bool, elr_is_on: bool) -> list[TopicPartition]:
        """A machine has lost what was not flushed, or `everything`; the partitions that it held."""
        found = []
        for (holder, where), end in self._ends.items():
            if holder != node_id:
                continue
            start = 0 if everything else end.recovery_point
            gap = _Gap(start, end.log_end_offset, not elr_is_on)
            former = self._gaps.get((holder, where))
            if former is not None:
                gap.start = min(start, former.start)
                gap.end = max(gap.end, former.end)
                gap.elr_was_off |= former.elr_was_off
            if gap.start < gap.end:
                self._gaps[holder, where] = gap
                found.append(where)
        return found

    def elr_is_off(self) -> None:
        """The metadata log says that ELR is off: a replica that has a gap now may lead with it."""
        for gap in self._gaps.values():
            gap.elr_was_off = True

    def excuses(self, node_id: int, where: TopicPartition, offset: int) -> bool:
        """Whether a replica may lead without the record at `offset`."""
        gap = self._gaps.get((node_id, where))
        return gap is not None and gap.elr_was_off and gap.start <= offset < gap.end
