# Generated from schemas/errors.toml by tools/generate_messages.py. Do not edit.
"""Kafka's errors: codes for responses, and exceptions that abort a request.

An error that code here raises has a class; the others are rows, whose classes `error_of` makes.
"""

from enum import IntEnum
from typing import ClassVar, Final


class ErrorCode(IntEnum):
    """The number that a response carries. Zero is success."""

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    CORRUPT_MESSAGE = 2
    UNKNOWN_TOPIC_OR_PARTITION = 3
    INVALID_FETCH_SIZE = 4
    LEADER_NOT_AVAILABLE = 5
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    BROKER_NOT_AVAILABLE = 8
    REPLICA_NOT_AVAILABLE = 9
    MESSAGE_TOO_LARGE = 10
    STALE_CONTROLLER_EPOCH = 11
    OFFSET_METADATA_TOO_LARGE = 12
    NETWORK_EXCEPTION = 13
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    INVALID_TOPIC_EXCEPTION = 17
    RECORD_LIST_TOO_LARGE = 18
    NOT_ENOUGH_REPLICAS = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
    INVALID_REQUIRED_ACKS = 21
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    INVALID_COMMIT_OFFSET_SIZE = 28
    TOPIC_AUTHORIZATION_FAILED = 29
    GROUP_AUTHORIZATION_FAILED = 30
    CLUSTER_AUTHORIZATION_FAILED = 31
    INVALID_TIMESTAMP = 32
    UNSUPPORTED_SASL_MECHANISM = 33
    ILLEGAL_SASL_STATE = 34
    UNSUPPORTED_VERSION = 35
    TOPIC_ALREADY_EXISTS = 36
    INVALID_PARTITIONS = 37
    INVALID_REPLICATION_FACTOR = 38
    INVALID_REPLICA_ASSIGNMENT = 39
    INVALID_CONFIG = 40
    NOT_CONTROLLER = 41
    INVALID_REQUEST = 42
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43
    POLICY_VIOLATION = 44
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    DUPLICATE_SEQUENCE_NUMBER = 46
    INVALID_PRODUCER_EPOCH = 47
    INVALID_TXN_STATE = 48
    INVALID_PRODUCER_ID_MAPPING = 49
    INVALID_TRANSACTION_TIMEOUT = 50
    CONCURRENT_TRANSACTIONS = 51
    TRANSACTION_COORDINATOR_FENCED = 52
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53
    SECURITY_DISABLED = 54
    OPERATION_NOT_ATTEMPTED = 55
    KAFKA_STORAGE_ERROR = 56
    LOG_DIR_NOT_FOUND = 57
    SASL_AUTHENTICATION_FAILED = 58
    UNKNOWN_PRODUCER_ID = 59
    REASSIGNMENT_IN_PROGRESS = 60
    DELEGATION_TOKEN_AUTH_DISABLED = 61
    DELEGATION_TOKEN_NOT_FOUND = 62
    DELEGATION_TOKEN_OWNER_MISMATCH = 63
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65
    DELEGATION_TOKEN_EXPIRED = 66
    INVALID_PRINCIPAL_TYPE = 67
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    FETCH_SESSION_ID_NOT_FOUND = 70
    INVALID_FETCH_SESSION_EPOCH = 71
    LISTENER_NOT_FOUND = 72
    TOPIC_DELETION_DISABLED = 73
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    UNSUPPORTED_COMPRESSION_TYPE = 76
    STALE_BROKER_EPOCH = 77
    OFFSET_NOT_AVAILABLE = 78
    MEMBER_ID_REQUIRED = 79
    PREFERRED_LEADER_NOT_AVAILABLE = 80
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83
    ELECTION_NOT_NEEDED = 84
    NO_REASSIGNMENT_IN_PROGRESS = 85
    GROUP_SUBSCRIBED_TO_TOPIC = 86
    INVALID_RECORD = 87
    UNSTABLE_OFFSET_COMMIT = 88
    THROTTLING_QUOTA_EXCEEDED = 89
    PRODUCER_FENCED = 90
    RESOURCE_NOT_FOUND = 91
    DUPLICATE_RESOURCE = 92
    UNACCEPTABLE_CREDENTIAL = 93
    INCONSISTENT_VOTER_SET = 94
    INVALID_UPDATE_VERSION = 95
    FEATURE_UPDATE_FAILED = 96
    PRINCIPAL_DESERIALIZATION_FAILURE = 97
    SNAPSHOT_NOT_FOUND = 98
    POSITION_OUT_OF_RANGE = 99
    UNKNOWN_TOPIC_ID = 100
    DUPLICATE_BROKER_REGISTRATION = 101
    BROKER_ID_NOT_REGISTERED = 102
    INCONSISTENT_TOPIC_ID = 103
    INCONSISTENT_CLUSTER_ID = 104
    TRANSACTIONAL_ID_NOT_FOUND = 105
    FETCH_SESSION_TOPIC_ID_ERROR = 106
    INELIGIBLE_REPLICA = 107
    NEW_LEADER_ELECTED = 108
    OFFSET_MOVED_TO_TIERED_STORAGE = 109
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    UNSUPPORTED_ASSIGNOR = 112
    STALE_MEMBER_EPOCH = 113
    MISMATCHED_ENDPOINT_TYPE = 114
    UNSUPPORTED_ENDPOINT_TYPE = 115
    UNKNOWN_CONTROLLER_ID = 116
    UNKNOWN_SUBSCRIPTION_ID = 117
    TELEMETRY_TOO_LARGE = 118
    INVALID_REGISTRATION = 119
    TRANSACTION_ABORTABLE = 120
    INVALID_RECORD_STATE = 121
    SHARE_SESSION_NOT_FOUND = 122
    INVALID_SHARE_SESSION_EPOCH = 123
    FENCED_STATE_EPOCH = 124
    INVALID_VOTER_KEY = 125
    DUPLICATE_VOTER = 126
    VOTER_NOT_FOUND = 127
    INVALID_REGULAR_EXPRESSION = 128
    REBOOTSTRAP_REQUIRED = 129
    STREAMS_INVALID_TOPOLOGY = 130
    STREAMS_INVALID_TOPOLOGY_EPOCH = 131
    STREAMS_TOPOLOGY_FENCED = 132
    SHARE_SESSION_LIMIT_REACHED = 133
    GROUP_DELETION_FAILED = 134
    STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED = 135
    CONTROLLER_ID_NOT_REGISTERED = 136
    REQUEST_LIMIT_REACHED = 10001


