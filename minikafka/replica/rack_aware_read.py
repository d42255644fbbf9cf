"""The reads of a consumer with a rack, on a broker that has a replica selector (KIP-392)."""

from dataclasses import dataclass

from minikafka.messages.fetch import PartitionData
from minikafka.replica.fetch_read import FetchRead
from minikafka.replica.fetch_session import RequestedPartition
from minikafka.replica.partition import Partition
from minikafka.replica.replica_selector import NO_REPLICA, followers_in, preferred_read_replica


@dataclass(slots=True, eq=False, repr=False)
class RackAwareRead(FetchRead):
    """A fetch whose partitions may name a preferred read replica instead of records."""

    listener: str = ""
    """The listener of the request."""

    def _read_partition(
        self, partition: Partition, row: RequestedPartition, left: int, *, notes_progress: bool
    ) -> PartitionData:
        wanted, rack = row.request, self.request.rack_id
        preferred = preferred_read_replica(
            partition, rack=rack, listener=self.listener, fetch_offset=wanted.fetch_offset
        )
        if preferred == NO_REPLICA:
            # Zero-argument super() does not work in a dataclass with slots.
            data = FetchRead._read_partition(  # noqa: SLF001
                self, partition, row, left, notes_progress=notes_progress
            )
            if row in self.calm and followers_in(rack, partition, self.listener):
                # One of them may become eligible without a change of this partition's log: check
                # with each fetch.
                del self.calm[row]
            return data
        self.must_answer = True
        log = partition.log
        return PartitionData(
            wanted.partition,
            0,
            log.high_watermark,
            log.last_stable_offset,
            log.log_start_offset,
            preferred_read_replica=preferred,
            aborted_transactions=None,
            records=b"",
        )
