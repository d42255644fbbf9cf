"""Topic configuration keys, with the broker keys that give their defaults.

Source: `TopicConfig`, `LogConfig`, `ServerTopicConfigSynonyms`.
"""

from minikafka.config.broker import (
    MESSAGE_MAX_BYTES,
    RECOVERY_SPELLINGS,
    RECOVERY_STRATEGIES,
)
from minikafka.config.broker import (
    MIN_INSYNC_REPLICAS as BROKER_MIN_INSYNC_REPLICAS,
)
from minikafka.config.broker import (
    UNCLEAN_LEADER_ELECTION_ENABLE as BROKER_UNCLEAN_LEADER_ELECTION_ENABLE,
)
from minikafka.config.broker import (
    UNCLEAN_RECOVERY_STRATEGY as BROKER_UNCLEAN_RECOVERY_STRATEGY,
)
from minikafka.config.definition import (
    ConfigType,
    Key,
    KeyTable,
    Update,
    Valid,
    at_least,
    between,
    either,
    one_of,
    subset_of,
    throttled_replicas,
)
from minikafka.config.log_keys import (
    COMPRESSION_GZIP_LEVEL as BROKER_COMPRESSION_GZIP_LEVEL,
)
from minikafka.config.log_keys import (
    COMPRESSION_LZ4_LEVEL as BROKER_COMPRESSION_LZ4_LEVEL,
)
from minikafka.config.log_keys import (
    COMPRESSION_TYPE as BROKER_COMPRESSION_TYPE,
)
from minikafka.config.log_keys import (
    COMPRESSION_TYPES,
    LOG_CLEANER_DELETE_RETENTION_MS,
    LOG_CLEANER_MAX_COMPACTION_LAG_MS,
    LOG_CLEANER_MIN_CLEANABLE_RATIO,
    LOG_CLEANER_MIN_COMPACTION_LAG_MS,
    LOG_CLEANUP_POLICY,
    LOG_FLUSH_INTERVAL_MESSAGES,
    LOG_FLUSH_INTERVAL_MS,
    LOG_FLUSH_SCHEDULER_INTERVAL_MS,
    LOG_INDEX_INTERVAL_BYTES,
    LOG_INDEX_SIZE_MAX_BYTES,
    LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS,
    LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS,
    LOG_MESSAGE_TIMESTAMP_TYPE,
    LOG_PREALLOCATE,
    LOG_RETENTION_BYTES,
    LOG_RETENTION_HOURS,
    LOG_RETENTION_MINUTES,
    LOG_RETENTION_MS,
    LOG_ROLL_HOURS,
    LOG_ROLL_JITTER_HOURS,
    LOG_ROLL_JITTER_MS,
    LOG_ROLL_MS,
    LOG_SEGMENT_BYTES,
    LOG_SEGMENT_DELETE_DELAY_MS,
)
from minikafka.config.log_keys import (
    COMPRESSION_ZSTD_LEVEL as BROKER_COMPRESSION_ZSTD_LEVEL,
)

