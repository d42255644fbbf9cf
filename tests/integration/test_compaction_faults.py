"""Nodes that crash, run out of space or find damage while they clean a log."""

import itertools
import random
import time
from urllib.request import urlopen

from confluent_kafka import Consumer, TopicPartition

from minikafka.records.scan import split_batches
from minikafka.testing import Cluster
from tests.integration.compacted import (
    CLEANER,
    COMPACT,
    INTERRUPTED,
    active_base,
    await_cleaning,
    cleaned_offset,
    configure,
    folder,
    latest,
    names,
    rounds,
    state,
    wait_for,
    write,
)

KILLS = 10


def test_a_damaged_checkpoint_of_cleaned_offsets():
    with Cluster(nodes=1, config=CLEANER) as cluster:
        cluster.create_topic("t", config=COMPACT)
        rows = rounds(80)
        assert write(cluster.bootstrap_servers, "t", rows) == rows
        await_cleaning(cluster, "t", 1)
        cleaned = cleaned_offset(cluster, 1, "t")
        path = cluster.log_dir(1) / "cleaner-offset-checkpoint"
        for content in (b"0\n1\nt 0 x\n", b"\xff\x00" * 50, b"0\n1\nt 0 99999999\n"):
            cluster.kill(1)
            path.write_bytes(content)
            cluster.start(1)
            wait_for(lambda: cleaned_offset(cluster, 1, "t") == cleaned)
            assert state(cluster, "t") == latest(rows)
        assert cluster.log_text(1).count("cleaner-offset-checkpoint is damaged") == 2


def metric(cluster, name):
    address = cluster.log_text(1).rpartition("metrics at http://")[2].split()[0]
    text = urlopen(f"http://{address}").read().decode()
    return [float(line.split()[-1]) for line in text.splitlines() if line.startswith(name)]


def read(servers, first, end):
    """The records from one offset up to another, without gaps."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "none"})
    consumer.assign([TopicPartition("t", 0, first)])
    found = consumer.consume(end - first, 10)
    consumer.close()
    return [(message.key(), message.value()) for message in found]


def test_a_flipped_byte_in_a_closed_segment():
    """The log serves what is sound, and is cleaned when the file is repaired."""
    config = {**CLEANER, "metrics.http.listen": "127.0.0.1:0"}
    with Cluster(nodes=1, config=config) as cluster:
        cluster.create_topic("t", config={**COMPACT, "min.cleanable.dirty.ratio": "1.0"})
        rows = rounds(80)
        assert write(cluster.bootstrap_servers, "t", rows) == rows
        cluster.stop(1)
        segment = folder(cluster, 1, "t") / names(cluster, 1, "t", ".log")[1]
        sound = segment.read_bytes()
        positions = [(at, header) for at, header in split_batches(sound)]
        at, damaged = positions[len(positions) // 2]
        content = bytearray(sound)
        content[at + 100] ^= 4
        segment.write_bytes(content)
        cluster.start(1)
        configure(cluster, "t", min_cleanable_dirty_ratio="0.01")
        wait_for(lambda: "cannot be cleaned" in cluster.log_text(1))
        time.sleep(1)
        errors = [line for line in cluster.log_text(1).splitlines() if " ERROR " in line]
        assert len([line for line in errors if "cannot be cleaned" in line]) == 1
        assert segment.name in errors[0]
        name = "kafka_log_logcleanermanager_uncleanable_partitions_count"
        assert metric(cluster, name) == [1]
        assert cleaned_offset(cluster, 1, "t") <= 0
        servers = cluster.bootstrap_servers
        assert read(servers, 0, damaged.base_offset) == rows[: damaged.base_offset]
        assert read(servers, damaged.next_offset, len(rows)) == rows[damaged.next_offset :]
        assert write(cluster.bootstrap_servers, "t", [(b"new", b"1")]) == [(b"new", b"1")]
        segment.write_bytes(sound)
        configure(cluster, "t", min_cleanable_dirty_ratio="0.02")
        await_cleaning(cluster, "t", 1)
        assert metric(cluster, name) == [0]
        assert state(cluster, "t") == latest([*rows, (b"new", b"1")])


def test_a_node_that_is_killed_in_ten_cleanings():
    config = {
        **CLEANER, "log.cleaner.io.max.bytes.per.second": "12000000",
        # A start waits until the former process counts as dead.
        "broker.session.timeout.ms": "400", "broker.heartbeat.interval.ms": "100",
    }  # fmt: skip
    rng = random.Random(1)
    with Cluster(nodes=1, config=config) as cluster:
        cluster.create_topic("t", config=COMPACT)
        rows, interrupted = [], 0
        numbers = itertools.count(0, 40)
        for _ in range(KILLS):
            new = rounds(30, first=next(numbers))
            # A tombstone for a key that comes back, and one for a key that does not.
            new += [(b"key-3", None), (b"gone-%d" % next(numbers), b"1"), (b"key-3", b"back")]
            new += [(row[0], None) for row in rows if row[0].startswith(b"gone")]
            assert write(cluster.bootstrap_servers, "t", new) == new
            rows += new
            wait_for(lambda: names(cluster, 1, "t", *INTERRUPTED))
            time.sleep(rng.random() / 10)
            cluster.kill(1)
            interrupted += bool(names(cluster, 1, "t", *INTERRUPTED))
            cluster.start(1)
            assert state(cluster, "t") == latest(rows)
        assert interrupted > KILLS // 2
        await_cleaning(cluster, "t", 1)
        wait_for(lambda: not names(cluster, 1, "t", *INTERRUPTED))
        assert state(cluster, "t") == latest(rows)
        assert "ERROR" not in cluster.log_text(1)


def test_a_disk_that_is_full_during_a_cleaning():
    config = {
        **CLEANER, "log.cleaner.io.max.bytes.per.second": "1000000", "min.insync.replicas": "2",
    }  # fmt: skip
    with Cluster(nodes=3, config=config) as cluster:
        cluster.create_topic("t", assignment=[[1, 2, 3]], config=COMPACT)
        rows = rounds(80)
        assert write(cluster.bootstrap_servers, "t", rows) == rows
        wait_for(lambda: names(cluster, 3, "t", ".cleaned"))
        cluster.fill_disk(3)
        wait_for(lambda: 3 not in cluster.running)
        new = rounds(20, first=80)
        assert write(cluster.bootstrap_servers, "t", new) == new
        rows += new
        cluster.free_disk(3)
        cluster.start(3)
        cluster.wait_until_in_sync("t")
        await_cleaning(cluster, "t", 1, 2, 3)
        for node in (1, 2, 3):
            cluster.move_leader("t", to=node)
            assert state(cluster, "t") == latest(rows)
            wait_for(lambda node=node: not names(cluster, node, "t", *INTERRUPTED))
            assert active_base(cluster, node, "t") > 0
