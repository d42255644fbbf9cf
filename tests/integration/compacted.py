"""Compacted topics of a test: how they are written, read and cleaned on the nodes' disks."""

import time

from confluent_kafka import Producer

from minikafka.admin.client import AdminClient
from minikafka.admin.configs import Resource, ResourceType, alter_configs

CLEANER = {"log.cleaner.backoff.ms": "100"}
"""The configuration of nodes that look for logs to clean all the time."""
SEGMENT_BYTES = 1 << 20
COMPACT = {
    "cleanup.policy": "compact",
    "segment.bytes": SEGMENT_BYTES,
    "min.cleanable.dirty.ratio": "0.01",
    "file.delete.delay.ms": "0",
}
INTERRUPTED = (".cleaned", ".swap", ".deleted")
_TIMEOUT_S = 30


def write(servers, topic, rows, **options):
    """Write rows of key and value with acks=all; return those that were acknowledged."""
    acknowledged = []

    def delivered(row):
        return lambda error, _: acknowledged.append(row) if error is None else None

    producer = Producer({"bootstrap.servers": servers, "acks": "all", "linger.ms": 5, **options})
    for key, value in rows:
        producer.produce(topic, value, key, 0, on_delivery=delivered((key, value)))
        producer.poll(0)
    assert producer.flush(_TIMEOUT_S) == 0
    return acknowledged


def rounds(count, keys=20, size=2_000, first=0):
    """Rows that give each of `keys` keys `count` values, about `size` bytes each."""
    return [
        (b"key-%d" % key, (b"%d " % number).ljust(size, b"."))
        for number in range(first, first + count)
        for key in range(keys)
    ]


def latest(rows):
    """The last value of each key that is not deleted."""
    found = dict(rows)
    return {key: value for key, value in found.items() if value is not None}


def state(cluster, topic, *, committed=False):
    """As `latest`, for a reader of the topic."""
    return latest([(it.key, it.value) for it in cluster.records(topic, 0, committed=committed)])


def configure(cluster, topic, **values):
    """Set configs of a topic; underscores stand for dots."""
    given = {name.replace("_", "."): str(value) for name, value in values.items()}
    with AdminClient(cluster.bootstrap_servers, client_id="test") as client:
        alter_configs(client, Resource(ResourceType.TOPIC, topic), given, ())


def cleaned_offset(cluster, node, topic):
    """The end of the clean part of partition 0 in a node's checkpoint; -1 if there is none."""
    path = cluster.log_dir(node) / "cleaner-offset-checkpoint"
    rows = path.read_text().splitlines()[2:] if path.exists() else []
    return max((int(row.split()[2]) for row in rows if row.startswith(f"{topic} 0 ")), default=-1)


def folder(cluster, node, topic):
    return cluster.log_dir(node) / f"{topic}-0"


def names(cluster, node, topic, *suffixes):
    """The files of partition 0 whose names end so."""
    return sorted(it.name for it in folder(cluster, node, topic).iterdir() if it.suffix in suffixes)


def active_base(cluster, node, topic):
    return int(names(cluster, node, topic, ".log")[-1].split(".")[0])


def wait_for(condition, what="", timeout_s=_TIMEOUT_S):
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, what
        time.sleep(0.02)


def await_cleaning(cluster, topic, *nodes):
    """Wait until nodes have cleaned all but the active segment."""
    for node in nodes:
        wait_for(
            lambda node=node: (
                cleaned_offset(cluster, node, topic) >= active_base(cluster, node, topic)
            ),
            f"node {node} does not clean {topic}",
        )
