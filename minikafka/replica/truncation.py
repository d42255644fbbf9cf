"""Truncations of a follower's log, with the work that follows from them in slices.

The producers of the log are loaded again, which may take much longer than a step. Until then the
replica is not fetched (`Fetcher`) and does not lead (`ReplicaManager`), and read_committed readers
get nothing from it.
"""

from minikafka.common.environment import RETRY_MS, Environment
from minikafka.common.faults import DISK_ERRORS, FaultReceiver, OutOfFilesError, StorageFault
from minikafka.replica.partition import Partition


def truncate_replica(
    env: Environment, partition: Partition, offset: int, faults: FaultReceiver
) -> None:
    """Truncate the log to `offset`; load the rest of its producers in later steps.

    Raises:
        OutOfFilesError: nothing was changed.
        StorageFault: the log could not be truncated; `faults` gets later faults.
    """
    log = partition.log
    start_offset = log.log_start_offset
    try:
        log.reserve_files()
        log.lower_start(offset)
        log.truncate_to(offset, env.clock.now, in_slices=True)
    except OutOfFilesError:
        log.log_start_offset = min(start_offset, log.log_end_offset)
        raise
    loading = log.loading
    if loading is None:
        return

    def load() -> None:
        nonlocal loading
        if partition.is_gone or partition.log is not log or log.loading is not loading:
            # Another truncation has started the work from the beginning.
            return
        has_begun = False
        try:
            log.reserve_files()
            has_begun = True
            log.load_slice()
        except DISK_ERRORS as error:
            if isinstance(error, StorageFault):
                # It may be another directory's: to free a descriptor, its file is synced.
                faults.take_offline(error)
            if has_begun and not partition.is_gone:
                # A load that has failed halfway cannot continue.
                log.begin_loading(env.clock.now)
                loading = log.loading
            env.after(RETRY_MS, load)
            return
        if log.loading is loading:
            env.later(load)
        else:
            partition.has_committed()

    env.later(load)


def is_loading(partition: Partition) -> bool:
    """True if the producers of the log are still being loaded."""
    return partition.log.loading is not None
