"""Truncations of a follower's log, with the work that follows from them in slices.

The producers of the log are loaded again, which may take much longer than a step. Until then the
replica is not fetched (`Fetcher`) and does not lead (`ReplicaManager`), and read_committed readers
get nothing from it.
"""

from collections.abc import Callable

from minikafka.common.environment import Environment
from minikafka.common.faults import OutOfFilesFault, StorageFault
from minikafka.log.recovery.log_loader import damage_as_fault
from minikafka.log.unified_log import UnifiedLog
from minikafka.replica.partition import Partition


def truncate_replica(
    env: Environment, partition: Partition, offset: int, on_fault: Callable[[StorageFault], None]
) -> None:
    """Truncate the log to `offset`; load the rest of its producers in later steps.

    Raises:
        OutOfFilesFault: nothing was changed.
        StorageFault: the log could not be truncated; later faults go to `on_fault`.
    """
    log = partition.log
    start_offset = log.log_start_offset
    try:
        log.reserve_files()
        _lower_start(log, offset)
        log.truncate_to(offset, env.clock.now, in_slices=True)
    except OutOfFilesFault:
        log.log_start_offset = min(start_offset, log.log_end_offset)
        raise
    loading = log.content.loading
    if loading is None:
        return

    def load() -> None:
        if partition.is_gone or partition.log is not log or log.content.loading is not loading:
            # Another truncation has started the work from the beginning.
            return
        try:
            log.content.load_slice()
        except StorageFault as fault:
            on_fault(fault)
            return
        if log.content.loading is loading:
            env.later(load)
        else:
            partition.has_committed()

    env.later(load)


def _lower_start(log: UnifiedLog, offset: int) -> None:
    """Lower the log start offset durably before a truncation below it, as to an unclean leader's.

    Unlike Kafka (row F9): after a crash the former one would hide records of this leader, or the
    log would begin there without them, and they would be lost if this replica leads.
    """
    end_offset = _end_after(log, offset)
    if end_offset < log.log_start_offset:
        log.log_start_offset = end_offset
        if log.local.save_log_starts is not None:
            log.local.save_log_starts()


def _end_after(log: UnifiedLog, offset: int) -> int:
    """Where the log ends after a truncation, which drops whole batches (row F1)."""
    if not log.segments.first.base_offset < offset < log.log_end_offset:
        return offset
    with damage_as_fault(log.disk, f"cannot truncate to offset {offset}"):
        # Not in a segment that begins at `offset`: it is deleted unread, and may be damaged.
        return log.segments.items[log.segments.index_of(offset - 1)].base_of(offset)


def is_loading(partition: Partition) -> bool:
    """True if the producers of the log are still being loaded."""
    return partition.log.content.loading is not None
