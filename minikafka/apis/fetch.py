"""Fetch (key 1), v4-18.

Broker:      consumers read up to the high watermark or the last stable offset; followers up to the
             log end offset, and each of their fetches reports their progress to the leader.
Controller:  followers of the metadata log; see `raft/metadata_reads.py`.
Leaves out:  preferred read replicas (always -1), quotas.
Versions:    v7 sessions; v9 leader epochs; v11 rack; v12 flexible, diverging epochs; v13 topic ids;
             v15 replica state; v16 node endpoints; v17 directory ids; v18 high watermark.
Errors:      FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR;
             per partition UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, NOT_LEADER_OR_FOLLOWER,
             FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE (the
             log is damaged, and no other replica can lead), KAFKA_STORAGE_ERROR,
             TOPIC_AUTHORIZATION_FAILED (a follower, not on the inter-broker listener);
             on controllers INCONSISTENT_CLUSTER_ID, INVALID_REQUEST.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from minikafka.apis._leaders import endpoints_of
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import METADATA_TOPIC_ID, TopicPartition
from minikafka.common.wait_key import WaitKey
from minikafka.config import broker as keys
from minikafka.log.checked_batches import MOST_UNITS
from minikafka.log.results import DamagedRecordsError, OffsetNotInLogError
from minikafka.messages.api_keys import ApiKey
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
    SnapshotId,
)
from minikafka.raft.metadata_reads import MetadataRead, read_metadata
from minikafka.raft.raft_node import RaftEvent
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.fetch_session import (
    TOPIC_IDS_FROM_VERSION,
    Asked,
    Named,
    Session,
    SessionKey,
    named_partitions,
    replica_id_of,
)
from minikafka.replica.partition import Partition
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps, next_turn, wait_until

_log = logging.getLogger("minikafka.apis")
_READ_COMMITTED = 1
_FROM_FOLLOWER_FROM = 11
_NODE_ENDPOINTS_FROM = 16
_UNKNOWN_OFFSET = -1
_PARTITIONS_A_STEP = 2_000
"""About 10 ms of work."""


@dataclass(slots=True)
class Reading:
    """One fetch while it is served: the request, and the results of the last round of reads.

    With a session, only the partitions that may have changed are read.
    """

    ctx: BrokerContext
    request: FetchRequest
    session: Session | None
    named: list[Named]
    """The partitions of a fetch without a session."""
    replica_id: int
    replica_epoch: int
    is_committed_only: bool
    max_bytes: int
    answers: list[tuple[Named | Asked, PartitionData]] = field(default_factory=list)
    calm: dict[Asked, None] = field(default_factory=dict)
    """The session's partitions that have nothing left to read, and no error."""
    partitions: list[tuple[Partition, FetchPartition]] = field(default_factory=list)
    sizes: list[tuple[Partition, int]] = field(default_factory=list)
    total_bytes: int = 0
    check_units: int = 0
    must_answer: bool = False

    def wanted(self) -> Sequence[Named | Asked]:
        """Return the partitions to read now."""
        return self.named if self.session is None else self.session.take()

    def read(self, wanted: Sequence[Named | Asked], *, notes_progress: bool) -> None:
        """Read each partition once; with `notes_progress`, record the follower's progress."""
        left = max(0, self.max_bytes - self.total_bytes)
        self.check_units = 0
        for each in wanted:
            if self.check_units >= MOST_UNITS:
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

    def read_in_slices(self, wanted: Sequence[Named | Asked]) -> Steps[None]:
        """Read each partition once for a consumer, `_PARTITIONS_A_STEP` in each step."""
        for start in range(0, len(wanted), _PARTITIONS_A_STEP):
            if start:
                yield from next_turn(self.ctx.env, for_answer_only=True)
            self.read(wanted[start : start + _PARTITIONS_A_STEP], notes_progress=False)

    def takes_long(self, wanted: Sequence[Named | Asked]) -> bool:
        """True if a consumer requests more partitions than one step should read.

        A follower's fetch is read in one step: the log may be truncated between two steps.
        """
        return len(wanted) > _PARTITIONS_A_STEP and self.replica_id < 0

    def forget_answers(self) -> None:
        """Drop the results of a round, to read again."""
        self.answers.clear()
        self.calm.clear()
        self.partitions.clear()
        self.sizes.clear()
        self.total_bytes = 0
        self.must_answer = False

    def _read_one(self, wanted: Named | Asked, left: int, *, notes_progress: bool) -> PartitionData:
        request = wanted.request
        try:
            partition = self._partition(wanted.key, request)
            if type(wanted) is Asked:
                wanted.watch(partition)
            self.partitions.append((partition, request))
            return self._read_partition(partition, wanted, left, notes_progress=notes_progress)
        except KafkaError as error:
            return _refusal(request.partition, error.code)
        except OffsetNotInLogError:
            return _refusal(request.partition, ErrorCode.OFFSET_OUT_OF_RANGE)
        except CorruptRecordsError as error:
            code = self._damaged(self.partitions[-1][0], request.fetch_offset, error)
            return _refusal(request.partition, code)
        except StorageFault as fault:
            self.ctx.broker.replicas.take_offline(fault)
            return _refusal(request.partition, ErrorCode.KAFKA_STORAGE_ERROR)

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
        partition.check_leader_epoch(wanted.current_leader_epoch)
        if self.replica_id >= 0 or self.ctx.version < _FROM_FOLLOWER_FROM:
            partition.require_leader()
        return partition

    def _read_partition(
        self, partition: Partition, asked: Named | Asked, left: int, *, notes_progress: bool
    ) -> PartitionData:
        log, wanted = partition.log, asked.request
        is_follower = self.replica_id >= 0
        if is_follower:
            refused = self._follower_error(partition, wanted)
            if refused is not None:
                return _refusal(wanted.partition, refused)
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
        upper = (
            end_offset
            if is_follower
            else data.last_stable_offset
            if self.is_committed_only
            else high_watermark
        )
        read = log.read(
            offset,
            min(left, wanted.partition_max_bytes),
            upper_bound_offset=upper,
            min_one_message=self.total_bytes == 0,
        )
        self.check_units += read.check_units
        data.records = read.slice if read.slice is not None else b""
        if type(asked) is Asked and offset >= upper and partition.is_calm_for(self.replica_id):
            self.calm[asked] = None
        data.aborted_transactions = (
            [
                AbortedTransaction(each.producer_id, each.first_offset)
                for each in log.aborted_transactions(offset, upper)
            ]
            if self.is_committed_only
            else None
        )
        if is_follower and notes_progress:
            partition.follower_fetched(
                self.replica_id,
                broker_epoch=self.replica_epoch,
                fetch_offset=offset,
                log_start_offset=wanted.log_start_offset,
                leader_end_offset=end_offset,
            )
            if type(asked) is Asked:
                asked.must_note = False
        return data

    def _follower_error(self, partition: Partition, wanted: FetchPartition) -> ErrorCode | None:
        if self.replica_id not in partition.followers:
            # The follower's metadata may be newer than this broker's: the follower will retry.
            known = wanted.current_leader_epoch >= 0
            return ErrorCode.UNKNOWN_LEADER_EPOCH if known else ErrorCode.NOT_LEADER_OR_FOLLOWER
        if partition.is_stale_epoch(self.replica_id, self.replica_epoch):
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return None

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
                or (self.replica_id >= 0 and not partition.is_leader)
                or wanted.fetch_offset > log.log_end_offset
            ):
                return True
            upper = (
                log.log_end_offset
                if self.replica_id >= 0
                else log.last_stable_offset
                if self.is_committed_only
                else log.high_watermark
            )
            if wanted.fetch_offset < upper:
                try:
                    available += log.readable_bytes(wanted.fetch_offset, upper)
                except CorruptRecordsError:
                    return True  # The response will have the error.
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
        if self.replica_id >= 0:
            return [partition.appended for partition, _ in self.partitions]
        return [partition.committed for partition, _ in self.partitions]

    def response(self) -> FetchResponse:
        """Build the response; an incremental one has only the partitions that changed."""
        for partition, size in self.sizes:
            if self.replica_id >= 0:
                partition.counts.replication_bytes_out += size
            else:
                partition.counts.bytes_out += size
        session = self.session
        is_incremental = session is not None and self.request.session_epoch > 0
        topics: list[FetchableTopicResponse] = []
        last: tuple[bytes, str] | None = None
        for wanted, data in self.answers:
            if type(wanted) is Asked and not self._note_answer(wanted, data) and is_incremental:
                continue
            topic = (wanted.key.topic_id, wanted.key.topic)
            if topic != last:
                topics.append(FetchableTopicResponse(wanted.key.topic, wanted.key.topic_id))
                last = topic
            topics[-1].partitions.append(data)
        session_id = 0 if session is None else session.session_id
        response = FetchResponse(session_id=session_id, responses=topics)
        if self.must_answer and self.ctx.version >= _NODE_ENDPOINTS_FROM:
            self._name_leaders(response)
        return response

    def _note_answer(self, asked: Asked, data: PartitionData) -> bool:
        """Record an answer in the session; return True if it changed since the last one."""
        session = asked.session
        news = asked.is_news(data)
        session.answered(asked, is_calm=asked in self.calm and not data.records)
        if data.records:
            session.served(asked)
        return news

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


