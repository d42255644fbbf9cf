"""All metrics: those of every node, of brokers and of controllers.

Names are those of Apache Kafka if it has the metric (`ReplicaManager`, `Partition`,
`BrokerTopicMetrics`, `ControllerMetadataMetrics`, `QuorumControllerMetrics`, KIP-351), and those of
KIP-966 for unclean recovery (M2).
"""

from minikafka.metrics.definition import Metric, MetricKind

_PARTITION = ("topic", "partition")
_MARKERS = "kafka.coordinator.transaction:type=TransactionMarkerChannelManager,name="


def _gauge(name: str, text: str, *labels: str, aliases: tuple[str, ...] = ()) -> Metric:
    return Metric(name=name, help=text, labels=labels, aliases=aliases)


def _counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(name=name, help=text, kind=MetricKind.COUNTER, labels=labels)


def _server(kind: str, name: str) -> str:
    return f"kafka.server:type={kind},name={name}"


def _log(kind: str, name: str) -> str:
    return f"kafka.log:type={kind},name={name}"


def _controller(name: str) -> str:
    return f"kafka.controller:type=KafkaController,name={name}"


# Of all nodes

REQUESTS = _counter(
    "kafka.network:type=RequestMetrics,name=RequestsPerSec",
    "Requests received, by API.",
    "request",
)
CONNECTION_COUNT = _gauge(
    _server("socket-server-metrics", "connection-count"),
    "Open connections of clients and other nodes, by listener.",
    "listener",
)
LOGINS = _counter(
    _server("socket-server-metrics", "successful-authentication-total"),
    "Logins of clients, by SASL listener.",
    "listener",
)
FAILED_LOGINS = _counter(
    _server("socket-server-metrics", "failed-authentication-total"),
    "Clients and nodes that could not prove who they are, by listener.",
    "listener",
)
REPEATED_LOGINS = _counter(
    _server("socket-server-metrics", "successful-reauthentication-total"),
    "Further logins on a connection, by SASL listener.",
    "listener",
)
FAILED_REPEATED_LOGINS = _counter(
    _server("socket-server-metrics", "failed-reauthentication-total"),
    "Failed further logins on a connection, by SASL listener.",
    "listener",
)
LOGINS_WITHOUT_REPETITION = _counter(
    _server("socket-server-metrics", "successful-authentication-no-reauth-total"),
    "Logins of clients that cannot log in again, by SASL listener.",
    "listener",
)
EXPIRED_CONNECTIONS = _counter(
    _server("socket-server-metrics", "expired-connections-killed-count"),
    "Connections that were closed since their session had ended, by SASL listener.",
    "listener",
)
DELAYED_OPERATIONS = _gauge(
    _server("DelayedOperationPurgatory", "NumDelayedOperations"),
    "Requests that wait for a condition, by operation.",
    "delayedOperation",
)
PURGATORY_SIZE = _gauge(
    _server("DelayedOperationPurgatory", "PurgatorySize"),
    "Conditions that such requests wait for; a request with several conditions counts for each.",
    "delayedOperation",
)
ACL_COUNT = _gauge(
    _server("plugins", "acls-total-count"),
    "Access control entries by which the authorizer decides; 0 without an authorizer.",
)
DENIALS = _counter(
    _server("plugins", "authorization-denied-total"),
    "Denials that were written to the audit log, or counted there.",
)
QUORUM_LEADER = _gauge(
    _server("raft-metrics", "current-leader"),
    "The id of the active controller as known by this node; -1 for none.",
)
QUORUM_EPOCH = _gauge(
    _server("raft-metrics", "current-epoch"), "The epoch of the quorum as known by this node."
)
QUORUM_HIGH_WATERMARK = _gauge(
    _server("raft-metrics", "high-watermark"), "The high watermark of the metadata log."
)
QUORUM_LOG_END_OFFSET = _gauge(
    _server("raft-metrics", "log-end-offset"), "The end of this node's copy of the metadata log."
)

NODE_METRICS = (
    REQUESTS,
    CONNECTION_COUNT,
    LOGINS,
    FAILED_LOGINS,
    REPEATED_LOGINS,
    FAILED_REPEATED_LOGINS,
    LOGINS_WITHOUT_REPETITION,
    EXPIRED_CONNECTIONS,
    DELAYED_OPERATIONS,
    PURGATORY_SIZE,
    ACL_COUNT,
    DENIALS,
    QUORUM_LEADER,
    QUORUM_EPOCH,
    QUORUM_HIGH_WATERMARK,
    QUORUM_LOG_END_OFFSET,
)

# Of brokers

