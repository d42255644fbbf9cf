"""The settings of a log: the topic's own values over the broker's."""

import pytest

from minikafka.config.values import ConfigLayers
from minikafka.records.compression import Codec
from minikafka.replica.log_settings import LogConfigs, log_config


def config(topic=None, static=None, dynamic=None):
    return log_config(ConfigLayers(dynamic or {}, {}, static or {}), topic or {})


def test_defaults():
    found = config()
    assert found.retention_ms == 7 * 24 * 3600 * 1000
    assert found.segment_bytes == 1 << 30
    assert (found.deletes, found.compacted) == (True, False)
    assert found.records.codec is None
    assert not found.records.log_append_time


def test_topic_s_value_is_before_the_broker_s():
    static = {"log.retention.ms": "5"}
    assert config(static=static).retention_ms == 5
    assert config(static=static, dynamic={"log.retention.ms": "6"}).retention_ms == 6
    assert config({"retention.ms": "7"}, static).retention_ms == 7


@pytest.mark.parametrize(
    ("policy", "deletes", "compacted", "keys_required"),
    [
        ("delete", True, False, False),
        ("compact", False, True, True),
        ("compact,delete", True, True, True),
    ],
)
def test_cleanup_policy(policy, deletes, compacted, keys_required):
    found = config({"cleanup.policy": policy})
    assert (found.deletes, found.compacted) == (deletes, compacted)
    assert found.records.keys_required == keys_required


@pytest.mark.parametrize(
    ("compression", "codec"),
    [
        ("producer", None),
        ("uncompressed", Codec.NONE),
        ("gzip", Codec.GZIP),
        ("snappy", Codec.SNAPPY),
        ("lz4", Codec.LZ4),
        ("zstd", Codec.ZSTD),
    ],
)
def test_compression_type(compression, codec):
    assert config({"compression.type": compression}).records.codec == codec


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ({"compression.type": "gzip"}, None),
        ({"compression.type": "gzip", "compression.gzip.level": "3"}, 3),
        ({"compression.type": "lz4", "compression.lz4.level": "12"}, 12),
        ({"compression.type": "zstd", "compression.zstd.level": "-4"}, -4),
        ({"compression.type": "snappy", "compression.zstd.level": "4"}, None),
        ({"compression.type": "producer", "compression.gzip.level": "3"}, None),
    ],
)
def test_level_is_that_of_the_codec(given, level):
    assert config(given).records.level == level


def test_time_stamps_of_the_append():
    assert config({"message.timestamp.type": "LogAppendTime"}).records.log_append_time
    assert config({"message.timestamp.after.max.ms": "9"}).records.timestamp_after_max_ms == 9
    assert config({"message.timestamp.before.max.ms": "8"}).records.timestamp_before_max_ms == 8


def test_topics_with_the_same_values_share_one_configuration():
    configs = LogConfigs()
    layers = ConfigLayers({}, {}, {"log.retention.ms": "5"})
    found = configs.of(layers, {"segment.bytes": "2097152"})
    assert found == log_config(layers, {"segment.bytes": "2097152"})
    assert configs.of(ConfigLayers(*map(dict, layers)), {"segment.bytes": "2097152"}) is found
    assert configs.of(layers, {"segment.bytes": "4194304"}).segment_bytes == 4194304
    assert configs.of(layers, {}).segment_bytes == 1 << 30


def test_changed_broker_values_are_in_force_at_once():
    configs, dynamic = LogConfigs(), {"log.retention.ms": "6"}
    layers = ConfigLayers(dynamic, {}, {})
    assert configs.of(layers, {}).retention_ms == 6
    dynamic["log.retention.ms"] = "7"
    assert configs.of(layers, {}).retention_ms == 7


def test_min_isr_is_what_the_topic_or_else_the_broker_says():
    configs = LogConfigs()
    assert configs.min_isr(ConfigLayers({}, {}, {}), {}) == 1
    layers = ConfigLayers({}, {"min.insync.replicas": "2"}, {})
    assert configs.min_isr(layers, {}) == 2
    assert configs.min_isr(layers, {"min.insync.replicas": "3"}) == 3
