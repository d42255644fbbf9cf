"""Truncations of a follower's log, with the work that follows from them in slices.

The producers of the log are loaded again, which may take much longer than a step. Until then the
replica is not fetched (`Fetcher`) and does not lead (`ReplicaManager`), and read_committed readers
get nothing from it.
"""

from functools import partial

from minikafka.common.environment import Environment
from minikafka.common.faults import FaultReceiver, OutOfFilesError, StorageFault
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
        if partition.is_gone or partition.log is not log or log.loading is not loading:
            # Another truncation has started the work from the beginning.
            return
        try:
            # Before the slice: without files, a load that has begun could not continue.
            log.reserve_files()
            log.load_slice()
        except StorageFault as fault:
            faults.take_offline(fault)
            return
        if log.loading is loading:
            env.later(partial(env.attempt, load))
        else:
            partition.has_committed()

    env.later(partial(env.attempt, load))


def is_loading(partition: Partition) -> bool:
    """True if the producers of the log are still being loaded."""
    return partition.log.loading is not None