BROKER_STATE = _gauge(
    _server("KafkaServer", "BrokerState"),
    "1 starting, 2 recovery, 3 running, 6 handing leaderships over, 7 shutting down.",
)
APPLIED_OFFSET = _gauge(
    _server("broker-metadata-metrics", "last-applied-record-offset"),
    "The offset of the last metadata record that this broker has applied.",
)
VERIFICATION_TIME = _counter(
    _server("AddPartitionsToTxnManager", "VerificationTimeMs"),
    "The time in ms that transaction coordinators took to confirm partitions, all together.",
)
VERIFICATION_FAILURES = _counter(
    _server("AddPartitionsToTxnManager", "VerificationFailureRate"),
    "Partitions that transaction coordinators did not confirm for a transaction.",
)
PARTITION_COUNT = _gauge(_server("ReplicaManager", "PartitionCount"), "Replicas on this broker.")
LEADER_COUNT = _gauge(_server("ReplicaManager", "LeaderCount"), "Partitions led by this broker.")
UNDER_REPLICATED = _gauge(
    _server("ReplicaManager", "UnderReplicatedPartitions"),
    "Partitions led by this broker that have fewer in-sync replicas than replicas.",
)
UNDER_MIN_ISR_COUNT = _gauge(
    _server("ReplicaManager", "UnderMinIsrPartitionCount"),
    "Partitions led by this broker that have fewer in-sync replicas than min.insync.replicas.",
)
AT_MIN_ISR_COUNT = _gauge(
    _server("ReplicaManager", "AtMinIsrPartitionCount"),
    "Partitions led by this broker that have exactly min.insync.replicas in-sync replicas.",
)
OFFLINE_REPLICA_COUNT = _gauge(
    _server("ReplicaManager", "OfflineReplicaCount"),
    "Replicas of this broker that are offline: their log directory failed, or their log is lost.",
)
REASSIGNING = _gauge(
    _server("ReplicaManager", "ReassigningPartitions"),
    "Partitions led by this broker that are being reassigned.",
)
UNCLEAN_LEADER_COUNT = _gauge(
    _server("ReplicaManager", "UncleanLeaderCount"),
    "Partitions led by this broker after an unclean election and not recovered yet (L8).",
)
ISR_SHRINKS = _counter(
    _server("ReplicaManager", "IsrShrinksPerSec"), "ISR shrinks that this broker proposed."
)
ISR_EXPANDS = _counter(
    _server("ReplicaManager", "IsrExpandsPerSec"), "ISR expansions that this broker proposed."
)
MESSAGES_IN = _counter(
    _server("BrokerTopicMetrics", "MessagesInPerSec"), "Records appended as leader.", "topic"
)
BYTES_IN = _counter(
    _server("BrokerTopicMetrics", "BytesInPerSec"), "Bytes appended as leader.", "topic"
)
BYTES_OUT = _counter(
    _server("BrokerTopicMetrics", "BytesOutPerSec"), "Bytes of records sent to consumers.", "topic"
)
REPLICATION_BYTES_OUT = _counter(
    _server("BrokerTopicMetrics", "ReplicationBytesOutPerSec"),
    "Bytes of records sent to followers.",
    "topic",
)
LOG_DIRECTORY_OFFLINE = _gauge(
    "kafka.log:type=LogManager,name=LogDirectoryOffline",
    "1 if the log directory failed, else 0.",
    "logDirectory",
)
OFFLINE_LOG_DIRECTORY_COUNT = _gauge(
    "kafka.log:type=LogManager,name=OfflineLogDirectoryCount", "Log directories that failed."
)
CLEANER_RECOPY_PERCENT = _gauge(
    _log("LogCleaner", "cleaner-recopy-percent"),
    "Bytes that the last cleaning of a compacted log has written, of 100 that it has read.",
)
CLEANER_BUFFER_UTILIZATION = _gauge(
    _log("LogCleaner", "max-buffer-utilization-percent"),
    "The share of the offset map that the last cleaning has used, in percent.",
)
CLEANER_TIME = _gauge(
    _log("LogCleaner", "max-clean-time-secs"), "The duration of the last cleaning."
)
CLEANER_COMPACTION_DELAY = _gauge(
    _log("LogCleaner", "max-compaction-delay-secs"),
    "The longest time since a log had a record that is older than max.compaction.lag.ms.",
)
CLEANER_DEAD_THREADS = _gauge(
    _log("LogCleaner", "DeadThreadCount"), "Always 0: the cleaner has no threads of its own."
)
CLEANER_SINCE_LAST_RUN = _gauge(
    _log("LogCleanerManager", "time-since-last-run-ms"),
    "The time since the cleaner has last looked for logs to clean.",
)
CLEANER_MAX_DIRTY_PERCENT = _gauge(
    _log("LogCleanerManager", "max-dirty-percent"),
    "The greatest share of a compacted log that is not cleaned yet, in percent.",
)
UNCLEANABLE_PARTITIONS = _gauge(
    _log("LogCleanerManager", "uncleanable-partitions-count"),
    "Logs that could not be cleaned, by log directory.",
    "logDirectory",
)
UNCLEANABLE_BYTES = _gauge(
    _log("LogCleanerManager", "uncleanable-bytes"),
    "Bytes of logs that could not be cleaned, by log directory.",
    "logDirectory",
)
AT_MIN_ISR = _gauge(
    "kafka.cluster:type=Partition,name=AtMinIsr",
    "1 on the leader if the ISR has exactly min.insync.replicas members, else 0.",
    *_PARTITION,
)
UNDER_MIN_ISR = _gauge(
    "kafka.cluster:type=Partition,name=UnderMinIsr",
    "1 on the leader if the ISR has fewer members than min.insync.replicas, else 0.",
    *_PARTITION,
)
UNDER_REPLICATED_PARTITION = _gauge(
    "kafka.cluster:type=Partition,name=UnderReplicated",
    "1 on the leader if a replica of the partition is not in sync, else 0.",
    *_PARTITION,
)
IN_SYNC_REPLICAS_COUNT = _gauge(
    "kafka.cluster:type=Partition,name=InSyncReplicasCount",
    "The number of in-sync replicas, on the leader of the partition; elsewhere 0.",
    *_PARTITION,
)
LOG_END_OFFSET = _gauge(
    "kafka.log:type=Log,name=LogEndOffset", "The offset after the last record.", *_PARTITION
)
LOG_START_OFFSET = _gauge(
    "kafka.log:type=Log,name=LogStartOffset", "The offset of the first record.", *_PARTITION
)
LOG_SIZE = _gauge("kafka.log:type=Log,name=Size", "Bytes of all segments.", *_PARTITION)
UNKNOWN_DESTINATIONS = _gauge(
    _MARKERS + "UnknownDestinationQueueSize",
    "Ended transactions with partitions whose leader is not known: their markers wait.",
)
LOG_APPEND_RETRIES = _gauge(
    _MARKERS + "LogAppendRetryQueueSize",
    "Ended transactions whose last record cannot be written to __transaction_state yet.",
)
LONGEST_TRANSACTION_LOAD = _gauge(
    _server("transaction-coordinator-metrics", "partition-load-time-max"),
    "The longest load of a partition of __transaction_state since the start, in ms.",
)
AVERAGE_TRANSACTION_LOAD = _gauge(
    _server("transaction-coordinator-metrics", "partition-load-time-avg"),
    "The average load of a partition of __transaction_state since the start, in ms.",
)
LONGEST_GROUP_LOAD = _gauge(
    _server("group-coordinator-metrics", "partition-load-time-max"),
    "The longest load of a partition of __consumer_offsets since the start, in ms.",
)
AVERAGE_GROUP_LOAD = _gauge(
    _server("group-coordinator-metrics", "partition-load-time-avg"),
    "The average load of a partition of __consumer_offsets since the start, in ms.",
)

