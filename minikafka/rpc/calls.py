"""The requests of this node to other nodes that are in flight.

Correlation ids are unique in the node, so that the id alone identifies the call of a response. A
call ends once, with a response or with the reason why there is none. Exception: if the callback
raises on a response, it is called a second time, with that reason. A time-out closes the channel,
since responses arrive in order and those behind the missing one would be late, too.

Source: `NetworkClient`, `InterBrokerSendThread`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from minikafka.common.effects import Channel, CloseChannel, Send
from minikafka.common.environment import Environment
from minikafka.common.timers import Timer
from minikafka.messages.api_keys import ApiKey
from minikafka.protocol.message import ApiMessage
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import correlation_id_of, decode_response, encode_request

_log = logging.getLogger("minikafka.rpc")

OnDone = Callable[[Any | None, str], None]


@dataclass(slots=True, eq=False, repr=False)
class PendingCall:
    """A call that was sent and has no response yet."""

    channel: Channel
    api_key: int
    version: int
    on_done: OnDone
    timer: Timer


@dataclass(slots=True, eq=False, repr=False)
class Calls:
    """All calls of a node that are in flight."""

    env: Environment
    client_id: str
    _pending: dict[int, PendingCall] = field(default_factory=dict)
    _next_id: int = 0

    def send(
        self,
        channel: Channel,
        request: ApiMessage,
        version: int,
        *,
        timeout_ms: int,
        on_done: OnDone,
        client_id: str | None = None,
    ) -> None:
        """Send a request. `on_done(response, "")` or `on_done(None, reason)` is called once, later.

        If `on_done` raises on a response, it is called again, with None. The response and the
        records in it are valid until `on_done` returns.
        """
        self._next_id = call_id = (self._next_id + 1) & 0x7FFFFFFF
        parts = encode_request(call_id, client_id or self.client_id, request, version)
        timer = self.env.after(timeout_ms, lambda: self._timed_out(call_id))
        self._pending[call_id] = PendingCall(channel, request.API_KEY, version, on_done, timer)
        self.env.effects.append(Send(channel, parts))

    def response(self, channel: Channel, frame: memoryview) -> None:
        """Handle a response frame.

        If it cannot be decoded, or its caller raises on it, the channel is closed and the call ends
        without a response.
        """
        try:
            call_id = correlation_id_of(frame)
            pending = self._awaited(call_id, channel)
            _, response = decode_response(frame, pending.api_key, pending.version)
        except MalformedMessage as error:
            _log.warning(
                "closing %s to %s:%d: %s", channel.purpose, channel.host, channel.port, error
            )
            self._fail(channel, str(error))
            return
        del self._pending[call_id]
        pending.timer.cancel()
        try:
            pending.on_done(response, "")
        except Exception as error:  # noqa: BLE001 - `contain` handles it
            api = ApiKey(pending.api_key).name
            what = f"the handling of the {api} response of {channel.host}:{channel.port}"
            self.env.contain(what, error)
            why = f"the response cannot be used: {error!r}"
            self._fail(channel, why)
            pending.on_done(None, why)

    def _fail(self, channel: Channel, why: str) -> None:
        self.env.effects.append(CloseChannel(channel))
        self.channel_down(channel, why)

    def _awaited(self, call_id: int, channel: Channel) -> PendingCall:
        pending = self._pending.get(call_id)
        if pending is None or pending.channel != channel:
            raise MalformedMessage(f"response {call_id} belongs to no request")
        return pending

    def channel_down(self, channel: Channel, reason: str) -> None:
        """End all calls on a channel that is closed."""
        lost = [number for number, pending in self._pending.items() if pending.channel == channel]
        for number in lost:
            pending = self._pending.pop(number, None)
            if pending is not None:
                pending.timer.cancel()
                pending.on_done(None, reason)

    def close(self, channel: Channel) -> None:
        """Close a channel on purpose; its calls end with the reason "closed"."""
        self._fail(channel, "closed")

    def _timed_out(self, call_id: int) -> None:
        pending = self._pending[call_id]
        self._fail(pending.channel, "timed out")
