# Generated from schemas/errors.toml by tools/generate_messages.py. Do not edit.
"""Kafka's errors: codes for responses, and exceptions that abort a request.

Invariant: there is exactly one exception class for each code except NONE.
"""

from enum import IntEnum
from typing import ClassVar


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


class CorruptMessageError(KafkaError):
    """The records do not match their checksum, or are malformed."""

    code = ErrorCode.CORRUPT_MESSAGE
    retriable = True
    summary = "The records do not match their checksum, or are malformed."


class UnknownTopicOrPartitionError(KafkaError):
    """This server does not host this topic partition."""

    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    retriable = True
    summary = "This server does not host this topic partition."


class InvalidFetchSizeError(KafkaError):
    """Invalid fetch size."""

    code = ErrorCode.INVALID_FETCH_SIZE
    summary = "Invalid fetch size."


class LeaderNotAvailableError(KafkaError):
    """There is no leader for this topic partition at the moment."""

    code = ErrorCode.LEADER_NOT_AVAILABLE
    retriable = True
    summary = "There is no leader for this topic partition at the moment."


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


class BrokerNotAvailableError(KafkaError):
    """The broker is not available."""

    code = ErrorCode.BROKER_NOT_AVAILABLE
    summary = "The broker is not available."


class ReplicaNotAvailableError(KafkaError):
    """The replica is not available on this broker."""

    code = ErrorCode.REPLICA_NOT_AVAILABLE
    retriable = True
    summary = "The replica is not available on this broker."


class MessageTooLargeError(KafkaError):
    """A batch is larger than the topic accepts."""

    code = ErrorCode.MESSAGE_TOO_LARGE
    summary = "A batch is larger than the topic accepts."


class StaleControllerEpochError(KafkaError):
    """Stale controller epoch."""

    code = ErrorCode.STALE_CONTROLLER_EPOCH
    summary = "Stale controller epoch."


class OffsetMetadataTooLargeError(KafkaError):
    """The metadata of a committed offset is too large."""

    code = ErrorCode.OFFSET_METADATA_TOO_LARGE
    summary = "The metadata of a committed offset is too large."


class NetworkError(KafkaError):
    """Network exception."""

    code = ErrorCode.NETWORK_EXCEPTION
    retriable = True
    summary = "Network exception."


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


class NotEnoughReplicasAfterAppendError(KafkaError):
    """The records were written, but to fewer in-sync replicas than needed."""

    code = ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    retriable = True
    summary = "The records were written, but to fewer in-sync replicas than needed."


class InvalidRequiredAcksError(KafkaError):
    """The number of required acknowledgements is not 0, 1 or -1."""

    code = ErrorCode.INVALID_REQUIRED_ACKS
    summary = "The number of required acknowledgements is not 0, 1 or -1."


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


class InvalidCommitOffsetSizeError(KafkaError):
    """The offset commit is too large."""

    code = ErrorCode.INVALID_COMMIT_OFFSET_SIZE
    summary = "The offset commit is too large."


class TopicAuthorizationFailedError(KafkaError):
    """Not authorized to access these topics."""

    code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    summary = "Not authorized to access these topics."


class GroupAuthorizationFailedError(KafkaError):
    """Not authorized to access the group."""

    code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    summary = "Not authorized to access the group."


class ClusterAuthorizationFailedError(KafkaError):
    """Not authorized to act on the cluster."""

    code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    summary = "Not authorized to act on the cluster."


class InvalidTimestampError(KafkaError):
    """The timestamp of a record is out of the accepted range."""

    code = ErrorCode.INVALID_TIMESTAMP
    summary = "The timestamp of a record is out of the accepted range."


class UnsupportedSaslMechanismError(KafkaError):
    """Unsupported sasl mechanism."""

    code = ErrorCode.UNSUPPORTED_SASL_MECHANISM
    summary = "Unsupported sasl mechanism."


class IllegalSaslStateError(KafkaError):
    """Illegal sasl state."""

    code = ErrorCode.ILLEGAL_SASL_STATE
    summary = "Illegal sasl state."


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


class UnsupportedForMessageFormatError(KafkaError):
    """The message format on the broker does not support the request."""

    code = ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT
    summary = "The message format on the broker does not support the request."


class PolicyViolationError(KafkaError):
    """The request violates a policy."""

    code = ErrorCode.POLICY_VIOLATION
    summary = "The request violates a policy."


class OutOfOrderSequenceNumberError(KafkaError):
    """A batch arrived whose sequence number leaves a gap."""

    code = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    summary = "A batch arrived whose sequence number leaves a gap."