BROKER_METRICS = (
    BROKER_STATE,
    APPLIED_OFFSET,
    VERIFICATION_TIME,
    VERIFICATION_FAILURES,
    PARTITION_COUNT,
    LEADER_COUNT,
    UNDER_REPLICATED,
    UNDER_MIN_ISR_COUNT,
    AT_MIN_ISR_COUNT,
    OFFLINE_REPLICA_COUNT,
    REASSIGNING,
    UNCLEAN_LEADER_COUNT,
    ISR_SHRINKS,
    ISR_EXPANDS,
    MESSAGES_IN,
    BYTES_IN,
    BYTES_OUT,
    REPLICATION_BYTES_OUT,
    LOG_DIRECTORY_OFFLINE,
    OFFLINE_LOG_DIRECTORY_COUNT,
    CLEANER_RECOPY_PERCENT,
    CLEANER_BUFFER_UTILIZATION,
    CLEANER_TIME,
    CLEANER_COMPACTION_DELAY,
    CLEANER_DEAD_THREADS,
    CLEANER_SINCE_LAST_RUN,
    CLEANER_MAX_DIRTY_PERCENT,
    UNCLEANABLE_PARTITIONS,
    UNCLEANABLE_BYTES,
    AT_MIN_ISR,
    UNDER_MIN_ISR,
    UNDER_REPLICATED_PARTITION,
    IN_SYNC_REPLICAS_COUNT,
    LOG_END_OFFSET,
    LOG_START_OFFSET,
    LOG_SIZE,
    UNKNOWN_DESTINATIONS,
    LOG_APPEND_RETRIES,
    LONGEST_TRANSACTION_LOAD,
    AVERAGE_TRANSACTION_LOAD,
    LONGEST_GROUP_LOAD,
    AVERAGE_GROUP_LOAD,
)

