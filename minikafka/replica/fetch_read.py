"""The reads of one Fetch request, for a consumer or for a follower.

Source: `ReplicaManager.fetchMessages`, `ReplicaManager.readFromLog`, `DelayedFetch`.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.errors import ErrorCode, KafkaError, TopicAuthorizationFailedError
from minikafka.common.faults import DISK_ERRORS, StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.common.wait_key import WaitKey
from minikafka.log.segment.checked_batches import MAX_CHECK_US
from minikafka.log.segment.reads import (
    UNKNOWN_OFFSET,
    DamagedRecordsError,
    LogRead,
    OffsetNotInLogError,
)
from minikafka.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    PartitionData,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.fetch_session import (
    TOPIC_IDS_FROM_VERSION,
    RequestedPartition,
    Session,
    SessionKey,
)
from minikafka.replica.partition import Partition
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.replica.request_rules import check_leader_epoch, is_stale_follower

_log = logging.getLogger("minikafka.apis")
_STORAGE_ERROR_FROM = 6


class ConsumerReader(NamedTuple):
    """A consumer, which reads up to the high watermark or the last stable offset."""

    is_committed_only: bool
    must_lead: bool
    """True if only the leader may serve the fetch, and a wait ends with its leadership."""
    broker_id: int = -1

    def upper_bound(self, partition: Partition) -> int:
        """The offset up to which the fetch may read."""
        log = partition.log
        return log.last_stable_offset if self.is_committed_only else log.high_watermark

    def aborted(self, partition: Partition, read: LogRead) -> list[AbortedTransaction] | None:
        """The transactions whose records the reader must skip; None if it skips none."""
        if not self.is_committed_only:
            return None
        log = partition.log
        return [
            AbortedTransaction(each.producer_id, each.first_offset)
            for each in log.segments.aborted_in(read, log.log_end_offset)
        ]

    def wait_key(self, partition: Partition) -> WaitKey:
        """What wakes a long poll: commits."""
        return partition.committed

    def count_bytes(self, partition: Partition, size: int) -> None:
        """Count bytes that are sent."""
        partition.counts.bytes_out += size


class FollowerReader(NamedTuple):
    """A follower, which reads up to the log end offset and reports its own."""

    broker_id: int
    broker_epoch: int
    must_lead: bool = True

    def upper_bound(self, partition: Partition) -> int:
        """The offset up to which the fetch may read."""
        return partition.log.log_end_offset

    def refusal(self, partition: Partition, wanted: FetchPartition) -> ErrorCode | None:
        """The error for a broker that has no replica, or an older epoch; None for any other."""
        if self.broker_id not in partition.followers:
            # The follower's metadata may be newer than this broker's: the follower will retry.
            known = wanted.current_leader_epoch >= 0
            return ErrorCode.UNKNOWN_LEADER_EPOCH if known else ErrorCode.NOT_LEADER_OR_FOLLOWER
        if is_stale_follower(partition, self.broker_id, self.broker_epoch):
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return None

    def note_progress(
        self, partition: Partition, row: RequestedPartition, leader_end_offset: int
    ) -> None:
        """Record the follower's log end and start offset."""
        wanted = row.request
        partition.follower_fetched(
            self.broker_id,
            broker_epoch=self.broker_epoch,
            fetch_offset=wanted.fetch_offset,
            log_start_offset=wanted.log_start_offset,
            leader_end_offset=leader_end_offset,
        )
        row.must_note = False

    def aborted(self, partition: Partition, read: LogRead) -> list[AbortedTransaction] | None:
        """A follower skips nothing."""
        del partition, read
        return None

    def wait_key(self, partition: Partition) -> WaitKey:
        """What wakes a long poll: new records."""
        return partition.appended

    def count_bytes(self, partition: Partition, size: int) -> None:
        """Count bytes that are sent."""
        partition.counts.replication_bytes_out += size


