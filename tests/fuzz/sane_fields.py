"""Values with which requests get as far as to change something or to wait, by API and field."""

from minikafka.messages.api_keys import ApiKey
from minikafka.sim.world.machine_clock import EPOCH_MS

_TOPICS = ("t", "t", "u")
_PARTITIONS = (0, 0, 1)
_GROUPS = ("g", "g", "h")
_MEMBER = {
    "group_id": _GROUPS,
    "group_instance_id": (None, None, "i"),
    "protocol_type": ("consumer",),
    "protocol_name": ("range",),
}
_OFFSETS = {
    **_MEMBER, "topics": None, "groups": None, "name": _TOPICS, "partitions": None,
    "partition_index": _PARTITIONS, "partition_indexes": None, "committed_offset": (0, 1, 7),
    "committed_leader_epoch": (-1,), "committed_metadata": ("", "m"), "retention_time_ms": (-1,),
}  # fmt: skip

SANE = {
    ApiKey.PRODUCE: {
        "transactional_id": (None, None, None, "tx"), "acks": (-1, -1, -1, 1, 0),
        "timeout_ms": (300, 5_000), "topic_data": None, "name": _TOPICS, "partition_data": None,
        "index": _PARTITIONS,
    },
    ApiKey.FETCH: {
        "replica_id": (-1,), "max_wait_ms": (0, 300, 3_600_000), "min_bytes": (1, 1 << 30),
        "max_bytes": (1 << 20,), "isolation_level": (0, 1), "session_id": (0,),
        "session_epoch": (-1, -1, 0), "topics": None, "topic": _TOPICS, "partitions": None,
        "partition": _PARTITIONS, "current_leader_epoch": (-1,), "fetch_offset": (0, 1, 2, 3),
        "last_fetched_epoch": (-1,), "log_start_offset": (-1,), "partition_max_bytes": (100, 1 << 20),
        "forgotten_topics_data": (), "rack_id": ("",),
    },
    ApiKey.LIST_OFFSETS: {
        "replica_id": (-1,), "isolation_level": (0, 1), "timeout_ms": (300,), "topics": None,
        "name": _TOPICS, "partitions": None, "partition_index": _PARTITIONS,
        "current_leader_epoch": (-1,),
        "timestamp": (-1, -2, -3, -4, -5, 0, EPOCH_MS, EPOCH_MS + 1_000_000, 2**63 - 1),
    },
    ApiKey.DELETE_RECORDS: {
        "topics": None, "name": _TOPICS, "partitions": None, "partition_index": _PARTITIONS,
        "offset": (0, 1, -1), "timeout_ms": (300, 5_000),
    },
    ApiKey.OFFSET_FOR_LEADER_EPOCH: {
        "replica_id": (-2, -1), "topics": None, "topic": _TOPICS, "partitions": None,
        "partition": _PARTITIONS, "current_leader_epoch": (-1,), "leader_epoch": (0, 1),
    },
    ApiKey.INIT_PRODUCER_ID: {"transactional_id": (None,)},
    ApiKey.JOIN_GROUP: {
        **_MEMBER, "session_timeout_ms": (6_000, 10_000, 1_800_000),
        "rebalance_timeout_ms": (3_000, 10_000, 0, 1, -1, -(2**31), 2**31 - 1),
        "member_id": ("",), "protocols": None, "name": ("range", "range", "cooperative-sticky"),
        "metadata": (b"m",),
    },
    ApiKey.SYNC_GROUP: {**_MEMBER, "assignments": None, "assignment": (b"a",)},
    ApiKey.HEARTBEAT: _MEMBER,
    ApiKey.LEAVE_GROUP: {**_MEMBER, "members": None},
    ApiKey.OFFSET_COMMIT: _OFFSETS,
    ApiKey.OFFSET_FETCH: {**_OFFSETS, "require_stable": (False, True)},
    ApiKey.OFFSET_DELETE: _OFFSETS,
    ApiKey.DESCRIBE_GROUPS: {"groups": None},
    ApiKey.FIND_COORDINATOR: {"key": _GROUPS, "key_type": (0, 0, 1, 2), "coordinator_keys": None},
    ApiKey.METADATA: {"topics": None, "name": (*_TOPICS, "wide")},
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: {
        "topics": None, "name": (*_TOPICS, "wide"), "response_partition_limit": (1, 2_000), "cursor": (None,),
    },
    ApiKey.CREATE_TOPICS: {
        "topics": None, "name": ("n1", "n2", "t"), "num_partitions": (1, 3, -1),
        "replication_factor": (1, 3, -1), "assignments": (), "configs": (), "timeout_ms": (5_000,),
    },
    ApiKey.CREATE_PARTITIONS: {
        "topics": None, "name": _TOPICS, "count": (1, 3, 4), "assignments": (None,),
    },
    ApiKey.DESCRIBE_QUORUM: {
        "topics": None, "topic_name": ("__cluster_metadata",), "partitions": None,
        "partition_index": (0,),
    },
    ApiKey.DESCRIBE_CLUSTER: {
        "include_cluster_authorized_operations": (False, True), "endpoint_type": (1, 1, 2),
        "include_fenced_brokers": (False, True),
    },
    ApiKey.DESCRIBE_CONFIGS: {
        "resources": None, "resource_type": (2, 4, 8), "resource_name": (*_TOPICS, "1", "2"),
        "configuration_keys": (None,),
    },
    ApiKey.DESCRIBE_LOG_DIRS: {"topics": (None,)},
    ApiKey.DESCRIBE_PRODUCERS: {"topics": None, "name": _TOPICS, "partition_indexes": None},
    ApiKey.ELECT_LEADERS: {
        "election_type": (0,), "topic_partitions": None, "topic": _TOPICS, "partitions": None,
        "timeout_ms": (300, 5_000),
    },
    ApiKey.LIST_PARTITION_REASSIGNMENTS: {"topics": (None,), "timeout_ms": (300, 5_000)},
    ApiKey.FETCH_SNAPSHOT: {
        "cluster_id": (None,), "topics": None, "name": ("__cluster_metadata",),
        "partitions": None, "partition": (0,), "current_leader_epoch": (1, 1, 2),
        "end_offset": (0, 1, 10, 100), "epoch": (0, 1), "position": (0,),
    },
}  # fmt: skip
"""None: an array with one element, or with one that is repeated. Empty: an empty array."""