# Of controllers

ACTIVE_CONTROLLER_COUNT = _gauge(
    _controller("ActiveControllerCount"), "1 on the active controller, 0 on others."
)
ACTIVE_BROKER_COUNT = _gauge(_controller("ActiveBrokerCount"), "Brokers that are not fenced.")
FENCED_BROKER_COUNT = _gauge(_controller("FencedBrokerCount"), "Brokers that are fenced.")
GLOBAL_TOPIC_COUNT = _gauge(_controller("GlobalTopicCount"), "Topics of the cluster.")
GLOBAL_PARTITION_COUNT = _gauge(_controller("GlobalPartitionCount"), "Partitions of the cluster.")
OFFLINE_PARTITIONS_COUNT = _gauge(
    _controller("OfflinePartitionsCount"), "Partitions without a leader."
)
PREFERRED_IMBALANCE_COUNT = _gauge(
    _controller("PreferredReplicaImbalanceCount"),
    "Partitions whose leader is not the preferred (first) replica.",
)
GLOBAL_UNCLEAN_LEADER_COUNT = _gauge(
    _controller("UncleanLeaderCount"),
    "Partitions led after an unclean election and not recovered yet (L8).",
)
CONTROLLER_APPLIED_OFFSET = _gauge(
    _controller("LastAppliedRecordOffset"),
    "The offset of the last metadata record that this controller has applied.",
)
CONTROLLER_COMMITTED_OFFSET = _gauge(
    _controller("LastCommittedRecordOffset"),
    "The offset of the last committed metadata record.",
)
UNCLEAN_ELECTIONS = _counter(
    "kafka.controller:type=ControllerStats,name=UncleanLeaderElectionsPerSec",
    "Leaders that this controller elected from outside of ISR and ELR.",
)
ELR_ELECTIONS = _counter(
    "kafka.controller:type=ControllerStats,name=ElectionFromEligibleLeaderReplicasPerSec",
    "Leaders that this controller elected from the ELR.",
)
GLOBAL_UNDER_MIN_ISR_COUNT = _gauge(
    "kafka.controller.global_under_min_isr_partition_count",
    "Partitions with fewer in-sync replicas than min.insync.replicas, with or without a leader.",
)
RECOVERY_COUNT = _gauge(
    "kafka.controller.unclean_recovery_partitions_count",
    "Partitions in unclean recovery, including those that wait for members of LastKnownELR.",
    aliases=("kafka.replication.unclean_recovery_partitions_count",),
)
MANUAL_ELECTION_COUNT = _gauge(
    "kafka.controller.manual_leader_election_required_partition_count",
    "Partitions without a leader that need a manual election by an operator.",
    aliases=("kafka.replication.paused_partitions_count",),
)
RECOVERIES_FINISHED = _counter(
    "kafka.controller.unclean_recovery_finished_count",
    "Unclean recoveries that elected a leader since this process started.",
)
ELECTABLE_REPLICAS = _gauge(
    "kafka.replication.electable_replicas_count",
    "Replicas in ISR or ELR, by partition.",
    *_PARTITION,
)

CONTROLLER_METRICS = (
    ACTIVE_CONTROLLER_COUNT,
    ACTIVE_BROKER_COUNT,
    FENCED_BROKER_COUNT,
    GLOBAL_TOPIC_COUNT,
    GLOBAL_PARTITION_COUNT,
    OFFLINE_PARTITIONS_COUNT,
    PREFERRED_IMBALANCE_COUNT,
    GLOBAL_UNCLEAN_LEADER_COUNT,
    CONTROLLER_APPLIED_OFFSET,
    CONTROLLER_COMMITTED_OFFSET,
    UNCLEAN_ELECTIONS,
    ELR_ELECTIONS,
    GLOBAL_UNDER_MIN_ISR_COUNT,
    RECOVERY_COUNT,
    MANUAL_ELECTION_COUNT,
    RECOVERIES_FINISHED,
    ELECTABLE_REPLICAS,
)

CATALOG = (*NODE_METRICS, *BROKER_METRICS, *CONTROLLER_METRICS)
