"""Valid answers to an odd frame."""

from minikafka.messages.api_keys import APIS, ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import decode_request, decode_response, encode_request
from tests.fuzz.frames import SERVED

PEER = "fuzz"
PROBE = 1 << 30
"""The correlation id of the last request of a connection."""


class FaultFoundError(AssertionError):
    """A property does not hold."""


def probe():
    """An ApiVersions request: answers keep their order, so its answer is the last."""
    request = ApiVersionsRequest("fuzz", "1")
    return b"".join(bytes(part) for part in encode_request(PROBE, PEER, request, 3))


def read_answer(frame, data):
    """The body of an answer, size in front, in the version that its frame asked for."""
    version = frame.version
    info = APIS.get(frame.key)
    if info is None:
        raise FaultFoundError(f"an answer to an unknown API: {frame}")
    if not is_served(frame):
        if frame.key != ApiKey.API_VERSIONS:
            raise FaultFoundError(f"an answer to an unknown version: {frame}")
        version = 0
    return decode_response(memoryview(data)[4:], frame.key, version)[1]


def is_served(frame):
    """True if some listener advertises the API and version of a frame."""
    return any((key, version) == (frame.key, frame.version) for _, key, version in SERVED)


def is_unacknowledged(frame):
    """True for a Produce with acks=0."""
    body = decoded(frame)
    return body is not None and frame.key == ApiKey.PRODUCE and body.acks == 0


def decoded(frame):
    """The body of a frame; None if it is not a request."""
    try:
        return decode_request(memoryview(frame.data)[4:])[1]
    except (ValueError, MalformedMessage):
        return None


def takes_away_a_broker(frame):
    """True for what an operator or a broker may ask for, and what no broker undoes by itself."""
    body = decoded(frame)
    if body is None:
        return False
    if frame.key == ApiKey.BROKER_HEARTBEAT:
        # The controlled shutdown of an incarnation cannot be taken back.
        return body.want_shut_down
    return frame.key == ApiKey.UNREGISTER_BROKER and 0 < body.broker_id <= 3


def longest_wait_ms(body):
    """The longest time that a request names."""
    times = [
        getattr(body, name)
        for name in type(body).__slots__
        if name.endswith("_ms") and type(getattr(body, name)) is int
    ]
    return max(times, default=0)