class KafkaError(Exception):
    """An expected error that aborts a request; the dispatcher responds with `code`."""

    code: ClassVar[ErrorCode]
    retriable: ClassVar[bool] = False
    summary: ClassVar[str]

    def __init__(self, message: str | None = None) -> None:
        """Set the message; without one, it is the summary of the code."""
        super().__init__(self.summary if message is None else message)

    def __init_subclass__(cls) -> None:
        """Register the class by its code; one without an own code narrows its parent."""
        if "code" not in cls.__dict__:
            return
        if cls.code in _CLASSES:
            raise TypeError(f"{cls.code!r} has a class already: {_CLASSES[cls.code].__name__}")
        _CLASSES[cls.code] = cls

    @property
    def message(self) -> str:
        """The error in one sentence."""
        return str(self.args[0])


_CLASSES: dict[int, type[KafkaError]] = {}


class UnknownServerError(KafkaError):
    """The server met a condition that it did not expect."""

    code = ErrorCode.UNKNOWN_SERVER_ERROR
    summary = "The server met a condition that it did not expect."


class OffsetOutOfRangeError(KafkaError):
    """The requested offset is outside the range of offsets that the log holds."""

    code = ErrorCode.OFFSET_OUT_OF_RANGE
    summary = "The requested offset is outside the range of offsets that the log holds."


class UnknownTopicOrPartitionError(KafkaError):
    """This server does not host this topic partition."""

    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    retriable = True
    summary = "This server does not host this topic partition."


class NotLeaderOrFollowerError(KafkaError):
    """This broker is not the leader of the partition, or has no replica of it."""

    code = ErrorCode.NOT_LEADER_OR_FOLLOWER
    retriable = True
    summary = "This broker is not the leader of the partition, or has no replica of it."


