"""Broker keys of logs, committed offsets and groups, with the defaults of topic keys.

Source: `ServerLogConfigs`, `CleanerConfig`, `GroupCoordinatorConfig`, `OffsetConfig`.
"""

from minikafka.config.definition import (
    ConfigType,
    Key,
    Update,
    at_least,
    between,
    either,
    one_of,
    subset_of,
)

COMPRESSION_TYPES = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
COMPRESSION_TYPE: Key[str] = Key(
    name="compression.type",
    type=ConfigType.STRING,
    default="producer",
    valid=one_of(*COMPRESSION_TYPES),
    update=Update.CLUSTER_WIDE,
    doc="The compression of stored batches; producer keeps that of the producer.",
)
COMPRESSION_GZIP_LEVEL: Key[int] = Key(
    name="compression.gzip.level",
    type=ConfigType.INT,
    default=-1,
    valid=either(between(1, 9), between(-1, -1)),
    update=Update.CLUSTER_WIDE,
    doc="The gzip level for batches that the broker compresses.",
)
COMPRESSION_LZ4_LEVEL: Key[int] = Key(
    name="compression.lz4.level",
    type=ConfigType.INT,
    default=9,
    valid=between(1, 17),
    update=Update.CLUSTER_WIDE,
    doc="The lz4 level for batches that the broker compresses.",
)
COMPRESSION_ZSTD_LEVEL: Key[int] = Key(
    name="compression.zstd.level",
    type=ConfigType.INT,
    default=3,
    valid=between(-131072, 22),
    update=Update.CLUSTER_WIDE,
    doc="The zstd level for batches that the broker compresses.",
)
LOG_SEGMENT_BYTES: Key[int] = Key(
    name="log.segment.bytes",
    type=ConfigType.INT,
    default=1073741824,
    valid=at_least(1048576),
    update=Update.CLUSTER_WIDE,
    doc="The size at which a log starts a new segment.",
)
LOG_ROLL_MS: Key[int | None] = Key(
    name="log.roll.ms",
    type=ConfigType.LONG,
    default=None,
    update=Update.CLUSTER_WIDE,
    nullable=True,
    doc="The age at which a log starts a new segment.",
)
LOG_ROLL_HOURS: Key[int] = Key(
    name="log.roll.hours",
    type=ConfigType.INT,
    default=168,
    valid=at_least(1),
    doc="The age at which a log starts a new segment, if log.roll.ms is not set.",
)
LOG_ROLL_JITTER_MS: Key[int | None] = Key(
    name="log.roll.jitter.ms",
    type=ConfigType.LONG,
    default=None,
    update=Update.CLUSTER_WIDE,
    nullable=True,
    doc="The maximum of the random time by which a segment is rolled early.",
)
LOG_ROLL_JITTER_HOURS: Key[int] = Key(
    name="log.roll.jitter.hours",
    type=ConfigType.INT,
    default=0,
    valid=at_least(0),
    doc="As log.roll.jitter.ms, in hours, if that is not set.",
)
LOG_RETENTION_MS: Key[int | None] = Key(
    name="log.retention.ms",
    type=ConfigType.LONG,
    default=None,
    update=Update.CLUSTER_WIDE,
    nullable=True,
    doc="The time that segments are kept; -1 for no limit.",
)
LOG_RETENTION_MINUTES: Key[int | None] = Key(
    name="log.retention.minutes",
    type=ConfigType.INT,
    default=None,
    nullable=True,
    doc="The time that segments are kept, if log.retention.ms is not set.",
)
LOG_RETENTION_HOURS: Key[int] = Key(
    name="log.retention.hours",
    type=ConfigType.INT,
    default=168,
    doc="The time that segments are kept, if neither of the ms and minutes keys is set.",
)
LOG_RETENTION_BYTES: Key[int] = Key(
    name="log.retention.bytes",
    type=ConfigType.LONG,
    default=-1,
    update=Update.CLUSTER_WIDE,
    doc="The size of a log beyond which old segments are deleted; -1 for no limit.",
)
LOG_RETENTION_CHECK_INTERVAL_MS: Key[int] = Key(
    name="log.retention.check.interval.ms",
    type=ConfigType.LONG,
    default=300000,
    valid=at_least(1),
    doc="The interval at which retention searches for old segments.",
)
LOG_INITIAL_TASK_DELAY_MS: Key[int] = Key(
    name="log.initial.task.delay.ms",
    type=ConfigType.LONG,
    default=30000,
    valid=at_least(0),
    doc="The time after a start at which retention and checkpoints begin.",
)
LOG_CLEANUP_POLICY: Key[tuple[str, ...]] = Key(
    name="log.cleanup.policy",
    type=ConfigType.LIST,
    default=("delete",),
    valid=subset_of("compact", "delete"),
    update=Update.CLUSTER_WIDE,
    doc="The treatment of old segments: delete, compact, or both.",
)
LOG_CLEANER_DELETE_RETENTION_MS: Key[int] = Key(
    name="log.cleaner.delete.retention.ms",
    type=ConfigType.LONG,
    default=86400000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The time that compaction keeps tombstones.",
)
LOG_CLEANER_MIN_CLEANABLE_RATIO: Key[float] = Key(
    name="log.cleaner.min.cleanable.ratio",
    type=ConfigType.DOUBLE,
    default=0.5,
    valid=between(0, 1),
    update=Update.CLUSTER_WIDE,
    doc="The minimum ratio of dirty to all bytes of a log for compaction.",
)
LOG_CLEANER_MIN_COMPACTION_LAG_MS: Key[int] = Key(
    name="log.cleaner.min.compaction.lag.ms",
    type=ConfigType.LONG,
    default=0,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The minimum time before a record is compacted.",
)
LOG_CLEANER_MAX_COMPACTION_LAG_MS: Key[int] = Key(
    name="log.cleaner.max.compaction.lag.ms",
    type=ConfigType.LONG,
    default=9223372036854775807,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    doc="The maximum time before a record is compacted.",
)
LOG_INDEX_SIZE_MAX_BYTES: Key[int] = Key(
    name="log.index.size.max.bytes",
    type=ConfigType.INT,
    default=10485760,
    valid=at_least(4),
    update=Update.CLUSTER_WIDE,
    doc="The maximum size of a segment's offset index, in bytes.",
)
LOG_INDEX_INTERVAL_BYTES: Key[int] = Key(
    name="log.index.interval.bytes",
    type=ConfigType.INT,
    default=4096,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The number of bytes of records between two index entries.",
)
LOG_FLUSH_INTERVAL_MESSAGES: Key[int] = Key(
    name="log.flush.interval.messages",
    type=ConfigType.LONG,
    default=9223372036854775807,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    doc="The number of records after which a log is synced to disk.",
)
LOG_FLUSH_INTERVAL_MS: Key[int | None] = Key(
    name="log.flush.interval.ms",
    type=ConfigType.LONG,
    default=None,
    update=Update.CLUSTER_WIDE,
    nullable=True,
    doc="The time after which a log is synced to disk.",
)
LOG_FLUSH_SCHEDULER_INTERVAL_MS: Key[int] = Key(
    name="log.flush.scheduler.interval.ms",
    type=ConfigType.LONG,
    default=9223372036854775807,
    doc="The interval at which logs are checked for a sync.",
)
LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS: Key[int] = Key(
    name="log.flush.offset.checkpoint.interval.ms",
    type=ConfigType.INT,
    default=60000,
    valid=at_least(0),
    doc="The interval at which recovery points are written to disk.",
)
LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS: Key[int] = Key(
    name="log.flush.start.offset.checkpoint.interval.ms",
    type=ConfigType.INT,
    default=60000,
    valid=at_least(0),
    doc="The interval at which log start offsets are written to disk.",
)
LOG_SEGMENT_DELETE_DELAY_MS: Key[int] = Key(
    name="log.segment.delete.delay.ms",
    type=ConfigType.LONG,
    default=60000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The time that deleted files stay on disk.",
)
LOG_PREALLOCATE: Key[bool] = Key(
    name="log.preallocate",
    type=ConfigType.BOOLEAN,
    default=False,
    update=Update.CLUSTER_WIDE,
    doc="If true, new segments are preallocated.",
)
LOG_MESSAGE_TIMESTAMP_TYPE: Key[str] = Key(
    name="log.message.timestamp.type",
    type=ConfigType.STRING,
    default="CreateTime",
    valid=one_of("CreateTime", "LogAppendTime"),
    update=Update.CLUSTER_WIDE,
    doc="The timestamp of records: CreateTime of the producer, or LogAppendTime of the leader.",
)
LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS: Key[int] = Key(
    name="log.message.timestamp.before.max.ms",
    type=ConfigType.LONG,
    default=9223372036854775807,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The maximum time by which a record's timestamp may be in the past.",
)
LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS: Key[int] = Key(
    name="log.message.timestamp.after.max.ms",
    type=ConfigType.LONG,
    default=3600000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The maximum time by which a record's timestamp may be in the future.",
)
LOG_DIR_FAILURE_TIMEOUT_MS: Key[int] = Key(
    name="log.dir.failure.timeout.ms",
    type=ConfigType.LONG,
    default=30000,
    valid=at_least(1),
    doc="The time within which a broker must report a failed directory to the controller.",
)
OFFSETS_TOPIC_NUM_PARTITIONS: Key[int] = Key(
    name="offsets.topic.num.partitions",
    type=ConfigType.INT,
    default=50,
    valid=at_least(1),
    doc="The number of partitions of __consumer_offsets.",
)
OFFSETS_TOPIC_REPLICATION_FACTOR: Key[int] = Key(
    name="offsets.topic.replication.factor",
    type=ConfigType.SHORT,
    default=3,
    valid=at_least(1),
    doc="The replication factor of __consumer_offsets.",
)
OFFSETS_TOPIC_SEGMENT_BYTES: Key[int] = Key(
    name="offsets.topic.segment.bytes",
    type=ConfigType.INT,
    default=104857600,
    valid=at_least(1),
    doc="The segment size of __consumer_offsets.",
)
OFFSETS_TOPIC_COMPRESSION_CODEC: Key[int] = Key(
    name="offsets.topic.compression.codec",
    type=ConfigType.INT,
    default=0,
    doc="The compression of __consumer_offsets, as a codec number.",
)
OFFSETS_COMMIT_TIMEOUT_MS: Key[int] = Key(
    name="offsets.commit.timeout.ms",
    type=ConfigType.INT,
    default=5000,
    valid=at_least(1),
    doc="The maximum time that an offset commit waits for replicas.",
)
OFFSETS_RETENTION_MINUTES: Key[int] = Key(
    name="offsets.retention.minutes",
    type=ConfigType.INT,
    default=10080,
    valid=at_least(1),
    doc="The time that committed offsets of an empty group are kept.",
)
OFFSETS_RETENTION_CHECK_INTERVAL_MS: Key[int] = Key(
    name="offsets.retention.check.interval.ms",
    type=ConfigType.LONG,
    default=600000,
    valid=at_least(1),
    doc="The interval at which committed offsets are checked for expiry.",
)
OFFSET_METADATA_MAX_BYTES: Key[int] = Key(
    name="offset.metadata.max.bytes",
    type=ConfigType.INT,
    default=4096,
    doc="The maximum size of the metadata text of a committed offset, in bytes.",
)
GROUP_COORDINATOR_MEMORY_BYTES: Key[int] = Key(
    name="group.coordinator.memory.bytes",
    type=ConfigType.LONG,
    default=256 * 1024 * 1024,
    valid=at_least(1024 * 1024),
    doc="The memory limit for groups, members and committed offsets; above it, clients that add "
    "more must retry later. Own key.",
)
GROUP_MIN_SESSION_TIMEOUT_MS: Key[int] = Key(
    name="group.min.session.timeout.ms",
    type=ConfigType.INT,
    default=6000,
    doc="The minimum session timeout that a member may request.",
)
GROUP_MAX_SESSION_TIMEOUT_MS: Key[int] = Key(
    name="group.max.session.timeout.ms",
    type=ConfigType.INT,
    default=1800000,
    doc="The maximum session timeout that a member may request.",
)
GROUP_INITIAL_REBALANCE_DELAY_MS: Key[int] = Key(
    name="group.initial.rebalance.delay.ms",
    type=ConfigType.INT,
    default=3000,
    doc="The time that the first rebalance of an empty group waits for more members.",
)
GROUP_MAX_SIZE: Key[int] = Key(
    name="group.max.size",
    type=ConfigType.INT,
    default=2147483647,
    valid=at_least(1),
    doc="The maximum number of members of a group.",
)
PRODUCER_ID_EXPIRATION_MS: Key[int] = Key(
    name="producer.id.expiration.ms",
    type=ConfigType.INT,
    default=86400000,
    valid=at_least(1),
    update=Update.CLUSTER_WIDE,
    doc="The time that a broker remembers a producer after its last append, or after a start.",
)
PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS: Key[int] = Key(
    name="producer.id.expiration.check.interval.ms",
    type=ConfigType.INT,
    default=600000,
    valid=at_least(1),
    internal=True,
    doc="The interval at which a broker removes expired producers.",
)

