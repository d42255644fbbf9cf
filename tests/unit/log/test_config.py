"""Defaults are Kafka's."""

from minikafka.log.config import LogConfig


def test_defaults():
    config = LogConfig()
    assert (config.segment_bytes, config.segment_ms) == (1_073_741_824, 604_800_000)
    assert (config.retention_ms, config.retention_bytes) == (604_800_000, -1)
    assert (config.index_interval_bytes, config.segment_index_bytes) == (4_096, 10_485_760)
    assert config.records.max_message_bytes == 1_048_588
    assert (config.deletes, config.compacted) == (True, False)
