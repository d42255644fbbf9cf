"""The effect of each kind of fault on a call.

Each kind is a generator that returns what the dispatcher sends. It handles the request, if at all,
through `Call.handle`, which passes it to the faults behind this one and at last to the API's
handler.
"""

import logging
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from minikafka.common.errors import ErrorCode, UnknownServerError, error_of
from minikafka.common.file_slice import FileSlice
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.faults.endings import (
    HANG_UP,
    RESET,
    Ending,
    HalfAnswer,
    ThrottledAnswer,
    corrupted,
)
from minikafka.faults.fetch_partitions import FetchPartitions
from minikafka.faults.matching import ActiveFault, named_topic
from minikafka.faults.partition_lists import (
    Matches,
    TakenTopic,
    answered_partitions,
    is_empty,
    put_errors,
    taken_topics,
)
from minikafka.faults.stale_leaders import name_broker, name_leader, stale_partitions
from minikafka.messages.api_keys import ApiKey, response_class
from minikafka.metadata.image import MetadataImage
from minikafka.protocol.primitives import Reader
from minikafka.rpc.envelope import (
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)
from minikafka.serving.encoded import EncodedResponse
from minikafka.serving.failures import failure_response
from minikafka.serving.registry import Api
from minikafka.serving.steps import CLOSE, FOREVER_MS, Steps, wait_until

_log = logging.getLogger("minikafka.faults")
DEFERRED: Final = ("corrupt", "stale_leader")
"""The kinds that hit an answer only if they find something in it to change."""
_SESSIONS_FROM = 7
_FETCH_ERRORS: Final = (
    ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
)
"""The errors that a Fetch response has for the whole request; any other is for each partition."""


@dataclass(slots=True, eq=False)
class Call:
    """One request that faults hit, with the parts of the node that they need.

    `handle` runs the rest; `mute` stops reading from the connection until there is an answer.
    """

    api: Api
    context: Any
    handle: Callable[[Any], Generator[Any, Any, Any]]
    mute: Callable[[], None]
    image: Callable[[], MetadataImage]
    fetches: FetchPartitions

    @property
    def version(self) -> int:
        """The version of the request."""
        return int(self.context.version)

    def matches(self, active: ActiveFault) -> Matches:
        """Return the test of a fault for topics, by name or id."""
        image = self.image()

        def matches(name: str, topic_id: Uuid, index: int | None) -> bool:
            return active.matches_topic(*named_topic(image, name, topic_id), index)

        return matches


def hits(active: ActiveFault, context: Any) -> bool:
    """Count a call that a fault is for; return True if the fault hits it."""
    if not active.fires():
        return False
    _log.info("%s: hit %d, client %r", active.fault, active.hits, context.client_id)
    return True


def is_about(active: ActiveFault, call: Call, body: Any) -> bool:
    """Return True if a request names the topic and partition of a fault, or all topics."""
    fault = active.fault
    matches = call.matches(active)
    if body.API_KEY == ApiKey.FETCH and (fault.topic is not None or _is_by_partition(active)):
        about = call.fetches.of(body)
        return any(matches(key.topic, key.topic_id, key.partition) for key in about)
    if fault.topic is None:
        return True
    if _names_all(body, call.version):
        return _known_topic(active, call) is not None
    return bool(taken_topics(body, call.version, matches)[1])


def _is_by_partition(active: ActiveFault) -> bool:
    fault = active.fault
    return fault.kind == "error" and fault.code not in _FETCH_ERRORS


