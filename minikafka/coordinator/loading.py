"""Reading a partition of an internal topic from its start to its end, one slice in each step.

Source: `CoordinatorLoaderImpl`, `TransactionStateManager.loadTransactionMetadata`.
"""

import logging
from dataclasses import dataclass
from typing import Any, Final, Protocol

from minikafka.common.environment import RETRY_MS, Environment
from minikafka.common.faults import StorageFault
from minikafka.coordinator.journal import JournalOwner
from minikafka.coordinator.ports import LedPartition, Replicas
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.protocol.primitives import MalformedMessage
from minikafka.records.batch import BatchHeader, Buffer
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc, split_batches

_log = logging.getLogger("minikafka.coordinator")
_SLICE_BYTES: Final = 64 * 1024


class Replay(Protocol):
    """The state that the batches of a partition build; `next_offset` is the next to read."""

    next_offset: int

    def take_in(self, data: Buffer, position: int, header: BatchHeader) -> None:
        """Apply the batch at `position` of `data`.

        Raises:
            CorruptRecordsError, MalformedMessage: the batch has an invalid record.
        """


@dataclass(slots=True, eq=False, repr=False)
class LoadTimes:
    """How long the loads of partitions took that came to their end, in milliseconds."""

    count: int = 0
    total_ms: int = 0
    longest_ms: int = 0

    def add(self, took_ms: int) -> None:
        """Note a load."""
        self.count += 1
        self.total_ms += took_ms
        self.longest_ms = max(self.longest_ms, took_ms)

    @property
    def average_ms(self) -> float:
        """The average; 0 if there was no load."""
        return self.total_ms / max(self.count, 1)


def read_slice(partition: LedPartition, replay: Replay) -> bool:
    """Read the next slice of the log; return True at the end of the log.

    Raises:
        CorruptRecordsError, MalformedMessage: the log has an invalid batch or record.
        DamagedRecordsError: the records on disk are damaged.
        StorageFault: the log cannot be read.
    """
    log = partition.log
    replay.next_offset = max(replay.next_offset, log.log_start_offset)
    read = log.read(
        replay.next_offset,
        _SLICE_BYTES,
        upper_bound_offset=log.log_end_offset,
        min_one_message=True,
    )
    if read.slice is None:
        replay.next_offset = log.log_end_offset
        return True
    data = read.slice.read()
    for position, header in split_batches(data):
        check_crc(data, position, header)
        if header.next_offset > replay.next_offset:
            replay.take_in(data, position, header)
            replay.next_offset = header.next_offset
    return replay.next_offset >= log.log_end_offset


class LoadingShard(JournalOwner, Protocol):
    """The shard that gets what was loaded."""

    @property
    def is_loading(self) -> bool:
        """True until the shard is loaded or closed."""

    def loaded(self, replay: Any) -> None:
        """Take over a replay of the whole log."""


@dataclass(slots=True, eq=False)
class PartitionLoader:
    """Loads one partition into `replay`, in slices, as long as its shard is loading."""

    env: Environment
    partition: LedPartition
    replicas: Replicas
    replay: Replay
    shard: LoadingShard
    times: LoadTimes
    _began_ms: int = 0

    def start(self) -> None:
        """Read the first slice in the next step."""
        self._began_ms = self.env.clock.monotonic_ms
        self.env.later(self._continue)

    def _continue(self) -> None:
        self.env.attempt(self._next)

    def _next(self) -> None:
        if not self.shard.is_loading:
            return
        if not self.partition.is_leader:
            self.shard.lose()
            return
        try:
            at_end = read_slice(self.partition, self.replay)
        except StorageFault as fault:
            # It may be another directory's: to free a descriptor, its file is synced.
            self.replicas.take_offline(fault)
            self.env.after(RETRY_MS, self._continue)
        except DamagedRecordsError as error:
            # Retry until another replica leads; one may enter the ISR later.
            self.replicas.damaged(self.partition, error)
            self.env.after(RETRY_MS, self._continue)
        except (CorruptRecordsError, MalformedMessage) as error:
            # As Kafka: an unreadable partition has no coordinator until a repair.
            _log.error(
                "[%s] cannot be loaded; it has no coordinator: %s",
                self.partition.topic_partition,
                error,
            )
            self.shard.lose()
        else:
            if at_end:
                self.times.add(self.env.clock.monotonic_ms - self._began_ms)
                self.shard.loaded(self.replay)
            else:
                self.env.later(self._continue)
