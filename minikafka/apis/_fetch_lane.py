"""The lane of Fetch requests for one partition, or for the whole session (see `serving/lanes`).

Such requests differ in the epoch of their session and in the position of the reader.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from struct import Struct
from typing import Final

from minikafka.apis._lane_samples import SAMPLE_OFFSETS, ResponseShape, request_bytes
from minikafka.common.effects import Part
from minikafka.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from minikafka.protocol.primitives import records_size, uvarint
from minikafka.rpc.envelope import RequestHeader
from minikafka.serving.context import BrokerContext
from minikafka.serving.lanes import CORRELATION_ID_ENDS, MAX_BYTES
from minikafka.serving.steps import Steps

Handler = Callable[[BrokerContext, FetchRequest], FetchResponse | Steps[FetchResponse]]
_LANES_FROM: Final = 12
"""Since then requests have all fields of a position."""
_EPOCH = Struct(">i")
_POSITION = Struct(">iqiq")
"""Leader epoch, fetch offset, last fetched epoch, log start offset."""
_SAMPLE_EPOCH: Final = 0x21222324
_SAMPLE_POSITION: Final = (0x31323334, 0x4142434445464748, 0x51525354, 0x6162636465666768)
_SAMPLE_RECORDS: Final = bytes(range(128, 192))


def fetch_lane(
    ctx: BrokerContext, request: FetchRequest, frame: memoryview, handler: Handler
) -> "FetchLane | None":
    """Make the lane of requests like the one in `frame`; None if they have no lane."""
    topics = request.topics
    if ctx.version < _LANES_FROM or request.forgotten_topics_data or len(topics) > 1:
        return None
    if len(frame) > MAX_BYTES:
        return None
    if topics and len(topics[0].partitions) != 1:
        return None
    lane = FetchLane(ctx, request, handler)
    return lane if lane.fits(frame) else None


class FetchLane:
    """Handles the Fetch requests that differ only in session epoch and position."""

    __slots__ = (
        "_ctx", "_epoch_at", "_handler", "_is_clear", "_length", "_middle", "_position_at", "_tail",
        "_template", "_topic", "header", "prefix", "request",
    )  # fmt: skip

    def __init__(self, ctx: BrokerContext, request: FetchRequest, handler: Handler) -> None:
        """Make a lane for requests like `request`, in their general encoding."""
        self.header = RequestHeader(ctx.api_key, ctx.version, ctx.correlation_id, ctx.client_id)
        self._ctx = replace(ctx, frame=None)
        self._handler = handler
        self._topic = request.topics[0] if request.topics else None
        self._template: _Template | None = None
        self.request = request
        self.request = self._like(_SAMPLE_EPOCH, _SAMPLE_POSITION)
        encoded = request_bytes(ctx.client_id, self.request, ctx.version)
        self._length = len(encoded)
        epoch, position = _EPOCH.pack(_SAMPLE_EPOCH), _POSITION.pack(*_SAMPLE_POSITION)
        # A client may choose a name that has the bytes of a sample.
        self._is_clear = encoded.count(epoch) == 1 and encoded.count(position) <= 1
        self.prefix, _, rest = encoded.partition(epoch)
        self._epoch_at = len(self.prefix)
        self._middle, self._tail = rest, b""
        self._position_at = self._length
        if self._topic is not None:
            self._middle, _, self._tail = rest.partition(position)
            self._position_at = self._length - len(self._tail) - _POSITION.size

    def fits(self, frame: memoryview) -> bool:
        """True if a request is encoded as this lane expects it."""
        after_id = slice(CORRELATION_ID_ENDS, self._epoch_at)
        return (
            self._is_clear
            and frame[after_id] == self.prefix[after_id]
            and self._position_of(frame) is not None
        )

    def _position_of(self, frame: memoryview) -> tuple[int, ...] | None:
        """The position in a request that begins with the prefix.

        It is empty if the request names no partition, and None if the rest is not alike.
        """
        position_at = self._position_at
        middle = frame[self._epoch_at + _EPOCH.size : position_at]
        if len(frame) != self._length or middle != self._middle:
            return None
        if self._topic is None:
            return ()
        if frame[position_at + _POSITION.size :] != self._tail:
            return None
        return _POSITION.unpack_from(frame, position_at)

    def answer(
        self, frame: memoryview, correlation_id: int
    ) -> tuple[Part, ...] | Steps[tuple[Part, ...] | FetchResponse] | FetchResponse | None:
        """See `Lane.answer`."""
        position = self._position_of(frame)
        if position is None:
            return None
        (epoch,) = _EPOCH.unpack_from(frame, self._epoch_at)
        request = self.request = self._like(epoch, position)
        outcome = self._handler(self._ctx, request)
        if isinstance(outcome, FetchResponse):
            return self._encode(correlation_id, outcome)
        return self._wait(correlation_id, outcome)

    def _wait(
        self, correlation_id: int, steps: Steps[FetchResponse]
    ) -> Steps[tuple[Part, ...] | FetchResponse]:
        response = yield from steps
        return self._encode(correlation_id, response)

    def _like(self, epoch: int, position: Sequence[int]) -> FetchRequest:
        """A request of this lane."""
        known, topic = self.request, self._topic
        topics = []
        if topic is not None:
            (old,) = topic.partitions
            leader_epoch, offset, last_epoch, log_start = position
            wanted = FetchPartition(
                old.partition, leader_epoch, offset, last_epoch, log_start, old.partition_max_bytes
            )
            topics.append(FetchTopic(topic.topic, topic.topic_id, [wanted]))
        return FetchRequest(
            None, known.replica_id, known.replica_state, known.max_wait_ms, known.min_bytes,
            known.max_bytes, known.isolation_level, known.session_id, epoch, topics, [],
            known.rack_id,
        )  # fmt: skip

    def _encode(
        self, correlation_id: int, response: FetchResponse
    ) -> tuple[Part, ...] | FetchResponse:
        """Encode a response with records, or without news; any other is returned as it is."""
        data = _only_partition(response)
        if data is None:
            return response
        template = self._template
        if template is None or template.key != _key(response, data):
            template = self._template = _Template(response, data, self._ctx.version)
        return template.encode(correlation_id, data)


class _Template:
    """The encoded response with one partition, without an error."""

    __slots__ = ("_after", "_before", "_between", "_pack", "_size_bytes", "key")

    def __init__(self, like: FetchResponse, data: PartitionData, version: int) -> None:
        self.key = _key(like, data)
        (topic,) = like.responses
        sample = PartitionData(
            data.partition_index, 0, *SAMPLE_OFFSETS,
            aborted_transactions=data.aborted_transactions, records=_SAMPLE_RECORDS,
        )  # fmt: skip
        response = FetchResponse(
            session_id=like.session_id,
            responses=[FetchableTopicResponse(topic.topic, topic.topic_id, [sample])],
        )
        shape = ResponseShape(response, version)
        before_records, _, self._after = shape.after.partition(_SAMPLE_RECORDS)
        self._before, self._between = shape.before, before_records[:-1]
        self._pack = shape.layout(self._between).pack
        self._size_bytes = shape.size - len(_SAMPLE_RECORDS) - 1

    def encode(self, correlation_id: int, data: PartitionData) -> tuple[Part, ...]:
        records = data.records
        size = 0 if records is None else records_size(records)
        length = uvarint(size + 1)
        head = self._pack(
            self._size_bytes + len(length) + size, correlation_id, self._before,
            data.high_watermark, data.last_stable_offset, data.log_start_offset, self._between,
        )  # fmt: skip
        if not size or records is None:
            return (head + length + self._after,)
        return (head + length, records, self._after)


def _key(response: FetchResponse, data: PartitionData) -> tuple[object, ...]:
    """The parts of a template besides offsets and records."""
    (topic,) = response.responses
    return (
        response.session_id, topic.topic, topic.topic_id, data.partition_index,
        data.aborted_transactions is None,
    )  # fmt: skip


def _only_partition(response: FetchResponse) -> PartitionData | None:
    """The partition of a response that has one, without an error and with nothing unusual."""
    if response.error_code or len(response.responses) != 1 or response.node_endpoints:
        return None
    partitions = response.responses[0].partitions
    if len(partitions) != 1:
        return None
    data = partitions[0]
    if (
        data.error_code
        or data.records is None
        or data.aborted_transactions
        or data.diverging_epoch is not None
        or data.current_leader is not None
        or data.preferred_read_replica != -1
    ):
        return None
    return data
