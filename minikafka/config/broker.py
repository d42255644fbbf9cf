"""Broker configuration keys that have an effect here.

The rest of Kafka's keys is in `config/ignored.py`. Source: `KafkaConfig` and the classes of which
it consists (`ReplicationConfigs`, `ServerLogConfigs`, `KRaftConfigs`, `GroupCoordinatorConfig`, …).
The doc of a key that Kafka does not have says "Own key".
"""

# Long because: a table, with one entry for each configuration key.

from typing import Final

from minikafka.common.whole_numbers import whole_number
from minikafka.config.definition import (
    REQUIRED,
    ConfigType,
    Key,
    Update,
    Valid,
    at_least,
    one_of,
)

PROCESS_ROLES: Key[tuple[str, ...]] = Key(
    name="process.roles",
    type=ConfigType.LIST,
    default=REQUIRED,
    valid=one_of("broker", "controller"),
    doc="The roles of this node: broker, controller, or both.",
)
NODE_ID: Key[int] = Key(
    name="node.id",
    type=ConfigType.INT,
    default=REQUIRED,
    valid=at_least(0),
    doc="The id of this node, unique in the cluster.",
)
LISTENERS: Key[tuple[str, ...]] = Key(
    name="listeners",
    type=ConfigType.LIST,
    default=("PLAINTEXT://:9092",),
    update=Update.PER_BROKER,
    doc="The addresses on which this node listens: NAME://host:port; an empty host means all.",
)
ADVERTISED_LISTENERS: Key[tuple[str, ...] | None] = Key(
    name="advertised.listeners",
    type=ConfigType.LIST,
    default=None,
    nullable=True,
    doc="The addresses that clients and other nodes connect to, if they differ from listeners.",
)
LISTENER_SECURITY_PROTOCOL_MAP: Key[str] = Key(
    name="listener.security.protocol.map",
    type=ConfigType.STRING,
    default="SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
    update=Update.PER_BROKER,
    doc="The security protocol of each listener: PLAINTEXT or SASL_PLAINTEXT.",
)
CONTROLLER_LISTENER_NAMES: Key[tuple[str, ...]] = Key(
    name="controller.listener.names",
    type=ConfigType.LIST,
    default=REQUIRED,
    doc="The names of the controllers' listeners; brokers connect to the first one.",
)
INTER_BROKER_LISTENER_NAME: Key[str | None] = Key(
    name="inter.broker.listener.name",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    doc="The listener for connections between brokers.",
)
SECURITY_INTER_BROKER_PROTOCOL: Key[str] = Key(
    name="security.inter.broker.protocol",
    type=ConfigType.STRING,
    default="PLAINTEXT",
    valid=one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
    doc="The security protocol between brokers, if inter.broker.listener.name is not set.",
)
CONTROLLER_QUORUM_VOTERS: Key[tuple[str, ...]] = Key(
    name="controller.quorum.voters",
    type=ConfigType.LIST,
    default=(),
    doc="The voters of a static quorum: id@host:port, comma-separated.",
)
CONTROLLER_QUORUM_BOOTSTRAP_SERVERS: Key[tuple[str, ...]] = Key(
    name="controller.quorum.bootstrap.servers",
    type=ConfigType.LIST,
    default=(),
    doc="Controllers to ask for the quorum's leader: host:port, comma-separated.",
)
CONTROLLER_QUORUM_FETCH_TIMEOUT_MS: Key[int] = Key(
    name="controller.quorum.fetch.timeout.ms",
    type=ConfigType.INT,
    default=2000,
    valid=at_least(0),
    doc="The time without a successful fetch after which a node searches for another leader.",
)
CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS: Key[int] = Key(
    name="controller.quorum.election.timeout.ms",
    type=ConfigType.INT,
    default=1000,
    valid=at_least(0),
    doc="The time to wait for a leader before an election is requested.",
)
CONTROLLER_QUORUM_ELECTION_BACKOFF_MAX_MS: Key[int] = Key(
    name="controller.quorum.election.backoff.max.ms",
    type=ConfigType.INT,
    default=1000,
    valid=at_least(0),
    doc="The longest time that a voter waits before an election after the leader has resigned.",
)
CONTROLLER_QUORUM_REQUEST_TIMEOUT_MS: Key[int] = Key(
    name="controller.quorum.request.timeout.ms",
    type=ConfigType.INT,
    default=2000,
    valid=at_least(0),
    doc="The timeout of a request in the quorum.",
)
CONTROLLER_QUORUM_RETRY_BACKOFF_MS: Key[int] = Key(
    name="controller.quorum.retry.backoff.ms",
    type=ConfigType.INT,
    default=20,
    valid=at_least(0),
    doc="The time to wait before a failed request in the quorum is sent again.",
)
CONTROLLER_QUORUM_FETCH_MAX_BYTES: Key[int] = Key(
    name="controller.quorum.fetch.max.bytes",
    type=ConfigType.INT,
    default=1048576,
    valid=at_least(1),
    doc="The maximum number of bytes of the metadata log in one response.",
)
CONTROLLER_QUORUM_FETCH_SNAPSHOT_MAX_BYTES: Key[int] = Key(
    name="controller.quorum.fetch.snapshot.max.bytes",
    type=ConfigType.INT,
    default=1048576,
    valid=at_least(1),
    doc="The maximum number of bytes of a metadata snapshot in one response.",
)
CONTROLLER_QUORUM_AUTO_JOIN_ENABLE: Key[bool] = Key(
    name="controller.quorum.auto.join.enable",
    type=ConfigType.BOOLEAN,
    default=False,
    doc="Whether a controller of a dynamic quorum asks to be made a voter.",
)
LOG_DIR: Key[tuple[str, ...]] = Key(
    name="log.dir",
    type=ConfigType.LIST,
    default=("/tmp/kafka-logs",),  # noqa: S108 - the default of Kafka
    doc="Directories for data, if log.dirs is not set.",
)
LOG_DIRS: Key[tuple[str, ...] | None] = Key(
    name="log.dirs",
    type=ConfigType.LIST,
    default=None,
    nullable=True,
    doc="Directories for data, comma-separated.",
)
METADATA_LOG_DIR: Key[str | None] = Key(
    name="metadata.log.dir",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    doc="The directory of the metadata log; by default the first of log.dirs.",
)
METADATA_LOG_SEGMENT_BYTES: Key[int] = Key(
    name="metadata.log.segment.bytes",
    type=ConfigType.INT,
    default=1073741824,
    valid=at_least(8388608),
    doc="The size at which the metadata log starts a new segment.",
)
METADATA_LOG_SEGMENT_MS: Key[int] = Key(
    name="metadata.log.segment.ms",
    type=ConfigType.LONG,
    default=604800000,
    doc="The age at which the metadata log starts a new segment.",
)
METADATA_MAX_RETENTION_BYTES: Key[int] = Key(
    name="metadata.max.retention.bytes",
    type=ConfigType.LONG,
    default=104857600,
    doc="The size of metadata log and snapshots together beyond which the oldest snapshot is "
    "removed, with the log before the next one; the newest snapshot always stays. -1 for no limit.",
)
METADATA_MAX_RETENTION_MS: Key[int] = Key(
    name="metadata.max.retention.ms",
    type=ConfigType.LONG,
    default=604800000,
    doc="The age of a snapshot's last record beyond which the snapshot is removed, with the log "
    "before the next one; the newest snapshot always stays. -1 for no limit.",
)
METADATA_MAX_IDLE_INTERVAL_MS: Key[int] = Key(
    name="metadata.max.idle.interval.ms",
    type=ConfigType.INT,
    default=500,
    valid=at_least(0),
    doc="The interval at which an idle active controller writes a no-op record; 0 for never.",
)
METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS: Key[int] = Key(
    name="metadata.log.max.record.bytes.between.snapshots",
    type=ConfigType.LONG,
    default=20971520,
    valid=at_least(1),
    doc="The number of bytes of committed metadata records after which a node writes a snapshot.",
)
METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS: Key[int] = Key(
    name="metadata.log.max.snapshot.interval.ms",
    type=ConfigType.LONG,
    default=3600000,
    valid=at_least(0),
    doc="The maximum time between two metadata snapshots of a node; 0 for no limit.",
)
BROKER_RACK: Key[str | None] = Key(
    name="broker.rack",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    doc="The rack of this broker, for placement and for consumers with client.rack.",
)
RACK_AWARE_SELECTOR: Final = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
REPLICA_SELECTOR_CLASS: Key[str | None] = Key(
    name="replica.selector.class",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    valid=Valid(
        f"empty or {RACK_AWARE_SELECTOR}", lambda value: value in ("", RACK_AWARE_SELECTOR)
    ),
    doc="RackAwareReplicaSelector lets consumers with client.rack read from a follower there.",
)
NUM_PARTITIONS: Key[int] = Key(
    name="num.partitions",
    type=ConfigType.INT,
    default=1,
    valid=at_least(1),
    doc="The number of partitions of a topic that is created without one.",
)
DEFAULT_REPLICATION_FACTOR: Key[int] = Key(
    name="default.replication.factor",
    type=ConfigType.INT,
    default=1,
    doc="The replication factor of a topic that is created without one.",
)
AUTO_CREATE_TOPICS_ENABLE: Key[bool] = Key(
    name="auto.create.topics.enable",
    type=ConfigType.BOOLEAN,
    default=True,
    doc="If true, a metadata request for an unknown topic creates the topic.",
)
DELETE_TOPIC_ENABLE: Key[bool] = Key(
    name="delete.topic.enable",
    type=ConfigType.BOOLEAN,
    default=True,
    doc="If true, topics may be deleted.",
)
MIN_INSYNC_REPLICAS: Key[int] = Key(
    name="min.insync.replicas",
    type=ConfigType.INT,
    default=1,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    doc="The minimum number of in-sync replicas for a partition to commit records (H1, H6).",
)
UNCLEAN_LEADER_ELECTION_ENABLE: Key[bool] = Key(
    name="unclean.leader.election.enable",
    type=ConfigType.BOOLEAN,
    default=False,
    update=Update.CLUSTER_WIDE,
    doc="If true, a replica outside ISR and ELR may be elected, which may lose records.",
)
AUTO_LEADER_REBALANCE_ENABLE: Key[bool] = Key(
    name="auto.leader.rebalance.enable",
    type=ConfigType.BOOLEAN,
    default=True,
    doc="If true, preferred replicas are elected leader again periodically.",
)
LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS: Key[int] = Key(
    name="leader.imbalance.check.interval.seconds",
    type=ConfigType.LONG,
    default=300,
    valid=at_least(1),
    doc="The interval at which preferred replicas are elected leader again.",
)
UNCLEAN_LEADER_ELECTION_INTERVAL_MS: Key[int] = Key(
    name="unclean.leader.election.interval.ms",
    type=ConfigType.LONG,
    default=300000,
    valid=at_least(1),
    internal=True,
    doc="The interval at which leaderless partitions are checked for an unclean election.",
)
REPLICA_LAG_TIME_MAX_MS: Key[int] = Key(
    name="replica.lag.time.max.ms",
    type=ConfigType.LONG,
    default=30000,
    doc="A follower that has not reached the leader's log end offset for this long leaves the ISR.",
)
REPLICA_FETCH_MAX_BYTES: Key[int] = Key(
    name="replica.fetch.max.bytes",
    type=ConfigType.INT,
    default=1048576,
    valid=at_least(0),
    doc="The maximum number of bytes of one partition in a follower's fetch.",
)
REPLICA_FETCH_WAIT_MAX_MS: Key[int] = Key(
    name="replica.fetch.wait.max.ms",
    type=ConfigType.INT,
    default=500,
    doc="The maximum time that a follower's fetch waits for data.",
)
REPLICA_FETCH_MIN_BYTES: Key[int] = Key(
    name="replica.fetch.min.bytes",
    type=ConfigType.INT,
    default=1,
    doc="The number of bytes that a follower's fetch waits for.",
)
REPLICA_FETCH_RESPONSE_MAX_BYTES: Key[int] = Key(
    name="replica.fetch.response.max.bytes",
    type=ConfigType.INT,
    default=10485760,
    valid=at_least(0),
    doc="The maximum number of bytes in the response to a follower's fetch.",
)
REPLICA_FETCH_BACKOFF_MS: Key[int] = Key(
    name="replica.fetch.backoff.ms",
    type=ConfigType.INT,
    default=1000,
    valid=at_least(0),
    doc="The time that a follower waits after a failed fetch.",
)
REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS: Key[int] = Key(
    name="replica.high.watermark.checkpoint.interval.ms",
    type=ConfigType.LONG,
    default=5000,
    doc="The interval at which high watermarks are written to disk.",
)
REPLICA_SOCKET_TIMEOUT_MS: Key[int] = Key(
    name="replica.socket.timeout.ms",
    type=ConfigType.INT,
    default=30000,
    doc="The time that a follower waits for the response to a fetch.",
)
BROKER_SESSION_TIMEOUT_MS: Key[int] = Key(
    name="broker.session.timeout.ms",
    type=ConfigType.INT,
    default=9000,
    doc="A broker that sent no heartbeat for this long is fenced.",
)
STOPPED_NODE_DETECTION_ENABLE: Key[bool] = Key(
    name="stopped.node.detection.enable",
    type=ConfigType.BOOLEAN,
    default=True,
    doc=(
        "If true, a node whose connection was closed and whose address refuses connections counts "
        "as stopped at once: its broker is fenced, and if it led the quorum, the voters elect "
        "another leader. Own key."
    ),
)
BROKER_HEARTBEAT_INTERVAL_MS: Key[int] = Key(
    name="broker.heartbeat.interval.ms",
    type=ConfigType.INT,
    default=2000,
    doc="The interval at which a broker sends a heartbeat.",
)
INITIAL_BROKER_REGISTRATION_TIMEOUT_MS: Key[int] = Key(
    name="initial.broker.registration.timeout.ms",
    type=ConfigType.INT,
    default=60000,
    doc="The time after which a starting broker stops trying to register.",
)
CONTROLLED_SHUTDOWN_ENABLE: Key[bool] = Key(
    name="controlled.shutdown.enable",
    type=ConfigType.BOOLEAN,
    default=True,
    doc="If true, a stopping broker hands over its leaderships first.",
)
REQUEST_TIMEOUT_MS: Key[int] = Key(
    name="request.timeout.ms",
    type=ConfigType.INT,
    default=30000,
    doc="The timeout of a request to another node.",
)
SOCKET_REQUEST_MAX_BYTES: Key[int] = Key(
    name="socket.request.max.bytes",
    type=ConfigType.INT,
    default=104857600,
    valid=at_least(1),
    doc="The largest request that is read; a larger one closes its connection.",
)
SOCKET_LISTEN_BACKLOG_SIZE: Key[int] = Key(
    name="socket.listen.backlog.size",
    type=ConfigType.INT,
    default=50,
    valid=at_least(1),
    doc="The maximum number of connections that wait to be accepted on a listener.",
)
MAX_CONNECTIONS: Key[int] = Key(
    name="max.connections",
    type=ConfigType.INT,
    default=2147483647,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The maximum number of connections; further ones wait. If nodes have a separate listener, "
    "a connection from another node replaces the client connection that is idle for longest.",
)
MAX_CONNECTION_CREATION_RATE: Key[int] = Key(
    name="max.connection.creation.rate",
    type=ConfigType.INT,
    default=2147483647,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The maximum number of new connections per second, over ten seconds; further ones wait.",
)
MAX_CONNECTIONS_PER_IP: Key[int] = Key(
    name="max.connections.per.ip",
    type=ConfigType.INT,
    default=2147483647,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The maximum number of client connections from one address.",
)


