"""Broker keys of the log cleaner.

Source: `CleanerConfig`.
"""

from minikafka.config.definition import ConfigType, Key, Update, at_least

LOG_CLEANER_ENABLE: Key[bool] = Key(
    name="log.cleaner.enable",
    type=ConfigType.BOOLEAN,
    default=True,
    doc="Whether logs with cleanup.policy=compact are compacted.",
)
LOG_CLEANER_THREADS: Key[int] = Key(
    name="log.cleaner.threads",
    type=ConfigType.INT,
    default=1,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The number of logs that are compacted at the same time.",
)
LOG_CLEANER_IO_MAX_BYTES_PER_SECOND: Key[float] = Key(
    name="log.cleaner.io.max.bytes.per.second",
    type=ConfigType.DOUBLE,
    default=1.7976931348623157e308,
    update=Update.CLUSTER_WIDE,
    doc="The limit for the bytes that the cleaner reads and writes in a second.",
)
LOG_CLEANER_DEDUPE_BUFFER_SIZE: Key[int] = Key(
    name="log.cleaner.dedupe.buffer.size",
    type=ConfigType.LONG,
    default=134217728,
    update=Update.CLUSTER_WIDE,
    doc="The memory for the keys of the logs that are being compacted: 24 bytes a key.",
)
LOG_CLEANER_IO_BUFFER_LOAD_FACTOR: Key[float] = Key(
    name="log.cleaner.io.buffer.load.factor",
    type=ConfigType.DOUBLE,
    default=0.9,
    update=Update.CLUSTER_WIDE,
    doc="The share of log.cleaner.dedupe.buffer.size that may be full.",
)
LOG_CLEANER_BACKOFF_MS: Key[int] = Key(
    name="log.cleaner.backoff.ms",
    type=ConfigType.LONG,
    default=15000,
    valid=at_least(0),
    update=Update.CLUSTER_WIDE,
    doc="The time after which the cleaner looks for logs again, if none needed it.",
)

CLEANER_KEYS: tuple[Key[object], ...] = (
    LOG_CLEANER_ENABLE,
    LOG_CLEANER_THREADS,
    LOG_CLEANER_IO_MAX_BYTES_PER_SECOND,
    LOG_CLEANER_DEDUPE_BUFFER_SIZE,
    LOG_CLEANER_IO_BUFFER_LOAD_FACTOR,
    LOG_CLEANER_BACKOFF_MS,
)
