"""From request frames to handlers and back: decoding, running, parking, ordered answers.

Answers of one connection leave in the order of its requests. While a request other than Produce is
parked, no further request of its connection is taken in (as Kafka mutes a channel while it works);
Produce requests may be in flight together, up to `queued.max.requests` of them, since their order
in the log is fixed when they arrive.

Source: `SocketServer`, `KafkaRequestHandler`, `RequestChannel`.
"""

import logging
from collections import deque
from collections.abc import Callable, Collection, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import GeneratorType
from typing import Any

from minikafka.apis._failures import failure_response
from minikafka.apis._registry import Api, find
from minikafka.apis._steps import CLOSE, CallFailed, Compute, Step, WaitUntil
from minikafka.common.effects import Disconnect, Mute, Part, Reply, Unmute
from minikafka.common.environment import Environment
from minikafka.common.errors import KafkaError, KafkaStorageError, UnknownServerError
from minikafka.common.faults import StorageFault
from minikafka.messages.api_keys import ApiKey
from minikafka.node.purgatory import Purgatory
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.calls import Calls
from minikafka.rpc.envelope import (
    MAX_CLIENT_REQUEST_ELEMENTS,
    MAX_REQUEST_ELEMENTS,
    RequestHeader,
    UnknownApiKeyError,
    UnsupportedApiVersionError,
    decode_request,
    encode_response,
)

_log = logging.getLogger("minikafka.node")
_PRODUCE = int(ApiKey.PRODUCE)
_API_VERSIONS = int(ApiKey.API_VERSIONS)
# More is queued by no connection before what it has queued is appended.
_MOST_QUEUED_BYTES = 64 * 1024 * 1024
_NO_FRAME = memoryview(b"")

MakeContext = Callable[["ConnectionState", RequestHeader, memoryview], Any]


@dataclass(slots=True)
class Slot:
    """The place of one request in the order of its connection's answers."""

    running: "Running | None" = None
    done: bool = False
    parts: Sequence[Part] | None = None


@dataclass(slots=True)
class Running:
    """A handler that waits; `done` gets its response."""

    api: Api
    body: Any
    steps: Generator[Step, Any, Any]
    done: Callable[[Any], None]
    client: Hashable
    """On whose behalf it runs: `Environment.client`."""
    abandon: Callable[[], None] | None = None
    """Ends the wait as its deadline would, where it is for the answer only."""
    is_unanswered: bool = False
    """Its connection is gone."""


@dataclass(slots=True)
class ConnectionState:
    """What the node knows of a connection. `slots` is empty while nothing is parked."""

    number: int
    listener: str
    role: str
    peer_host: str
    most_elements: int
    """Of the arrays of one request."""
    slots: deque[Slot] = field(default_factory=deque)
    muted: bool = False
    closed: bool = False


