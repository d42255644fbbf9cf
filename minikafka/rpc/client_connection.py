"""The client's side of one connection, without I/O: requests, responses and their versions.

Invariant: responses arrive in the order of their requests; the oldest request in flight and the
oldest response have the same correlation id.

States: with `negotiate`, NEGOTIATING until the server's ApiVersions response arrives, then READY;
earlier requests are queued. Without it, READY from the start, with fixed versions, as between
brokers of one cluster. After an error the connection must not be used again.

Source: `NetworkClient`, KIP-511 (fallback of ApiVersions to the server's version).
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from minikafka.common.errors import ErrorCode, error_of
from minikafka.messages.api_keys import APIS, ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.protocol.framing import DEFAULT_MAX_FRAME_SIZE, FrameReader
from minikafka.protocol.message import ApiMessage
from minikafka.protocol.primitives import MalformedMessage, Records
from minikafka.rpc.envelope import correlation_id_of, decode_response, encode_request

SOFTWARE_NAME = "minikafka"
NODE_SOFTWARE_NAME = "minikafka-node"
"""The name by which a node asks another node for its APIs, with those between nodes."""
SOFTWARE_VERSION = "0.1.0"
_CORRELATION_IDS = 1 << 31


class NegotiationState(Enum):
    """The state of the connection; see the module."""

    NEGOTIATING = auto()
    READY = auto()


class VersionRange(NamedTuple):
    """Versions of one API, both ends inclusive."""

    low: int
    high: int


class NoCommonVersionError(ValueError):
    """The server does not support the API in any version of the client."""


class TooManyInFlightError(RuntimeError):
    """There are `max_in_flight` requests already; the caller must check `can_send` before."""


class ServerAnswer(NamedTuple):
    """A response. `token` is that of its request (see `send`)."""

    token: object
    version: int
    body: ApiMessage


class _Pending(NamedTuple):
    correlation_id: int
    api_key: int
    version: int
    token: object


class _Waiting(NamedTuple):
    request: ApiMessage
    version: int | None
    token: object
    expects_response: bool


@dataclass(slots=True, kw_only=True)
class ClientConnection:
    """Encodes requests to bytes, and decodes bytes to responses."""

    client_id: str | None = None
    negotiate: bool = True
    max_in_flight: int = 64
    max_frame_size: int = DEFAULT_MAX_FRAME_SIZE
    server_versions: Mapping[int, VersionRange] | None = None
    state: NegotiationState = field(init=False)
    _frames: FrameReader = field(init=False)
    _outgoing: list[Records] = field(default_factory=list, init=False)
    _pending: deque[_Pending] = field(default_factory=deque, init=False)
    _waiting: deque[_Waiting] = field(default_factory=deque, init=False)
    _next_id: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Request the server's versions first, unless they are fixed."""
        self._frames = FrameReader(self.max_frame_size)
        self.state = NegotiationState.NEGOTIATING if self.negotiate else NegotiationState.READY
        if self.negotiate:
            self._ask_versions(ApiVersionsRequest.MAX_VERSION)

    @property
    def in_flight(self) -> int:
        """The number of requests without a response, including queued ones."""
        return len(self._pending) + len(self._waiting)

    @property
    def can_send(self) -> bool:
        """True if fewer than `max_in_flight` requests are in flight."""
        return self.in_flight < self.max_in_flight

    def version_for(self, api_key: int) -> int:
        """The newest version of an API that both sides support.

        It is the newest stable one if the server's versions are unknown or fixed.

        Raises:
            NoCommonVersionError: there is none.
        """
        info = APIS[api_key]
        if self.server_versions is None:
            return info.latest_stable_version
        served = self.server_versions.get(api_key)
        if served is None:
            raise NoCommonVersionError(f"the server does not support {info.name}")
        version = min(info.latest_stable_version, served.high)
        if version < max(info.min_version, served.low):
            raise NoCommonVersionError(
                f"{info.name}: the client supports versions {info.min_version} to "
                f"{info.latest_stable_version}, the server {served.low} to {served.high}"
            )
        return version

    def send(
        self,
        request: ApiMessage,
        *,
        version: int | None = None,
        token: object = None,
        expects_response: bool = True,
    ) -> None:
        """Queue a request; `data_to_send` returns its bytes.

        Only Produce with acks=0 expects no response.

        Raises:
            TooManyInFlightError: `can_send` is False.
            NoCommonVersionError: no version is given and there is no common one; for a request that
                waits for the negotiation, `receive` raises this instead.
            UnsupportedFieldError: the version lacks a field of the request.
        """
        if not self.can_send:
            raise TooManyInFlightError(f"{self.in_flight} requests in flight")
        waiting = _Waiting(request, version, token, expects_response)
        if self.state is NegotiationState.NEGOTIATING:
            self._waiting.append(waiting)
        else:
            self._write(waiting)

    def data_to_send(self) -> list[Records]:
        """Return the parts to write to the socket, in order; each is returned once."""
        parts, self._outgoing = self._outgoing, []
        return parts

    def receive(self, data: bytes | bytearray | memoryview) -> list[ServerAnswer]:
        """Return the responses that `data` completes, in order.

        There may be more in `data_to_send` afterwards.

        Raises:
            MalformedMessage: the bytes are not a response to the oldest request.
            NoCommonVersionError: see `send`.
            KafkaError: the server refuses the ApiVersions request.
        """
        answers: list[ServerAnswer] = []
        for frame in self._frames.feed(data):
            answer = self.receive_frame(frame)
            if answer is not None:
                answers.append(answer)
        return answers

    def receive_frame(self, frame: memoryview) -> ServerAnswer | None:
        """Decode the response in one frame; None for the connection's own ApiVersions."""
        correlation_id = correlation_id_of(frame)
        if not self._pending or self._pending[0].correlation_id != correlation_id:
            raise MalformedMessage(
                f"a response with correlation id {correlation_id}, unexpected at this point"
            )
        pending = self._pending.popleft()
        _, body = decode_response(frame, pending.api_key, pending.version)
        if self.state is NegotiationState.NEGOTIATING:
            assert isinstance(body, ApiVersionsResponse)
            self._on_versions(body, pending.version)
            return None
        return ServerAnswer(pending.token, pending.version, body)

    def _ask_versions(self, version: int) -> None:
        request = ApiVersionsRequest(
            client_software_name=SOFTWARE_NAME, client_software_version=SOFTWARE_VERSION
        )
        self._write(_Waiting(request, version, None, expects_response=True))

    def _on_versions(self, response: ApiVersionsResponse, asked: int) -> None:
        served = {
            each.api_key: VersionRange(each.min_version, each.max_version)
            for each in response.api_keys
        }
        if response.error_code == ErrorCode.UNSUPPORTED_VERSION and asked > 0:
            offered = served.get(ApiKey.API_VERSIONS, VersionRange(0, 0)).high
            self._ask_versions(min(offered, asked - 1))
            return
        if response.error_code != ErrorCode.NONE:
            raise error_of(response.error_code)
        self.server_versions = served
        self.state = NegotiationState.READY
        while self._waiting:
            self._write(self._waiting.popleft())

    def _write(self, waiting: _Waiting) -> None:
        request = waiting.request
        version = self.version_for(request.API_KEY) if waiting.version is None else waiting.version
        correlation_id = self._next_id
        self._outgoing += encode_request(correlation_id, self.client_id, request, version)
        self._next_id = (correlation_id + 1) % _CORRELATION_IDS
        if waiting.expects_response:
            self._pending.append(_Pending(correlation_id, request.API_KEY, version, waiting.token))
