"""A log's configs from the topic configuration. Source: `LogConfig`, `UnifiedLog.updateConfig`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from minikafka.config import topic as keys
from minikafka.config.log_keys import PRODUCER_ID_EXPIRATION_MS
from minikafka.config.values import ConfigLayers
from minikafka.log.config import LogConfig
from minikafka.records.compression import Codec
from minikafka.records.validation import RecordPolicy

_CODECS = {
    "uncompressed": Codec.NONE,
    "gzip": Codec.GZIP,
    "snappy": Codec.SNAPPY,
    "lz4": Codec.LZ4,
    "zstd": Codec.ZSTD,
}


@dataclass(slots=True, eq=False, repr=False)
class LogConfigs:
    """A cache of `log_config` and min ISR, with one entry for all topics with equal configs."""

    _layers: ConfigLayers | None = None
    _known: dict[tuple[tuple[str, str], ...], tuple[LogConfig, int]] = field(default_factory=dict)
    """By the values that are set for a topic; valid for `_layers` only."""

    def of(self, layers: ConfigLayers, topic: Mapping[str, str]) -> LogConfig:
        """The log config of a topic's partitions, with the values that are set for the topic."""
        return self._find(layers, topic)[0]

    def min_isr(self, layers: ConfigLayers, topic: Mapping[str, str]) -> int:
        """The configured `min.insync.replicas` of a topic."""
        return self._find(layers, topic)[1]

    def _find(self, layers: ConfigLayers, topic: Mapping[str, str]) -> tuple[LogConfig, int]:
        if layers != self._layers:
            self._layers = ConfigLayers(*map(dict, layers))
            self._known.clear()
        key = tuple(topic.items())
        found = self._known.get(key)
        if found is None:
            min_isr = layers.topic_value(keys.MIN_INSYNC_REPLICAS, topic)
            found = self._known[key] = log_config(layers, topic), min_isr
        return found


def log_config(layers: ConfigLayers, topic: Mapping[str, str]) -> LogConfig:
    """The log config of a topic's partitions, with the values that are set for the topic."""
    compression = layers.topic_value(keys.COMPRESSION_TYPE, topic)
    codec = _CODECS.get(compression)
    policies = layers.topic_value(keys.CLEANUP_POLICY, topic)
    value = layers.topic_value
    return LogConfig(
        records=RecordPolicy(
            max_message_bytes=value(keys.MAX_MESSAGE_BYTES, topic),
            codec=codec,
            level=_level(layers, topic, codec),
            log_append_time=value(keys.MESSAGE_TIMESTAMP_TYPE, topic) == "LogAppendTime",
            timestamp_before_max_ms=value(keys.MESSAGE_TIMESTAMP_BEFORE_MAX_MS, topic),
            timestamp_after_max_ms=value(keys.MESSAGE_TIMESTAMP_AFTER_MAX_MS, topic),
            keys_required="compact" in policies,
        ),
        segment_bytes=value(keys.SEGMENT_BYTES, topic),
        segment_ms=value(keys.SEGMENT_MS, topic),
        segment_jitter_ms=value(keys.SEGMENT_JITTER_MS, topic),
        segment_index_bytes=value(keys.SEGMENT_INDEX_BYTES, topic),
        index_interval_bytes=value(keys.INDEX_INTERVAL_BYTES, topic),
        retention_ms=value(keys.RETENTION_MS, topic),
        retention_bytes=value(keys.RETENTION_BYTES, topic),
        file_delete_delay_ms=value(keys.FILE_DELETE_DELAY_MS, topic),
        delete_retention_ms=value(keys.DELETE_RETENTION_MS, topic),
        min_compaction_lag_ms=value(keys.MIN_COMPACTION_LAG_MS, topic),
        max_compaction_lag_ms=value(keys.MAX_COMPACTION_LAG_MS, topic),
        min_cleanable_dirty_ratio=value(keys.MIN_CLEANABLE_DIRTY_RATIO, topic),
        flush_messages=value(keys.FLUSH_MESSAGES, topic),
        flush_ms=value(keys.FLUSH_MS, topic),
        deletes="delete" in policies,
        compacted="compact" in policies,
        producer_id_expiration_ms=layers.broker_config()[PRODUCER_ID_EXPIRATION_MS],
    )


def _level(layers: ConfigLayers, topic: Mapping[str, str], codec: Codec | None) -> int | None:
    if codec is Codec.GZIP:
        level = layers.topic_value(keys.COMPRESSION_GZIP_LEVEL, topic)
        return None if level < 0 else level
    if codec is Codec.LZ4:
        return layers.topic_value(keys.COMPRESSION_LZ4_LEVEL, topic)
    if codec is Codec.ZSTD:
        return layers.topic_value(keys.COMPRESSION_ZSTD_LEVEL, topic)
    return None
