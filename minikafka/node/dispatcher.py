"""Decode requests, run and park their handlers, and send responses in order.

The responses of a connection are sent in the order of its requests. While a request other than
Produce is parked, no further request is read from its connection (as Kafka mutes a channel during a
request). Up to `queued.max.requests` Produce requests may be in flight together, because their
order in the log is fixed when they arrive.

Source: `SocketServer`, `KafkaRequestHandler`, `RequestChannel`.
"""

import logging
from collections import deque
from collections.abc import Callable, Collection, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from struct import Struct
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from minikafka.common.effects import Disconnect, Mute, Part, Reply, Unmute
from minikafka.common.environment import Environment
from minikafka.common.errors import KafkaError, KafkaStorageError, UnknownServerError
from minikafka.common.faults import StorageFault
from minikafka.common.principal import ANONYMOUS, KafkaPrincipal
from minikafka.messages.api_keys import ApiKey
from minikafka.node.purgatory import Purgatory
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import (
    MAX_CLIENT_REQUEST_ELEMENTS,
    MAX_REQUEST_ELEMENTS,
    RequestHeader,
    UnknownApiKeyError,
    UnsupportedApiVersionError,
    decode_body,
    decode_header,
    encode_response,
)
from minikafka.security.not_ready import AuthorizerNotReadyError
from minikafka.serving.failures import failure_response
from minikafka.serving.lanes import Lane, Lanes
from minikafka.serving.registry import Api, find
from minikafka.serving.steps import CLOSE, Compute, Step, WaitUntil

if TYPE_CHECKING:
    from minikafka.node.logins import Logins

_log = logging.getLogger("minikafka.node")
_PRODUCE = int(ApiKey.PRODUCE)
_API_VERSIONS = int(ApiKey.API_VERSIONS)
# Above this, a connection is muted until its queued produce batches are appended.
_MAX_QUEUED_BYTES = 64 * 1024 * 1024
_NO_FRAME = memoryview(b"")
_CORRELATION_ID_AT = 4
_correlation_id = Struct(">i").unpack_from

# The `__new__` of a named tuple is Python code, which is slow.
_new_reply: Callable[[tuple[int, Sequence[Part]]], Reply] = partial(tuple.__new__, Reply)

MakeContext = Callable[["ConnectionState", RequestHeader, memoryview], Any]


@dataclass(slots=True, eq=False, repr=False)
class Slot:
    """The position of one request in the response order of its connection."""

    running: "Running | None" = None
    done: bool = False
    parts: Sequence[Part] | None = None


@dataclass(slots=True, eq=False, repr=False)
class Running:
    """A handler that is not finished; `done` is called with its response."""

    api: Api
    version: int
    body: Any
    steps: Generator[Step, Any, Any]
    done: Callable[[Any], None]
    client: Hashable
    """The client for which it runs: `Environment.client`."""
    abandon: Callable[[], None] | None = None
    """Ends a wait or computation that only the response needs; None for any other."""
    is_unanswered: bool = False
    """True if its connection is closed."""