class RequestTimedOutError(KafkaError):
    """The request was not completed in time."""

    code = ErrorCode.REQUEST_TIMED_OUT
    retriable = True
    summary = "The request was not completed in time."


class CoordinatorLoadInProgressError(KafkaError):
    """The coordinator is still loading its state."""

    code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    retriable = True
    summary = "The coordinator is still loading its state."


class CoordinatorNotAvailableError(KafkaError):
    """The coordinator is not available."""

    code = ErrorCode.COORDINATOR_NOT_AVAILABLE
    retriable = True
    summary = "The coordinator is not available."


class NotCoordinatorError(KafkaError):
    """This broker is not the coordinator."""

    code = ErrorCode.NOT_COORDINATOR
    retriable = True
    summary = "This broker is not the coordinator."


class InvalidTopicError(KafkaError):
    """The topic name is not valid, or the topic must not be written to."""

    code = ErrorCode.INVALID_TOPIC_EXCEPTION
    summary = "The topic name is not valid, or the topic must not be written to."


class RecordListTooLargeError(KafkaError):
    """The records are larger than a segment."""

    code = ErrorCode.RECORD_LIST_TOO_LARGE
    summary = "The records are larger than a segment."


class NotEnoughReplicasError(KafkaError):
    """The partition has fewer in-sync replicas than it needs; nothing was written."""

    code = ErrorCode.NOT_ENOUGH_REPLICAS
    retriable = True
    summary = "The partition has fewer in-sync replicas than it needs; nothing was written."


class IllegalGenerationError(KafkaError):
    """The generation of the group is not the current one."""

    code = ErrorCode.ILLEGAL_GENERATION
    summary = "The generation of the group is not the current one."


class InconsistentGroupProtocolError(KafkaError):
    """The member's protocols do not fit the group's."""

    code = ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    summary = "The member's protocols do not fit the group's."


class InvalidGroupIdError(KafkaError):
    """The group id is not valid."""

    code = ErrorCode.INVALID_GROUP_ID
    summary = "The group id is not valid."


class UnknownMemberIdError(KafkaError):
    """The group does not know this member."""

    code = ErrorCode.UNKNOWN_MEMBER_ID
    summary = "The group does not know this member."


class InvalidSessionTimeoutError(KafkaError):
    """The session timeout is outside the range that the broker allows."""

    code = ErrorCode.INVALID_SESSION_TIMEOUT
    summary = "The session timeout is outside the range that the broker allows."


class RebalanceInProgressError(KafkaError):
    """The group is rebalancing; the member has to join again."""

    code = ErrorCode.REBALANCE_IN_PROGRESS
    summary = "The group is rebalancing; the member has to join again."


class TopicAuthorizationFailedError(KafkaError):
    """Topic authorization failed."""

    code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    summary = "Topic authorization failed."


class GroupAuthorizationFailedError(KafkaError):
    """Group authorization failed."""

    code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    summary = "Group authorization failed."


class ClusterAuthorizationFailedError(KafkaError):
    """Cluster authorization failed."""

    code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    summary = "Cluster authorization failed."


class UnsupportedVersionError(KafkaError):
    """The version of the API is not supported."""

    code = ErrorCode.UNSUPPORTED_VERSION
    summary = "The version of the API is not supported."


class TopicAlreadyExistsError(KafkaError):
    """A topic of this name exists already."""

    code = ErrorCode.TOPIC_ALREADY_EXISTS
    summary = "A topic of this name exists already."


class InvalidPartitionsError(KafkaError):
    """The number of partitions is not valid."""

    code = ErrorCode.INVALID_PARTITIONS
    summary = "The number of partitions is not valid."


class InvalidReplicationFactorError(KafkaError):
    """The replication factor is below 1 or larger than the number of brokers."""

    code = ErrorCode.INVALID_REPLICATION_FACTOR
    summary = "The replication factor is below 1 or larger than the number of brokers."


