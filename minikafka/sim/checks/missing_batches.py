"""Which committed batches the log of a leader lacks."""

from bisect import bisect_left
from operator import attrgetter

from minikafka.log.unified_log import UnifiedLog
from minikafka.sim.checks.committed_records import Committed
from minikafka.sim.checks.log_batches import BatchIdentity, batches_of, epoch_at


def first_missing(log: UnifiedLog, known: Committed) -> BatchIdentity | None:
    """Return the first committed batch that a log lacks by its end offset and leader epochs."""
    for batch in known.batches:
        if log.log_start_offset <= batch.last_offset and (
            batch.last_offset >= log.log_end_offset
            or epoch_at(log, batch.last_offset) != batch.leader_epoch
        ):
            return batch
    return None


def first_replaced(log: UnifiedLog, known: Committed) -> BatchIdentity | None:
    """As `first_missing` for a compacted log, which may lack batches and their epochs.

    What it has at the offsets of a committed batch was written in the same leader epoch. After an
    unclean election a batch that it lacks was never there, unless its leader epochs say that it
    was: the log of another history may be cleaned beyond all committed records.
    """
    held = batches_of(log, 0, log.log_end_offset)

    def is_replaced(batch: BatchIdentity) -> bool:
        first = bisect_left(held, batch.base_offset, key=attrgetter("last_offset"))
        if first < len(held) and held[first].base_offset <= batch.last_offset:
            return held[first].leader_epoch != batch.leader_epoch
        return known.is_open and not is_epoch_there(log, batch.leader_epoch, batch.last_offset + 1)

    for batch in known.batches:
        if log.log_start_offset <= batch.last_offset and (
            batch.last_offset >= log.log_end_offset or is_replaced(batch)
        ):
            return batch
    return None


def is_epoch_there(log: UnifiedLog, epoch: int, end_offset: int) -> bool:
    """True if the last record before `end_offset` may have `epoch`.

    The first records of an epoch may be compacted away: a replica that copies the log afterwards
    has a later start of that epoch.
    """
    if not log.config.compacted or epoch == epoch_at(log, end_offset - 1):
        return epoch == epoch_at(log, end_offset - 1)
    end = log.end_offset_for_epoch(epoch)
    return end.epoch == epoch and end.end_offset >= end_offset
