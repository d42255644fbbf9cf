"""The reads of one Fetch request, for consumers and for followers."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from minikafka.apis._leaders import endpoints_of
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.common.wait_key import WaitKey
from minikafka.log.segment.checked_batches import MAX_UNITS
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
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.fetch_session import (
    TOPIC_IDS_FROM_VERSION,
    Named,
    RequestedPartition,
    Session,
    SessionKey,
)
from minikafka.replica.partition import Partition
from minikafka.replica.request_rules import check_leader_epoch, is_stale_follower
from minikafka.serving.context import BrokerContext
from minikafka.serving.steps import Steps, next_turn

_log = logging.getLogger("minikafka.apis")
_STORAGE_ERROR_FROM = 6
_FROM_FOLLOWER_FROM = 11
NODE_ENDPOINTS_FROM_VERSION = 16
_PARTITIONS_A_STEP = 2_000
"""About 10 ms of work."""


@dataclass(slots=True, eq=False, repr=False)
class Reading(ABC):
    """One fetch while it is served: the request, and the results of the last round of reads.

    With a session, only the partitions that may have changed are read. `ConsumerFetch` and
    `FollowerFetch` say how far a fetch may read, and whose progress it is.
    """

    ctx: BrokerContext
    request: FetchRequest
    session: Session | None
    named: list[Named]
    """The partitions of a fetch without a session."""
    max_bytes: int
    answers: list[tuple[Named | RequestedPartition, PartitionData]] = field(default_factory=list)
    calm: dict[RequestedPartition, None] = field(default_factory=dict)
    """The session's partitions that have nothing left to read, and no error."""
    partitions: list[tuple[Partition, FetchPartition]] = field(default_factory=list)
    sizes: list[tuple[Partition, int]] = field(default_factory=list)
    total_bytes: int = 0
    check_units: int = 0
    must_answer: bool = False

    def wanted(self) -> Sequence[Named | RequestedPartition]:
        """Return the partitions to read now."""
        return self.named if self.session is None else self.session.take()

    def read(self, wanted: Sequence[Named | RequestedPartition], *, notes_progress: bool) -> None:
        """Read each partition once; with `notes_progress`, record the follower's progress."""
        left = max(0, self.max_bytes - self.total_bytes)
        self.check_units = 0
        for each in wanted:
            if self.check_units >= MAX_UNITS:
                # The step's limit for checks of batches is reached: the rest waits for later reads.
                left = 0
            data = self._read_one(each, left, notes_progress=notes_progress)
            self.answers.append((each, data))
            size = 0 if data.records is None else _size(data.records)
            if size:
                # Only a partition that was found has records.
                self.sizes.append((self.partitions[-1][0], size))
            self.total_bytes += size
            left = max(0, left - size)
            if data.error_code or data.diverging_epoch is not None:
                self.must_answer = True

    def read_in_slices(self, wanted: Sequence[Named | RequestedPartition]) -> Steps[None]:
        """Read each partition once for a consumer, `_PARTITIONS_A_STEP` in each step."""
        for start in range(0, len(wanted), _PARTITIONS_A_STEP):
            if start:
                yield from next_turn(self.ctx.env, for_answer_only=True)
            self.read(wanted[start : start + _PARTITIONS_A_STEP], notes_progress=False)

    def takes_long(self, wanted: Sequence[Named | RequestedPartition]) -> bool:
        """True if the fetch names more partitions than one step should read."""
        return len(wanted) > _PARTITIONS_A_STEP

    def forget_answers(self) -> None:
        """Drop the results of a round, to read again."""
        self.answers.clear()
        self.calm.clear()
        self.partitions.clear()
        self.sizes.clear()
        self.total_bytes = 0
        self.must_answer = False

    def _read_one(
        self, wanted: Named | RequestedPartition, left: int, *, notes_progress: bool
    ) -> PartitionData:
        request = wanted.request
        try:
            partition = self._partition(wanted.key, request)
            if type(wanted) is RequestedPartition:
                wanted.watch(partition)
            self.partitions.append((partition, request))
            return self._read_partition(partition, wanted, left, notes_progress=notes_progress)
        except KafkaError as error:
            return self._refused(request.partition, error.code)
        except OffsetNotInLogError:
            return refused_partition(request.partition, ErrorCode.OFFSET_OUT_OF_RANGE)
        except CorruptRecordsError as error:
            code = self._damaged(self.partitions[-1][0], request.fetch_offset, error)
            return self._refused(request.partition, code)
        except StorageFault as fault:
            self.ctx.broker.replicas.take_offline(fault)
            return self._refused(request.partition, ErrorCode.KAFKA_STORAGE_ERROR)

    def _refused(self, index: int, code: int) -> PartitionData:
        if code == ErrorCode.KAFKA_STORAGE_ERROR and self.ctx.version < _STORAGE_ERROR_FROM:
            # As Kafka: an older client does not know the error, and would not ask again.
            code = ErrorCode.NOT_LEADER_OR_FOLLOWER
        return refused_partition(index, code)

    def _damaged(self, partition: Partition, offset: int, error: CorruptRecordsError) -> ErrorCode:
        if isinstance(error, DamagedRecordsError):
            return self.ctx.broker.replicas.damaged(partition, error)
        _log.warning(
            "[Partition %s] cannot be read at offset %d: %s",
            partition.topic_partition, offset, error,
        )  # fmt: skip
        return ErrorCode.CORRUPT_MESSAGE

    def _partition(self, key: SessionKey, wanted: FetchPartition) -> Partition:
        replicas = self.ctx.broker.replicas
        if self.ctx.version >= TOPIC_IDS_FROM_VERSION:
            partition = replicas.get_by_id(key.topic_id, key.partition)
        else:
            partition = replicas.get(TopicPartition(key.topic, key.partition))
        check_leader_epoch(partition, wanted.current_leader_epoch)
        if self.must_lead:
            partition.require_leader()
        return partition

    def _read_partition(
        self,
        partition: Partition,
        asked: Named | RequestedPartition,
        left: int,
        *,
        notes_progress: bool,
    ) -> PartitionData:
        log, wanted = partition.log, asked.request
        refused = self.refusal(partition, wanted)
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
        upper = self.upper_bound(partition)
        read = log.read(
            offset,
            min(left, wanted.partition_max_bytes),
            upper_bound_offset=upper,
            min_one_message=self.total_bytes == 0,
        )
        self.check_units += read.check_units
        data.records = read.slice if read.slice is not None else b""
        if (
            type(asked) is RequestedPartition
            and offset >= upper
            and partition.is_calm_for(self.reader_id)
        ):
            self.calm[asked] = None
        data.aborted_transactions = self.aborted(partition, read)
        if notes_progress:
            self.note_progress(partition, asked, end_offset)
        return data

    @property
    def is_enough(self) -> bool:
        """True if the response must be sent now, without a wait for more data."""
        request = self.request
        return (
            request.max_wait_ms <= 0
            or not self.asks_anything
            or self.must_answer
            or self.total_bytes >= request.min_bytes
        )

    @property
    def asks_anything(self) -> bool:
        """True if the request or its session has a partition."""
        return bool(self.named if self.session is None else self.session.partitions)

    def is_settled(self) -> bool:
        """True if a long poll must end: enough data, or a change that must be answered."""
        if self.session is not None and self.session.is_closed:
            return True
        available = 0
        for partition, wanted in self._awaited():
            log = partition.log
            if (
                0 <= wanted.current_leader_epoch != partition.leader_epoch
                or partition.is_gone
                or (self.must_lead and not partition.is_leader)
                or wanted.fetch_offset > log.log_end_offset
            ):
                return True
            upper = self.upper_bound(partition)
            if wanted.fetch_offset < upper:
                try:
                    available += log.readable_bytes(wanted.fetch_offset, upper)
                except (CorruptRecordsError, StorageFault):
                    return True  # The read for the response meets the error of the partition again.
                if available >= self.request.min_bytes:
                    return True
        return False

    def _awaited(self) -> Iterable[tuple[Partition, FetchPartition]]:
        if self.session is None:
            return self.partitions
        return [
            (asked.partition, asked.request)
            for asked in self.session.unanswered()
            if asked.partition is not None
        ]

    def wait_keys(self) -> list[WaitKey]:
        """Return the keys of a long poll: new records for followers, commits for consumers."""
        if self.session is not None:
            return self.session.wait_keys()
        return [self.wait_key(partition) for partition, _ in self.partitions]

    def response(self) -> FetchResponse:
        """Build the response; an incremental one has only the partitions that changed."""
        for partition, size in self.sizes:
            self.count_bytes(partition, size)
        session = self.session
        is_incremental = session is not None and self.request.session_epoch > 0
        topics: list[FetchableTopicResponse] = []
        last: tuple[bytes, str] | None = None
        for wanted, data in self.answers:
            if (
                type(wanted) is RequestedPartition
                and not self._note_answer(wanted, data)
                and is_incremental
            ):
                continue
            topic = (wanted.key.topic_id, wanted.key.topic)
            if topic != last:
                topics.append(FetchableTopicResponse(wanted.key.topic, wanted.key.topic_id))
                last = topic
            topics[-1].partitions.append(data)
        session_id = 0 if session is None else session.session_id
        response = FetchResponse(session_id=session_id, responses=topics)
        if self.must_answer and self.ctx.version >= NODE_ENDPOINTS_FROM_VERSION:
            self._name_leaders(response)
        return response

    def _note_answer(self, asked: RequestedPartition, data: PartitionData) -> bool:
        """Record an answer in the session; return True if it changed since the last one."""
        session = asked.session
        must_send = asked.must_send(data)
        session.answered(asked, is_calm=asked in self.calm and not data.records)
        if data.records:
            session.served(asked)
        return must_send

    def _name_leaders(self, response: FetchResponse) -> None:
        image = self.ctx.broker.image
        leaders: list[int] = []
        for topic in response.responses:
            found = image.topics.get(topic.topic_id)
            for data in topic.partitions:
                if found is None or data.error_code not in _LEADER_ERRORS:
                    continue
                registration = found.partitions.get(data.partition_index)
                if registration is not None:
                    data.current_leader = LeaderIdAndEpoch(
                        registration.leader, registration.leader_epoch
                    )
                    leaders.append(registration.leader)
        response.node_endpoints = endpoints_of(
            self.ctx,
            leaders,
            lambda broker, endpoint, rack: NodeEndpoint(broker, endpoint.host, endpoint.port, rack),
        )

    # What differs between consumers and followers

    @property
    @abstractmethod
    def reader_id(self) -> int:
        """The broker id of the follower, or -1 for a consumer."""

    @property
    @abstractmethod
    def must_lead(self) -> bool:
        """True if only the leader may serve the fetch, and a wait ends with its leadership."""

    @abstractmethod
    def upper_bound(self, partition: Partition) -> int:
        """The offset up to which the fetch may read."""

    @abstractmethod
    def refusal(self, partition: Partition, wanted: FetchPartition) -> ErrorCode | None:
        """The error of a partition that may not be read at all, or None."""

    @abstractmethod
    def aborted(self, partition: Partition, read: LogRead) -> list[AbortedTransaction] | None:
        """The transactions whose records the reader must skip; None if it skips none."""

    @abstractmethod
    def note_progress(
        self, partition: Partition, asked: Named | RequestedPartition, leader_end_offset: int
    ) -> None:
        """Record what the fetch says of its sender's log."""

    @abstractmethod
    def wait_key(self, partition: Partition) -> WaitKey:
        """What wakes a long poll: new records for followers, commits for consumers."""

    @abstractmethod
    def count_bytes(self, partition: Partition, size: int) -> None:
        """Count bytes that are sent."""


