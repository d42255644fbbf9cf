# Generated from schemas/rpc by tools/generate_messages.py. Do not edit.
"""Every API: key, versions, listeners, and its classes, imported on first use."""

from enum import IntEnum
from importlib import import_module
from typing import NamedTuple, cast

from minikafka.protocol.message import ApiMessage


class ApiKey(IntEnum):
    """The number in front of every request."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92
    STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE = 93
    UNREGISTER_CONTROLLER = 94
    GET_REPLICA_LOG_INFO = 1093


class ApiInfo(NamedTuple):
    """One API as the schemas know it. What a node really serves is for `apis/` to say."""

    key: int
    name: str
    module: str
    min_version: int
    max_version: int
    latest_stable_version: int
    flexible_from: int
    listeners: tuple[str, ...]

APIS: dict[int, ApiInfo] = {
    0: ApiInfo(0, "Produce", "produce", 3, 13, 13, 9, ("broker",)),
    1: ApiInfo(1, "Fetch", "fetch", 4, 18, 18, 12, ("broker", "controller",)),
    2: ApiInfo(2, "ListOffsets", "list_offsets", 1, 11, 11, 6, ("broker",)),
    3: ApiInfo(3, "Metadata", "metadata", 0, 13, 13, 9, ("broker",)),
    8: ApiInfo(8, "OffsetCommit", "offset_commit", 2, 10, 10, 8, ("broker",)),
    9: ApiInfo(9, "OffsetFetch", "offset_fetch", 1, 10, 10, 6, ("broker",)),
    10: ApiInfo(10, "FindCoordinator", "find_coordinator", 0, 6, 6, 3, ("broker",)),
    11: ApiInfo(11, "JoinGroup", "join_group", 0, 9, 9, 6, ("broker",)),
    12: ApiInfo(12, "Heartbeat", "heartbeat", 0, 4, 4, 4, ("broker",)),
    13: ApiInfo(13, "LeaveGroup", "leave_group", 0, 5, 5, 4, ("broker",)),
    14: ApiInfo(14, "SyncGroup", "sync_group", 0, 5, 5, 4, ("broker",)),
    15: ApiInfo(15, "DescribeGroups", "describe_groups", 0, 6, 6, 5, ("broker",)),
    16: ApiInfo(16, "ListGroups", "list_groups", 0, 5, 5, 3, ("broker",)),
    17: ApiInfo(17, "SaslHandshake", "sasl_handshake", 0, 1, 1, 2, ("broker", "controller",)),
    18: ApiInfo(18, "ApiVersions", "api_versions", 0, 5, 5, 3, ("broker", "controller",)),
    19: ApiInfo(19, "CreateTopics", "create_topics", 2, 7, 7, 5, ("broker", "controller",)),
    20: ApiInfo(20, "DeleteTopics", "delete_topics", 1, 6, 6, 4, ("broker", "controller",)),
    21: ApiInfo(21, "DeleteRecords", "delete_records", 0, 2, 2, 2, ("broker",)),
    22: ApiInfo(22, "InitProducerId", "init_producer_id", 0, 6, 5, 2, ("broker",)),
    23: ApiInfo(23, "OffsetForLeaderEpoch", "offset_for_leader_epoch", 2, 4, 4, 4, ("broker",)),
    24: ApiInfo(24, "AddPartitionsToTxn", "add_partitions_to_txn", 0, 5, 5, 3, ("broker",)),
    25: ApiInfo(25, "AddOffsetsToTxn", "add_offsets_to_txn", 0, 4, 4, 3, ("broker",)),
    26: ApiInfo(26, "EndTxn", "end_txn", 0, 5, 5, 3, ("broker",)),
    27: ApiInfo(27, "WriteTxnMarkers", "write_txn_markers", 1, 2, 2, 1, ("broker",)),
    28: ApiInfo(28, "TxnOffsetCommit", "txn_offset_commit", 0, 6, 6, 3, ("broker",)),
    29: ApiInfo(29, "DescribeAcls", "describe_acls", 1, 3, 3, 2, ("broker", "controller",)),
    30: ApiInfo(30, "CreateAcls", "create_acls", 1, 3, 3, 2, ("broker", "controller",)),
    31: ApiInfo(31, "DeleteAcls", "delete_acls", 1, 3, 3, 2, ("broker", "controller",)),
    32: ApiInfo(32, "DescribeConfigs", "describe_configs", 1, 4, 4, 4, ("broker", "controller",)),
    33: ApiInfo(33, "AlterConfigs", "alter_configs", 0, 2, 2, 2, ("broker", "controller",)),
    34: ApiInfo(34, "AlterReplicaLogDirs", "alter_replica_log_dirs", 1, 2, 2, 2, ("broker",)),
    35: ApiInfo(35, "DescribeLogDirs", "describe_log_dirs", 1, 5, 5, 2, ("broker",)),
    36: ApiInfo(36, "SaslAuthenticate", "sasl_authenticate", 0, 2, 2, 2, ("broker", "controller",)),
    37: ApiInfo(37, "CreatePartitions", "create_partitions", 0, 3, 3, 2, ("broker", "controller",)),
    38: ApiInfo(
        38,
        "CreateDelegationToken",
        "create_delegation_token",
        1,
        3,
        3,
        2,
        ("broker", "controller",),
    ),
    39: ApiInfo(
        39,
        "RenewDelegationToken",
        "renew_delegation_token",
        1,
        2,
        2,
        2,
        ("broker", "controller",),
    ),
    40: ApiInfo(
        40,
        "ExpireDelegationToken",
        "expire_delegation_token",
        1,
        2,
        2,
        2,
        ("broker", "controller",),
    ),
    41: ApiInfo(
        41,
        "DescribeDelegationToken",
        "describe_delegation_token",
        1,
        3,
        3,
        2,
        ("broker", "controller",),
    ),
    42: ApiInfo(42, "DeleteGroups", "delete_groups", 0, 3, 3, 2, ("broker",)),
    43: ApiInfo(43, "ElectLeaders", "elect_leaders", 0, 3, 3, 2, ("broker", "controller",)),
    44: ApiInfo(
        44,
        "IncrementalAlterConfigs",
        "incremental_alter_configs",
        0,
        1,
        1,
        1,
        ("broker", "controller",),
    ),
    45: ApiInfo(
        45,
        "AlterPartitionReassignments",
        "alter_partition_reassignments",
        0,
        1,
        1,
        0,
        ("broker", "controller",),
    ),
    46: ApiInfo(
        46,
        "ListPartitionReassignments",
        "list_partition_reassignments",
        0,
        0,
        0,
        0,
        ("broker", "controller",),
    ),
    47: ApiInfo(47, "OffsetDelete", "offset_delete", 0, 0, 0, 1, ("broker",)),
    48: ApiInfo(48, "DescribeClientQuotas", "describe_client_quotas", 0, 1, 1, 1, ("broker",)),
    49: ApiInfo(
        49,
        "AlterClientQuotas",
        "alter_client_quotas",
        0,
        1,
        1,
        1,
        ("broker", "controller",),
    ),
    50: ApiInfo(
        50,
        "DescribeUserScramCredentials",
        "describe_user_scram_credentials",
        0,
        0,
        0,
        0,
        ("broker", "controller",),
    ),
    51: ApiInfo(
        51,
        "AlterUserScramCredentials",
        "alter_user_scram_credentials",
        0,
        0,
        0,
        0,
        ("broker", "controller",),
    ),
    52: ApiInfo(52, "Vote", "vote", 0, 2, 2, 0, ("controller",)),
    53: ApiInfo(53, "BeginQuorumEpoch", "begin_quorum_epoch", 0, 1, 1, 1, ("controller",)),
    54: ApiInfo(54, "EndQuorumEpoch", "end_quorum_epoch", 0, 1, 1, 1, ("controller",)),
    55: ApiInfo(55, "DescribeQuorum", "describe_quorum", 0, 2, 2, 0, ("broker", "controller",)),
    56: ApiInfo(56, "AlterPartition", "alter_partition", 2, 3, 3, 2, ("controller",)),
    57: ApiInfo(57, "UpdateFeatures", "update_features", 0, 2, 2, 0, ("broker", "controller",)),
    58: ApiInfo(58, "Envelope", "envelope", 0, 0, 0, 0, ("controller",)),
    59: ApiInfo(59, "FetchSnapshot", "fetch_snapshot", 0, 1, 1, 0, ("controller",)),
    60: ApiInfo(60, "DescribeCluster", "describe_cluster", 0, 2, 2, 0, ("broker", "controller",)),
    61: ApiInfo(61, "DescribeProducers", "describe_producers", 0, 0, 0, 0, ("broker",)),
    62: ApiInfo(62, "BrokerRegistration", "broker_registration", 0, 4, 4, 0, ("controller",)),
    63: ApiInfo(63, "BrokerHeartbeat", "broker_heartbeat", 0, 2, 2, 0, ("controller",)),
    64: ApiInfo(64, "UnregisterBroker", "unregister_broker", 0, 0, 0, 0, ("broker", "controller",)),
    65: ApiInfo(65, "DescribeTransactions", "describe_transactions", 0, 0, 0, 0, ("broker",)),
    66: ApiInfo(66, "ListTransactions", "list_transactions", 0, 2, 2, 0, ("broker",)),
    67: ApiInfo(67, "AllocateProducerIds", "allocate_producer_ids", 0, 0, 0, 0, ("controller",)),
    68: ApiInfo(68, "ConsumerGroupHeartbeat", "consumer_group_heartbeat", 0, 1, 1, 0, ("broker",)),
    69: ApiInfo(69, "ConsumerGroupDescribe", "consumer_group_describe", 0, 1, 1, 0, ("broker",)),
    70: ApiInfo(
        70,
        "ControllerRegistration",
        "controller_registration",
        0,
        0,
        0,
        0,
        ("controller",),
    ),
    71: ApiInfo(
        71,
        "GetTelemetrySubscriptions",
        "get_telemetry_subscriptions",
        0,
        0,
        0,
        0,
        ("broker",),
    ),
    72: ApiInfo(72, "PushTelemetry", "push_telemetry", 0, 0, 0, 0, ("broker",)),
    73: ApiInfo(73, "AssignReplicasToDirs", "assign_replicas_to_dirs", 0, 0, 0, 0, ("controller",)),
    74: ApiInfo(74, "ListConfigResources", "list_config_resources", 0, 1, 1, 0, ("broker",)),
    75: ApiInfo(
        75,
        "DescribeTopicPartitions",
        "describe_topic_partitions",
        0,
        0,
        0,
        0,
        ("broker",),
    ),
    76: ApiInfo(76, "ShareGroupHeartbeat", "share_group_heartbeat", 1, 1, 1, 1, ("broker",)),
    77: ApiInfo(77, "ShareGroupDescribe", "share_group_describe", 1, 1, 1, 1, ("broker",)),
    78: ApiInfo(78, "ShareFetch", "share_fetch", 1, 2, 2, 1, ("broker",)),
    79: ApiInfo(79, "ShareAcknowledge", "share_acknowledge", 1, 2, 2, 1, ("broker",)),
    80: ApiInfo(80, "AddRaftVoter", "add_raft_voter", 0, 1, 1, 0, ("controller", "broker",)),
    81: ApiInfo(81, "RemoveRaftVoter", "remove_raft_voter", 0, 0, 0, 0, ("controller", "broker",)),
    82: ApiInfo(82, "UpdateRaftVoter", "update_raft_voter", 0, 0, 0, 0, ("controller",)),
    83: ApiInfo(
        83,
        "InitializeShareGroupState",
        "initialize_share_group_state",
        0,
        0,
        0,
        0,
        ("broker",),
    ),
    84: ApiInfo(84, "ReadShareGroupState", "read_share_group_state", 0, 0, 0, 0, ("broker",)),
    85: ApiInfo(85, "WriteShareGroupState", "write_share_group_state", 0, 1, 1, 0, ("broker",)),
    86: ApiInfo(86, "DeleteShareGroupState", "delete_share_group_state", 0, 0, 0, 0, ("broker",)),
    87: ApiInfo(
        87,
        "ReadShareGroupStateSummary",
        "read_share_group_state_summary",
        0,
        1,
        1,
        0,
        ("broker",),
    ),
    88: ApiInfo(88, "StreamsGroupHeartbeat", "streams_group_heartbeat", 0, 1, 1, 0, ("broker",)),
    89: ApiInfo(89, "StreamsGroupDescribe", "streams_group_describe", 0, 1, 1, 0, ("broker",)),
    90: ApiInfo(
        90,
        "DescribeShareGroupOffsets",
        "describe_share_group_offsets",
        0,
        1,
        1,
        0,
        ("broker",),
    ),
    91: ApiInfo(91, "AlterShareGroupOffsets", "alter_share_group_offsets", 0, 0, 0, 0, ("broker",)),
    92: ApiInfo(
        92,
        "DeleteShareGroupOffsets",
        "delete_share_group_offsets",
        0,
        0,
        0,
        0,
        ("broker",),
    ),
    93: ApiInfo(
        93,
        "StreamsGroupTopologyDescriptionUpdate",
        "streams_group_topology_description_update",
        0,
        0,
        0,
        0,
        ("broker",),
    ),
    94: ApiInfo(
        94,
        "UnregisterController",
        "unregister_controller",
        0,
        0,
        0,
        0,
        ("broker", "controller",),
    ),
    1093: ApiInfo(1093, "GetReplicaLogInfo", "get_replica_log_info", 0, 0, 0, 0, ("broker",)),
}

_request_classes: dict[int, type[ApiMessage]] = {}
_response_classes: dict[int, type[ApiMessage]] = {}


def request_class(api_key: int) -> type[ApiMessage]:
    """The request of an API.

    Raises:
        KeyError: if there is no such API.
    """
    found = _request_classes.get(api_key)
    if found is None:
        found = _request_classes[api_key] = _load(api_key, "Request")
    return found


def response_class(api_key: int) -> type[ApiMessage]:
    """The response of an API.

    Raises:
        KeyError: if there is no such API.
    """
    found = _response_classes.get(api_key)
    if found is None:
        found = _response_classes[api_key] = _load(api_key, "Response")
    return found


def request_header_version(api_key: int, api_version: int) -> int:
    """2 where the request is flexible, else 1.

    Raises:
        KeyError: if there is no such API.
    """
    return 2 if api_version >= APIS[api_key].flexible_from else 1


def response_header_version(api_key: int, api_version: int) -> int:
    """1 where the response is flexible, else 0; always 0 for ApiVersions.

    A client that asks ApiVersions does not know yet what the server can read or write.

    Raises:
        KeyError: if there is no such API.
    """
    if api_key == ApiKey.API_VERSIONS:
        return 0
    return 1 if api_version >= APIS[api_key].flexible_from else 0


def _load(api_key: int, suffix: str) -> type[ApiMessage]:
    info = APIS[api_key]
    module = import_module(f"minikafka.messages.{info.module}")
    return cast("type[ApiMessage]", getattr(module, info.name + suffix))
