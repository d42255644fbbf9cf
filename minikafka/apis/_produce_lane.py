"""The lane of Produce requests with one batch for one partition (see `serving/lanes`)."""

from dataclasses import replace
from struct import Struct
from typing import Any, Final

from minikafka.apis._lane_samples import SAMPLE_OFFSETS, ResponseShape, request_bytes
from minikafka.apis._produce_outcomes import (
    TOPIC_IDS_FROM,
    WaitingAppend,
    append_failed,
    appended,
    await_replicas,
    latch,
    with_leaders,
)
from minikafka.common.budget import OverBudgetError
from minikafka.common.errors import KafkaError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.log.appends import LogAppendInfo
from minikafka.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from minikafka.protocol.primitives import records_size
from minikafka.records.batch import ATTRIBUTES_OFFSET, HEADER_SIZE, TRANSACTIONAL
from minikafka.records.errors import RecordValidationError
from minikafka.replica.partition import Partition
from minikafka.replica.request_rules import append_outcome
from minikafka.rpc.envelope import RequestHeader
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows
from minikafka.serving.context import BrokerContext
from minikafka.serving.lanes import CORRELATION_ID_ENDS, MAX_BYTES
from minikafka.serving.steps import Steps

_LANES_FROM: Final = 7
"""Older versions must check the compression of each batch."""
_LENGTH_BYTES: Final = 4
_LAST_ATTRIBUTE: Final = ATTRIBUTES_OFFSET + 1
_SAMPLE: Final = bytes(range(64, 64 + HEADER_SIZE))
_length = Struct(">i").unpack_from


def produce_lane(
    ctx: BrokerContext, request: ProduceRequest, frame: memoryview
) -> "ProduceLane | None":
    """Make the lane of requests like the one in `frame`; None if they have no lane."""
    topics = request.topic_data
    if (
        ctx.version < _LANES_FROM
        or request.transactional_id is not None
        or request.acks not in (1, -1)
        or len(topics) != 1
        or len(topics[0].partition_data) != 1
    ):
        return None
    (topic,), replicas = topics, ctx.broker.replicas
    (data,) = topic.partition_data
    if len(frame) - records_size(data.records or b"") > MAX_BYTES:
        return None
    index = data.index
    name = topic.name
    if ctx.version >= TOPIC_IDS_FROM:
        partition = replicas.hosted.online_by_id.get((topic.topic_id, index))
        if partition is None:
            return None
        name = partition.topic_partition.topic
    if name in INTERNAL_TOPICS:
        return None
    authorizer = ctx.broker.authorizer
    if authorizer is not None and not (
        authorizer.is_ready
        and ctx.has_caught_up
        and allows(ctx, AclOperation.WRITE, AclResourceType.TOPIC, name, is_asked=False)
    ):
        # The lanes of a connection are dropped when the ACLs change.
        return None
    lane = ProduceLane(ctx, request.acks, request.timeout_ms, topic, index)
    return lane if lane.fits(frame) else None


