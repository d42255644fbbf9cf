"""A dispatcher with an environment, and frames of requests."""

from random import Random
from types import SimpleNamespace

from minikafka.common.effects import Channel, Reply
from minikafka.common.environment import Environment
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.produce import ProduceRequest
from minikafka.node import dispatcher as module
from minikafka.node.dispatcher import Dispatcher
from minikafka.node.purgatory import Purgatory
from minikafka.rpc.calls import Calls
from minikafka.rpc.envelope import correlation_id_of, decode_response, encode_request
from minikafka.serving.registry import BROKER, Api
from minikafka.serving.steps import wait_until

PEER = Channel("h", 1, "p")
HEARTBEAT_VERSION = 4


class DispatcherWorld:
    """A dispatcher whose handlers the test gives."""

    def __init__(self, monkeypatch):
        self.env = Environment(Random(1))
        self.calls = Calls(self.env, "me")
        self.purgatory = Purgatory(self.env)
        self.apis = {}
        self.contexts = []
        monkeypatch.setattr(module, "find", lambda role, key, modules: self.apis.get(key))
        self.dispatcher = Dispatcher(
            self.env, self.purgatory, {BROKER: {}}, max_in_flight=3,
            node_listeners=["NODES"], make_context=self.context,
        )  # fmt: skip
        self.dispatcher.opened(1, "PLAINTEXT", BROKER, "peer")
        self.settled = dict.fromkeys("abcdefgh", False)

    def context(self, connection, header, frame):
        self.contexts.append((connection.number, header, bytes(frame)))
        return SimpleNamespace(version=header.api_version)

    def serve(self, key, handler, low=0, high=20):
        self.apis[int(key)] = Api(int(key), low, high, handler)

    def parks(self, key, response, name="a", ms=1000):
        """Serve an API by waiting for `name`."""

        def handler(_, __):
            yield from wait_until([name], lambda: self.settled[name], ms)
            return response

        self.serve(key, handler)

    def settle(self, name):
        self.settled[name] = True
        self.env.notify(name)
        self.purgatory.drain()

    def frame(self, number, body, version):
        parts = encode_request(number, "client", body, version)
        return memoryview(b"".join(parts))[4:]

    def ask(self, number, body, version, connection=1):
        self.dispatcher.request(connection, self.frame(number, body, version))

    def heartbeat(self, number):
        self.ask(number, HeartbeatRequest("g", 1, "m"), HEARTBEAT_VERSION)

    def produce(self, number):
        self.ask(number, ProduceRequest(acks=-1, timeout_ms=1000), 9)

    def take(self):
        effects, self.env.effects = self.env.effects, []
        return effects

    def answered(self):
        """Correlation ids of the answers, in order; anything else stands as the effect it is."""
        return [
            correlation_id_of(memoryview(b"".join(x.parts))[4:]) if isinstance(x, Reply) else x
            for x in self.take()
        ]

    def response(self, key, version):
        (reply,) = self.take()
        return decode_response(memoryview(b"".join(reply.parts))[4:], key, version)


def api_versions_frame(number, version):
    encoded = min(version, ApiVersionsRequest.MAX_VERSION)
    frame = bytearray(
        b"".join(encode_request(number, "c", ApiVersionsRequest("a", "1"), encoded))[4:]
    )
    frame[2:4] = version.to_bytes(2, "big")
    return memoryview(frame)
