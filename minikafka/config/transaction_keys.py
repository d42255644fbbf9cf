"""Broker keys of transactions.

Source: `TransactionLogConfig`, `TransactionStateManagerConfig`, `AddPartitionsToTxnConfig`.
"""

from minikafka.config.definition import ConfigType, Key, Update, at_least

STATE_LOG_NUM_PARTITIONS: Key[int] = Key(
    name="transaction.state.log.num.partitions",
    type=ConfigType.INT,
    default=50,
    valid=at_least(1),
    doc="The number of partitions of __transaction_state when it is created.",
)
STATE_LOG_REPLICATION_FACTOR: Key[int] = Key(
    name="transaction.state.log.replication.factor",
    type=ConfigType.SHORT,
    default=3,
    valid=at_least(1),
    doc="The number of replicas of __transaction_state when it is created.",
)
STATE_LOG_MIN_ISR: Key[int] = Key(
    name="transaction.state.log.min.isr",
    type=ConfigType.INT,
    default=2,
    valid=at_least(1),
    doc="min.insync.replicas of __transaction_state when it is created.",
)
STATE_LOG_SEGMENT_BYTES: Key[int] = Key(
    name="transaction.state.log.segment.bytes",
    type=ConfigType.INT,
    default=104857600,
    valid=at_least(1),
    doc="segment.bytes of __transaction_state when it is created.",
)
MAX_TIMEOUT_MS: Key[int] = Key(
    name="transaction.max.timeout.ms",
    type=ConfigType.INT,
    default=900000,
    valid=at_least(1),
    doc="The longest transaction timeout that a producer may ask for.",
)
TRANSACTIONAL_ID_EXPIRATION_MS: Key[int] = Key(
    name="transactional.id.expiration.ms",
    type=ConfigType.INT,
    default=604800000,
    valid=at_least(1),
    doc="The time that an unused transactional id is kept.",
)
ABORT_TIMED_OUT_INTERVAL_MS: Key[int] = Key(
    name="transaction.abort.timed.out.transaction.cleanup.interval.ms",
    type=ConfigType.INT,
    default=10000,
    valid=at_least(1),
    doc="The interval at which transactions that have timed out are aborted.",
)
REMOVE_EXPIRED_INTERVAL_MS: Key[int] = Key(
    name="transaction.remove.expired.transaction.cleanup.interval.ms",
    type=ConfigType.INT,
    default=3600000,
    valid=at_least(1),
    doc="The interval at which expired transactional ids are removed.",
)
PARTITION_VERIFICATION_ENABLE: Key[bool] = Key(
    name="transaction.partition.verification.enable",
    type=ConfigType.BOOLEAN,
    default=True,
    update=Update.CLUSTER_WIDE,
    doc="Ask the coordinator whether a partition belongs to a transaction before the first append.",
)
RETRY_BACKOFF_MS: Key[int] = Key(
    name="add.partitions.to.txn.retry.backoff.ms",
    type=ConfigType.INT,
    default=20,
    valid=at_least(1),
    doc="The time between two requests to the coordinator while a transaction is still ending.",
)
RETRY_BACKOFF_MAX_MS: Key[int] = Key(
    name="add.partitions.to.txn.retry.backoff.max.ms",
    type=ConfigType.INT,
    default=100,
    valid=at_least(0),
    doc="The time after which CONCURRENT_TRANSACTIONS is returned to the client.",
)
COORDINATOR_MEMORY_BYTES: Key[int] = Key(
    name="transaction.coordinator.memory.bytes",
    type=ConfigType.LONG,
    default=268435456,
    valid=at_least(1048576),
    doc="The memory limit for transactional ids and the partitions of their transactions; above "
    "it, clients that add more must retry later. Own key.",
)

TRANSACTION_KEYS: tuple[Key[object], ...] = (
    STATE_LOG_NUM_PARTITIONS,
    STATE_LOG_REPLICATION_FACTOR,
    STATE_LOG_MIN_ISR,
    STATE_LOG_SEGMENT_BYTES,
    MAX_TIMEOUT_MS,
    TRANSACTIONAL_ID_EXPIRATION_MS,
    ABORT_TIMED_OUT_INTERVAL_MS,
    REMOVE_EXPIRED_INTERVAL_MS,
    PARTITION_VERIFICATION_ENABLE,
    RETRY_BACKOFF_MS,
    RETRY_BACKOFF_MAX_MS,
    COORDINATOR_MEMORY_BYTES,
)