@dataclass(slots=True, eq=False, repr=False)
class ConnectionState:
    """The state of a connection. `slots` is empty while no request is parked."""

    number: int
    listener: str
    role: str
    peer_host: str
    most_elements: int
    """The maximum number of array elements in one request."""
    principal: KafkaPrincipal = ANONYMOUS
    slots: deque[Slot] = field(default_factory=deque)
    lanes: Lanes = field(default_factory=Lanes)
    muted: bool = False
    closed: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Dispatcher:
    """Runs handlers. `modules` has the module and versions of each API, by role and API key.

    `node_listeners` are the listeners that other nodes use.
    """

    env: Environment
    purgatory: Purgatory
    modules: dict[str, dict[int, tuple[str, int, int]]]
    max_in_flight: int
    node_listeners: Collection[str]
    make_context: MakeContext
    connections: dict[int, ConnectionState] = field(default_factory=dict)
    requests: dict[int, int] = field(default_factory=dict)
    failed_authentications: dict[str, int] = field(default_factory=dict)
    """The clients that could not prove who they are, by listener."""
    logins: "Logins | None" = None
    """The connections whose clients must log in; None if there is no SASL listener."""

    def __post_init__(self) -> None:
        """Let clients that have logged in be served here."""
        if self.logins is not None:
            self.logins.dispatcher = self

    def opened(
        self,
        number: int,
        listener: str,
        role: str,
        peer_host: str,
        principal: KafkaPrincipal = ANONYMOUS,
    ) -> None:
        """Register a connection."""
        is_for_nodes = listener in self.node_listeners
        most_elements = MAX_REQUEST_ELEMENTS if is_for_nodes else MAX_CLIENT_REQUEST_ELEMENTS
        connection = ConnectionState(number, listener, role, peer_host, most_elements, principal)
        if self.logins is not None and self.logins.is_for(listener):
            self.logins.opened(connection)
        else:
            self.connections[number] = connection

    def authentication_failed(self, listener: str) -> None:
        """Count a client that could not prove who it is."""
        count = self.failed_authentications.get(listener, 0)
        self.failed_authentications[listener] = count + 1

    def key_file_changed(self, path: str, text: str) -> None:
        """Check signed tokens with other keys."""
        assert self.logins is not None, "only a node with SASL listeners has such a file"
        self.logins.key_file_changed(path, text)

    def closed(self, number: int) -> None:
        """Remove a connection; its parked requests run to their end without a response.

        A wait that only the response needs ends now: a fetch may name a wait of up to 24 days. A
        computation for the response is dropped if it has not started: nothing is written after it.
        """
        connection = self.connections.pop(number, None)
        if self.logins is not None:
            connection = self.logins.closed(number) or connection
        if connection is None:
            return
        connection.closed = True
        for slot in list(connection.slots):
            if slot.running is not None:
                slot.running.is_unanswered = True
                if slot.running.abandon is not None:
                    slot.running.abandon()
        connection.slots.clear()

    def forget_lanes(self) -> None:
        """Remove all lanes: they were made for clients that were allowed what they ask for."""
        for connection in self.connections.values():
            connection.lanes = Lanes()

    def request(self, number: int, frame: memoryview) -> None:
        """Handle a request.

        A failure is answered, or closes the connection; `Environment.contain` raises the errors
        that must stop the node.
        """
        connection = self.connections.get(number)
        if connection is None:
            if self.logins is not None:
                self.logins.request(number, frame)
            return
        try:
            lanes = connection.lanes
            if lanes.ends:
                lane = lanes.find(frame)
                if lane is not None and self._take_lane(connection, lane, frame):
                    return
            try:
                header, reader = decode_header(frame, connection.most_elements)
                api_key, api_version = header.api_key, header.api_version
                api = find(connection.role, api_key, self.modules[connection.role])
                if api is None or not api.low <= api_version <= api.high:
                    self._not_served(connection, header)
                    return
                body = decode_body(header, reader)
            except UnsupportedApiVersionError as error:
                self._unsupported(connection, error)
                return
            except (UnknownApiKeyError, MalformedMessage) as error:
                self._close(connection, str(error))
                return
            self.requests[api_key] = self.requests.get(api_key, 0) + 1
            context = self.make_context(connection, header, frame)
            self.env.client = number
            if api.lane is not None and lanes.is_wanted():
                lane = api.lane(context, body, frame)
                if lane is not None:
                    lanes.add(lane)
            outcome = self._call(api, context, body)
            if type(outcome) is GeneratorType:
                self._start(connection, header, api, body, outcome)
            else:
                self.answer(connection, header, outcome)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            self._abort(connection, f"a request of {connection.peer_host}", error)

    def _take_lane(self, connection: ConnectionState, lane: Lane, frame: memoryview) -> bool:
        """Handle a request in a lane; return False if it must take the general way."""
        self.env.client = connection.number
        (correlation_id,) = _correlation_id(frame, _CORRELATION_ID_AT)
        api_key = lane.header.api_key
        try:
            answer: Any = lane.answer(frame, correlation_id)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            answer = self._failure(api_key, lane.header.api_version, lane.request, error)
        if answer is None:
            # The general way validates a refused batch again, as if for the first time.
            self.env.renew_budget()
            return False
        self.requests[api_key] = self.requests.get(api_key, 0) + 1
        kind = type(answer)
        if kind is tuple and not connection.slots:
            self.env.effects.append(_new_reply((connection.number, answer)))
            return True
        header = lane.header._replace(correlation_id=correlation_id)
        if kind is GeneratorType:
            api = find(connection.role, api_key, self.modules[connection.role])
            assert api is not None
            self._start(connection, header, api, lane.request, answer)
        else:
            self.answer(connection, header, answer)
        return True

    def run(self, api: Api, context: Any, body: Any, done: Callable[[Any], None]) -> None:
        """Run the handler of a request without its own connection (inside an Envelope)."""
        outcome = self._call(api, context, body)
        if isinstance(outcome, GeneratorType):
            running = Running(api, context.version, body, outcome, done, self.env.client)
            self._advance(running, partial(next, outcome))
        else:
            done(outcome)

    def _start(
        self,
        connection: ConnectionState,
        header: RequestHeader,
        api: Api,
        body: Any,
        steps: Generator[Step, Any, Any],
    ) -> None:
        """Run a handler that may wait."""
        slot = Slot()
        connection.slots.append(slot)
        done = partial(self._finish, connection, slot, header)
        slot.running = Running(api, header.api_version, body, steps, done, connection.number)
        self._advance(slot.running, partial(next, steps))
        must_wait = (
            header.api_key != _PRODUCE
            or len(connection.slots) >= self.max_in_flight
            or self.env.queued_bytes > _MAX_QUEUED_BYTES
        )
        if must_wait and not slot.done:
            self._mute(connection)

    def answer(self, connection: ConnectionState, header: RequestHeader, response: Any) -> None:
        """Send the response of a handler that did not wait, after those of earlier requests."""
        slots = connection.slots
        if not slots:
            parts = self._encoded(connection, header, response)
            if parts is not None:
                self.env.effects.append(Reply(connection.number, parts))
            return
        slot = Slot()
        slots.append(slot)
        self._finish(connection, slot, header, response)
        if len(slots) >= self.max_in_flight and not connection.closed:
            self._mute(connection)

    def _call(self, api: Api, context: Any, body: Any) -> Any:
        try:
            return api.handler(context, body)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            return self._failure(api.key, context.version, body, error)

    def _failure(self, key: int, version: int, body: Any, error: Exception) -> Any:
        """Return the response to a request whose handler raised."""
        name = ApiKey(key).name
        if isinstance(error, AuthorizerNotReadyError):
            return CLOSE
        if not isinstance(error, KafkaError):
            self.env.contain(f"request {name}", error)
            is_storage = isinstance(error, StorageFault)
            error = KafkaStorageError() if is_storage else UnknownServerError()
        try:
            return failure_response(body, error, version)
        except Exception as unanswerable:  # noqa: BLE001 - the barrier judges it
            self.env.contain(f"the error response to {name}", unanswerable)
            return CLOSE

    def _advance(self, running: Running, step: Callable[[], Step]) -> None:
        """Run a handler to its next wait and park it again, or finish with its response."""
        running.abandon = None
        self.env.client = running.client
        try:
            self._park(running, step())
        except StopIteration as stop:
            running.done(stop.value)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            running.done(self._failure(running.api.key, running.version, running.body, error))

    def _park(self, running: Running, wanted: Step) -> None:
        steps = running.steps
        if running.is_unanswered and (
            isinstance(wanted, Compute)
            or (isinstance(wanted, WaitUntil) and wanted.for_answer_only)
        ):
            # The connection was closed while the request was between two waits.
            steps.close()
            return

        def resume(outcome: Any) -> None:
            self._advance(running, partial(steps.send, outcome))

        def fail(error: Exception) -> None:
            self._advance(running, partial(steps.throw, error))

        if isinstance(wanted, WaitUntil):
            cancel = self.purgatory.park(
                wanted.keys, wanted.settled, wanted.deadline_ms, resume, running.api, fail=fail
            )
            if wanted.for_answer_only:

                def abandon() -> None:
                    cancel()
                    resume(False)

                running.abandon = abandon
        else:
            client = self.env.client
            token = self.env.work(
                wanted.function,
                lambda result, error: resume(result) if error is None else fail(error),
            )

            def drop() -> None:
                if self.env.drop_work(client, token):
                    steps.close()

            running.abandon = drop

    def _finish(
        self, connection: ConnectionState, slot: Slot, header: RequestHeader, response: Any
    ) -> None:
        slot.done = True
        # Breaks a reference cycle (the handler refers to the slot), to free its memory at once.
        slot.running = None
        if connection.closed:
            return
        slot.parts = self._encoded(connection, header, response)
        if connection.closed:
            return
        slots = connection.slots
        while slots and slots[0].done:
            parts = slots.popleft().parts
            if parts is not None:
                self.env.effects.append(Reply(connection.number, parts))
        if connection.muted and not slots:
            connection.muted = False
            self.env.effects.append(Unmute(connection.number))

    def _encoded(
        self, connection: ConnectionState, header: RequestHeader, response: Any
    ) -> Sequence[Part] | None:
        if response is None:
            return None
        if response is CLOSE:
            self._close(
                connection,
                f"{ApiKey(header.api_key).name} failed, and no response can report the error",
            )
            return None
        if type(response) is bytes:
            return (response,)
        if type(response) is tuple:
            # Parts that a lane has encoded.
            return response
        try:
            return encode_response(header.correlation_id, response, header.api_version)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            # A handler's error about a version or a type: close the connection, keep the node.
            self._abort(connection, f"the response to {ApiKey(header.api_key).name}", error)
            return None

    def _unsupported(self, connection: ConnectionState, error: UnsupportedApiVersionError) -> None:
        if error.header.api_key == _API_VERSIONS:
            self._answer_in_version_0(connection, error.header)
        else:
            self._close(connection, str(error))

    def _answer_in_version_0(self, connection: ConnectionState, header: RequestHeader) -> None:
        # KIP-511: a client with newer versions gets the supported versions, in version 0.
        api = find(connection.role, _API_VERSIONS, self.modules[connection.role])
        assert api is not None
        header = header._replace(api_version=0)
        context = self.make_context(connection, header, _NO_FRAME)
        self.answer(connection, header, api.handler(context, None))

    def _not_served(self, connection: ConnectionState, header: RequestHeader) -> None:
        if header.api_key == _API_VERSIONS:
            self._answer_in_version_0(connection, header)
            return
        self._close(
            connection,
            f"{ApiKey(header.api_key).name} version {header.api_version} is not supported on "
            f"listener {connection.listener}",
        )

    def _mute(self, connection: ConnectionState) -> None:
        connection.muted = True
        self.env.effects.append(Mute(connection.number))

    def _abort(self, connection: ConnectionState, what: str, error: Exception) -> None:
        self.env.contain(what, error)
        self._close(connection, f"{what} failed")

    def _close(self, connection: ConnectionState, why: str) -> None:
        _log.warning(
            "closing connection %d from %s: %s", connection.number, connection.peer_host, why
        )
        self.closed(connection.number)
        self.env.effects.append(Disconnect(connection.number))