class InvalidReplicaAssignmentError(KafkaError):
    """The replica assignment is not valid."""

    code = ErrorCode.INVALID_REPLICA_ASSIGNMENT
    summary = "The replica assignment is not valid."


class InvalidConfigError(KafkaError):
    """The configuration is not valid."""

    code = ErrorCode.INVALID_CONFIG
    summary = "The configuration is not valid."


class NotControllerError(KafkaError):
    """This is not the active controller."""

    code = ErrorCode.NOT_CONTROLLER
    retriable = True
    summary = "This is not the active controller."


class InvalidRequestError(KafkaError):
    """The request breaks a rule of the protocol."""

    code = ErrorCode.INVALID_REQUEST
    summary = "The request breaks a rule of the protocol."


class PolicyViolationError(KafkaError):
    """The request violates a policy."""

    code = ErrorCode.POLICY_VIOLATION
    summary = "The request violates a policy."


class InvalidTxnStateError(KafkaError):
    """Invalid txn state."""

    code = ErrorCode.INVALID_TXN_STATE
    summary = "Invalid txn state."


class InvalidProducerIdMappingError(KafkaError):
    """Invalid producer id mapping."""

    code = ErrorCode.INVALID_PRODUCER_ID_MAPPING
    summary = "Invalid producer id mapping."


class InvalidTransactionTimeoutError(KafkaError):
    """Invalid transaction timeout."""

    code = ErrorCode.INVALID_TRANSACTION_TIMEOUT
    summary = "Invalid transaction timeout."


class ConcurrentTransactionsError(KafkaError):
    """Concurrent transactions."""

    code = ErrorCode.CONCURRENT_TRANSACTIONS
    retriable = True
    summary = "Concurrent transactions."


class TransactionalIdAuthorizationFailedError(KafkaError):
    """Transactional Id authorization failed."""

    code = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    summary = "Transactional Id authorization failed."


class SecurityDisabledError(KafkaError):
    """Security disabled."""

    code = ErrorCode.SECURITY_DISABLED
    summary = "Security disabled."


class KafkaStorageError(KafkaError):
    """The log directory of the partition has failed."""

    code = ErrorCode.KAFKA_STORAGE_ERROR
    retriable = True
    summary = "The log directory of the partition has failed."


class NonEmptyGroupError(KafkaError):
    """The group has members."""

    code = ErrorCode.NON_EMPTY_GROUP
    summary = "The group has members."


class GroupIdNotFoundError(KafkaError):
    """The group does not exist."""

    code = ErrorCode.GROUP_ID_NOT_FOUND
    summary = "The group does not exist."


class FetchSessionIdNotFoundError(KafkaError):
    """The fetch session does not exist."""

    code = ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    retriable = True
    summary = "The fetch session does not exist."


class InvalidFetchSessionEpochError(KafkaError):
    """The epoch of the fetch session is not the expected one."""

    code = ErrorCode.INVALID_FETCH_SESSION_EPOCH
    retriable = True
    summary = "The epoch of the fetch session is not the expected one."


class TopicDeletionDisabledError(KafkaError):
    """Topic deletion is disabled."""

    code = ErrorCode.TOPIC_DELETION_DISABLED
    summary = "Topic deletion is disabled."


class FencedLeaderEpochError(KafkaError):
    """The request's leader epoch is older than the broker's."""

    code = ErrorCode.FENCED_LEADER_EPOCH
    retriable = True
    summary = "The request's leader epoch is older than the broker's."


class UnknownLeaderEpochError(KafkaError):
    """The request's leader epoch is newer than the broker's."""

    code = ErrorCode.UNKNOWN_LEADER_EPOCH
    retriable = True
    summary = "The request's leader epoch is newer than the broker's."


class StaleBrokerEpochError(KafkaError):
    """The broker epoch is not the current one."""

    code = ErrorCode.STALE_BROKER_EPOCH
    summary = "The broker epoch is not the current one."


class GroupMaxSizeReachedError(KafkaError):
    """Group max size reached."""

    code = ErrorCode.GROUP_MAX_SIZE_REACHED
    summary = "Group max size reached."


