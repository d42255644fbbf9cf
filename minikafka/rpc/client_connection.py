"""The client's side of one connection, sans-IO: what to send, what came back, in which version.

Invariant: responses come in the order of their requests; the oldest request in flight and the
oldest response carry the same correlation id.

States: with `negotiate`, NEGOTIATING until the server's ApiVersions answer is in, then READY;
requests given before wait inside. Without it, READY from the start, with fixed versions, as
between brokers of one cluster. A connection is for one use: after an error it is thrown away.

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
SOFTWARE_VERSION = "0.1.0"
_CORRELATION_IDS = 1 << 31


class State(Enum):
    """Where the connection stands; see the module."""

    NEGOTIATING = auto()
    READY = auto()


class VersionRange(NamedTuple):
    """Versions of one API, both ends included."""

    low: int
    high: int


class NoCommonVersionError(ValueError):
    """The server does not serve the API in any version that the client can use."""


class TooManyInFlightError(RuntimeError):
    """More requests than the connection may hold; the caller asks `can_send` before."""


class Answer(NamedTuple):
    """A response and what it answers. `token` is what the caller gave to `send`."""

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
    """Requests in, bytes out; bytes in, answers out."""

    client_id: str | None = None
    negotiate: bool = True
    max_in_flight: int = 64
    max_frame_size: int = DEFAULT_MAX_FRAME_SIZE
    server_versions: Mapping[int, VersionRange] | None = None
    state: State = field(init=False)
    _frames: FrameReader = field(init=False)
    _outgoing: list[Records] = field(default_factory=list, init=False)
    _pending: deque[_Pending] = field(default_factory=deque, init=False)
    _waiting: deque[_Waiting] = field(default_factory=deque, init=False)
    _next_id: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Ask for the server's versions first, unless they are fixed."""
        self._frames = FrameReader(self.max_frame_size)
        self.state = State.NEGOTIATING if self.negotiate else State.READY
        if self.negotiate:
            self._ask_versions(ApiVersionsRequest.MAX_VERSION)

    @property
    def in_flight(self) -> int:
        """Requests without an answer yet, those that wait for the negotiation included."""
        return len(self._pending) + len(self._waiting)

    @property
    def can_send(self) -> bool:
        """Whether one more request fits under `max_in_flight`."""
        return self.in_flight < self.max_in_flight

    def version_for(self, api_key: int) -> int:
        """The newest version of an API that both sides know.

        Before the server's versions are known, and where they are fixed, the newest stable one.

        Raises:
            NoCommonVersionError: if there is none.
        """
        info = APIS[api_key]
        if self.server_versions is None:
            return info.latest_stable_version
        served = self.server_versions.get(api_key)
        if served is None:
            raise NoCommonVersionError(f"the server does not serve {info.name}")
        version = min(info.latest_stable_version, served.high)
        if version < max(info.min_version, served.low):
            raise NoCommonVersionError(
                f"{info.name}: versions {info.min_version} to {info.latest_stable_version} here, "
                f"{served.low} to {served.high} there"
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
        """Queue a request; its bytes come out of `data_to_send`.

        Produce with acks=0 is what expects no response.

        Raises:
            TooManyInFlightError: if `can_send` is false.
            NoCommonVersionError: if no version is given and none is common; for a request that
                waits for the negotiation this comes from `receive` instead.
            UnsupportedFieldError: if the version cannot carry the request.
        """
        if not self.can_send:
            raise TooManyInFlightError(f"{self.in_flight} requests in flight")
        waiting = _Waiting(request, version, token, expects_response)
        if self.state is State.NEGOTIATING:
            self._waiting.append(waiting)
        else:
            self._write(waiting)

    def data_to_send(self) -> list[Records]:
        """The parts to put on the wire, in order; each is given out once."""
        parts, self._outgoing = self._outgoing, []
        return parts

    def receive(self, data: bytes | bytearray | memoryview) -> list[Answer]:
        """The answers that `data` completes, in order. May leave more in `data_to_send`.

        Raises:
            MalformedMessage: for bytes that are no answer to what was asked.
            NoCommonVersionError: see `send`.
            KafkaError: if the server refuses to tell its versions.
        """
        answers: list[Answer] = []
        for frame in self._frames.feed(data):
            answer = self.receive_frame(frame)
            if answer is not None:
                answers.append(answer)
        return answers

    def receive_frame(self, frame: memoryview) -> Answer | None:
        """The answer in one frame; None if it was the connection's own ApiVersions."""
        correlation_id = correlation_id_of(frame)
        if not self._pending or self._pending[0].correlation_id != correlation_id:
            raise MalformedMessage(f"a response with correlation id {correlation_id}, unasked")
        pending = self._pending.popleft()
        _, body = decode_response(frame, pending.api_key, pending.version)
        if self.state is State.NEGOTIATING:
            assert isinstance(body, ApiVersionsResponse)
            self._on_versions(body, pending.version)
            return None
        return Answer(pending.token, pending.version, body)

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
        self.state = State.READY
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
