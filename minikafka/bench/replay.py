"""Raw loads: one encoded request, sent repeatedly over a blocking socket.

The client does almost nothing: no batching, no compression, no decoding of records. So the broker
and the kernel are measured. Every response is decoded and checked for errors.
"""

import socket
import time
from collections import deque
from typing import NamedTuple, Self

from minikafka.admin.client import AdminClient, check
from minikafka.bench.plan import Load, Measurement
from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from minikafka.protocol.message import ApiMessage
from minikafka.records.builder import NewRecord, build_batch
from minikafka.rpc.envelope import decode_response, encode_request

_CLIENT_ID = "minikafka-bench"
_TIMEOUT_S = 30.0
# The newest versions that name topics by their names; later ones need the topic's id.
_PRODUCE_VERSION = 12
_FETCH_VERSION = 12
_FETCH_BYTES = 1_000_000
_RECEIVE_BYTES = 4 * 1024 * 1024


class ReplayError(Exception):
    """A load failed; the message says why."""


class RequestReplay(NamedTuple):
    """An encoded request for one leader, with its numbers of records and bytes."""

    address: tuple[str, int]
    api_key: int
    version: int
    frame: bytes
    records: int
    bytes: int


def produce_replay(bootstrap: str, topic: str, load: Load, acks: int) -> RequestReplay:
    """Return a Produce request with the load's records for partition 0."""
    value = bytes(index % 251 for index in range(load.record_bytes))
    now = int(time.time() * 1000)
    batch = build_batch([NewRecord(now, None, value)] * load.records_per_request)
    data = TopicProduceData(name=topic, partition_data=[PartitionProduceData(0, memoryview(batch))])
    request = ProduceRequest(acks=acks, timeout_ms=30_000, topic_data=[data])
    size = load.records_per_request * load.record_bytes
    return _replay(bootstrap, topic, request, _PRODUCE_VERSION, (load.records_per_request, size))


def fetch_replay(bootstrap: str, topic: str) -> RequestReplay:
    """Return a Fetch request from the start of partition 0."""
    partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=_FETCH_BYTES)
    request = FetchRequest(
        max_wait_ms=500,
        min_bytes=1,
        max_bytes=_FETCH_BYTES,
        session_epoch=-1,
        topics=[FetchTopic(topic=topic, partitions=[partition])],
    )
    return _replay(bootstrap, topic, request, _FETCH_VERSION, (0, 0))


def run_replay(
    replay: RequestReplay, in_flight: int, seconds: float, max_bytes: int
) -> Measurement:
    """Send for `seconds`, or until `max_bytes` were moved; measure the latency of each request.

    Raises:
        ReplayError: if the broker answers with an error.
        OSError: if the connection breaks.
    """
    with RawConnection(replay) as connection:
        started = time.perf_counter()
        cpu = time.process_time()
        sent = answered = moved = 0
        waits: list[float] = []
        times: deque[float] = deque()
        while True:
            now = time.perf_counter()
            going = now - started < seconds and moved < max_bytes
            while going and len(times) < in_flight:
                times.append(time.perf_counter())
                connection.send()
                sent += 1
            if not times:
                break
            moved += connection.receive()
            waits.append(time.perf_counter() - times.popleft())
            answered += 1
        elapsed = time.perf_counter() - started
        waits.sort()
        return Measurement(
            records=answered * replay.records,
            bytes=moved,
            requests=answered,
            seconds=elapsed,
            client_cpu_s=time.process_time() - cpu,
            p50_us=percentile_us(waits, 0.50),
            p99_us=percentile_us(waits, 0.99),
        )


def percentile_us(ordered: list[float], share: float) -> float:
    """Return a percentile, in microseconds, of sorted times in seconds."""
    if not ordered:
        raise ReplayError("nothing was measured")
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e6


class RawConnection:
    """One blocking socket that replays one request."""

    def __init__(self, replay: RequestReplay) -> None:
        """Connect.

        Raises:
            OSError: if no process listens there.
        """
        self._replay = replay
        self._socket = socket.create_connection(replay.address, timeout=_TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray(_RECEIVE_BYTES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self) -> None:
        """Send the request."""
        self._socket.sendall(self._replay.frame)

    def receive(self) -> int:
        """Receive the next response; return the number of record bytes of the request.

        Raises:
            ReplayError: if the response has an error, or a fetch returned no records.
        """
        view = memoryview(self._buffer)
        self._fill(view[:4])
        size = int.from_bytes(view[:4], "big")
        if size > len(view):
            raise ReplayError(f"a response of {size} bytes exceeds the limit of {len(view)}")
        self._fill(view[:size])
        _, body = decode_response(view[:size], self._replay.api_key, self._replay.version)
        if isinstance(body, ProduceResponse):
            _raise_for(body.responses[0].partition_responses[0].error_code)
            return self._replay.bytes
        assert isinstance(body, FetchResponse), "nothing else is replayed"
        partition = body.responses[0].partitions[0]
        _raise_for(body.error_code or partition.error_code)
        if not partition.records:
            raise ReplayError("the fetch returned no records")
        return len(partition.records)

    def _fill(self, view: memoryview) -> None:
        done = 0
        while done < len(view):
            count = self._socket.recv_into(view[done:])
            if count == 0:
                raise ReplayError("the broker closed the connection")
            done += count


def _raise_for(code: int) -> None:
    if code != ErrorCode.NONE:
        name = ErrorCode(code).name if code in ErrorCode.__members__.values() else str(code)
        raise ReplayError(f"the broker answered {name}")


def _replay(
    bootstrap: str, topic: str, request: ApiMessage, newest: int, carries: tuple[int, int]
) -> RequestReplay:
    with AdminClient(bootstrap, client_id=_CLIENT_ID) as client:
        asked = MetadataRequest(
            topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
        )
        found = client.ask(asked).topics[0]
        check(found.error_code)
        leader = next(it.leader_id for it in found.partitions if it.partition_index == 0)
        address = client.brokers()[leader]
        served = {it.api_key: it.max_version for it in client.ask(ApiVersionsRequest(
            client_software_name="minikafka", client_software_version="bench"
        )).api_keys}  # fmt: skip
    api_key = ApiKey(request.API_KEY)
    version = min(newest, served[api_key])
    frame = b"".join(map(bytes, encode_request(1, _CLIENT_ID, request, version)))  # type: ignore[arg-type]
    return RequestReplay(address, api_key, version, frame, *carries)