_LEADER_ERRORS = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)


@broker_api(ApiKey.FETCH, versions=(4, 18))
def fetch(ctx: BrokerContext, request: FetchRequest) -> FetchResponse | Steps[FetchResponse]:
    """Read, and wait up to `max_wait_ms` for `min_bytes` if less is available."""
    if replica_id_of(request) >= 0 and not ctx.may_be_broker:
        return _no_broker(request)
    try:
        session = ctx.broker.fetch_sessions.resolve(request, ctx.version)
    except KafkaError as error:
        return FetchResponse(error_code=error.code)
    reading = _reading(ctx, request, session)
    wanted = reading.wanted()
    if reading.takes_long(wanted):
        return _fetch_much(ctx, reading, wanted)
    reading.read(wanted, notes_progress=True)
    if reading.is_enough:
        return reading.response()
    return _long_poll(ctx, reading)


def _fetch_much(
    ctx: BrokerContext, reading: Reading, wanted: Sequence[Named | Asked]
) -> Steps[FetchResponse]:
    """Serve a consumer's fetch of many partitions in slices; other requests run between them."""
    session = reading.session
    if session is not None:
        # The wait that follows must notice changes between two slices.
        session.waiting += 1
    try:
        yield from reading.read_in_slices(wanted)
        if reading.is_enough:
            return reading.response()
        return (yield from _long_poll(ctx, reading))
    finally:
        if session is not None:
            session.waiting -= 1