class DuplicateSequenceNumberError(KafkaError):
    """A batch with this sequence number was written before."""

    code = ErrorCode.DUPLICATE_SEQUENCE_NUMBER
    summary = "A batch with this sequence number was written before."


class InvalidProducerEpochError(KafkaError):
    """The producer's epoch is older than the one in use."""

    code = ErrorCode.INVALID_PRODUCER_EPOCH
    summary = "The producer's epoch is older than the one in use."


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


class TransactionCoordinatorFencedError(KafkaError):
    """Transaction coordinator fenced."""

    code = ErrorCode.TRANSACTION_COORDINATOR_FENCED
    summary = "Transaction coordinator fenced."


class TransactionalIdAuthorizationFailedError(KafkaError):
    """Transactional id authorization failed."""

    code = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    summary = "Transactional id authorization failed."


class SecurityDisabledError(KafkaError):
    """Security disabled."""

    code = ErrorCode.SECURITY_DISABLED
    summary = "Security disabled."


class OperationNotAttemptedError(KafkaError):
    """Operation not attempted."""

    code = ErrorCode.OPERATION_NOT_ATTEMPTED
    summary = "Operation not attempted."


class KafkaStorageError(KafkaError):
    """The log directory of the partition has failed."""

    code = ErrorCode.KAFKA_STORAGE_ERROR
    retriable = True
    summary = "The log directory of the partition has failed."


class LogDirNotFoundError(KafkaError):
    """The broker does not have this log directory."""

    code = ErrorCode.LOG_DIR_NOT_FOUND
    summary = "The broker does not have this log directory."


class SaslAuthenticationFailedError(KafkaError):
    """Sasl authentication failed."""

    code = ErrorCode.SASL_AUTHENTICATION_FAILED
    summary = "Sasl authentication failed."


class UnknownProducerIdError(KafkaError):
    """The broker does not know this producer id."""

    code = ErrorCode.UNKNOWN_PRODUCER_ID
    summary = "The broker does not know this producer id."


class ReassignmentInProgressError(KafkaError):
    """A reassignment of the partition is in progress."""

    code = ErrorCode.REASSIGNMENT_IN_PROGRESS
    summary = "A reassignment of the partition is in progress."


class DelegationTokenAuthDisabledError(KafkaError):
    """Delegation token auth disabled."""

    code = ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
    summary = "Delegation token auth disabled."


class DelegationTokenNotFoundError(KafkaError):
    """Delegation token not found."""

    code = ErrorCode.DELEGATION_TOKEN_NOT_FOUND
    summary = "Delegation token not found."


class DelegationTokenOwnerMismatchError(KafkaError):
    """Delegation token owner mismatch."""

    code = ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH
    summary = "Delegation token owner mismatch."


class DelegationTokenRequestNotAllowedError(KafkaError):
    """Delegation token request not allowed."""

    code = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    summary = "Delegation token request not allowed."


class DelegationTokenAuthorizationFailedError(KafkaError):
    """Delegation token authorization failed."""

    code = ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED
    summary = "Delegation token authorization failed."


class DelegationTokenExpiredError(KafkaError):
    """Delegation token expired."""

    code = ErrorCode.DELEGATION_TOKEN_EXPIRED
    summary = "Delegation token expired."


class InvalidPrincipalTypeError(KafkaError):
    """Invalid principal type."""

    code = ErrorCode.INVALID_PRINCIPAL_TYPE
    summary = "Invalid principal type."


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


class ListenerNotFoundError(KafkaError):
    """The leader has no listener of this name."""

    code = ErrorCode.LISTENER_NOT_FOUND
    retriable = True
    summary = "The leader has no listener of this name."


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


class UnsupportedCompressionTypeError(KafkaError):
    """The compression type is not supported here."""

    code = ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    summary = "The compression type is not supported here."


class StaleBrokerEpochError(KafkaError):
    """The broker epoch is not the current one."""

    code = ErrorCode.STALE_BROKER_EPOCH
    summary = "The broker epoch is not the current one."


class OffsetNotAvailableError(KafkaError):
    """The leader's high watermark has not caught up with its election yet."""

    code = ErrorCode.OFFSET_NOT_AVAILABLE
    retriable = True
    summary = "The leader's high watermark has not caught up with its election yet."


class MemberIdRequiredError(KafkaError):
    """The member needs an id: join the group again with the id in the response."""

    code = ErrorCode.MEMBER_ID_REQUIRED
    summary = "The member needs an id: join the group again with the id in the response."


class PreferredLeaderNotAvailableError(KafkaError):
    """The preferred leader is not available."""

    code = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    retriable = True
    summary = "The preferred leader is not available."