@dataclass(slots=True, eq=False, repr=False)
class FetchRead:
    """One fetch while it is served: the request, and the results of the last round of reads.

    With a session, only the partitions that may have changed are read.
    """

    replicas: ReplicaManager
    request: FetchRequest
    version: int
    reader: ConsumerReader | FollowerReader
    session: Session | None
    requested: list[RequestedPartition]
    """The partitions of a fetch without a session."""
    max_bytes: int
    may_read: Callable[[SessionKey], bool] | None = None
    """Whether the client may read a partition; None if it may read all."""
    answers: list[tuple[RequestedPartition, PartitionData]] = field(default_factory=list)
    calm: dict[RequestedPartition, None] = field(default_factory=dict)
    """The session's partitions that have nothing left to read, and no error."""
    partitions: list[tuple[Partition, FetchPartition]] = field(default_factory=list)
    sizes: list[tuple[Partition, int]] = field(default_factory=list)
    total_bytes: int = 0
    check_us: int = 0
    must_answer: bool = False

    def rows(self) -> Sequence[RequestedPartition]:
        """Return the partitions to read now."""
        return self.requested if self.session is None else self.session.take()

    def read(self, rows: Sequence[RequestedPartition], *, notes_progress: bool) -> None:
        """Read each partition once; with `notes_progress`, record the follower's progress."""
        left = max(0, self.max_bytes - self.total_bytes)
        self.check_us = 0
        for row in rows:
            if self.check_us >= MAX_CHECK_US:
                # The step's limit for checks of batches is reached: the rest waits for later reads.
                left = 0
            data = self._read_one(row, left, notes_progress=notes_progress)
            self.answers.append((row, data))
            size = 0 if data.records is None else _size(data.records)
            if size:
                # Only a partition that was found has records.
                self.sizes.append((self.partitions[-1][0], size))
            self.total_bytes += size
            left = max(0, left - size)
            if data.error_code or data.diverging_epoch is not None:
                self.must_answer = True

    def forget_answers(self) -> None:
        """Drop the results of a round, to read again."""
        self.answers.clear()
        self.calm.clear()
        self.partitions.clear()
        self.sizes.clear()
        self.total_bytes = 0
        self.must_answer = False

    def _read_one(
        self, row: RequestedPartition, left: int, *, notes_progress: bool
    ) -> PartitionData:
        request = row.request
        try:
            partition = self._partition(row.key, request)
            if row.session is not None:
                row.watch(partition)
            self.partitions.append((partition, request))
            return self._read_partition(partition, row, left, notes_progress=notes_progress)
        except KafkaError as error:
            return self._refused(request.partition, error.code)
        except OffsetNotInLogError:
            return refused_partition(request.partition, ErrorCode.OFFSET_OUT_OF_RANGE)
        except CorruptRecordsError as error:
            code = self._damaged(self.partitions[-1][0], request.fetch_offset, error)
            return self._refused(request.partition, code)
        except StorageFault as fault:
            self.replicas.take_offline(fault)
            return self._refused(request.partition, ErrorCode.KAFKA_STORAGE_ERROR)

    def _refused(self, index: int, code: int) -> PartitionData:
        if code == ErrorCode.KAFKA_STORAGE_ERROR and self.version < _STORAGE_ERROR_FROM:
            # As Kafka: an older client does not know the error, and would not ask again.
            code = ErrorCode.NOT_LEADER_OR_FOLLOWER
        return refused_partition(index, code)

    def _damaged(self, partition: Partition, offset: int, error: CorruptRecordsError) -> ErrorCode:
        if isinstance(error, DamagedRecordsError):
            return self.replicas.damaged(partition, error)
        _log.warning(
            "[Partition %s] cannot be read at offset %d: %s",
            partition.topic_partition, offset, error,
        )  # fmt: skip
        return ErrorCode.CORRUPT_MESSAGE

    def _partition(self, key: SessionKey, wanted: FetchPartition) -> Partition:
        if self.may_read is not None and not self.may_read(key):
            raise TopicAuthorizationFailedError
        if self.version >= TOPIC_IDS_FROM_VERSION:
            partition = self.replicas.get_by_id(key.topic_id, key.partition)
        else:
            partition = self.replicas.get(TopicPartition(key.topic, key.partition))
        check_leader_epoch(partition, wanted.current_leader_epoch)
        if self.reader.must_lead:
            partition.require_leader()
        return partition

    def _read_partition(
        self, partition: Partition, row: RequestedPartition, left: int, *, notes_progress: bool
    ) -> PartitionData:
        log, wanted, reader = partition.log, row.request, self.reader
        follower = reader if isinstance(reader, FollowerReader) else None
        if follower is not None:
            refused = follower.refusal(partition, wanted)
            if refused is not None:
                return refused_partition(wanted.partition, refused)
        # The response has the state before this fetch: a follower gets the high watermark that its
        # own progress causes with its next fetch.
        high_watermark = log.high_watermark
        data = PartitionData(
            wanted.partition,
            0,
            high_watermark,
            log.last_stable_offset,
            log.log_start_offset,
        )
        offset = wanted.fetch_offset
        if wanted.last_fetched_epoch >= 0:
            diverging = _divergence(partition, wanted)
            if diverging is not None:
                data.diverging_epoch = diverging
                data.aborted_transactions = None
                return data
        end_offset = log.log_end_offset
        upper = reader.upper_bound(partition)
        read = log.read(
            offset,
            min(left, wanted.partition_max_bytes),
            upper_bound_offset=upper,
            min_one_message=self.total_bytes == 0,
        )
        self.check_us += read.check_us
        data.records = read.slice if read.slice is not None else b""
        if row.session is not None and offset >= upper and partition.is_calm_for(reader.broker_id):
            self.calm[row] = None
        data.aborted_transactions = reader.aborted(partition, read)
        if follower is not None and notes_progress:
            follower.note_progress(partition, row, end_offset)
        return data

    @property
    def is_enough(self) -> bool:
        """True if the response must be sent now, without a wait for more data."""
        request = self.request
        return (
            request.max_wait_ms <= 0
            or self.must_answer
            or self.total_bytes >= request.min_bytes
            or not (self.requested if self.session is None else self.session.partitions)
        )

    def is_settled(self) -> bool:
        """True if a long poll must end: enough data, or a change that must be answered.

        Unlike Kafka (row G10): a consumer at the log end waits until the high watermark, which is
        below, has passed it.
        """
        if self.session is not None and self.session.is_closed:
            return True
        available = 0
        for partition, wanted in self._awaited():
            log = partition.log
            if (
                0 <= wanted.current_leader_epoch != partition.leader_epoch
                or partition.is_gone
                or (self.reader.must_lead and not partition.is_leader)
                or wanted.fetch_offset > log.log_end_offset
            ):
                return True
            upper = self.reader.upper_bound(partition)
            if wanted.fetch_offset < upper:
                try:
                    available += log.readable_bytes(wanted.fetch_offset, upper)
                except (CorruptRecordsError, *DISK_ERRORS):
                    return True  # The read for the response meets the error of the partition again.
                if available >= self.request.min_bytes:
                    return True
        return False

    def _awaited(self) -> Iterable[tuple[Partition, FetchPartition]]:
        if self.session is None:
            return self.partitions
        return [
            (row.partition, row.request)
            for row in self.session.unanswered()
            if row.partition is not None
        ]

    def wait_keys(self) -> list[WaitKey]:
        """Return the keys of a long poll."""
        if self.session is not None:
            return self.session.wait_keys()
        return [self.reader.wait_key(partition) for partition, _ in self.partitions]

    def topics(self) -> list[FetchableTopicResponse]:
        """Return the answers by topic; an incremental response has only those that changed."""
        for partition, size in self.sizes:
            self.reader.count_bytes(partition, size)
        is_incremental = self.session is not None and self.request.session_epoch > 0
        topics: list[FetchableTopicResponse] = []
        last: tuple[bytes, str] | None = None
        for row, data in self.answers:
            if row.session is not None and not self._note_answer(row, data) and is_incremental:
                continue
            topic = (row.key.topic_id, row.key.topic)
            if topic != last:
                topics.append(FetchableTopicResponse(row.key.topic, row.key.topic_id))
                last = topic
            topics[-1].partitions.append(data)
        return topics

    def _note_answer(self, row: RequestedPartition, data: PartitionData) -> bool:
        """Record an answer in the session; return True if it changed since the last one."""
        session = row.session
        assert session is not None
        must_send = row.must_send(data)
        session.answered(row, is_calm=row in self.calm and not data.records)
        if data.records:
            session.served(row)
        return must_send


def _divergence(partition: Partition, wanted: FetchPartition) -> EpochEndOffset | None:
    """Return the epoch and end offset where the fetcher's log diverges, or None (KIP-595)."""
    log = partition.log
    end = partition.log.end_offset_for_epoch(wanted.last_fetched_epoch)
    if end.epoch < 0 or wanted.fetch_offset < log.log_start_offset:
        raise OffsetNotInLogError(wanted.fetch_offset, log.log_start_offset, log.log_end_offset)
    if end.epoch < wanted.last_fetched_epoch or end.end_offset < wanted.fetch_offset:
        return EpochEndOffset(end.epoch, end.end_offset)
    return None


def refused_partition(index: int, code: int) -> PartitionData:
    """Answer a partition with an error."""
    return PartitionData(
        index,
        code,
        UNKNOWN_OFFSET,
        UNKNOWN_OFFSET,
        UNKNOWN_OFFSET,
        aborted_transactions=None,
        records=b"",
    )


def _size(records: object) -> int:
    length = getattr(records, "length", None)
    return len(records) if length is None else int(length)  # type: ignore[arg-type]
