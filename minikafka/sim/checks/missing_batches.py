"""What a log lacks of the committed batches, and what it has at their offsets."""

from bisect import bisect_left
from collections.abc import Collection, Iterator
from operator import attrgetter

from minikafka.log.unified_log import UnifiedLog
from minikafka.records.reader import Record, read_batch
from minikafka.sim.checks.committed_records import Committed
from minikafka.sim.checks.log_batches import (
    BatchIdentity,
    StoredBatch,
    batches_of,
    epoch_at,
    stored_batches,
)


def first_missing(log: UnifiedLog, known: Committed) -> BatchIdentity | None:
    """Return the first committed batch that a log lacks by its end offset and leader epochs."""
    for batch in known.batches:
        if log.log_start_offset <= batch.last_offset and (
            batch.last_offset >= log.log_end_offset
            or epoch_at(log, batch.last_offset) != batch.leader_epoch
        ):
            return batch
    return None


def first_replaced(
    log: UnifiedLog, known: Committed, left_over: Collection[int] = ()
) -> BatchIdentity | None:
    """As `first_missing` for a compacted log, which may lack batches and their epochs.

    A batch keeps its offsets and leader epoch when it is cleaned: what a log has at the offsets of
    a committed batch is that batch. After an unclean election a batch that it lacks was never
    there, unless its leader epochs say that it was: the log of another history may be cleaned
    beyond all committed records. Batches with a base offset in `left_over` do not count.
    """
    stored = batches_of(log, 0, log.log_end_offset)
    held = [each for each in stored if each.base_offset not in left_over]

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


def comparable_records(
    log: UnifiedLog, known: Committed, start: int, end: int
) -> Iterator[tuple[StoredBatch, Record, bytes | None]]:
    """Yield the records of a range, each with its batch and the committed value of its offset."""
    begin = bisect_left(known.batches, start, key=attrgetter("base_offset"))
    committed = {
        batch.base_offset + at: value
        for batch in known.batches[begin:]
        # A batch of an unclean leader may have been cleaned before it was seen.
        if len(known.values[batch]) == batch.last_offset - batch.base_offset + 1
        for at, value in enumerate(known.values[batch])
    }
    for stored in stored_batches(log, start, end):
        for record in read_batch(*stored):
            if start <= record.offset < end and record.offset in committed:
                yield stored, record, committed[record.offset]


def is_left_over(batch: BatchIdentity, known: Committed, leader: UnifiedLog) -> bool:
    """True if a follower keeps a batch that an election removed, and its leader has none there.

    The leader copied a cleaned log: in its epochs, that of the removed batches ends where the first
    record begins that is left of the next one. The follower truncates to there, as in Kafka.
    """
    was_removed = any(
        lost.batch[:2] == batch[:2] and lost.batch.leader_epoch == batch.leader_epoch
        for lost in known.lost
    )
    return was_removed and not any(stored_batches(leader, batch.base_offset, batch.last_offset + 1))


def is_epoch_there(log: UnifiedLog, epoch: int, end_offset: int) -> bool:
    """True if the last record before `end_offset` may have `epoch`.

    The first records of an epoch may be compacted away: a replica that copies the log afterwards
    has a later start of that epoch.
    """
    if not log.config.compacted or epoch == epoch_at(log, end_offset - 1):
        return epoch == epoch_at(log, end_offset - 1)
    end = log.end_offset_for_epoch(epoch)
    return end.epoch == epoch and end.end_offset >= end_offset