SEGMENT_BYTES: Key[int] = Key(
    name="segment.bytes",
    type=ConfigType.INT,
    default=1073741824,
    valid=at_least(1048576),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_SEGMENT_BYTES.name, 1),),
    doc="The size at which a log starts a new segment.",
)
SEGMENT_MS: Key[int] = Key(
    name="segment.ms",
    type=ConfigType.LONG,
    default=604800000,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    synonyms=(
        (LOG_ROLL_MS.name, 1),
        (LOG_ROLL_HOURS.name, 3600000),
    ),
    doc="The age at which a log starts a new segment.",
)
SEGMENT_JITTER_MS: Key[int] = Key(
    name="segment.jitter.ms",
    type=ConfigType.LONG,
    default=0,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=(
        (LOG_ROLL_JITTER_MS.name, 1),
        (LOG_ROLL_JITTER_HOURS.name, 3600000),
    ),
    doc="The maximum of the random time by which a segment is rolled early.",
)
SEGMENT_INDEX_BYTES: Key[int] = Key(
    name="segment.index.bytes",
    type=ConfigType.INT,
    default=10485760,
    valid=at_least(4),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_INDEX_SIZE_MAX_BYTES.name, 1),),
    doc="The maximum size of a segment's offset index, in bytes.",
)
FLUSH_MESSAGES: Key[int] = Key(
    name="flush.messages",
    type=ConfigType.LONG,
    default=9223372036854775807,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_FLUSH_INTERVAL_MESSAGES.name, 1),),
    doc="The number of records after which the log is synced to disk.",
)
FLUSH_MS: Key[int] = Key(
    name="flush.ms",
    type=ConfigType.LONG,
    default=9223372036854775807,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=(
        (LOG_FLUSH_INTERVAL_MS.name, 1),
        (LOG_FLUSH_SCHEDULER_INTERVAL_MS.name, 1),
    ),
    doc="The time after which the log is synced to disk.",
)
RETENTION_BYTES: Key[int] = Key(
    name="retention.bytes",
    type=ConfigType.LONG,
    default=-1,
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_RETENTION_BYTES.name, 1),),
    doc="The size of a log beyond which old segments are deleted; -1 for no limit.",
)
RETENTION_MS: Key[int] = Key(
    name="retention.ms",
    type=ConfigType.LONG,
    default=604800000,
    valid=at_least(-1),
    update=Update.CLUSTER_WIDE,
    synonyms=(
        (LOG_RETENTION_MS.name, 1),
        (LOG_RETENTION_MINUTES.name, 60000),
        (LOG_RETENTION_HOURS.name, 3600000),
    ),
    doc="The time that segments are kept; -1 for no limit.",
)
MAX_MESSAGE_BYTES: Key[int] = Key(
    name="max.message.bytes",
    type=ConfigType.INT,
    default=1048588,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=((MESSAGE_MAX_BYTES.name, 1),),
    doc="The maximum size of a record batch, in bytes.",
)
INDEX_INTERVAL_BYTES: Key[int] = Key(
    name="index.interval.bytes",
    type=ConfigType.INT,
    default=4096,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_INDEX_INTERVAL_BYTES.name, 1),),
    doc="The number of bytes of records between two index entries.",
)
DELETE_RETENTION_MS: Key[int] = Key(
    name="delete.retention.ms",
    type=ConfigType.LONG,
    default=86400000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_CLEANER_DELETE_RETENTION_MS.name, 1),),
    doc="The time that compaction keeps tombstones.",
)
MIN_COMPACTION_LAG_MS: Key[int] = Key(
    name="min.compaction.lag.ms",
    type=ConfigType.LONG,
    default=0,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_CLEANER_MIN_COMPACTION_LAG_MS.name, 1),),
    doc="The minimum time before a record is compacted.",
)
MAX_COMPACTION_LAG_MS: Key[int] = Key(
    name="max.compaction.lag.ms",
    type=ConfigType.LONG,
    default=9223372036854775807,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_CLEANER_MAX_COMPACTION_LAG_MS.name, 1),),
    doc="The maximum time before a record is compacted.",
)
FILE_DELETE_DELAY_MS: Key[int] = Key(
    name="file.delete.delay.ms",
    type=ConfigType.LONG,
    default=60000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_SEGMENT_DELETE_DELAY_MS.name, 1),),
    doc="The time that deleted files stay on disk.",
)
MIN_CLEANABLE_DIRTY_RATIO: Key[float] = Key(
    name="min.cleanable.dirty.ratio",
    type=ConfigType.DOUBLE,
    default=0.5,
    valid=between(0, 1),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_CLEANER_MIN_CLEANABLE_RATIO.name, 1),),
    doc="The minimum ratio of dirty to all bytes of a log for compaction.",
)
CLEANUP_POLICY: Key[tuple[str, ...]] = Key(
    name="cleanup.policy",
    type=ConfigType.LIST,
    default=("delete",),
    valid=subset_of("compact", "delete"),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_CLEANUP_POLICY.name, 1),),
    doc="The treatment of old segments: delete, compact, or both.",
)
UNCLEAN_LEADER_ELECTION_ENABLE: Key[bool] = Key(
    name="unclean.leader.election.enable",
    type=ConfigType.BOOLEAN,
    default=False,
    update=Update.CLUSTER_WIDE,
    synonyms=((BROKER_UNCLEAN_LEADER_ELECTION_ENABLE.name, 1),),
    doc="If true, a replica outside ISR and ELR may be elected, which may lose records.",
)
MIN_INSYNC_REPLICAS: Key[int] = Key(
    name="min.insync.replicas",
    type=ConfigType.INT,
    default=1,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    synonyms=((BROKER_MIN_INSYNC_REPLICAS.name, 1),),
    doc="The minimum number of in-sync replicas for a partition to commit records (H1, H6).",
)
COMPRESSION_TYPE: Key[str] = Key(
    name="compression.type",
    type=ConfigType.STRING,
    default="producer",
    valid=one_of(*COMPRESSION_TYPES),
    update=Update.CLUSTER_WIDE,
    synonyms=((BROKER_COMPRESSION_TYPE.name, 1),),
    doc="The compression of stored batches; producer keeps that of the producer.",
)
COMPRESSION_GZIP_LEVEL: Key[int] = Key(
    name="compression.gzip.level",
    type=ConfigType.INT,
    default=-1,
    valid=either(between(1, 9), between(-1, -1)),
    update=Update.CLUSTER_WIDE,
    synonyms=((BROKER_COMPRESSION_GZIP_LEVEL.name, 1),),
    doc="The gzip level for batches that the broker compresses.",
)
COMPRESSION_LZ4_LEVEL: Key[int] = Key(
    name="compression.lz4.level",
    type=ConfigType.INT,
    default=9,
    valid=between(1, 17),
    update=Update.CLUSTER_WIDE,
    synonyms=((BROKER_COMPRESSION_LZ4_LEVEL.name, 1),),
    doc="The lz4 level for batches that the broker compresses.",
)
COMPRESSION_ZSTD_LEVEL: Key[int] = Key(
    name="compression.zstd.level",
    type=ConfigType.INT,
    default=3,
    valid=between(-131072, 22),
    update=Update.CLUSTER_WIDE,
    synonyms=((BROKER_COMPRESSION_ZSTD_LEVEL.name, 1),),
    doc="The zstd level for batches that the broker compresses.",
)
PREALLOCATE: Key[bool] = Key(
    name="preallocate",
    type=ConfigType.BOOLEAN,
    default=False,
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_PREALLOCATE.name, 1),),
    doc="If true, new segments are preallocated.",
)
MESSAGE_TIMESTAMP_TYPE: Key[str] = Key(
    name="message.timestamp.type",
    type=ConfigType.STRING,
    default="CreateTime",
    valid=one_of("CreateTime", "LogAppendTime"),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_MESSAGE_TIMESTAMP_TYPE.name, 1),),
    doc="The timestamp of records: CreateTime of the producer, or LogAppendTime of the leader.",
)
MESSAGE_TIMESTAMP_BEFORE_MAX_MS: Key[int] = Key(
    name="message.timestamp.before.max.ms",
    type=ConfigType.LONG,
    default=9223372036854775807,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS.name, 1),),
    doc="The maximum time by which a record's timestamp may be in the past.",
)
MESSAGE_TIMESTAMP_AFTER_MAX_MS: Key[int] = Key(
    name="message.timestamp.after.max.ms",
    type=ConfigType.LONG,
    default=3600000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    synonyms=((LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS.name, 1),),
    doc="The maximum time by which a record's timestamp may be in the future.",
)
LEADER_REPLICATION_THROTTLED_REPLICAS: Key[tuple[str, ...]] = Key(
    name="leader.replication.throttled.replicas",
    type=ConfigType.LIST,
    default=(),
    valid=throttled_replicas(),
    update=Update.CLUSTER_WIDE,
    ignored=True,
)
FOLLOWER_REPLICATION_THROTTLED_REPLICAS: Key[tuple[str, ...]] = Key(
    name="follower.replication.throttled.replicas",
    type=ConfigType.LIST,
    default=(),
    valid=throttled_replicas(),
    update=Update.CLUSTER_WIDE,
    ignored=True,
)
REMOTE_STORAGE_ENABLE: Key[bool] = Key(
    name="remote.storage.enable",
    type=ConfigType.BOOLEAN,
    default=False,
    valid=Valid("only false, tiered storage is not available", lambda value: value is False),
    update=Update.CLUSTER_WIDE,
    ignored=True,
)
LOCAL_RETENTION_MS: Key[int] = Key(
    name="local.retention.ms",
    type=ConfigType.LONG,
    default=-2,
    valid=at_least(-2),
    update=Update.CLUSTER_WIDE,
    ignored=True,
)
LOCAL_RETENTION_BYTES: Key[int] = Key(
    name="local.retention.bytes",
    type=ConfigType.LONG,
    default=-2,
    valid=at_least(-2),
    update=Update.CLUSTER_WIDE,
    ignored=True,
)
REMOTE_LOG_COPY_DISABLE: Key[bool] = Key(
    name="remote.log.copy.disable",
    type=ConfigType.BOOLEAN,
    default=False,
    update=Update.CLUSTER_WIDE,
    ignored=True,
)
REMOTE_LOG_DELETE_ON_DISABLE: Key[bool] = Key(
    name="remote.log.delete.on.disable",
    type=ConfigType.BOOLEAN,
    default=False,
    update=Update.CLUSTER_WIDE,
    ignored=True,
)
UNCLEAN_RECOVERY_STRATEGY: Key[str] = Key(
    name="unclean.recovery.strategy",
    type=ConfigType.STRING,
    default="Balanced",
    valid=one_of(*RECOVERY_STRATEGIES),
    update=Update.CLUSTER_WIDE,
    synonyms=((BROKER_UNCLEAN_RECOVERY_STRATEGY.name, 1),),
    spellings=RECOVERY_SPELLINGS,
    doc="The way in which a partition without ISR and ELR gets a leader (KIP-966, L7). Own key.",
)