def _error(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    fault = active.fault
    error = error_of(fault.code)
    if fault.topic is not None or (body.API_KEY == ApiKey.FETCH and _is_by_partition(active)):
        return (yield from _error_of_partitions(active, call, body))
    if fault.after:
        response = yield from call.handle(body)
        if isinstance(response, Ending):
            return response
    failure = failure_response(body, error, call.version)
    if body.API_KEY == ApiKey.FETCH and call.version >= _SESSIONS_FROM:
        # An error of the session names no partitions.
        failure.responses = []
    return failure


def _error_of_partitions(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    fault, version = active.fault, call.version
    rest, taken = _split(active, call, body)
    if rest is not body and body.API_KEY not in _NEVER_SKIPPED and is_empty(rest, version):
        response: Any = response_class(body.API_KEY)()
    else:
        response = plain((yield from call.handle(rest)), call)
    if body.API_KEY == ApiKey.PRODUCE and body.acks == 0:
        # As Kafka: a client that wants no answer learns of an error by a closed connection.
        return CLOSE
    if response is CLOSE or isinstance(response, Ending):
        return response
    if body.API_KEY == ApiKey.FETCH:
        if response.error_code:
            return response
        if fault.after:
            call.fetches.look_again(response.session_id, call.matches(active))
        else:
            call.fetches.opened(body, response.session_id, taken)
    elif body.API_KEY == ApiKey.METADATA and rest is not body and not rest.topics:
        # Version 0 describes all topics if the request names none.
        response.topics = []
    put_errors(response, version, taken, error_of(fault.code))
    return response


def _split(active: ActiveFault, call: Call, body: Any) -> tuple[Any, list[TakenTopic]]:
    """Return the request to handle, and what the fault takes of it; all is handled with `after`."""
    fault = active.fault
    matches = call.matches(active)
    if body.API_KEY == ApiKey.FETCH:
        return (
            (body, _all_of_fetch(call, body, matches))
            if fault.after
            else call.fetches.take(body, matches)
        )
    if body.API_KEY in DESCRIBING and (
        fault.partition is not None or _names_all(body, call.version)
    ):
        return body, _taken_of_description(active, call)
    rest, taken = taken_topics(body, call.version, matches)
    return (body if fault.after else rest), taken


_NEVER_SKIPPED: Final = (ApiKey.FETCH, ApiKey.METADATA)
"""The APIs whose answers have more than the results of the topics that the request names."""
DESCRIBING: Final = (ApiKey.METADATA, ApiKey.DESCRIBE_TOPIC_PARTITIONS)
"""The APIs whose requests name topics, or none for all, and whose answers have partitions."""


def _names_all(body: Any, version: int) -> bool:
    if body.API_KEY == ApiKey.METADATA:
        return body.topics is None or (version == 0 and not body.topics)
    return body.API_KEY == ApiKey.DESCRIBE_TOPIC_PARTITIONS and not body.topics


def _known_topic(active: ActiveFault, call: Call) -> tuple[str, Uuid] | None:
    for topic in call.image().topics.values():
        if active.matches_topic(topic.name, topic.topic_id, None):
            return topic.name, topic.topic_id
    return None


def _taken_of_description(active: ActiveFault, call: Call) -> list[TakenTopic]:
    known = _known_topic(active, call)
    if known is None:
        return []
    partition = active.fault.partition
    indexes = None if partition is None else [partition]
    return [TakenTopic(None, *known, indexes, keeps=True)]


def _all_of_fetch(call: Call, body: Any, matches: Matches) -> list[TakenTopic]:
    return [
        TakenTopic(None, key.topic, key.topic_id or ZERO_UUID, [key.partition])
        for key in call.fetches.of(body)
        if matches(key.topic, key.topic_id, key.partition)
    ]


def _delay(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    deadline_ms = call.context.deadline_ms(active.fault.ms)
    if active.fault.after:
        response = frozen((yield from call.handle(body)), call)
        yield from wait_until(
            [active.key], lambda: active.is_removed, deadline_ms, for_answer_only=True
        )
        return response
    body = owned(body, call)
    call.mute()
    yield from wait_until([active.key], lambda: active.is_removed, deadline_ms)
    return (yield from call.handle(body))


def _drop(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    call.mute()
    if active.fault.after:
        yield from call.handle(body)
    yield from wait_until([active.key], lambda: active.is_removed, FOREVER_MS, for_answer_only=True)
    return HANG_UP


def _half(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    if active.fault.after:
        response = yield from call.handle(body)
    else:
        response = failure_response(body, UnknownServerError(), call.version)
    if response is None or response is CLOSE or isinstance(response, Ending):
        return HANG_UP
    return HalfAnswer(response)


def _end(ending: Ending) -> Callable[[ActiveFault, Call, Any], Steps[Any]]:
    def end(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
        if active.fault.after:
            yield from call.handle(body)
        return ending

    return end


def _throttle(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    response = plain((yield from call.handle(body)), call)
    if response is CLOSE or isinstance(response, Ending):
        return response
    if response is not None:
        response.throttle_time_ms = max(response.throttle_time_ms, active.fault.ms)
    return ThrottledAnswer(response, call.api, active)


def _corrupt(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    response = plain((yield from call.handle(body)), call)
    if response is None or response is CLOSE or isinstance(response, Ending):
        return response
    matches = call.matches(active)
    for name, topic_id, entry in answered_partitions(response, call.version):
        if not matches(name, topic_id, entry.partition_index):
            continue
        changed = corrupted(entry.records)
        if changed is not None:
            if hits(active, call.context):
                entry.records = changed
            break
    return response


def _stale_leader(active: ActiveFault, call: Call, body: Any) -> Steps[Any]:
    response = plain((yield from call.handle(body)), call)
    if response is None or response is CLOSE or isinstance(response, Ending):
        return response
    now = call.image()
    stale = list(stale_partitions(response, call.version, call.matches(active), active.image, now))
    if stale and hits(active, call.context):
        for entry, leader, epoch in stale:
            name_leader(entry, leader, epoch)
            name_broker(response, leader, call.context.listener, now)
    return response


INJECT: Final[Mapping[str, Callable[[ActiveFault, Call, Any], Steps[Any]]]] = {
    "error": _error,
    "delay": _delay,
    "drop": _drop,
    "half": _half,
    "close": _end(HANG_UP),
    "reset": _end(RESET),
    "throttle": _throttle,
    "corrupt": _corrupt,
    "stale_leader": _stale_leader,
}


def plain(response: Any, call: Call) -> Any:
    """Return a response as a message, if a cache or another node has encoded it."""
    kind = type(response)
    if kind is bytes:
        return decode_response(memoryview(response)[4:], call.context.api_key, call.version)[1]
    if kind is EncodedResponse:
        return response_class(response.API_KEY).decode(Reader(response.body), call.version)
    return response


def frozen(response: Any, call: Call) -> Any:
    """Return a response that stays valid when the memory of its request is used again."""
    if response is None or response is CLOSE or isinstance(response, Ending | bytes | tuple):
        return response
    parts = encode_response(call.context.correlation_id, response, call.version)
    return tuple(part if isinstance(part, FileSlice) else bytes(part) for part in parts)


def owned(body: Any, call: Call) -> Any:
    """Return a request that stays valid when its memory is used again."""
    context = call.context
    parts = encode_request(context.correlation_id, context.client_id, body, call.version)
    frame = memoryview(b"".join(bytes(part) for part in parts))[4:]  # type: ignore[arg-type]
    if hasattr(context, "frame"):
        # A broker forwards the bytes of a request.
        context.frame = frame
    return decode_request(frame)[1]
