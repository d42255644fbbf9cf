"""The wire of a node in tests: its requests, their responses, and a clock run by hand.

`Calls` is the real one: requests and responses pass through bytes.
"""

from random import Random
from typing import Any, NamedTuple

from minikafka.common.clock import Now
from minikafka.common.effects import Channel, Send
from minikafka.common.environment import Environment
from minikafka.rpc.calls import Calls
from minikafka.rpc.controller_channel import ActiveController, ControllerChannel
from minikafka.rpc.envelope import RequestHeader, decode_request, encode_response

CONTROLLER = ("controller", 9093)
WALL_MS = 1_000_000


def take_turn(env, now_ms):
    """A node's work when time has passed: due timers, then one slice of long work."""
    env.spent_us = 0
    work = env.take_later()
    env.timers.fire_due(now_ms)
    if work is not None:
        work()


class Sent(NamedTuple):
    """One request on its way."""

    channel: Channel
    header: RequestHeader
    body: Any


class Wire:
    """The other side of every channel of a node."""

    def __init__(self):
        self.env = Environment(Random(1))
        self.wall_ms = WALL_MS
        self.at(0)
        self.calls = Calls(self.env, "test")
        self.controller = CONTROLLER
        self.others = []

    def at(self, monotonic_ms):
        self.env.clock.set(Now(monotonic_ms, monotonic_ms + self.wall_ms))

    @property
    def now_ms(self):
        return self.env.clock.monotonic_ms

    def run(self, for_ms=0):
        """Let time pass; what is due happens at its time."""
        until = self.now_ms + for_ms
        while True:
            due = self.env.next_deadline_ms()
            if due is None or due > until:
                break
            self.at(due)
            take_turn(self.env, due)
        self.at(until)

    def sent(self, for_ms=0):
        """The requests that were sent since the last call; other effects go to `others`."""
        self.run(for_ms)
        effects, self.env.effects = self.env.effects, []
        found = []
        for effect in effects:
            if isinstance(effect, Send):
                frame = memoryview(b"".join(bytes(part) for part in effect.parts))[4:]
                found.append(Sent(effect.channel, *decode_request(frame)))
            else:
                self.others.append(effect)
        return found

    def one(self, for_ms=0):
        """The only request that was sent."""
        (sent,) = self.sent(for_ms)
        return sent

    def answer(self, sent, response):
        header = sent.header
        parts = encode_response(header.correlation_id, response, header.api_version)
        frame = bytearray(b"".join(bytes(part) for part in parts))
        self.calls.response(sent.channel, memoryview(frame)[4:])

    @property
    def leader_address(self):
        return self.controller

    def controller_channel(self, purpose="p", request_timeout_ms=1000):
        return ControllerChannel(
            self.env,
            self.calls,
            ActiveController(self.calls, self),
            purpose,
            request_timeout_ms,
        )