@dataclass(slots=True, eq=False, repr=False)
class ConsumerFetch(Reading):
    """A consumer's fetch: up to the high watermark, or the last stable offset."""

    is_committed_only: bool = False
    reader_id = -1

    @property
    def must_lead(self) -> bool:
        """Before version 11 consumers read from the leader only (KIP-392)."""
        return self.ctx.version < _FROM_FOLLOWER_FROM

    def upper_bound(self, partition: Partition) -> int:
        """The high watermark, or the last stable offset for read_committed."""
        log = partition.log
        return log.last_stable_offset if self.is_committed_only else log.high_watermark

    def refusal(self, partition: Partition, wanted: FetchPartition) -> ErrorCode | None:
        """Accept every partition."""
        del partition, wanted
        return None

    def aborted(self, partition: Partition, read: LogRead) -> list[AbortedTransaction] | None:
        """The aborted transactions of what was read, for read_committed."""
        if not self.is_committed_only:
            return None
        log = partition.log
        return [
            AbortedTransaction(each.producer_id, each.first_offset)
            for each in log.segments.aborted_in(read, log.log_end_offset)
        ]

    def note_progress(
        self, partition: Partition, asked: Named | RequestedPartition, leader_end_offset: int
    ) -> None:
        """Record nothing."""

    def wait_key(self, partition: Partition) -> WaitKey:
        """A consumer waits for commits."""
        return partition.committed

    def count_bytes(self, partition: Partition, size: int) -> None:
        """Count bytes that are sent to consumers."""
        partition.counts.bytes_out += size