@dataclass(slots=True)
class Dispatcher:
    """Runs handlers. `modules` is, by role, where the file of each API is, and its versions.

    `node_listeners` are those that other nodes use.
    """

    env: Environment
    calls: Calls
    purgatory: Purgatory
    modules: dict[str, dict[int, tuple[str, int, int]]]
    max_in_flight: int
    node_listeners: Collection[str]
    make_context: MakeContext = field(init=False)
    connections: dict[int, ConnectionState] = field(default_factory=dict)
    requests: dict[int, int] = field(default_factory=dict)

    def opened(self, number: int, listener: str, role: str, peer_host: str) -> None:
        """A connection is there."""
        is_for_nodes = listener in self.node_listeners
        most_elements = MAX_REQUEST_ELEMENTS if is_for_nodes else MAX_CLIENT_REQUEST_ELEMENTS
        self.connections[number] = ConnectionState(number, listener, role, peer_host, most_elements)

    def closed(self, number: int) -> None:
        """A connection is gone; what is parked for it runs to its end, unanswered.

        A computation for an answer ends if it was not begun: nothing is written after one.
        A client names how long a fetch may wait, up to 24 days: nothing waits for so long for
        nobody.
        """
        connection = self.connections.pop(number, None)
        if connection is None:
            return
        connection.closed = True
        for slot in list(connection.slots):
            if slot.running is not None:
                slot.running.is_unanswered = True
                if slot.running.abandon is not None:
                    slot.running.abandon()
        connection.slots.clear()

    def request(self, number: int, frame: memoryview) -> None:
        """A request arrived.

        Whatever goes wrong with it is answered, or closes its connection; see
        `Environment.contain` for what does not end here.
        """
        connection = self.connections.get(number)
        if connection is None:
            return
        try:
            try:
                header, body = decode_request(frame, connection.most_elements)
            except UnsupportedApiVersionError as error:
                self._unsupported(connection, error)
                return
            except (UnknownApiKeyError, MalformedMessage) as error:
                self._close(connection, str(error))
                return
            api_key, api_version = header.api_key, header.api_version
            api = find(connection.role, api_key, self.modules[connection.role])
            if api is None or not api.low <= api_version <= api.high:
                self._not_served(connection, header)
                return
            self.requests[api_key] = self.requests.get(api_key, 0) + 1
            context = self.make_context(connection, header, frame)
            self.env.client = number
            outcome = self._call(api, context, body)
            if type(outcome) is GeneratorType:
                self._start(connection, header, api, body, outcome)
            else:
                self._answer(connection, header, outcome)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            self._give_up(connection, f"a request of {connection.peer_host}", error)

    def run(self, api: Api, context: Any, body: Any, done: Callable[[Any], None]) -> None:
        """Run a handler that has no connection of its own (a request inside an Envelope)."""
        outcome = self._call(api, context, body)
        if isinstance(outcome, GeneratorType):
            running = Running(api, body, outcome, done, self.env.client)
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
        """Run a handler that may have to wait."""
        slot = Slot()
        connection.slots.append(slot)
        done = partial(self._finish, connection, slot, header)
        slot.running = Running(api, body, steps, done, connection.number)
        self._advance(slot.running, partial(next, steps))
        must_wait = (
            header.api_key != _PRODUCE
            or len(connection.slots) >= self.max_in_flight
            or self.env.queued_bytes > _MOST_QUEUED_BYTES
        )
        if must_wait and not slot.done:
            self._mute(connection)

    def _answer(self, connection: ConnectionState, header: RequestHeader, response: Any) -> None:
        """Answer a request that need not wait: now, or behind those that do."""
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
            return self._failure(api, body, error)

    def _failure(self, api: Api, body: Any, error: Exception) -> Any:
        """The answer to a request whose handler raised."""
        name = ApiKey(api.key).name
        if not isinstance(error, KafkaError):
            self.env.contain(f"request {name}", error)
            is_storage = isinstance(error, StorageFault)
            error = KafkaStorageError() if is_storage else UnknownServerError()
        try:
            return failure_response(body, error)
        except Exception as unanswerable:  # noqa: BLE001 - the barrier judges it
            self.env.contain(f"the refusal of {name}", unanswerable)
            return CLOSE

    def _advance(self, running: Running, step: Callable[[], Step]) -> None:
        """Take a handler one step on; park it again, or finish with its response."""
        running.abandon = None
        self.env.client = running.client
        try:
            self._park(running, step())
        except StopIteration as stop:
            running.done(stop.value)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            running.done(self._failure(running.api, running.body, error))

    def _park(self, running: Running, wanted: Step) -> None:
        steps = running.steps
        if running.is_unanswered and (
            isinstance(wanted, Compute)
            or (isinstance(wanted, WaitUntil) and wanted.for_answer_only)
        ):
            # The client left while its request was between two waits.
            steps.close()
            return

        def resume(outcome: Any) -> None:
            self._advance(running, partial(steps.send, outcome))

        def fail(error: Exception) -> None:
            self._advance(running, partial(steps.throw, error))

        if isinstance(wanted, WaitUntil):
            give_up = self.purgatory.park(
                wanted.keys, wanted.settled, wanted.deadline_ms, resume, running.api, fail=fail
            )
            if wanted.for_answer_only:

                def abandon() -> None:
                    give_up()
                    resume(False)

                running.abandon = abandon
        elif isinstance(wanted, Compute):
            client = self.env.client
            token = self.env.work(
                wanted.function,
                lambda result, error: resume(result) if error is None else fail(error),
            )

            def drop() -> None:
                if self.env.drop_work(client, token):
                    steps.close()

            running.abandon = drop
        else:
            self.calls.send(
                wanted.channel,
                wanted.request,
                wanted.version,
                timeout_ms=wanted.timeout_ms,
                on_done=lambda response, why: resume(
                    CallFailed(why) if response is None else response
                ),
            )

    def _finish(
        self, connection: ConnectionState, slot: Slot, header: RequestHeader, response: Any
    ) -> None:
        slot.done = True
        # What ran refers to the slot: without a cycle its memory is let go of at once.
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
                connection, f"{ApiKey(header.api_key).name} failed, and no answer can say so"
            )
            return None
        if type(response) is bytes:
            return (response,)
        try:
            return encode_response(header.correlation_id, response, header.api_version)
        except Exception as error:  # noqa: BLE001 - the barrier judges it
            # A handler's mistake about a version or a type: its client goes, the node stays.
            self._give_up(connection, f"the answer to {ApiKey(header.api_key).name}", error)
            return None

    def _unsupported(self, connection: ConnectionState, error: UnsupportedApiVersionError) -> None:
        if error.header.api_key == _API_VERSIONS:
            self._answer_in_version_0(connection, error.header)
        else:
            self._close(connection, str(error))

    def _answer_in_version_0(self, connection: ConnectionState, header: RequestHeader) -> None:
        # KIP-511: a client that knows more than this node learns what it may use, in version 0.
        api = find(connection.role, _API_VERSIONS, self.modules[connection.role])
        assert api is not None
        header = header._replace(api_version=0)
        context = self.make_context(connection, header, _NO_FRAME)
        self._answer(connection, header, api.handler(context, None))

    def _not_served(self, connection: ConnectionState, header: RequestHeader) -> None:
        if header.api_key == _API_VERSIONS:
            self._answer_in_version_0(connection, header)
            return
        self._close(
            connection,
            f"{ApiKey(header.api_key).name} version {header.api_version} is not served on listener "
            f"{connection.listener}",
        )

    def _mute(self, connection: ConnectionState) -> None:
        connection.muted = True
        self.env.effects.append(Mute(connection.number))

    def _give_up(self, connection: ConnectionState, what: str, error: Exception) -> None:
        self.env.contain(what, error)
        self._close(connection, f"{what} failed")

    def _close(self, connection: ConnectionState, why: str) -> None:
        _log.warning(
            "closing connection %d from %s: %s", connection.number, connection.peer_host, why
        )
        self.closed(connection.number)
        self.env.effects.append(Disconnect(connection.number))