def per_ip_overrides(text: str) -> dict[str, int]:
    """Parse the limits in `host:limit,host:limit`, by host as it is written.

    Raises:
        ValueError: an item is not of that form.
    """
    limits = {}
    for item in filter(None, map(str.strip, text.split(","))):
        host, _, most = item.rpartition(":")
        try:
            limits[host] = whole_number(most)
        except ValueError:
            host = ""
        if not host:
            raise ValueError(f"{item!r} is not host:limit")
    return limits


def _are_overrides(value: object) -> bool:
    try:
        per_ip_overrides(str(value))
    except ValueError:
        return False
    return True


MAX_CONNECTIONS_PER_IP_OVERRIDES: Key[str] = Key(
    name="max.connections.per.ip.overrides",
    type=ConfigType.STRING,
    default="",
    valid=Valid("host:limit, separated by commas", _are_overrides),
    update=Update.CLUSTER_WIDE,
    doc="Limits for single addresses or host names, instead of max.connections.per.ip: "
    "127.0.0.1:200,client.example:5. Names are resolved once.",
)
CONNECTIONS_MAX_IDLE_MS: Key[int] = Key(
    name="connections.max.idle.ms",
    type=ConfigType.LONG,
    default=600000,
    doc="A connection without traffic for this long is closed.",
)
QUEUED_MAX_REQUESTS: Key[int] = Key(
    name="queued.max.requests",
    type=ConfigType.INT,
    default=500,
    valid=at_least(1),
    doc="The maximum number of requests of one connection that wait to be handled.",
)
QUEUED_MAX_REQUEST_BYTES: Key[int] = Key(
    name="queued.max.request.bytes",
    type=ConfigType.LONG,
    default=-1,
    doc="The maximum number of bytes of clients' large requests (over 64 KiB) that are received or "
    "held at a time; further ones wait. -1 means 1 GiB.",
)
MESSAGE_MAX_BYTES: Key[int] = Key(
    name="message.max.bytes",
    type=ConfigType.INT,
    default=1048588,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The maximum size of a record batch, in bytes.",
)
FETCH_MAX_BYTES: Key[int] = Key(
    name="fetch.max.bytes",
    type=ConfigType.INT,
    default=57671680,
    valid=at_least(1024),
    doc="The maximum number of bytes in the response to one fetch.",
)
MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS: Key[int] = Key(
    name="max.incremental.fetch.session.cache.slots",
    type=ConfigType.INT,
    default=1000,
    valid=at_least(0),
    doc="The maximum number of fetch sessions.",
)
MAX_REQUEST_PARTITION_SIZE_LIMIT: Key[int] = Key(
    name="max.request.partition.size.limit",
    type=ConfigType.INT,
    default=2000,
    valid=at_least(1),
    doc="The maximum number of partitions in one response of DescribeTopicPartitions.",
)
ELIGIBLE_LEADER_REPLICAS_ENABLED: Key[bool] = Key(
    name="eligible.leader.replicas.enabled",
    type=ConfigType.BOOLEAN,
    default=True,
    doc="If true, eligible leader replicas are kept, if the feature level allows it. Own key.",
)
RECOVERY_STRATEGIES = ("Aggressive", "Balanced", "None")
RECOVERY_SPELLINGS = {
    **{name.lower(): name for name in RECOVERY_STRATEGIES},
    # Names of older texts of KIP-966.
    "proactive": "Aggressive",
    "manual": "None",
}
UNCLEAN_RECOVERY_STRATEGY: Key[str] = Key(
    name="unclean.recovery.strategy",
    type=ConfigType.STRING,
    default="Balanced",
    valid=one_of(*RECOVERY_STRATEGIES),
    update=Update.CLUSTER_WIDE,
    spellings=RECOVERY_SPELLINGS,
    doc="The way in which a partition without ISR and ELR gets a leader (KIP-966, L7). Own key.",
)
UNCLEAN_RECOVERY_MANAGER_ENABLED: Key[bool] = Key(
    name="unclean.recovery.manager.enabled",
    type=ConfigType.BOOLEAN,
    default=False,
    update=Update.CLUSTER_WIDE,
    doc="If true, unclean recovery replaces unclean elections (KIP-966). Own key.",
)
UNCLEAN_RECOVERY_TIMEOUT_MS: Key[int] = Key(
    name="unclean.recovery.timeout.ms",
    type=ConfigType.LONG,
    default=300_000,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    doc="The time that a Balanced recovery waits for further responses (U5). Own key.",
)
METRICS_HTTP_LISTEN: Key[str | None] = Key(
    name="metrics.http.listen",
    type=ConfigType.STRING,
    default=None,
    nullable=True,
    doc="The address for GET /metrics, as host:port; port 0 takes a free one. Own key.",
)