class GroupMaxSizeReachedError(KafkaError):
    """Group max size reached."""

    code = ErrorCode.GROUP_MAX_SIZE_REACHED
    summary = "Group max size reached."


class FencedInstanceIdError(KafkaError):
    """Another member with the same instance id has joined."""

    code = ErrorCode.FENCED_INSTANCE_ID
    summary = "Another member with the same instance id has joined."


class EligibleLeadersNotAvailableError(KafkaError):
    """No eligible leader is available."""

    code = ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    retriable = True
    summary = "No eligible leader is available."


class ElectionNotNeededError(KafkaError):
    """The partition does not need an election."""

    code = ErrorCode.ELECTION_NOT_NEEDED
    retriable = True
    summary = "The partition does not need an election."


class NoReassignmentInProgressError(KafkaError):
    """No reassignment of the partition is in progress."""

    code = ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    summary = "No reassignment of the partition is in progress."


class GroupSubscribedToTopicError(KafkaError):
    """Group subscribed to topic."""

    code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    summary = "Group subscribed to topic."


class InvalidRecordError(KafkaError):
    """A record breaks a rule of its topic."""

    code = ErrorCode.INVALID_RECORD
    summary = "A record breaks a rule of its topic."


class UnstableOffsetCommitError(KafkaError):
    """There are unstable offsets that must become stable first."""

    code = ErrorCode.UNSTABLE_OFFSET_COMMIT
    retriable = True
    summary = "There are unstable offsets that must become stable first."


class ThrottlingQuotaExceededError(KafkaError):
    """A quota is exceeded."""

    code = ErrorCode.THROTTLING_QUOTA_EXCEEDED
    retriable = True
    summary = "A quota is exceeded."


class ProducerFencedError(KafkaError):
    """Producer fenced."""

    code = ErrorCode.PRODUCER_FENCED
    summary = "Producer fenced."


class ResourceNotFoundError(KafkaError):
    """Resource not found."""

    code = ErrorCode.RESOURCE_NOT_FOUND
    summary = "Resource not found."


class DuplicateResourceError(KafkaError):
    """Duplicate resource."""

    code = ErrorCode.DUPLICATE_RESOURCE
    summary = "Duplicate resource."


class UnacceptableCredentialError(KafkaError):
    """Unacceptable credential."""

    code = ErrorCode.UNACCEPTABLE_CREDENTIAL
    summary = "Unacceptable credential."


class InconsistentVoterSetError(KafkaError):
    """Inconsistent voter set."""

    code = ErrorCode.INCONSISTENT_VOTER_SET
    summary = "Inconsistent voter set."


class InvalidUpdateVersionError(KafkaError):
    """The partition epoch is not the current one."""

    code = ErrorCode.INVALID_UPDATE_VERSION
    summary = "The partition epoch is not the current one."


class FeatureUpdateFailedError(KafkaError):
    """The features could not be updated."""

    code = ErrorCode.FEATURE_UPDATE_FAILED
    summary = "The features could not be updated."


class PrincipalDeserializationFailureError(KafkaError):
    """Principal deserialization failure."""

    code = ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE
    summary = "Principal deserialization failure."


class SnapshotNotFoundError(KafkaError):
    """The snapshot does not exist."""

    code = ErrorCode.SNAPSHOT_NOT_FOUND
    summary = "The snapshot does not exist."


class PositionOutOfRangeError(KafkaError):
    """The position is outside the snapshot."""

    code = ErrorCode.POSITION_OUT_OF_RANGE
    summary = "The position is outside the snapshot."


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


class InconsistentTopicIdError(KafkaError):
    """The log's topic id is not the one in the request."""

    code = ErrorCode.INCONSISTENT_TOPIC_ID
    retriable = True
    summary = "The log's topic id is not the one in the request."


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


class IneligibleReplicaError(KafkaError):
    """A replica that was proposed for the ISR is not eligible for it."""

    code = ErrorCode.INELIGIBLE_REPLICA
    summary = "A replica that was proposed for the ISR is not eligible for it."


class NewLeaderElectedError(KafkaError):
    """The change also elected a new leader."""

    code = ErrorCode.NEW_LEADER_ELECTED
    summary = "The change also elected a new leader."


class OffsetMovedToTieredStorageError(KafkaError):
    """Offset moved to tiered storage."""

    code = ErrorCode.OFFSET_MOVED_TO_TIERED_STORAGE
    summary = "Offset moved to tiered storage."


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


class MismatchedEndpointTypeError(KafkaError):
    """The request was sent to a broker instead of a controller, or vice versa."""

    code = ErrorCode.MISMATCHED_ENDPOINT_TYPE
    summary = "The request was sent to a broker instead of a controller, or vice versa."