LOG_KEYS: tuple[Key[object], ...] = (
    COMPRESSION_TYPE,
    COMPRESSION_GZIP_LEVEL,
    COMPRESSION_LZ4_LEVEL,
    COMPRESSION_ZSTD_LEVEL,
    LOG_SEGMENT_BYTES,
    LOG_ROLL_MS,
    LOG_ROLL_HOURS,
    LOG_ROLL_JITTER_MS,
    LOG_ROLL_JITTER_HOURS,
    LOG_RETENTION_MS,
    LOG_RETENTION_MINUTES,
    LOG_RETENTION_HOURS,
    LOG_RETENTION_BYTES,
    LOG_RETENTION_CHECK_INTERVAL_MS,
    LOG_INITIAL_TASK_DELAY_MS,
    LOG_CLEANUP_POLICY,
    LOG_CLEANER_DELETE_RETENTION_MS,
    LOG_CLEANER_MIN_CLEANABLE_RATIO,
    LOG_CLEANER_MIN_COMPACTION_LAG_MS,
    LOG_CLEANER_MAX_COMPACTION_LAG_MS,
    LOG_INDEX_SIZE_MAX_BYTES,
    LOG_INDEX_INTERVAL_BYTES,
    LOG_FLUSH_INTERVAL_MESSAGES,
    LOG_FLUSH_INTERVAL_MS,
    LOG_FLUSH_SCHEDULER_INTERVAL_MS,
    LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS,
    LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS,
    LOG_SEGMENT_DELETE_DELAY_MS,
    LOG_PREALLOCATE,
    LOG_MESSAGE_TIMESTAMP_TYPE,
    LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS,
    LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS,
    LOG_DIR_FAILURE_TIMEOUT_MS,
    OFFSETS_TOPIC_NUM_PARTITIONS,
    OFFSETS_TOPIC_REPLICATION_FACTOR,
    OFFSETS_TOPIC_SEGMENT_BYTES,
    OFFSETS_TOPIC_COMPRESSION_CODEC,
    OFFSETS_COMMIT_TIMEOUT_MS,
    OFFSETS_RETENTION_MINUTES,
    OFFSETS_RETENTION_CHECK_INTERVAL_MS,
    OFFSET_METADATA_MAX_BYTES,
    GROUP_COORDINATOR_MEMORY_BYTES,
    GROUP_MIN_SESSION_TIMEOUT_MS,
    GROUP_MAX_SESSION_TIMEOUT_MS,
    GROUP_INITIAL_REBALANCE_DELAY_MS,
    GROUP_MAX_SIZE,
    PRODUCER_ID_EXPIRATION_MS,
    PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS,
)