class FencedInstanceIdError(KafkaError):
    """Another member with the same instance id has joined."""

    code = ErrorCode.FENCED_INSTANCE_ID
    summary = "Another member with the same instance id has joined."


class NoReassignmentInProgressError(KafkaError):
    """No reassignment of the partition is in progress."""

    code = ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    summary = "No reassignment of the partition is in progress."


class ProducerFencedError(KafkaError):
    """Producer fenced."""

    code = ErrorCode.PRODUCER_FENCED
    summary = "Producer fenced."


class InvalidUpdateVersionError(KafkaError):
    """The partition epoch is not the current one."""

    code = ErrorCode.INVALID_UPDATE_VERSION
    summary = "The partition epoch is not the current one."


class UnknownTopicIdError(KafkaError):
    """This server does not know this topic id."""

    code = ErrorCode.UNKNOWN_TOPIC_ID
    retriable = True
    summary = "This server does not know this topic id."


class DuplicateBrokerRegistrationError(KafkaError):
    """A broker with this id is registered and its session is not over."""

    code = ErrorCode.DUPLICATE_BROKER_REGISTRATION
    summary = "A broker with this id is registered and its session is not over."


class BrokerIdNotRegisteredError(KafkaError):
    """The broker is not registered."""

    code = ErrorCode.BROKER_ID_NOT_REGISTERED
    summary = "The broker is not registered."


class InconsistentClusterIdError(KafkaError):
    """The cluster id is not the one of this cluster."""

    code = ErrorCode.INCONSISTENT_CLUSTER_ID
    summary = "The cluster id is not the one of this cluster."


class TransactionalIdNotFoundError(KafkaError):
    """Transactional id not found."""

    code = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    summary = "Transactional id not found."


class FetchSessionTopicIdError(KafkaError):
    """The fetch session used topic ids in one request and not in another."""

    code = ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    retriable = True
    summary = "The fetch session used topic ids in one request and not in another."


class FencedMemberEpochError(KafkaError):
    """The member epoch is fenced."""

    code = ErrorCode.FENCED_MEMBER_EPOCH
    summary = "The member epoch is fenced."


class UnreleasedInstanceIdError(KafkaError):
    """Unreleased instance id."""

    code = ErrorCode.UNRELEASED_INSTANCE_ID
    summary = "Unreleased instance id."


class UnsupportedAssignorError(KafkaError):
    """Unsupported assignor."""

    code = ErrorCode.UNSUPPORTED_ASSIGNOR
    summary = "Unsupported assignor."


class StaleMemberEpochError(KafkaError):
    """Stale member epoch."""

    code = ErrorCode.STALE_MEMBER_EPOCH
    summary = "Stale member epoch."


class InvalidRegistrationError(KafkaError):
    """The registration is not valid."""

    code = ErrorCode.INVALID_REGISTRATION
    summary = "The registration is not valid."


class DuplicateVoterError(KafkaError):
    """Duplicate voter."""

    code = ErrorCode.DUPLICATE_VOTER
    summary = "Duplicate voter."


class VoterNotFoundError(KafkaError):
    """Voter not found."""

    code = ErrorCode.VOTER_NOT_FOUND
    summary = "Voter not found."


class InvalidRegularExpressionError(KafkaError):
    """Invalid regular expression."""

    code = ErrorCode.INVALID_REGULAR_EXPRESSION
    summary = "Invalid regular expression."