BROKER_KEYS: tuple[Key[object], ...] = (
    PROCESS_ROLES,
    NODE_ID,
    LISTENERS,
    ADVERTISED_LISTENERS,
    LISTENER_SECURITY_PROTOCOL_MAP,
    CONTROLLER_LISTENER_NAMES,
    INTER_BROKER_LISTENER_NAME,
    SECURITY_INTER_BROKER_PROTOCOL,
    CONTROLLER_QUORUM_VOTERS,
    CONTROLLER_QUORUM_BOOTSTRAP_SERVERS,
    CONTROLLER_QUORUM_FETCH_TIMEOUT_MS,
    CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS,
    CONTROLLER_QUORUM_ELECTION_BACKOFF_MAX_MS,
    CONTROLLER_QUORUM_REQUEST_TIMEOUT_MS,
    CONTROLLER_QUORUM_RETRY_BACKOFF_MS,
    CONTROLLER_QUORUM_FETCH_MAX_BYTES,
    CONTROLLER_QUORUM_FETCH_SNAPSHOT_MAX_BYTES,
    CONTROLLER_QUORUM_AUTO_JOIN_ENABLE,
    LOG_DIR,
    LOG_DIRS,
    METADATA_LOG_DIR,
    METADATA_LOG_SEGMENT_BYTES,
    METADATA_LOG_SEGMENT_MS,
    METADATA_MAX_RETENTION_BYTES,
    METADATA_MAX_RETENTION_MS,
    METADATA_MAX_IDLE_INTERVAL_MS,
    METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS,
    METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS,
    BROKER_RACK,
    REPLICA_SELECTOR_CLASS,
    NUM_PARTITIONS,
    DEFAULT_REPLICATION_FACTOR,
    AUTO_CREATE_TOPICS_ENABLE,
    DELETE_TOPIC_ENABLE,
    MIN_INSYNC_REPLICAS,
    UNCLEAN_LEADER_ELECTION_ENABLE,
    AUTO_LEADER_REBALANCE_ENABLE,
    LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS,
    UNCLEAN_LEADER_ELECTION_INTERVAL_MS,
    REPLICA_LAG_TIME_MAX_MS,
    REPLICA_FETCH_MAX_BYTES,
    REPLICA_FETCH_WAIT_MAX_MS,
    REPLICA_FETCH_MIN_BYTES,
    REPLICA_FETCH_RESPONSE_MAX_BYTES,
    REPLICA_FETCH_BACKOFF_MS,
    REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS,
    REPLICA_SOCKET_TIMEOUT_MS,
    BROKER_SESSION_TIMEOUT_MS,
    STOPPED_NODE_DETECTION_ENABLE,
    BROKER_HEARTBEAT_INTERVAL_MS,
    INITIAL_BROKER_REGISTRATION_TIMEOUT_MS,
    CONTROLLED_SHUTDOWN_ENABLE,
    REQUEST_TIMEOUT_MS,
    SOCKET_REQUEST_MAX_BYTES,
    SOCKET_LISTEN_BACKLOG_SIZE,
    MAX_CONNECTIONS,
    MAX_CONNECTION_CREATION_RATE,
    MAX_CONNECTIONS_PER_IP,
    MAX_CONNECTIONS_PER_IP_OVERRIDES,
    CONNECTIONS_MAX_IDLE_MS,
    QUEUED_MAX_REQUESTS,
    QUEUED_MAX_REQUEST_BYTES,
    MESSAGE_MAX_BYTES,
    FETCH_MAX_BYTES,
    MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS,
    MAX_REQUEST_PARTITION_SIZE_LIMIT,
    ELIGIBLE_LEADER_REPLICAS_ENABLED,
    UNCLEAN_RECOVERY_STRATEGY,
    UNCLEAN_RECOVERY_MANAGER_ENABLED,
    UNCLEAN_RECOVERY_TIMEOUT_MS,
    METRICS_HTTP_LISTEN,
)