class UnsupportedEndpointTypeError(KafkaError):
    """This type of endpoint is not supported."""

    code = ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
    summary = "This type of endpoint is not supported."


class UnknownControllerIdError(KafkaError):
    """Unknown controller id."""

    code = ErrorCode.UNKNOWN_CONTROLLER_ID
    summary = "Unknown controller id."


class UnknownSubscriptionIdError(KafkaError):
    """Unknown subscription id."""

    code = ErrorCode.UNKNOWN_SUBSCRIPTION_ID
    summary = "Unknown subscription id."


class TelemetryTooLargeError(KafkaError):
    """Telemetry too large."""

    code = ErrorCode.TELEMETRY_TOO_LARGE
    summary = "Telemetry too large."


class InvalidRegistrationError(KafkaError):
    """The registration is not valid."""

    code = ErrorCode.INVALID_REGISTRATION
    summary = "The registration is not valid."


class TransactionAbortableError(KafkaError):
    """Transaction abortable."""

    code = ErrorCode.TRANSACTION_ABORTABLE
    summary = "Transaction abortable."


class InvalidRecordStateError(KafkaError):
    """Invalid record state."""

    code = ErrorCode.INVALID_RECORD_STATE
    summary = "Invalid record state."


class ShareSessionNotFoundError(KafkaError):
    """Share session not found."""

    code = ErrorCode.SHARE_SESSION_NOT_FOUND
    retriable = True
    summary = "Share session not found."


class InvalidShareSessionEpochError(KafkaError):
    """Invalid share session epoch."""

    code = ErrorCode.INVALID_SHARE_SESSION_EPOCH
    retriable = True
    summary = "Invalid share session epoch."


class FencedStateEpochError(KafkaError):
    """Fenced state epoch."""

    code = ErrorCode.FENCED_STATE_EPOCH
    summary = "Fenced state epoch."


class InvalidVoterKeyError(KafkaError):
    """Invalid voter key."""

    code = ErrorCode.INVALID_VOTER_KEY
    summary = "Invalid voter key."


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


class RebootstrapRequiredError(KafkaError):
    """The client should bootstrap its metadata again."""

    code = ErrorCode.REBOOTSTRAP_REQUIRED
    summary = "The client should bootstrap its metadata again."


class StreamsInvalidTopologyError(KafkaError):
    """Streams invalid topology."""

    code = ErrorCode.STREAMS_INVALID_TOPOLOGY
    summary = "Streams invalid topology."


class StreamsInvalidTopologyEpochError(KafkaError):
    """Streams invalid topology epoch."""

    code = ErrorCode.STREAMS_INVALID_TOPOLOGY_EPOCH
    summary = "Streams invalid topology epoch."


class StreamsTopologyFencedError(KafkaError):
    """Streams topology fenced."""

    code = ErrorCode.STREAMS_TOPOLOGY_FENCED
    summary = "Streams topology fenced."


class ShareSessionLimitReachedError(KafkaError):
    """Share session limit reached."""

    code = ErrorCode.SHARE_SESSION_LIMIT_REACHED
    retriable = True
    summary = "Share session limit reached."


class GroupDeletionFailedError(KafkaError):
    """Group deletion failed."""

    code = ErrorCode.GROUP_DELETION_FAILED
    summary = "Group deletion failed."


class StreamsTopologyDescriptionUpdateFailedError(KafkaError):
    """Streams topology description update failed."""

    code = ErrorCode.STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED
    summary = "Streams topology description update failed."


class ControllerIdNotRegisteredError(KafkaError):
    """Controller id not registered."""

    code = ErrorCode.CONTROLLER_ID_NOT_REGISTERED
    summary = "Controller id not registered."


class RequestLimitReachedError(KafkaError):
    """The request asked for more than one response may contain; request the rest again."""

    code = ErrorCode.REQUEST_LIMIT_REACHED
    retriable = True
    summary = "The request asked for more than one response may contain; request the rest again."


def error_of(code: int, message: str | None = None) -> KafkaError:
    """Make the exception for a code; UnknownServerError for an unknown code.

    Raises:
        ValueError: the code is NONE, which is not an error.
    """
    if code == ErrorCode.NONE:
        raise ValueError("NONE is not an error")
    return _CLASSES.get(code, UnknownServerError)(message)


def is_retriable(code: int) -> bool:
    """True if a client may retry the request."""
    found = _CLASSES.get(code)
    return found is not None and found.retriable


def summary_of(code: int) -> str | None:
    """The summary of a code in one sentence; None for NONE."""
    return None if code == ErrorCode.NONE else _CLASSES.get(code, UnknownServerError).summary
