"""Texts for each configuration key of a topic, and what Apache Kafka makes of them."""

import json
from pathlib import Path

from minikafka.config.definition import ConfigType
from minikafka.config.topic import REMOTE_STORAGE_ENABLE, TOPIC_KEYS, UNCLEAN_RECOVERY_STRATEGY

DATA = Path(__file__).parent / "data" / "config_values.json"
OURS = (UNCLEAN_RECOVERY_STRATEGY.name, REMOTE_STORAGE_ENABLE.name)
_NUMBERS = (
    "77", " 77 ", "+77", "-1", "-2", "0", "1", "077", "0x10", "1e3", "1.5", "", "abc", "1_000",
    "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "\u0663", "7 7",
)  # fmt: skip
_TEXTS = {
    ConfigType.INT: _NUMBERS,
    ConfigType.LONG: _NUMBERS,
    ConfigType.BOOLEAN: ("true", "TRUE", " True ", "False", "yes", "1", "", "\ttrue\n"),
    ConfigType.DOUBLE: (
        "0.5", "5e-1", "1", "0", "1.1", "-0.1", "NaN", "0.5f", "0.5d", " .5 ", "1.", "0.1e1",
        "Infinity", "5e-7", "0.001", "0.0001", "0x1p-1", "", "1_0", "-0", "nan", "0.30000000000000004",
    ),
}  # fmt: skip
_REPLICAS = (
    "*", "none", "all", "None", "x", "0:1", "0:1,1:2", "0:1, 1:2", " 0:1 , 1:2 ", "", "a:b",
    "0:1:2", "*,0:1", ":", "1:", "0:1,0:1", "*,*", "none,0:1", "-1:2", "0 : 1", "0:1,",
)  # fmt: skip
_OF_KEYS = {
    "cleanup.policy": (
        "delete", " compact , delete ", "compact,compact", "", "x", "Delete", "delete,", ",",
        "compact,delete", "delete,compact", "none", " ", "compact delete",
    ),
    "compression.type": (
        "gzip", "gzipp", "GZIP", "Snappy", "none", "", "snappy,lz4", " zstd ", "uncompressed",
        "producer", "Producer", "lz4",
    ),
    "message.timestamp.type": (
        "CreateTime", "createtime", "LogAppendTime", " LogAppendTime ", "NoTimestampType", "",
    ),
    "leader.replication.throttled.replicas": _REPLICAS,
    "follower.replication.throttled.replicas": _REPLICAS,
    "segment.bytes": (*_NUMBERS, "1048576", "1048575", " 2097152 "),
}  # fmt: skip


def cases():
    """Yield (key, text)."""
    for key in TOPIC_KEYS:
        if key.name not in OURS:
            for text in _OF_KEYS.get(key.name) or _TEXTS[key.type]:
                yield key.name, text


def load():
    """Return the recorded rows: key, text, Kafka's error code, the described value."""
    return json.loads(DATA.read_text())