TOPIC_KEYS = KeyTable(
    "topic",
    (
        SEGMENT_BYTES,
        SEGMENT_MS,
        SEGMENT_JITTER_MS,
        SEGMENT_INDEX_BYTES,
        FLUSH_MESSAGES,
        FLUSH_MS,
        RETENTION_BYTES,
        RETENTION_MS,
        MAX_MESSAGE_BYTES,
        INDEX_INTERVAL_BYTES,
        DELETE_RETENTION_MS,
        MIN_COMPACTION_LAG_MS,
        MAX_COMPACTION_LAG_MS,
        FILE_DELETE_DELAY_MS,
        MIN_CLEANABLE_DIRTY_RATIO,
        CLEANUP_POLICY,
        UNCLEAN_LEADER_ELECTION_ENABLE,
        MIN_INSYNC_REPLICAS,
        COMPRESSION_TYPE,
        COMPRESSION_GZIP_LEVEL,
        COMPRESSION_LZ4_LEVEL,
        COMPRESSION_ZSTD_LEVEL,
        PREALLOCATE,
        MESSAGE_TIMESTAMP_TYPE,
        MESSAGE_TIMESTAMP_BEFORE_MAX_MS,
        MESSAGE_TIMESTAMP_AFTER_MAX_MS,
        LEADER_REPLICATION_THROTTLED_REPLICAS,
        FOLLOWER_REPLICATION_THROTTLED_REPLICAS,
        REMOTE_STORAGE_ENABLE,
        LOCAL_RETENTION_MS,
        LOCAL_RETENTION_BYTES,
        REMOTE_LOG_COPY_DISABLE,
        REMOTE_LOG_DELETE_ON_DISABLE,
        UNCLEAN_RECOVERY_STRATEGY,
    ),
)