_OTHERS: Final = {
    ErrorCode.CORRUPT_MESSAGE: (True, "The records do not match their checksum, or are malformed."),
    ErrorCode.INVALID_FETCH_SIZE: (False, "Invalid fetch size."),
    ErrorCode.LEADER_NOT_AVAILABLE: (
        True,
        "There is no leader for this topic partition at the moment.",
    ),
    ErrorCode.BROKER_NOT_AVAILABLE: (False, "The broker is not available."),
    ErrorCode.REPLICA_NOT_AVAILABLE: (True, "The replica is not available on this broker."),
    ErrorCode.MESSAGE_TOO_LARGE: (False, "A batch is larger than the topic accepts."),
    ErrorCode.STALE_CONTROLLER_EPOCH: (False, "Stale controller epoch."),
    ErrorCode.OFFSET_METADATA_TOO_LARGE: (
        False,
        "The metadata of a committed offset is too large.",
    ),
    ErrorCode.NETWORK_EXCEPTION: (True, "Network exception."),
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: (
        True,
        "The records were written, but to fewer in-sync replicas than needed.",
    ),
    ErrorCode.INVALID_REQUIRED_ACKS: (
        False,
        "The number of required acknowledgements is not 0, 1 or -1.",
    ),
    ErrorCode.INVALID_COMMIT_OFFSET_SIZE: (False, "The offset commit is too large."),
    ErrorCode.INVALID_TIMESTAMP: (False, "The timestamp of a record is out of the accepted range."),
    ErrorCode.UNSUPPORTED_SASL_MECHANISM: (False, "Unsupported sasl mechanism."),
    ErrorCode.ILLEGAL_SASL_STATE: (False, "Illegal sasl state."),
    ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT: (
        False,
        "The message format on the broker does not support the request.",
    ),
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER: (
        False,
        "A batch arrived whose sequence number leaves a gap.",
    ),
    ErrorCode.DUPLICATE_SEQUENCE_NUMBER: (
        False,
        "A batch with this sequence number was written before.",
    ),
    ErrorCode.INVALID_PRODUCER_EPOCH: (False, "The producer's epoch is older than the one in use."),
    ErrorCode.TRANSACTION_COORDINATOR_FENCED: (False, "Transaction coordinator fenced."),
    ErrorCode.OPERATION_NOT_ATTEMPTED: (False, "Operation not attempted."),
    ErrorCode.LOG_DIR_NOT_FOUND: (False, "The broker does not have this log directory."),
    ErrorCode.SASL_AUTHENTICATION_FAILED: (False, "Sasl authentication failed."),
    ErrorCode.UNKNOWN_PRODUCER_ID: (False, "The broker does not know this producer id."),
    ErrorCode.REASSIGNMENT_IN_PROGRESS: (False, "A reassignment of the partition is in progress."),
    ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED: (False, "Delegation token auth disabled."),
    ErrorCode.DELEGATION_TOKEN_NOT_FOUND: (False, "Delegation token not found."),
    ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH: (False, "Delegation token owner mismatch."),
    ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: (
        False,
        "Delegation token request not allowed.",
    ),
    ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED: (
        False,
        "Delegation token authorization failed.",
    ),
    ErrorCode.DELEGATION_TOKEN_EXPIRED: (False, "Delegation token expired."),
    ErrorCode.INVALID_PRINCIPAL_TYPE: (False, "Invalid principal type."),
    ErrorCode.LISTENER_NOT_FOUND: (True, "The leader has no listener of this name."),
    ErrorCode.UNSUPPORTED_COMPRESSION_TYPE: (False, "The compression type is not supported here."),
    ErrorCode.OFFSET_NOT_AVAILABLE: (
        True,
        "The leader's high watermark has not caught up with its election yet.",
    ),
    ErrorCode.MEMBER_ID_REQUIRED: (
        False,
        "The member needs an id: join the group again with the id in the response.",
    ),
    ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE: (True, "The preferred leader is not available."),
    ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE: (True, "No eligible leader is available."),
    ErrorCode.ELECTION_NOT_NEEDED: (True, "The partition does not need an election."),
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: (False, "Group subscribed to topic."),
    ErrorCode.INVALID_RECORD: (False, "A record breaks a rule of its topic."),
    ErrorCode.UNSTABLE_OFFSET_COMMIT: (
        True,
        "There are unstable offsets that must become stable first.",
    ),
    ErrorCode.THROTTLING_QUOTA_EXCEEDED: (True, "A quota is exceeded."),
    ErrorCode.RESOURCE_NOT_FOUND: (False, "Resource not found."),
    ErrorCode.DUPLICATE_RESOURCE: (False, "Duplicate resource."),
    ErrorCode.UNACCEPTABLE_CREDENTIAL: (False, "Unacceptable credential."),
    ErrorCode.INCONSISTENT_VOTER_SET: (False, "Inconsistent voter set."),
    ErrorCode.FEATURE_UPDATE_FAILED: (False, "The features could not be updated."),
    ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE: (False, "Principal deserialization failure."),
    ErrorCode.SNAPSHOT_NOT_FOUND: (False, "The snapshot does not exist."),
    ErrorCode.POSITION_OUT_OF_RANGE: (False, "The position is outside the snapshot."),
    ErrorCode.INCONSISTENT_TOPIC_ID: (True, "The log's topic id is not the one in the request."),
    ErrorCode.INELIGIBLE_REPLICA: (
        False,
        "A replica that was proposed for the ISR is not eligible for it.",
    ),
    ErrorCode.NEW_LEADER_ELECTED: (False, "The change also elected a new leader."),
    ErrorCode.OFFSET_MOVED_TO_TIERED_STORAGE: (False, "Offset moved to tiered storage."),
    ErrorCode.MISMATCHED_ENDPOINT_TYPE: (
        False,
        "The request was sent to a broker instead of a controller, or vice versa.",
    ),
    ErrorCode.UNSUPPORTED_ENDPOINT_TYPE: (False, "This type of endpoint is not supported."),
    ErrorCode.UNKNOWN_CONTROLLER_ID: (False, "Unknown controller id."),
    ErrorCode.UNKNOWN_SUBSCRIPTION_ID: (False, "Unknown subscription id."),
    ErrorCode.TELEMETRY_TOO_LARGE: (False, "Telemetry too large."),
    ErrorCode.TRANSACTION_ABORTABLE: (False, "Transaction abortable."),
    ErrorCode.INVALID_RECORD_STATE: (False, "Invalid record state."),
    ErrorCode.SHARE_SESSION_NOT_FOUND: (True, "Share session not found."),
    ErrorCode.INVALID_SHARE_SESSION_EPOCH: (True, "Invalid share session epoch."),
    ErrorCode.FENCED_STATE_EPOCH: (False, "Fenced state epoch."),
    ErrorCode.INVALID_VOTER_KEY: (False, "Invalid voter key."),
    ErrorCode.REBOOTSTRAP_REQUIRED: (False, "The client should bootstrap its metadata again."),
    ErrorCode.STREAMS_INVALID_TOPOLOGY: (False, "Streams invalid topology."),
    ErrorCode.STREAMS_INVALID_TOPOLOGY_EPOCH: (False, "Streams invalid topology epoch."),
    ErrorCode.STREAMS_TOPOLOGY_FENCED: (False, "Streams topology fenced."),
    ErrorCode.SHARE_SESSION_LIMIT_REACHED: (True, "Share session limit reached."),
    ErrorCode.GROUP_DELETION_FAILED: (False, "Group deletion failed."),
    ErrorCode.STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED: (
        False,
        "Streams topology description update failed.",
    ),
    ErrorCode.CONTROLLER_ID_NOT_REGISTERED: (False, "Controller id not registered."),
    ErrorCode.REQUEST_LIMIT_REACHED: (
        True,
        "The request asked for more than one response may contain; request the rest again.",
    ),
}
"""The errors that no code here raises: if a client may retry, and the summary."""


def error_of(code: int, message: str | None = None) -> KafkaError:
    """Make the exception for a code; UnknownServerError for an unknown code.

    Raises:
        ValueError: the code is NONE, which is not an error.
    """
    if code == ErrorCode.NONE:
        raise ValueError("NONE is not an error")
    return _class_of(code)(message)


def _class_of(code: int) -> type[KafkaError]:
    found = _CLASSES.get(code)
    if found is not None:
        return found
    if code not in _OTHERS:
        return UnknownServerError
    known = ErrorCode(code)
    retriable, summary = _OTHERS[known]
    content = {"code": known, "retriable": retriable, "summary": summary}
    return type(known.name, (KafkaError,), content)


def is_retriable(code: int) -> bool:
    """True if a client may retry the request."""
    return _class_of(code).retriable


def summary_of(code: int) -> str | None:
    """The summary of a code in one sentence; None for NONE."""
    return None if code == ErrorCode.NONE else _class_of(code).summary