class ProduceLane:
    """Handles the Produce requests that differ only in their records."""

    __slots__ = (
        "_acks", "_after", "_before", "_ctx", "_find", "_is_flexible", "_key", "_pack",
        "_size_bytes", "_suffix", "header", "prefix", "request",
    )  # fmt: skip

    def __init__(
        self, ctx: BrokerContext, acks: int, timeout_ms: int, topic: TopicProduceData, index: int
    ) -> None:
        """Make a lane for the requests with these values in their general encoding."""
        version = ctx.version
        hosted = ctx.broker.replicas.hosted
        self.header = RequestHeader(ctx.api_key, version, ctx.correlation_id, ctx.client_id)
        self._ctx = replace(ctx, frame=None)
        self._acks = acks
        self._key: Any
        self._find: Any
        if version >= TOPIC_IDS_FROM:
            self._key, self._find = (topic.topic_id, index), hosted.online_by_id.get
        else:
            self._key, self._find = TopicPartition(topic.name, index), hosted.online.get
        data = PartitionProduceData(index, memoryview(_SAMPLE))
        topics = [TopicProduceData(topic.name, topic.topic_id, [data])]
        self.request = ProduceRequest(None, acks, timeout_ms, topics)
        self._is_flexible = version >= ProduceRequest.FLEXIBLE_FROM
        encoded = request_bytes(ctx.client_id, self.request, version)
        before, _, self._suffix = encoded.rpartition(_SAMPLE)
        self.prefix = before[: -1 if self._is_flexible else -_LENGTH_BYTES]
        data.records = None
        answer = PartitionProduceResponse(index, 0, *SAMPLE_OFFSETS)
        shape = ResponseShape(self._response(answer), version)
        self._before, self._after = shape.before, shape.after
        self._pack = shape.layout(shape.after).pack
        self._size_bytes = shape.size

    def fits(self, frame: memoryview) -> bool:
        """True if a request is encoded as this lane expects it."""
        after_id = slice(CORRELATION_ID_ENDS, len(self.prefix))
        return frame[after_id] == self.prefix[after_id] and self._records(frame) is not None

    def answer(
        self, frame: memoryview, correlation_id: int
    ) -> tuple[bytes] | Steps[tuple[bytes] | ProduceResponse] | ProduceResponse | None:
        """See `Lane.answer`."""
        records = self._records(frame)
        if records is None or records[_LAST_ATTRIBUTE] & TRANSACTIONAL:
            return None
        partition: Partition | None = self._find(self._key)
        if partition is None or partition.queued:
            return None
        acks = self._acks
        try:
            info = partition.append_as_leader(records, required_acks=acks)
        except (RecordValidationError, KafkaError, OverBudgetError):
            return None
        except StorageFault as fault:
            answer = self._new_answer()
            append_failed(self._ctx, answer, fault)
            return with_leaders(self._ctx, self._response(answer))
        if acks == 1:
            if not partition.log.awaits_flush:
                return self._encode(correlation_id, info)
        elif append_outcome(partition, partition.leader_epoch, info.last_offset + 1) == 0:
            return self._encode(correlation_id, info)
        answer = self._new_answer()
        wait = appended(acks, partition, partition.leader_epoch, info, answer)
        waiting = [] if wait is None else [wait]
        latch(waiting)
        if not waiting:
            return with_leaders(self._ctx, self._response(answer))
        return self._wait(correlation_id, info, waiting, answer)

    def _records(self, frame: memoryview) -> memoryview | None:
        """The records of a request, or None if something else follows the prefix."""
        start, size = len(self.prefix), len(frame)
        if size < start + HEADER_SIZE:
            return None
        if self._is_flexible:
            length = frame[start]
            start += 1
            if length > 0x7F:
                length = length & 0x7F | frame[start] << 7
                start += 1
                if length > 0x3FFF:
                    length = length & 0x3FFF | frame[start] << 14
                    start += 1
                    if length > 0x1FFFFF:
                        return None
            end = start + length - 1
        else:
            (length,) = _length(frame, start)
            start += _LENGTH_BYTES
            end = start + length
        # A slice past the end of the frame is empty, as the suffix of some versions is.
        if end > size or end - start < HEADER_SIZE or frame[end:] != self._suffix:
            return None
        return frame[start:end]

    def _encode(self, correlation_id: int, info: LogAppendInfo) -> tuple[bytes]:
        return (
            self._pack(
                self._size_bytes, correlation_id, self._before, info.first_offset,
                info.log_append_time, info.log_start_offset, self._after,
            ),
        )  # fmt: skip

    def _wait(
        self,
        correlation_id: int,
        info: LogAppendInfo,
        waiting: list[WaitingAppend],
        answer: PartitionProduceResponse,
    ) -> Steps[tuple[bytes] | ProduceResponse]:
        response = self._response(answer)
        yield from await_replicas(self._ctx, self.request, response, waiting)
        return response if answer.error_code else self._encode(correlation_id, info)

    def _new_answer(self) -> PartitionProduceResponse:
        return PartitionProduceResponse(self.request.topic_data[0].partition_data[0].index, 0, -1)

    def _response(self, answer: PartitionProduceResponse) -> ProduceResponse:
        (topic,) = self.request.topic_data
        return ProduceResponse([TopicProduceResponse(topic.name, topic.topic_id, [answer])])