def _no_broker(request: FetchRequest) -> FetchResponse:
    """Reject a follower's fetch on another listener than the inter-broker listener.

    It must not count, because fetches of followers move the high watermark. As Kafka: the response
    is that to a fetch without the ClusterAction permission.
    """
    error = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return FetchResponse(
        responses=[
            FetchableTopicResponse(
                topic.topic,
                topic.topic_id,
                [_refusal(wanted.partition, error) for wanted in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _reading(ctx: BrokerContext, request: FetchRequest, session: Session | None) -> Reading:
    named = []
    if session is None:
        # As Kafka: a partition that is named twice is read once, by its last entry.
        named = [Named(key, each) for key, each in dict(named_partitions(request)).items()]
    replica_id = replica_id_of(request)
    state = request.replica_state
    max_bytes = request.max_bytes
    if replica_id < 0:
        max_bytes = min(max_bytes, ctx.broker.dynamic[keys.FETCH_MAX_BYTES])
    return Reading(
        ctx,
        request,
        session,
        named,
        replica_id,
        -1 if state is None else state.replica_epoch,
        replica_id < 0 and request.isolation_level == _READ_COMMITTED,
        max_bytes,
    )


def _long_poll(ctx: BrokerContext, reading: Reading) -> Steps[FetchResponse]:
    deadline_ms = ctx.deadline_ms(reading.request.max_wait_ms)
    session = reading.session
    if session is None:
        yield from wait_until(
            reading.wait_keys(), reading.is_settled, deadline_ms, for_answer_only=True
        )
    else:
        session.waiting += 1
        try:
            yield from wait_until(
                reading.wait_keys(), reading.is_settled, deadline_ms, for_answer_only=True
            )
        finally:
            session.waiting -= 1
    reading.forget_answers()
    wanted = reading.wanted()
    if reading.takes_long(wanted):
        yield from reading.read_in_slices(wanted)
    else:
        reading.read(wanted, notes_progress=False)
    return reading.response()


def _divergence(partition: Partition, wanted: FetchPartition) -> EpochEndOffset | None:
    """Return the epoch and end offset where the fetcher's log diverges, or None (KIP-595)."""
    log = partition.log
    end = partition.end_offset_for_epoch(wanted.last_fetched_epoch)
    if end.epoch < 0 or wanted.fetch_offset < log.log_start_offset:
        raise OffsetNotInLogError(wanted.fetch_offset, log.log_start_offset, log.log_end_offset)
    if end.epoch < wanted.last_fetched_epoch or end.end_offset < wanted.fetch_offset:
        return EpochEndOffset(end.epoch, end.end_offset)
    return None


def _refusal(index: int, code: int) -> PartitionData:
    return PartitionData(
        index,
        code,
        _UNKNOWN_OFFSET,
        _UNKNOWN_OFFSET,
        _UNKNOWN_OFFSET,
        aborted_transactions=None,
        records=b"",
    )


def _size(records: object) -> int:
    length = getattr(records, "length", None)
    return len(records) if length is None else int(length)  # type: ignore[arg-type]


# The metadata log


@controller_api(ApiKey.FETCH, versions=(4, 18))
def fetch_metadata(
    ctx: ControllerContext, request: FetchRequest
) -> FetchResponse | Steps[FetchResponse]:
    """Serve the metadata log to observers and voters."""
    raft = ctx.server.raft
    if request.cluster_id is not None and request.cluster_id != ctx.server.cluster_id:
        return FetchResponse(error_code=ErrorCode.INCONSISTENT_CLUSTER_ID)
    if (
        ctx.version < TOPIC_IDS_FROM_VERSION
        or len(request.topics) != 1
        or request.topics[0].topic_id != METADATA_TOPIC_ID
        or len(request.topics[0].partitions) != 1
        or request.topics[0].partitions[0].partition != 0
    ):
        return FetchResponse(error_code=ErrorCode.INVALID_REQUEST)
    wanted = request.topics[0].partitions[0]
    read = _read_metadata(ctx, wanted)
    replica_id = replica_id_of(request)
    if replica_id >= 0 and read.error == ErrorCode.NONE and not (read.diverging or read.snapshot):
        raft.fetched(replica_id, wanted.replica_directory_id, wanted.fetch_offset)
    # KIP-1166: a fetch without a high watermark (before v18) counts as up to date.
    is_behind = wanted.high_watermark < raft.high_watermark
    if not read.is_empty or is_behind or request.max_wait_ms <= 0:
        return _metadata_response(ctx, read)
    return _await_metadata(ctx, request, wanted, raft.high_watermark)


def _await_metadata(
    ctx: ControllerContext, request: FetchRequest, wanted: FetchPartition, high_watermark: int
) -> Steps[FetchResponse]:
    raft = ctx.server.raft
    yield from wait_until(
        (RaftEvent.LOG_CHANGED, RaftEvent.COMMITTED),
        lambda: raft.end_offset > wanted.fetch_offset or raft.high_watermark > high_watermark,
        ctx.deadline_ms(request.max_wait_ms),
        for_answer_only=True,
    )
    return _metadata_response(ctx, _read_metadata(ctx, wanted))


def _read_metadata(ctx: ControllerContext, wanted: FetchPartition) -> MetadataRead:
    return read_metadata(
        ctx.server.raft,
        current_leader_epoch=wanted.current_leader_epoch,
        fetch_offset=wanted.fetch_offset,
        last_fetched_epoch=wanted.last_fetched_epoch,
    )


def _metadata_response(ctx: ControllerContext, read: MetadataRead) -> FetchResponse:
    raft = ctx.server.raft
    data = PartitionData(
        0,
        read.error,
        read.high_watermark,
        _UNKNOWN_OFFSET,
        read.log_start_offset,
        current_leader=LeaderIdAndEpoch(raft.leader_id, raft.epoch),
        aborted_transactions=None,
        records=read.records if read.records is not None else b"",
    )
    if read.diverging is not None:
        data.diverging_epoch = EpochEndOffset(read.diverging.epoch, read.diverging.end_offset)
    if read.snapshot is not None:
        data.snapshot_id = SnapshotId(read.snapshot.end_offset, read.snapshot.epoch)
    response = FetchResponse(
        responses=[FetchableTopicResponse(topic_id=METADATA_TOPIC_ID, partitions=[data])]
    )
    address = raft.leader_address
    if address is not None and ctx.version >= _NODE_ENDPOINTS_FROM:
        response.node_endpoints = [NodeEndpoint(raft.leader_id, address[0], address[1], None)]
    return response
