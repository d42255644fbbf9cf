"""The truncation of a copy of a log to what it has in common with that log."""

from minikafka.common.clock import Now
from minikafka.log.unified_log import UnifiedLog


def keep_common_part(current: UnifiedLog, future: UnifiedLog, now: Now) -> None:
    """Truncate a future log to the last offset up to which it equals the current log.

    Batches with the same offset and leader epoch are equal, and so are all before them. A future
    log that begins after the current one lacks records, so it starts over. The current log began
    there when the copy started; a crash has lost a log start offset that no checkpoint had yet.
    """
    if future.log_start_offset > current.log_start_offset:
        future.truncate_fully_and_start_at(current.log_start_offset, now)
        return
    while future.log_start_offset < future.log_end_offset and future.epochs.entries:
        if future.log_end_offset < current.log_start_offset:
            break
        epoch, start = future.epochs.entries[-1]
        end = current.end_offset_for_epoch(epoch)
        if end.epoch == epoch and end.end_offset > start:
            if end.end_offset < future.log_end_offset:
                future.truncate_to(end.end_offset, now)
            return
        future.truncate_to(start, now)
    if future.log_end_offset != current.log_start_offset:
        future.truncate_fully_and_start_at(current.log_start_offset, now)
