"""The dispatcher of a node into whose answers faults are injected.

It does what any dispatcher does, and differs in the requests that a fault hits. While a fault is
set, no request takes a lane, so that none passes a fault. The order of the responses of a
connection is that of the protocol: each fault acts at the place of its request.
"""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from types import GeneratorType
from typing import Any

from minikafka.common.effects import Disconnect, Part, Reply, Reset
from minikafka.faults.answers import DEFERRED, INJECT, Call, hits, is_about, owned
from minikafka.faults.endings import (
    HANG_UP,
    RESET,
    HalfAnswer,
    HalfParts,
    ThrottledAnswer,
    first_half,
)
from minikafka.faults.fetch_partitions import FetchPartitions
from minikafka.faults.matching import (
    ActiveFault,
    CallCounter,
    FaultSet,
    NodeCounter,
    asker_of,
)
from minikafka.faults.vocabulary import AnswerFault
from minikafka.messages.api_keys import ApiKey
from minikafka.metadata.image import MetadataImage
from minikafka.node.dispatcher import ConnectionState, Dispatcher, Slot
from minikafka.node.node import Node
from minikafka.rpc.envelope import RequestHeader
from minikafka.serving.lanes import Lane
from minikafka.serving.registry import Api
from minikafka.serving.steps import Steps, wait_until

Faults = tuple[ActiveFault, ...]


class FaultyDispatcher(Dispatcher):
    """A dispatcher with a set of faults."""

    def __init__(
        self, usual: Dispatcher, image: Callable[[], MetadataImage], fetches: FetchPartitions
    ) -> None:
        """Take the place of a dispatcher, with its connections."""
        super().__init__(
            usual.env,
            usual.purgatory,
            usual.modules,
            usual.max_in_flight,
            usual.node_listeners,
            usual.make_context,
            usual.connections,
            usual.requests,
            usual.failed_authentications,
            usual.logins,
        )
        self.faults = FaultSet()
        self._image = image
        self._fetches = fetches
        self._adopt_calls()

    def _adopt_calls(self) -> None:
        """Finish the calls that wait, too: the answers of later ones may follow theirs."""
        for connection in self.connections.values():
            for slot in connection.slots:
                done = None if slot.running is None else slot.running.done
                if isinstance(done, partial):
                    slot.running.done = partial(self._finish, *done.args)  # type: ignore[union-attr]

    def set_faults(
        self,
        faults: Sequence[AnswerFault],
        counter_of: Callable[[AnswerFault], CallCounter] = lambda _: NodeCounter(),
    ) -> None:
        """Set these faults and no others; the node's next step ends the waits of the others.

        Raises:
            FaultError: there are too many, or two have one id.
        """
        self.faults.replace(faults, self._image(), self.env.notify, counter_of)
        self._fetches.prune()

    def _take_lane(self, connection: ConnectionState, lane: Lane, frame: memoryview) -> bool:
        if self.faults.active or self._fetches.withheld:
            return False
        return super()._take_lane(connection, lane, frame)

    def _call(self, api: Api, context: Any, body: Any) -> Any:
        if body is not None:
            if api.key == ApiKey.FETCH:
                body = self._fetches.returned(body)
            faults = self.faults.by_api.get(api.key)
            if faults:
                return self._pass(faults, api, context, body)
        return super()._call(api, context, body)

    def _pass(self, faults: Faults, api: Api, context: Any, body: Any) -> Any:
        """Pass a request to the first fault that hits it, or to the handler."""
        for place, active in enumerate(faults):
            if not self._is_for(active, api, context, body):
                continue
            if active.fault.kind not in DEFERRED and not hits(active, context):
                continue
            handle = partial(self._handle, faults[place + 1 :], api, context, body)
            call = self._call_of(api, context, handle)
            return INJECT[active.fault.kind](active, call, body)
        return super()._call(api, context, body)

    def _handle(
        self, faults: Faults, api: Api, context: Any, before: Any, body: Any
    ) -> Generator[Any, Any, Any]:
        """Handle what a fault has left of a request."""
        if body is not before:
            body = owned(body, self._call_of(api, context, _no_handler))
        outcome = self._pass(faults, api, context, body)
        if type(outcome) is GeneratorType:
            outcome = yield from outcome
        return outcome

    def _is_for(self, active: ActiveFault, api: Api, context: Any, body: Any) -> bool:
        if active.is_removed or not active.matches_call(
            api.role, context.version, context.client_id, asker_of(body)
        ):
            return False
        return is_about(active, self._call_of(api, context, _no_handler), body)

    def _call_of(
        self, api: Api, context: Any, handle: Callable[[Any], Generator[Any, Any, Any]]
    ) -> Call:
        number = self.env.client

        def mute() -> None:
            connection = self.connections.get(number)  # type: ignore[call-overload]
            if connection is not None and not connection.muted:
                self._mute(connection)

        return Call(api, context, handle, mute, self._image, self._fetches)

    # Answers

    def _encoded(
        self, connection: ConnectionState, header: RequestHeader, response: Any
    ) -> Sequence[Part] | None:
        if type(response) is HalfAnswer:
            parts = super()._encoded(connection, header, response.response)
            return None if parts is None else first_half(parts)
        if type(response) is ThrottledAnswer:
            parts = super()._encoded(connection, header, response.response)
            if not connection.closed:
                self._pause(connection, header, response)
            return parts
        if response is HANG_UP or response is RESET:
            self._end(connection, is_reset=response is RESET)
            return None
        return super()._encoded(connection, header, response)

    def _finish(
        self, connection: ConnectionState, slot: Slot, header: RequestHeader, response: Any
    ) -> None:
        effects = self.env.effects
        before = len(effects)
        super()._finish(connection, slot, header, response)
        for place in range(before, len(effects)):
            effect = effects[place]
            if type(effect) is Reply and type(effect.parts) is HalfParts:
                # What follows on this connection would be read as the rest of the answer.
                del effects[place + 1 :]
                self._end(connection, is_reset=False)
                return

    def _pause(
        self, connection: ConnectionState, header: RequestHeader, throttled: ThrottledAnswer
    ) -> None:
        """Let a call without an answer take its place behind the answer, for the fault's time."""
        active = throttled.active
        deadline_ms = self.env.clock.monotonic_ms + active.fault.ms

        def pause() -> Steps[None]:
            yield from wait_until(
                [active.key], lambda: active.is_removed, deadline_ms, for_answer_only=True
            )

        self._start(connection, header, throttled.api, None, pause())
        if connection.slots and not connection.muted:
            # `_start` lets the requests behind a Produce request in.
            self._mute(connection)

    def _end(self, connection: ConnectionState, *, is_reset: bool) -> None:
        self.closed(connection.number)
        end = Reset if is_reset else Disconnect
        self.env.effects.append(end(connection.number))


def _no_handler(_: Any) -> Generator[Any, Any, Any]:
    raise AssertionError("a call that is only judged is not handled")
    yield


def install(node: Node) -> FaultyDispatcher:
    """Let faults be set in a node, which may run already."""
    sessions = None if node.broker is None else node.broker.fetch_sessions
    loader = node.loader
    faulty = FaultyDispatcher(node.dispatcher, lambda: loader.image, FetchPartitions(sessions))
    node.dispatcher = faulty
    return faulty
