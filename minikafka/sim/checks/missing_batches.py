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

    A batch keeps its offsets and leader epoch when it is cleaned: what a log has at the offsets of
    a committed batch is that batch. After an unclean election a batch that it lacks was never
    there, unless its leader epochs say that it was: the log of another history may be cleaned
    beyond all committed records.
    """
    held = batches_of(log, 0, log.log_end_offset)

    def is_replaced(batch: BatchIdentity) -> bool:
        at = bisect_left(held, batch.base_offset, key=attrgetter("last_offset"))
        if at < len(held) and held[at].base_offset <= batch.last_offset:
            return held[at]._replace(crc=batch.crc) != batch
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
