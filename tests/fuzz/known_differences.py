"""Differences from Apache Kafka that docs/compatibility.md names, by what shows of them in answers."""

from collections.abc import Callable
from typing import NamedTuple

from minikafka.messages.api_keys import ApiKey
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import decode_request

_MAX_CONSUMERS = -1
_ACKS = (-1, 0, 1)
_OF_RECORDS = {
    "INVALID_RECORD", "CORRUPT_MESSAGE", "INVALID_TIMESTAMP", "UNSUPPORTED_COMPRESSION_TYPE",
    "MESSAGE_TOO_LARGE", "INVALID_PRODUCER_EPOCH", "OUT_OF_ORDER_SEQUENCE_NUMBER",
    "INVALID_TOPIC_EXCEPTION",
}  # fmt: skip
_BY_CONTROLLER = (
    ApiKey.CREATE_TOPICS, ApiKey.CREATE_PARTITIONS, ApiKey.DELETE_TOPICS, ApiKey.ELECT_LEADERS,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS, ApiKey.LIST_PARTITION_REASSIGNMENTS,
    ApiKey.UPDATE_FEATURES,
)  # fmt: skip
_ABOUT_GROUPS = (ApiKey.DESCRIBE_GROUPS, ApiKey.OFFSET_DELETE, ApiKey.DELETE_GROUPS)
_OF_RESOURCES = (
    ApiKey.ALTER_CONFIGS, ApiKey.INCREMENTAL_ALTER_CONFIGS, ApiKey.DESCRIBE_CONFIGS,
    ApiKey.CREATE_TOPICS, ApiKey.DELETE_RECORDS,
)  # fmt: skip
_RESOURCE_TYPES = (2, 4, 8, 16, 32)
_OVERFLOWS = ("an array of 4294967295 elements", "is wider than 32 bits")
_AS_REPLICA = (ApiKey.FETCH, ApiKey.LIST_OFFSETS, ApiKey.OFFSET_FOR_LEADER_EPOCH)


class Case(NamedTuple):
    """A frame that was answered differently: the error codes of both, or what else they did."""

    key: int
    body: object
    unreadable: str
    ours: set
    theirs: set


class Known(NamedTuple):
    """`row` is a row of docs/compatibility.md."""

    row: str
    explains: Callable[[Case], bool]


def row_of(frame, ours, theirs):
    """The row that explains a difference; None if there is none."""
    body, unreadable = None, ""
    try:
        body = decode_request(memoryview(frame.data)[4:])[1]
    except (ValueError, MalformedMessage) as error:
        unreadable = str(error)
    case = Case(frame.key, body, unreadable, set(ours.split("+")), set(theirs.split("+")))
    return next((known.row for known in KNOWN if known.explains(case)), None)


def _claims_to_be_a_replica(case):
    if case.body is None or case.key not in _AS_REPLICA:
        return False
    state = getattr(case.body, "replica_state", None)
    claimed = max(case.body.replica_id, -1 if state is None else state.replica_id)
    refusals = {"TOPIC_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED"}
    return claimed > _MAX_CONSUMERS and (case.ours == {"NONE"} or bool(case.ours & refusals))


def _times_out_at_once(case):
    return (
        case.body is not None
        and case.key in _BY_CONTROLLER
        and bool(case.theirs & {"REQUEST_TIMED_OUT", "waits"})
        and case.body.timeout_ms <= 0
    )


def _partitions(case):
    return [
        (topic.name, each.partition_index)
        for topic in case.body.topics
        for each in topic.partitions
    ]


def _reassigns_twice(case):
    if case.body is None or case.key != ApiKey.ALTER_PARTITION_REASSIGNMENTS:
        return False
    named = _partitions(case)
    return len(set(named)) < len(named) and "INVALID_REQUEST" in case.ours


def _fails_in_kafka(case):
    if "UNKNOWN_SERVER_ERROR" in case.theirs:
        return True
    if case.body is None or not case.theirs & {"waits", "closed"}:
        return False
    if case.key == ApiKey.PRODUCE:
        return any(
            each.records is None for topic in case.body.topic_data for each in topic.partition_data
        )
    if case.key == ApiKey.CREATE_PARTITIONS:
        names = [topic.name for topic in case.body.topics]
        return len(set(names)) < len(names)
    return case.key == ApiKey.ALTER_CONFIGS and case.ours == {"INVALID_REQUEST"}


def _has_odd_records(case):
    """Both refuse, or only Kafka accepts."""
    refused = case.ours & {"INVALID_RECORD", "MESSAGE_TOO_LARGE"}
    return case.key == ApiKey.PRODUCE and bool(refused) and "NONE" in case.theirs


def _has_several_faults(case):
    return (
        case.key == ApiKey.PRODUCE
        and bool(case.ours & _OF_RECORDS)
        and bool(case.theirs & _OF_RECORDS)
        and case.ours - _OF_RECORDS == case.theirs - _OF_RECORDS
    )


def _has_odd_acks(case):
    return (
        case.key == ApiKey.PRODUCE and case.body is not None and case.body.acks not in _ACKS
        and case.ours == {"INVALID_REQUIRED_ACKS"}
    )  # fmt: skip


def _has_several_faults_elsewhere(case):
    return (
        case.key in _OF_RESOURCES
        and bool(case.ours - {"NONE"}) and bool(case.theirs - {"NONE"})
        and not (case.ours | case.theirs) & {"waits", "closed", "UNKNOWN_SERVER_ERROR"}
    )  # fmt: skip


def _describes_odd_resources(case):
    return (
        case.key == ApiKey.DESCRIBE_CONFIGS and case.body is not None
        and any(each.resource_type not in _RESOURCE_TYPES for each in case.body.resources)
        and case.theirs == {"INVALID_REQUEST"}
    )  # fmt: skip


def _names_a_partition_twice(case):
    if case.key != ApiKey.PRODUCE or case.body is None:
        return False
    named = [
        (topic.name, topic.topic_id, each.index)
        for topic in case.body.topic_data
        for each in topic.partition_data
    ]
    return len(set(named)) < len(named)


def _wraps(case):
    return case.ours == {"closed"} and any(word in case.unreadable for word in _OVERFLOWS)


def _asks_for_an_empty_group(case):
    return (
        case.key in _ABOUT_GROUPS and "GROUP_ID_NOT_FOUND" in case.ours
        and case.ours - {"GROUP_ID_NOT_FOUND"} <= case.theirs
    )  # fmt: skip


KNOWN = (
    Known(
        "W1",
        lambda case: case.ours == {"closed"} and "'utf-8' codec" in case.unreadable,
    ),
    Known(
        "G1",
        _claims_to_be_a_replica,
    ),
    Known("W3", _times_out_at_once),
    Known("W5", _reassigns_twice),
    Known("W4", _has_odd_acks),
    Known("W2", _fails_in_kafka),
    Known("P3", _has_odd_records),
    Known("B1", _asks_for_an_empty_group),
    Known("W5", _names_a_partition_twice),
    Known("W2", _describes_odd_resources),
    Known("W4", _has_several_faults_elsewhere),
    Known("W1", _wraps),
    Known("W4", _has_several_faults),
)