@dataclass(slots=True, eq=False, repr=False)
class FollowerFetch(Reading):
    """A follower's fetch: up to the log end offset, from the leader."""

    reader_id: int = -1
    replica_epoch: int = -1
    must_lead = True

    def takes_long(self, wanted: Sequence[Named | RequestedPartition]) -> bool:
        """A follower's fetch is read in one step: the log may be truncated between two steps."""
        del wanted
        return False

    def upper_bound(self, partition: Partition) -> int:
        """The log end offset."""
        return partition.log.log_end_offset

    def refusal(self, partition: Partition, wanted: FetchPartition) -> ErrorCode | None:
        """The error for a broker that has no replica, or an older epoch."""
        if self.reader_id not in partition.followers:
            # The follower's metadata may be newer than this broker's: the follower will retry.
            known = wanted.current_leader_epoch >= 0
            return ErrorCode.UNKNOWN_LEADER_EPOCH if known else ErrorCode.NOT_LEADER_OR_FOLLOWER
        if is_stale_follower(partition, self.reader_id, self.replica_epoch):
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return None

    def aborted(self, partition: Partition, read: LogRead) -> None:
        """Skip nothing."""
        del partition, read

    def note_progress(
        self, partition: Partition, asked: Named | RequestedPartition, leader_end_offset: int
    ) -> None:
        """Record the follower's log end and start offset."""
        wanted = asked.request
        partition.follower_fetched(
            self.reader_id,
            broker_epoch=self.replica_epoch,
            fetch_offset=wanted.fetch_offset,
            log_start_offset=wanted.log_start_offset,
            leader_end_offset=leader_end_offset,
        )
        if type(asked) is RequestedPartition:
            asked.must_note = False

    def wait_key(self, partition: Partition) -> WaitKey:
        """A follower waits for new records."""
        return partition.appended

    def count_bytes(self, partition: Partition, size: int) -> None:
        """Count bytes that are sent to followers."""
        partition.counts.replication_bytes_out += size


_LEADER_ERRORS = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)


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
